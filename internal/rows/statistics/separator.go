// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"cmp"
	"context"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

const (
	// separatorsMax is the number of keys of an index that are kept to estimate by.
	separatorsMax = 1023
	// statisticsKept is the time estimates help to choose paths.
	statisticsKept = 10 * time.Minute
	// separatorsDrift is by which factor an index may have grown or shrunk since its separators were taken.
	separatorsDrift = 1.25
	// nearFactor is how close to each other the costs of two paths must be for both indexes to be sampled.
	nearFactor = 3
	// sampledMax is the number of indexes that are sampled for one Explain.
	sampledMax = 4
	// knownKept is for how long what is known of a table serves all queries, if nothing is learned meanwhile;
	// knownTables is of how many tables.
	knownKept   = time.Second
	knownTables = 64
)

// separators are sampled keys of an index.
type separators struct {
	keys    [][]byte
	rows    int64 // of the index at that time, as Estimate has it
	counted int64 // the same, exactly; 0 if there were too many to count
	at      time.Time
}

func (b *Book) putSeparators(id indexID, known separators) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sampled == nil {
		b.sampled = map[indexID]separators{}
	}
	b.sampled[id] = known
	clear(b.known)
}

// readable lists all indexes that queries may use, the primary one first.
func (l *Look) readable() []*record.Index {
	list := append(make([]*record.Index, 0, len(l.Table.Indexes)+1), l.Table.Primary)
	for _, x := range l.Table.Indexes {
		if !x.Internal && !x.Search && x.State == schema.Active {
			list = append(list, x)
		}
	}
	return list
}

// knownTable holds a table's statistics as of a time.
type knownTable struct {
	access.Statistics
	at time.Time
}

// Known holds recent counts and samples. Several callers share it, so it must not be changed.
func (b *Book) Known(l *Look) access.Statistics {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k, ok := b.known[l.Table]; ok && !l.Now.Before(k.at) && l.Now.Sub(k.at) < knownKept {
		return k.Statistics
	}
	if b.known == nil {
		b.known = map[*record.Table]knownTable{}
	}
	if len(b.known) >= knownTables {
		clear(b.known)
	}
	k := knownTable{b.compute(l), l.Now}
	b.known[l.Table] = k
	return k.Statistics
}

// compute is Known. The caller holds mu.
func (b *Book) compute(l *Look) access.Statistics {
	s := access.Statistics{Indexes: make(map[uint32]access.IndexStatistics, len(l.Table.Indexes)+1)}
	rows := b.rows(l)
	for _, x := range l.readable() {
		one := access.IndexStatistics{Complete: !x.Partial}
		id := l.id(x)
		if e, ok := b.made[id]; ok && l.Now.Sub(e.at) < statisticsKept {
			one.Rows, one.Bytes = float64(e.Rows), float64(e.Bytes)
			if sampled, ok := b.sampled[id]; ok && sampled.fits(e.Rows, l.Now) {
				one.Separators = sampled.keys
				correct(&one, sampled.counted)
			}
		}
		if holdsAll(x) {
			correct(&one, rows)
		}
		if x.IsPrimary() {
			s.Rows, s.Bytes = max(one.Rows, float64(rows)), one.Bytes
		}
		s.Indexes[x.ID] = one
	}
	return s
}

// rows is the number of rows the table has, as far as that is known: what one of the indexes that hold all of them has,
// counted rather than estimated, the table itself before others. Estimates of single indexes differ by some per cent,
// and the planner would choose by that.
func (b *Book) rows(l *Look) (rows int64) {
	for _, x := range l.readable() {
		id := l.id(x)
		e, ok := b.made[id]
		if !ok || l.Now.Sub(e.at) >= statisticsKept || !holdsAll(x) {
			continue
		}
		if sampled := b.sampled[id]; sampled.counted > 0 && sampled.fits(e.Rows, l.Now) {
			return sampled.counted
		}
		rows = cmp.Or(rows, e.Rows)
	}
	return rows
}

// holdsAll reports whether every row has an entry.
func holdsAll(x *record.Index) bool {
	return x.IsPrimary() || x.KeepNulls && !x.Partial && !x.Lenient
}

// correct puts an exact count of rows in an estimate's place.
func correct(s *access.IndexStatistics, rows int64) {
	if rows > 0 && s.Rows > 0 {
		s.Bytes *= float64(rows) / s.Rows
		s.Rows = float64(rows)
	}
}

// fits reports whether separators still stand for an index of so many rows.
func (s *separators) fits(rows int64, now time.Time) bool {
	return now.Sub(s.at) < statisticsKept && float64(rows) <= separatorsDrift*float64(s.rows) &&
		float64(s.rows) <= separatorsDrift*float64(rows)
}

// Choice is a choice between paths: what was asked, and the same without an index that is named.
type Choice struct{ Asked, Open access.Query }

// Count counts the entries of all indexes, and samples those of the path that is chosen and of those that cost about as
// much.
func (b *Book) Count(ctx context.Context, l *Look, from kv.Snapshot, c *Choice) (access.Statistics, error) {
	for _, x := range l.readable() {
		if _, err := b.Estimate(ctx, l, x); err != nil {
			return access.Statistics{}, err
		}
	}
	for sampled := 0; sampled < sampledMax; {
		next, err := b.unsampled(l, c)
		if err != nil || next == nil {
			return b.Known(l), err
		}
		if err := b.sample(ctx, l, from, next); err != nil {
			return access.Statistics{}, err
		}
		sampled++
	}
	return b.Known(l), nil
}

// unsampled returns an index without separators that is chosen or could be at about the same cost; nil if there is
// none.
func (b *Book) unsampled(l *Look, c *Choice) (*record.Index, error) {
	s := b.Known(l)
	first, err := access.Choose(l.Table.Schema, c.Asked, s)
	if err != nil {
		return nil, err
	}
	near, err := access.Alternatives(l.Table.Schema, c.Open, s)
	if err != nil {
		near = nil // there is only the one that is named
	}
	for _, path := range append([]access.Path{first}, near...) {
		if known := s.Indexes[path.Index.ID]; path.Cost <= nearFactor*first.Cost && !path.Point && known.Rows > 1 &&
			known.Separators == nil {
			x, _ := l.Table.IndexByID(path.Index.ID)
			return x, nil
		}
	}
	return nil, nil
}

// sample takes separators of an index.
func (b *Book) sample(ctx context.Context, l *Look, from kv.Snapshot, x *record.Index) error {
	estimate, _ := b.get(l.id(x))
	return b.sampleAs(ctx, l, from, l.id(x), x, estimate.Rows)
}

// sampleAs takes separators of an index, or of a field of a search index, with so many rows.
func (b *Book) sampleAs(ctx context.Context, l *Look, from kv.Snapshot, id indexID, x *record.Index, rows int64) error {
	var starts [][]byte
	var err error
	if l.Starts != nil && id.field == 0 {
		if starts, err = l.Starts(from, x); err != nil {
			return err
		}
	}
	keys, counted, err := query.Sample(ctx, from, x, starts, separatorsMax, l.SizeOf)
	if err == nil {
		b.putSeparators(id, separators{keys: keys, rows: rows, counted: counted, at: l.Now})
	}
	return err
}
