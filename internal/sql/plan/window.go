// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Window is the functions of a SELECT that share one order of its rows, after groups and HAVING. Programs run over the row of FROM, or of a group; results
// are written into slots behind its data, where later Windows and the select list read them.
type Window struct {
	Partition []*evaluate.Program
	Order     []Sorting // Item is -1
	Functions []WindowFunction
}

// WindowFunction is one call of a Window.
type WindowFunction struct {
	// Name is in lower case: row_number, rank, dense_rank, percent_rank, cume_dist, ntile, lag, lead, first_value, last_value, nth_value, or that of Aggregate.
	Name      string
	Aggregate *evaluate.Aggregate // nil: none
	Arguments []*evaluate.Program
	Frame     WindowFrame
	Slot      int // of the result
}

// WindowFrame is which rows of the partition a function sees.
type WindowFrame struct {
	// Range says that rows that are equal in Order stand together, and that offsets are in its only key.
	Range      bool
	Start, End WindowBound
}

// WindowBound is one end of a frame. Of Rows, Offset is a number without columns. Of Range, Limit is the value that the key of the last row of the frame
// may reach: the row's key plus or minus the offset.
type WindowBound struct {
	Kind   tree.BoundKind
	Offset *evaluate.Program
	Limit  *evaluate.Program
}
