// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/access"
	"github.com/weftdb/weft/internal/keyspace"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/kv"
)

// PageIndex is the attribute by which the page keys of a Z-order index name the very index that they were made on, by its id. Rows stand in
// another order in the one that replaces it. Page keys of a Query with AnyIndex carry it, too.
const PageIndex = "weft:index"

// ErrPageKey is wrapped by the error of a Query whose After was made on an index that is no longer there, or on another one.
var ErrPageKey = errors.New("the page key was made on another index, or on one that was rebuilt long ago; begin the walk again")

// route finds the index to walk and the spans to walk on it.
func (p Pinned) route(q *Query) (access.Path, *record.Index, error) {
	x, err := p.pageIndex(q)
	if err != nil {
		return access.Path{}, nil, err
	}
	if x != nil {
		path, err := p.planOn(x, q)
		return path, x, err
	}
	path, err := p.plan(q)
	if err != nil {
		return access.Path{}, nil, err
	}
	x, err = p.index(path.Index.Name)
	return path, x, err
}

// pageIndex returns the index that a walk has to go on with; nil leaves the choice open.
func (p Pinned) pageIndex(q *Query) (*record.Index, error) {
	if q.After == nil && q.Segments <= 1 {
		return nil, nil
	}
	if q.AnyIndex {
		if q.After == nil {
			return nil, nil
		}
		return p.indexOfPage(q.After, "")
	}
	x, ok := p.table.Index(q.Index)
	if !ok || x.IsPrimary() || !x.Curved() {
		return nil, nil
	}
	if q.After != nil {
		return p.indexOfPage(q.After, q.Index)
	}
	return p.segmentIndex(x), nil
}

// indexOfPage returns the index that a page key names, one that has or had the given name; nil if the key names none.
func (p Pinned) indexOfPage(after Row, name string) (*record.Index, error) {
	wrong := &Error{Kind: KindInvalid, Table: p.name(), Err: ErrPageKey}
	v, named := after.Get(p.Names(), []byte(PageIndex))
	if !named {
		return nil, nil
	}
	id, ok := v.Int()
	if !ok || id < 0 || id >= int64(p.Descriptor().NextIndexID) {
		return nil, wrong
	}
	x, ok := p.table.IndexByID(uint32(id))
	if !ok || x.State != schema.Active || x.Internal && !x.IsReplaced() || name != "" && calledNow(x.Index) != name {
		return nil, wrong
	}
	return called(x), nil
}

// calledNow is the name by which an index answers, or answered, queries.
func calledNow(x *Index) string {
	if x.IsReplaced() {
		return x.Rebuild.Of
	}
	return x.Name
}

// called returns an index under the name that it had when it was not yet replaced.
func called(x *record.Index) *record.Index {
	if !x.IsReplaced() {
		return x
	}
	named, was := *x, *x.Index
	was.Name, was.Internal, was.Rebuild = x.Rebuild.Of, false, nil
	named.Index = &was
	return &named
}

// planOn finds the spans to walk on one index, whatever it is called now.
func (p Pinned) planOn(x *record.Index, q *Query) (access.Path, error) {
	table := *p.Descriptor()
	if !x.IsPrimary() {
		table.Indexes = []schema.Index{*x.Index}
	}
	return access.Choose(&table, access.Query{Where: q.Where, Index: x.Name, Primary: x.IsPrimary(), Reverse: q.Reverse}, access.Statistics{})
}

// pageKey returns the key of an entry as a row, with the index's id where the page key must name it.
func (c *Cursor) pageKey(key []byte) (Row, error) {
	row, err := c.pin.decodeKey(nil, c.index, key)
	if err != nil || !c.anyIndex && (c.index.IsPrimary() || !c.index.Curved()) {
		return row, err
	}
	var builder value.RowBuilder
	builder.Reset(c.pin.Names())
	for a := row.Attributes(c.pin.Names()); a.Next(); {
		if err := builder.Set(a.Name(), a.Value()); err != nil {
			return nil, wrap(c.pin.name(), err)
		}
	}
	if err := builder.Set([]byte(PageIndex), value.AppendInt(nil, int64(c.index.ID))); err != nil {
		return nil, wrap(c.pin.name(), err)
	}
	return builder.AppendTo(nil), nil
}

// scans remembers when parallel scans began on Z-order indexes. The workers of one scan must begin on the same index, so for a
// while those that begin after it was replaced still get the one before.
type scans struct {
	mu    sync.Mutex
	began map[indexID]time.Time
}

// segmentIndex returns the index on which a worker of a parallel scan begins: the named one, or one before it on which others began lately.
func (p Pinned) segmentIndex(x *record.Index) *record.Index {
	s, table, now := &p.db.scans, p.Descriptor().ID, p.db.options.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	best := x
	latest := s.began[indexID{table, x.ID}]
	for other := range p.Descriptor().Rebuilds(x.Name) {
		began, ok := s.began[indexID{table, other.ID}]
		if !ok || other.State != schema.Active || !other.IsReplaced() || now.Sub(began) >= segmentsQuiet || !began.After(latest) {
			continue
		}
		if before, ok := p.table.IndexByID(other.ID); ok {
			best, latest = called(before), began
		}
	}
	if s.began == nil {
		s.began = map[indexID]time.Time{}
	}
	s.began[indexID{table, best.ID}] = now
	return best
}

// forget drops what is remembered of an index.
func (s *scans) forget(id indexID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.began, id)
}

// rebuiltSince handles a snapshot that is older than the table's version: an index that replaced another after the snapshot was taken may lack
// entries in it, so the walk takes the one before. q is changed to say so.
func (p Pinned) rebuiltSince(ctx context.Context, from kv.Snapshot, q *Query) (*record.Index, error) {
	replaced := false
	for i := range p.Descriptor().Indexes {
		replaced = replaced || p.Descriptor().Indexes[i].IsReplaced()
	}
	if !replaced || q.After != nil {
		return nil, nil
	}
	stored, ok, err := from.Get(ctx, keyspace.AppendTable(nil, p.Descriptor().ID), nil)
	if err != nil || !ok {
		return nil, err
	}
	var then struct {
		Indexes []struct {
			ID    uint32       `json:"id"`
			Name  string       `json:"name"`
			State schema.State `json:"state"`
		} `json:"indexes"`
	}
	if err := json.Unmarshal(stored, &then); err != nil {
		return nil, err
	}
	for _, x := range then.Indexes {
		if x.Name != q.Index || x.State != schema.Active {
			continue
		}
		if was, ok := p.table.IndexByID(x.ID); ok && was.State == schema.Active {
			return called(was), nil
		}
	}
	return nil, nil
}
