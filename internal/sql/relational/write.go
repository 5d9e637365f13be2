// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/relational/value"
	"github.com/weftdb/weft/internal/sql/tree"
)

// writer writes the rows that the engine hands over to a table. What was written before an error is the transaction's to take back.
type writer struct {
	table *table
	key   []int // positions of the key's columns
	named []int // positions of the columns that an INSERT names
}

var _ sql.TableEditor = (*writer)(nil)

func (t *table) writer() *writer {
	return &writer{table: t, key: t.PrimaryKeySchema().PkOrdinals, named: t.named()}
}

// Inserter, Replacer, Updater and Deleter are one writer.
func (t *table) Inserter(*sql.Context) sql.RowInserter { return t.writer() }

// Replacer writes whole rows.
func (t *table) Replacer(*sql.Context) sql.RowReplacer { return t.writer() }

// Updater changes rows.
func (t *table) Updater(*sql.Context) sql.RowUpdater { return t.writer() }

// Deleter removes rows.
func (t *table) Deleter(*sql.Context) sql.RowDeleter { return t.writer() }

// named are the positions of the columns that an INSERT names. Defaults of others are the table's to fill in.
func (t *table) named() []int {
	names := t.statement.insert.columns
	positions := make([]int, 0, len(t.columns))
	for i := range t.columns {
		listed := false
		for _, name := range names {
			listed = listed || strings.EqualFold(name, t.schema[i].Name)
		}
		if listed {
			positions = append(positions, i)
		}
	}
	return positions
}

// StatementBegin, DiscardChanges and StatementComplete bound a statement: its transaction is not the engine's.
func (w *writer) StatementBegin(*sql.Context) {}

// DiscardChanges ends a statement that failed.
func (w *writer) DiscardChanges(*sql.Context, error) error { return nil }

// StatementComplete ends a statement.
func (w *writer) StatementComplete(*sql.Context) error { return nil }

// Close ends the writing.
func (w *writer) Close(*sql.Context) error { return nil }

// Insert writes a row. Where one of its key is to be changed instead, the engine does that: it is told of the one that is there.
func (w *writer) Insert(ctx *sql.Context, row sql.Row) error {
	rule := w.table.statement.insert.rule
	if rule == tree.DuplicateUpdate {
		existing, err := w.existing(ctx, row)
		if err != nil {
			return err
		}
		if existing != nil {
			return sql.NewUniqueKeyErr(w.keyText(ctx, row), true, existing)
		}
	}
	columns, values, err := w.values(ctx, row, w.named)
	if err != nil {
		return err
	}
	return w.table.of.Insert(ctx.Context, columns, values, rule)
}

// Update sets the columns of a row that differ.
func (w *writer) Update(ctx *sql.Context, old, row sql.Row) error {
	schema := w.table.schema
	var changed []int
	for i := range schema {
		if old[i] == nil && row[i] == nil {
			continue
		}
		if old[i] != nil && row[i] != nil {
			if cmp, err := schema[i].Type.Compare(ctx, old[i], row[i]); err == nil && cmp == 0 {
				continue
			}
		}
		changed = append(changed, i)
	}
	if len(changed) == 0 {
		return nil
	}
	_, key, err := w.values(ctx, old, w.key)
	if err != nil {
		return err
	}
	columns, values, err := w.values(ctx, row, changed)
	if err != nil {
		return err
	}
	return w.table.of.Update(ctx.Context, key, columns, values)
}

// Delete removes a row.
func (w *writer) Delete(ctx *sql.Context, row sql.Row) error {
	_, key, err := w.values(ctx, row, w.key)
	if err != nil {
		return err
	}
	return w.table.of.Delete(ctx.Context, key)
}

func (w *writer) values(ctx *sql.Context, row sql.Row, positions []int) (columns []string, values []datum.Datum, err error) {
	columns, values = make([]string, len(positions)), make([]datum.Datum, len(positions))
	for n, at := range positions {
		columns[n] = w.table.columns[at].Name
		if values[n], err = value.FromEngine(ctx, row[at], w.table.columns[at].Type.Base, w.table.schema[at].Type); err != nil {
			return nil, nil, err
		}
	}
	return columns, values, nil
}

func (w *writer) keyText(ctx *sql.Context, row sql.Row) string {
	var text []string
	if _, key, err := w.values(ctx, row, w.key); err == nil {
		for _, d := range key {
			text = append(text, value.UntypedText(d))
		}
	}
	return strings.Join(text, "-")
}

// existing is the row of the same key, nil if there is none.
func (w *writer) existing(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	_, key, err := w.values(ctx, row, w.key)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(w.table.columns))
	for i := range names {
		names[i] = w.table.columns[i].Name
	}
	found, ok, err := w.table.of.Get(ctx.Context, key, names)
	if err != nil || !ok {
		return nil, err
	}
	existing := make(sql.Row, len(found))
	for i := range found {
		if existing[i], err = value.ToEngine(ctx, found[i], w.table.columns[i].Type.Base, w.table.schema[i].Type); err != nil {
			return nil, err
		}
	}
	return existing, nil
}
