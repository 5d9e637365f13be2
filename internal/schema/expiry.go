// SPDX-License-Identifier: Apache-2.0

package schema

import "github.com/weftdb/weft/internal/cell"

// InternalPrefix begins the names of internal indexes, and no others.
const InternalPrefix = "weft:"

// expiryName names the index by which expired rows are found.
const expiryName = InternalPrefix + "expiry"

// cellsName names the index by which rows are found whose cells have ended.
const cellsName = InternalPrefix + "cells"

// ExpiryIndex describes the index that orders rows by the attribute that says when they expire, a number of seconds since the Unix epoch. The id and
// the state are the caller's to set. It has no hidden part even in a hash-distributed table: what is due lies at its beginning.
func ExpiryIndex(attribute string) Index {
	return Index{
		Name: expiryName, PartitionParts: 1, Projection: ProjectKeys, Internal: true, Lenient: true,
		// Built here, not parsed: the attribute's name is taken as it is, even where it reads like an expression.
		Key: []KeyPart{{Name: attribute, Type: Number, Args: []Argument{{Column: attribute, Type: Number}}}},
	}
}

// Expiry returns the index by which expired rows are found, whatever its state; its only key part is the attribute. ok is false if rows
// of the table don't expire.
func (t *Table) Expiry() (x *Index, ok bool) {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Internal && x.Name == expiryName {
			return x, true
		}
	}
	return nil, false
}

// CellIndex describes the index that orders rows by when their cells must next be looked at. The id and the state are the caller's to set.
func CellIndex() Index {
	x := ExpiryIndex(cell.Due)
	x.Name = cellsName
	return x
}

// CellExpiry returns the index by which rows are found whose cells have ended, whatever its state. ok is false if the table has none.
func (t *Table) CellExpiry() (x *Index, ok bool) {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Internal && x.Name == cellsName {
			return x, true
		}
	}
	return nil, false
}

// IsCells says whether the index is that of CellIndex.
func (x *Index) IsCells() bool { return x.Internal && x.Name == cellsName }
