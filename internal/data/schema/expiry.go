// SPDX-License-Identifier: Apache-2.0

package schema

import "github.com/weftdb/weft/internal/data/cell"

// InternalPrefix begins the names of internal indexes, and no others.
const InternalPrefix = "weft:"

// expiryName names the index by which expired rows are found.
const expiryName = InternalPrefix + "expiry"

// cellsName names the index by which rows are found whose cells have ended.
const cellsName = InternalPrefix + "cells"

// ExpiryIndex describes the index that orders rows by the attribute that says when they expire, a number of seconds
// since the Unix epoch. The id and the state are the caller's to set. It has no hidden part even in a hash-distributed
// table: what is due lies at its beginning.
func ExpiryIndex(attribute string) Index {
	return Index{
		Name: expiryName, PartitionParts: 1, Projection: ProjectKeys, Internal: true, Lenient: true,
		// Built here, not parsed: the attribute's name is taken as it is, even where it reads like an expression.
		Key: []KeyPart{{Name: attribute, Type: Number, Args: []Argument{{Column: attribute, Type: Number}}}},
	}
}

// Expiry returns the index by which expired rows are found, whatever its state; its only key part is the attribute. ok
// is false if rows of the table don't expire.
func (t *Table) Expiry() (x *Index, ok bool) {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Internal && x.Name == expiryName {
			return x, true
		}
	}
	return nil, false
}

// CellIndex describes the index that orders rows by when their cells must next be looked at. The id and the state are
// the caller's to set.
func CellIndex() Index {
	x := ExpiryIndex(cell.Due)
	x.Name = cellsName
	return x
}

// CellExpiry returns the index by which rows are found whose cells have ended, whatever its state. ok is false if the
// table has none.
func (t *Table) CellExpiry() (x *Index, ok bool) {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Internal && x.Name == cellsName {
			return x, true
		}
	}
	return nil, false
}

// IsCells reports whether the index is the one that CellIndex returns.
func (x *Index) IsCells() bool { return x.Internal && x.Name == cellsName }

// AddCellIndex gives a table the index of CellIndex.
func (t *Table) AddCellIndex(state State) *Index {
	index := CellIndex()
	index.ID, index.State = t.NextIndexID, state
	t.NextIndexID++
	t.Indexes = append(t.Indexes, index)
	return &t.Indexes[len(t.Indexes)-1]
}

// ExpiryState is the progress of switching the expiry of a table's rows on or off.
type ExpiryState uint8

// The states of expiry.
const (
	ExpiryOff      ExpiryState = iota
	ExpiryBuilding             // being switched on: rows that were there before are looked through, none is deleted yet
	ExpiryActive               // expired rows are deleted
	ExpiryRemoving             // being switched off: none is deleted any more
)

// String returns the state's name.
func (s ExpiryState) String() string {
	names := [...]string{"off", "building", "active", "removing"}
	return names[min(int(s), len(names)-1)]
}

// Expiries says when rows of a table expire.
type Expiries struct {
	// Attribute names the attribute that holds a row's expiry in seconds since the Unix epoch; "" if rows don't expire.
	Attribute string
	State     ExpiryState
}

// Expiries returns when the table's rows expire.
func (t *Table) Expiries() Expiries {
	x, ok := t.Expiry()
	if !ok {
		return Expiries{}
	}
	e := Expiries{Attribute: x.Key[0].Name}
	switch x.State {
	case Active:
		e.State = ExpiryActive
	case Retiring, Dropping:
		e.State = ExpiryRemoving
	default:
		e.State = ExpiryBuilding
	}
	return e
}
