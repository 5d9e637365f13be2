// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"fmt"
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/weftdb/weft/internal/room"
	"github.com/weftdb/weft/internal/sql/fault"
)

// held is what a statement holds in memory: rows that are sorted, hashed or kept for a second reading.
type held struct {
	bytes, bytesMax int64
	memory          room.Share
	// below are the nodes whose rows somebody above them holds.
	below map[sql.Node]bool
	// inner says that the next node is to be built as the engine does.
	inner bool
}

// builder builds what runs a plan: the engine's iterators, with the statement's bounds around them.
type builder struct{ engine sql.NodeExecBuilder }

func newBuilder() sql.NodeExecBuilder {
	b := &builder{}
	b.engine = rowexec.NewOverrideBuilder(b)
	return b.engine
}

// Build builds a node, or returns nil for one that the engine is to build alone.
func (b *builder) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	s := statementOf(ctx)
	h := &s.held
	if h.inner {
		h.inner = false
		return nil, nil
	}
	h.mark(n)
	isHeld := isPointer(n) && h.below[n]
	correlated := correlate(ctx, n, row)
	if !isHeld && correlated == nil && len(n.Children()) > 0 {
		return nil, nil
	}
	if correlated == nil {
		correlated = n
	}
	h.inner = true
	rows, err := b.engine.Build(ctx, correlated, row)
	h.inner = false
	if err != nil || rows == nil {
		return rows, err
	}
	return &boundRows{rows: ofTable(n, rows), held: h, isHeld: isHeld, frees: isHeld && !outlives(n)}, nil
}

// mark notes whose rows a node holds.
func (h *held) mark(n sql.Node) {
	var below []sql.Node
	switch n := n.(type) {
	case *plan.Sort, *plan.Window, *plan.HashLookup, *plan.CachedResults, *plan.JSONTable:
		below = n.Children()
	case *plan.RecursiveCte:
		below = []sql.Node{n.Left(), n.Right()}
	}
	for _, child := range below {
		if !isPointer(child) {
			continue
		}
		if h.below == nil {
			h.below = make(map[sql.Node]bool)
		}
		h.below[child] = true
	}
}

func isPointer(n sql.Node) bool { return reflect.ValueOf(n).Kind() == reflect.Pointer }

// outlives says whether rows are held after the iterator that gave them was closed. What is not known to end is taken to last.
func outlives(n sql.Node) bool {
	switch n.(type) {
	case *plan.Sort, *plan.Window:
		return false
	}
	return true
}

// boundRows counts the rows that are held, and ends with the statement.
type boundRows struct {
	rows   sql.RowIter
	held   *held
	isHeld bool
	frees  bool
	bytes  int64
}

// Next returns the next row.
func (b *boundRows) Next(ctx *sql.Context) (sql.Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	row, err := b.rows.Next(ctx)
	if err != nil || !b.isHeld {
		return row, err
	}
	size := sizeOf(row)
	b.bytes += size
	if b.held.bytes += size; b.held.bytes > b.held.bytesMax || !b.held.memory.Hold(2*b.held.bytes) {
		return nil, fault.New(fault.OutOfMemory, fmt.Sprintf("The estimated memory used by the query exceeds the maximum limit: its sorts, hash joins and windows hold more than "+
			"relational_buffer_size, %d bytes, or more than all statements leave free (--sql-memory); narrow its conditions, join by the first key column of a table or of an index, or raise relational_buffer_size", b.held.bytesMax))
	}
	return row, nil
}

// Close ends the rows.
func (b *boundRows) Close(ctx *sql.Context) error {
	if b.frees {
		b.held.bytes -= b.bytes
		b.bytes = 0
	}
	return b.rows.Close(ctx)
}

// What a row and its values take beside texts, about.
const (
	rowBytes   = 48
	valueBytes = 24
)

func sizeOf(row sql.Row) int64 {
	size := int64(rowBytes + valueBytes*len(row))
	for _, v := range row {
		switch v := v.(type) {
		case string:
			size += int64(len(v))
		case []byte:
			size += int64(len(v))
		}
	}
	return size
}
