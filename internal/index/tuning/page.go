// SPDX-License-Identifier: Apache-2.0

package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/zorder/codec"
)

// ErrPageKey says that a page key was made on an index that is no longer there, or on another one.
var ErrPageKey = errors.New("the page key was made on another index, or on one that was rebuilt long ago; begin the walk again")

// PageAttribute is the attribute by which page keys name the very index that they were made on, by its id.
const PageAttribute = "weft:index"

// OfPage returns the index that a page key names, which must have, or have had, the given name if that is not empty;
// nil if the key names none. The error is ErrPageKey.
func OfPage(table *record.Table, after value.Row, name string) (*record.Index, error) {
	v, named := after.Get(table.Names, []byte(PageAttribute))
	if !named {
		return nil, nil
	}
	id, ok := v.Int()
	if !ok || id < 0 || id >= int64(table.Schema.NextIndexID) {
		return nil, ErrPageKey
	}
	x, ok := table.IndexByID(uint32(id))
	if !ok || x.State != schema.Active || x.Internal && !x.IsReplaced() {
		return nil, ErrPageKey
	}
	if x = originalIndex(x); name != "" && x.Name != name {
		return nil, ErrPageKey
	}
	return x, nil
}

// originalIndex returns an index under the name that it had when it was not yet replaced.
func originalIndex(x *record.Index) *record.Index {
	if !x.IsReplaced() {
		return x
	}
	named, was := *x, *x.Index
	was.Name, was.Internal, was.Rebuild = x.Rebuild.Of, false, nil
	named.Index = &was
	return &named
}

// AppendPage adds the index that a page key is made on to the key.
func AppendPage(dst []byte, x *record.Index, row value.Row, names value.Names) (value.Row, error) {
	var builder value.RowBuilder
	builder.Reset(names)
	for a := row.Attributes(names); a.Next(); {
		if err := builder.Set(a.Name(), a.Value()); err != nil {
			return nil, err
		}
	}
	if err := builder.Set([]byte(PageAttribute), value.AppendInt(nil, int64(x.ID))); err != nil {
		return nil, err
	}
	return builder.AppendTo(dst), nil
}

// scansQuiet is the time no parallel scan must have begun on an index that was replaced before the next one begins on
// its successor.
const scansQuiet = time.Minute

// Scans remembers when parallel scans began on Z-order indexes. The workers of one scan must begin on the same index,
// so for a while those that begin after it was replaced still get the one before. The zero value is ready.
type Scans struct {
	mu    sync.Mutex
	began map[place]time.Time
}

// place is an index of a table, by their ids.
type place struct{ table, index uint32 }

// Begin returns the index on which a worker of a parallel scan begins: x, or one before it on which others began
// lately.
func (s *Scans) Begin(table *record.Table, x *record.Index, now time.Time) *record.Index {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, best := table.Schema.ID, x
	latest := s.began[place{id, x.ID}]
	for other := range table.Schema.Rebuilds(x.Name) {
		began, ok := s.began[place{id, other.ID}]
		if !ok || other.State != schema.Active || !other.IsReplaced() || now.Sub(began) >= scansQuiet ||
			!began.After(latest) {
			continue
		}
		if before, ok := table.IndexByID(other.ID); ok {
			best, latest = originalIndex(before), began
		}
	}
	if s.began == nil {
		s.began = map[place]time.Time{}
	}
	s.began[place{id, best.ID}] = now
	return best
}

// forget drops what is remembered of an index.
func (s *Scans) forget(at place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.began, at)
}

// Then is which indexes of a table were active at a snapshot that may be older than the table's version: one that
// became active since may lack entries there. The zero value knows of no table, whose indexes are then all as empty as
// the table.
type Then struct {
	known   bool
	indexes []struct {
		ID    uint32       `json:"id"`
		Name  string       `json:"name"`
		State schema.State `json:"state"`
	}
}

// AtSnapshot reads which indexes were active at a snapshot.
func AtSnapshot(ctx context.Context, from kv.Snapshot, table *record.Table) (then Then, err error) {
	stored, ok, err := from.Get(ctx, keyspace.AppendTable(nil, table.Schema.ID), nil)
	if err != nil || !ok {
		return then, err
	}
	then.known = true
	return then, json.Unmarshal(stored, &struct {
		Indexes any `json:"indexes"`
	}{&then.indexes})
}

// Holds reports whether an index can be walked at the snapshot.
func (t *Then) Holds(id uint32) bool {
	if !t.known || id == 0 {
		return true
	}
	for i := range t.indexes {
		if t.indexes[i].ID == id {
			return t.indexes[i].State == schema.Active
		}
	}
	return false
}

// Index returns the index that had a name at the snapshot, if it can still be walked; it may have been replaced since.
func (t *Then) Index(table *record.Table, name string) (*record.Index, bool) {
	if !t.known || name == "" {
		return table.Index(name)
	}
	for i := range t.indexes {
		if t.indexes[i].Name != name || t.indexes[i].State != schema.Active {
			continue
		}
		if was, ok := table.IndexByID(t.indexes[i].ID); ok && was.State == schema.Active {
			return originalIndex(was), true
		}
	}
	return nil, false
}

// Attribute says how one attribute of a Z-order index is coded.
type Attribute struct {
	Name string
	// Codec is "raw" for codes made of the value alone, or "quantile" for those learned from a sample.
	Codec   string
	Bits    int
	Version uint32 // grows each time that the codec is learned
	// SampleRows and LearnedAt say from how many rows a quantile codec was learned, and when.
	SampleRows int64
	LearnedAt  time.Time
	// Skew is how evenly the codes spread the rows that the index has now, by a sample.
	Skew codec.Skew
}

// Describe returns how the attributes of an index's Z-order parts are coded, in their order, and how well that suits a
// sample of its rows.
func Describe(ctx context.Context, from kv.Snapshot, table *record.Table, x *record.Index,
	sizeOf func(kv.Range) int64) (list []Attribute, err error) {
	for i := range x.Key {
		part := &x.Key[i]
		if part.Curve == nil {
			continue
		}
		rows, err := TakeSample(ctx, from, table, x, part, checkRows, sizeOf)
		if err != nil {
			return nil, err
		}
		for j := range part.Curve.Codecs {
			one, err := describe(x.Index, part, j, rows)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
	}
	return list, nil
}

func describe(x *schema.Index, part *schema.KeyPart, i int, rows Sample) (a Attribute, err error) {
	c := part.Curve.Codecs[i]
	a = Attribute{Name: part.Args[i].Column, Codec: "raw", Bits: c.Bits(), Version: c.Version()}
	if isQuantile(c) {
		a.Codec = "quantile"
		if x.Sample != nil {
			a.SampleRows, a.LearnedAt = x.Sample.Rows, time.UnixMilli(x.Sample.AtMS)
		}
	}
	a.Skew, err = c.Skew(rows.column(i), codec.SkewOptions{})
	return a, err
}
