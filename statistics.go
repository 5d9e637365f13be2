// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/access"
	"github.com/weftdb/weft/internal/query"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/kv"
)

const (
	// separatorsMax is how many keys of an index are kept to estimate by.
	separatorsMax = 1023
	// statisticsKept is how long estimates help to choose paths.
	statisticsKept = 10 * time.Minute
	// separatorsDrift is by which factor an index may have grown or shrunk since its separators were taken.
	separatorsDrift = 1.25
	// nearFactor is how close to each other the costs of two paths must be for both indexes to be sampled.
	nearFactor = 3
	// sampledMax is how many indexes are sampled for one Explain.
	sampledMax = 4
)

// separators are sampled keys of an index.
type separators struct {
	keys    [][]byte
	rows    int64 // of the index at that time, as Estimate has it
	counted int64 // the same, exactly; 0 if there were too many to count
	at      time.Time
}

func (e *estimates) separators(id indexID) (separators, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known, ok := e.sampled[id]
	return known, ok
}

func (e *estimates) putSeparators(id indexID, known separators) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sampled == nil {
		e.sampled = map[indexID]separators{}
	}
	e.sampled[id] = known
}

// indexes lists all indexes that queries may use, the primary one first.
func (p Pinned) indexes() []*record.Index {
	list := []*record.Index{p.table.Primary}
	for x := range p.Descriptor().Declared() {
		if found, err := p.index(x.Name); err == nil {
			list = append(list, found)
		}
	}
	return list
}

// known is what has been counted and sampled lately.
func (p Pinned) known() access.Statistics {
	s := access.Statistics{Indexes: make(map[uint32]access.IndexStatistics, len(p.Descriptor().Indexes)+1)}
	now := p.db.options.Now()
	for _, x := range p.indexes() {
		one := access.IndexStatistics{Complete: !x.Partial}
		id := indexID{p.Descriptor().ID, x.ID}
		if e, ok := p.db.estimates.get(id); ok && now.Sub(e.at) < statisticsKept {
			one.Rows, one.Bytes = float64(e.Rows), float64(e.Bytes)
			if sampled, ok := p.db.estimates.separators(id); ok && sampled.fits(e.Rows, now) {
				one.Separators = sampled.keys
				correct(&one, sampled.counted)
			}
		}
		if x.IsPrimary() {
			s.Rows, s.Bytes = one.Rows, one.Bytes
		}
		s.Indexes[x.ID] = one
	}
	return s
}

// correct puts an exact count of rows in an estimate's place.
func correct(s *access.IndexStatistics, rows int64) {
	if rows > 0 && s.Rows > 0 {
		s.Bytes *= float64(rows) / s.Rows
		s.Rows = float64(rows)
	}
}

// fits says whether separators still stand for an index of so many rows.
func (s *separators) fits(rows int64, now time.Time) bool {
	return now.Sub(s.at) < statisticsKept && float64(rows) <= separatorsDrift*float64(s.rows) && float64(s.rows) <= separatorsDrift*float64(rows)
}

// counted counts the rows of all indexes, and samples the one that q reads and those whose paths cost about as much.
func (p Pinned) counted(ctx context.Context, from kv.Snapshot, q *Query) (access.Statistics, error) {
	for _, x := range p.indexes() {
		if _, err := p.Estimate(ctx, x.Name); err != nil {
			return access.Statistics{}, err
		}
	}
	for sampled := 0; sampled < sampledMax; {
		next, err := p.unsampled(q)
		if err != nil || next == nil {
			return p.known(), err
		}
		if err := p.sample(ctx, from, next); err != nil {
			return access.Statistics{}, err
		}
		sampled++
	}
	return p.known(), nil
}

// unsampled returns an index without separators that q reads or could read at about the same cost; nil if there is none.
func (p Pinned) unsampled(q *Query) (*record.Index, error) {
	s := p.known()
	first, err := access.Choose(p.Descriptor(), p.asked(q), s)
	if err != nil {
		return nil, err
	}
	near, err := access.Alternatives(p.Descriptor(), access.Query{Where: both(q.Where, q.Filter)}, s)
	if err != nil {
		near = nil // there is only the one that q names
	}
	for _, path := range append([]access.Path{first}, near...) {
		if known := s.Indexes[path.Index.ID]; path.Cost <= nearFactor*first.Cost && !path.Point && known.Rows > 1 && known.Separators == nil {
			return p.index(path.Index.Name)
		}
	}
	return nil, nil
}

// sample takes separators of an index.
func (p Pinned) sample(ctx context.Context, from kv.Snapshot, x *record.Index) error {
	id := indexID{p.Descriptor().ID, x.ID}
	estimate, _ := p.db.estimates.get(id)
	keys, counted, err := query.Sample(ctx, from, x, separatorsMax, p.sizer(ctx))
	if err == nil {
		p.db.estimates.putSeparators(id, separators{keys: keys, rows: estimate.Rows, counted: counted, at: p.db.options.Now()})
	}
	return err
}
