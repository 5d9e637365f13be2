// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"iter"
	"slices"
	"strconv"
)

// Rebuild relates an internal index to another one that is rebuilt under a new id: it is the one that will take the
// name, or one that had it and still serves walks which began on it.
type Rebuild struct {
	// Of is the name of the index that answers queries.
	Of string `json:"of"`
	// ReplacedAtMS is when this index lost the name to its successor, in Unix milliseconds; 0 if it has yet to take it.
	ReplacedAtMS int64 `json:"replacedAtMS,omitempty"`
}

// Sample describes the sample from which the codecs of an index's curves were learned.
type Sample struct {
	AtMS int64 `json:"atMS"` // Unix milliseconds
	Rows int64 `json:"rows"`
}

// RebuildName is the internal name of an index that is being built to replace another, or was replaced.
func RebuildName(id uint32) string {
	return InternalPrefix + "rebuild/" + strconv.FormatUint(uint64(id), 10)
}

// IsReplaced reports whether the index was replaced by another of its name.
func (x *Index) IsReplaced() bool { return x.Rebuild != nil && x.Rebuild.ReplacedAtMS != 0 }

// Curved reports whether a key part is a Z-order.
func (x *Index) Curved() bool {
	for i := range x.Key {
		if x.Key[i].Curve != nil {
			return true
		}
	}
	return false
}

// Rebuilds yields the internal indexes that are to replace the named one, or were replaced by it.
func (t *Table) Rebuilds(name string) iter.Seq[*Index] {
	return func(yield func(*Index) bool) {
		for i := range t.Indexes {
			if x := &t.Indexes[i]; x.Rebuild != nil && x.Rebuild.Of == name && !yield(x) {
				return
			}
		}
	}
}

// AddRebuild adds an internal index with another key that is to replace one, which may not be used after it: the
// table's indexes have moved.
func (t *Table) AddRebuild(of *Index, key []KeyPart, sample *Sample) *Index {
	next := *of
	next.ID, next.State, next.Internal, next.Rebuild, next.Partial = t.NextIndexID, DeleteOnly, true,
		&Rebuild{Of: of.Name}, false
	next.Name, next.Key, next.Sample = RebuildName(next.ID), key, sample
	t.NextIndexID++
	t.Indexes = append(t.Indexes, next)
	return &t.Indexes[len(t.Indexes)-1]
}

// Replace gives the index with an id, which becomes active, the name and the place of the one that it was built to
// replace. That one stays active under an internal name. ok is false, and nothing is changed, if it is no longer there
// or on its way out.
func (t *Table) Replace(id uint32, nowMS int64) (ok bool) {
	next, found := t.IndexByID(id)
	if !found || next.Rebuild == nil || next.IsReplaced() {
		return false
	}
	before, found := t.Index(next.Rebuild.Of)
	if !found || before.IsPrimary() || before.State != Active {
		return false
	}
	next.Name, next.Internal, next.Rebuild, next.State = before.Name, false, nil, Active
	next.Dialect = before.Dialect // it may have changed while the index was built
	before.Rebuild = &Rebuild{Of: before.Name, ReplacedAtMS: nowMS}
	before.Name, before.Internal = RebuildName(before.ID), true
	*next, *before = *before, *next
	return true
}

// Emptied makes the descriptor of a table that of one without rows: indexes that are being built are complete, those on
// their way out gone, and nobody copies its rows.
func Emptied(t *Table) error {
	t.Indexes = slices.DeleteFunc(t.Indexes, func(x Index) bool {
		return x.State == Retiring || x.State == Dropping || x.Rebuild != nil
	})
	t.Held, t.Copied = "", false
	if t.Cells != nil {
		t.Cells.Pending = false
	}
	for i := range t.Indexes {
		t.Indexes[i].State, t.Indexes[i].Partial = Active, false
	}
	return nil
}
