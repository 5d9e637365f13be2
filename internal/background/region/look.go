// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// look is one look at the regions of one index.
type look struct {
	*Keeper
	ctx   context.Context
	from  kv.Snapshot
	at    Place
	table *schema.Table
	index *record.Index
	now   time.Time
	sizes []Size // of the regions, once they were looked at
}

// do takes the steps that are due.
func (l *look) do(sized bool) (taken int, err error) {
	regions, err := list(l.ctx, l.from, l.at)
	if err != nil {
		return 0, err
	}
	observed := l.observe(regions, sized)
	for _, step := range l.Settings.Steps(observed, l.now.UnixMilli()) {
		r := &observed[step.At]
		n := 0
		switch {
		case step.Kind == SplitByLoad:
			n, err = l.splitByLoad(r)
		case !sized: // the sizes are not known
			continue
		case step.Kind == SplitBySize:
			n, err = l.splitBySize(r)
		default:
			n, err = 1, merge(l.ctx, l.Store, l.at, &r.Region)
		}
		if err != nil {
			return taken, err
		}
		if taken += n; n > 0 {
			l.patience.Forget(r.ID)
			if step.Kind != Merge {
				l.tellSplit(l.ctx, l.at)
			}
			l.Logger.Info("region: "+step.Kind.String(), "region", r.ID, "table", l.at.Table, "index", l.index.Name,
				"bytes", r.Bytes, "requests", r.requests(), "more", n)
		}
	}
	return taken, nil
}

func (l *look) observe(regions []Region, sized bool) []Observation {
	var sizeOf func(kv.Range) int64
	if sized && l.SizeOf != nil {
		sizeOf = l.SizeOf(l.ctx)
	}
	rates := l.Rates(l.index, regions)
	observed := make([]Observation, len(regions))
	for i := range regions {
		observed[i] = Observation{Region: regions[i], Rate: rates[i]}
		if sizeOf != nil {
			observed[i].Bytes = sizeOf(l.index.Span(regions[i].Start, regions[i].End))
			l.sizes = append(l.sizes, Size{l.table, l.index.Name, regions[i].ID, observed[i].Bytes})
		}
		if rates[i].requests() <= l.Settings.RequestsMax {
			l.patience.Quiet(regions[i].ID)
			l.note(regions[i].ID, Divides)
		}
	}
	return observed
}

// splitBySize cuts a region into parts of at most half the size at which they would be cut again.
func (l *look) splitBySize(r *Observation) (added int, err error) {
	parts := min(max(2, 2*r.Bytes/l.Settings.BytesMax), CountMax)
	keys, err := query.CutFinely(l.ctx, l.from, l.index, indexkey.Span{Start: r.Start, End: r.End}, int(parts-1),
		l.SizeOf(l.ctx))
	if err != nil {
		return 0, err
	}
	return l.Split(l.ctx, l.at, l.index, keys, false)
}

// splitByLoad splits a region at a key that divides its requests, if there is one and it has had too many for a while.
func (l *look) splitByLoad(r *Observation) (added int, err error) {
	if !l.patience.Busy(r.ID, l.now) {
		return 0, nil
	}
	keys, verdict := Divide(l.Requests(l.index, r.Start, r.End))
	for _, key := range keys {
		fits, err := l.fits(r, key)
		if err != nil {
			return 0, err
		}
		if fits {
			l.note(r.ID, Divides)
			return l.Split(l.ctx, l.at, l.index, [][]byte{key}, false)
		}
	}
	if verdict == Divides {
		verdict = Uneven // but there are not entries enough on both sides
	}
	l.note(r.ID, verdict)
	if verdict != TooFew {
		l.patience.InVain(r.ID, l.now)
	}
	return 0, nil
}

// fits reports whether key is the key of an entry, with entries enough on both sides of it in the region.
func (l *look) fits(r *Observation, key []byte) (bool, error) {
	if !r.holds(key) || bytes.Equal(key, r.Start) {
		return false, nil
	}
	upper, first, err := l.count(l.index.Span(key, r.End))
	if err != nil || upper < l.Settings.RowsMin || !bytes.Equal(first, key) {
		return false, err
	}
	lower, _, err := l.count(l.index.Span(r.Start, key))
	return lower >= l.Settings.RowsMin, err
}

// count counts the entries of a range up to RowsMin, and returns the first one's relative key.
func (l *look) count(within kv.Range) (n int, first []byte, err error) {
	walk := l.from.Scan(l.ctx, within, false)
	for n < l.Settings.RowsMin && walk.Next() {
		if n++; n == 1 {
			first = slices.Clone(walk.Key()[len(l.index.Prefix):])
		}
	}
	return n, first, walk.Close()
}
