// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// wholeRows are the rows of a table that have columns. Tables of database mysql that the engine has for tools, and leaves empty, give one row without any.
type wholeRows struct{ sql.RowIter }

// ofTable is the rows of a node; those of a table are whole ones.
func ofTable(n sql.Node, rows sql.RowIter) sql.RowIter {
	if _, is := n.(*plan.ResolvedTable); is && len(n.Schema()) > 0 {
		return wholeRows{rows}
	}
	return rows
}

// Next is the next row that has columns.
func (r wholeRows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := r.RowIter.Next(ctx)
		if err != nil || len(row) > 0 {
			return row, err
		}
	}
}
