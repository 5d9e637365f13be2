// SPDX-License-Identifier: Apache-2.0

package evaluate

import "github.com/weftdb/weft/internal/sql/tree"

// WindowKind is the kind of a window function.
type WindowKind uint8

// The kinds. Lag, Lead, FirstValue, LastValue and NthValue have their value as first argument; Lag and Lead then a
// number of rows and a value where there is no such row, both of which may be missing; NthValue a number from 1; NTile
// a number of tiles.
const (
	RowNumber WindowKind = iota
	Rank
	DenseRank
	PercentRank
	CumeDist
	NTile
	Lag
	Lead
	FirstValue
	LastValue
	NthValue
	Aggregated
)

// windowKinds are the kinds by the names of functions, but for Aggregated. // immutable
var windowKinds = map[string]WindowKind{"row_number": RowNumber, "rank": Rank, "dense_rank": DenseRank,
	"percent_rank": PercentRank, "cume_dist": CumeDist, "ntile": NTile, "lag": Lag, "lead": Lead,
	"first_value": FirstValue, "last_value": LastValue, "nth_value": NthValue}

// WindowKindOf returns the kind of a window function by its name in lower case; of an aggregate it is Aggregated.
func WindowKindOf(name string) (kind WindowKind, ok bool) {
	if IsAggregate(name) {
		return Aggregated, true
	}
	kind, ok = windowKinds[name]
	return kind, ok
}

// WindowFunction is one function over a window, whose result goes into Slot.
type WindowFunction struct {
	Kind      WindowKind
	Arguments []*Program
	Aggregate *Aggregate // of Aggregated
	Frame     Frame
	Slot      int
}

// Frame is which rows of a partition a function sees from one of them. The zero value is the default frame: all rows up
// to the peers of the one at hand, or the whole partition where nothing is ordered.
type Frame struct {
	Rows       bool // bounds count rows; else they go by values, and rows that are equal in the order stand together
	Start, End Bound
}

// Bound is one end of a frame. Count, without columns, is the number of rows Preceding and Following that are away; of
// a RANGE, Limit computes the value of the order's only key up to which the frame goes, from the row at hand.
type Bound struct {
	Kind  tree.BoundKind
	Count *Program
	Limit *Program
}
