// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/tree"
)

// writeKind is what a write does.
type writeKind uint8

const (
	insertRow writeKind = iota
	updateRow
	deleteRow
)

// write is one row that the statement writes once it has read all.
type write struct {
	table   *table
	kind    writeKind
	rule    tree.DuplicateRule
	columns []string
	values  []datum.Datum // of columns; of a deletion none
	key     []datum.Datum // in PrimaryKey's order; of an insertion none
}

// written is what the statement has made of a row so far.
type written struct {
	columns map[string]datum.Datum
	gone    bool
	whole   bool // nothing of the stored row is left
}

// rowOverheadBytes is what a kept row takes beside its values, about.
const rowOverheadBytes = 64

// keep remembers a write.
func (s *Source) keep(w write) error {
	if s.options.Tx == nil {
		return fault.New(fault.Unknown, "the statement was not expected to write")
	}
	limits := s.limits()
	if limits.RowsMax > 0 && len(s.writes) >= limits.RowsMax {
		return &fault.Error{Code: fault.Refused, State: fault.Refused.State(),
			Message: fmt.Sprintf("the statement writes more than %d rows (statement_rows_max): write fewer at once, for example with LIMIT", limits.RowsMax)}
	}
	for _, list := range [][]datum.Datum{w.values, w.key} {
		for i := range list {
			list[i] = list[i].Clone()
			s.bytes += rowOverheadBytes
			if kind := list[i].Kind(); kind == datum.KindText || kind == datum.KindBinary || kind == datum.KindJSON {
				s.bytes += len(list[i].Bytes())
			}
		}
	}
	if s.bytes > limits.BytesMax {
		return &fault.Error{Code: fault.Refused, State: fault.Refused.State(),
			Message: fmt.Sprintf("the statement writes more than %d bytes (statement_bytes_max): write fewer rows at once", limits.BytesMax)}
	}
	s.writes = append(s.writes, w)
	return nil
}

// limits are the statement's, those not set as package modify has them.
func (s *Source) limits() modify.Limits {
	l := s.options.Limits
	if l.BytesMax == 0 {
		l.BytesMax = 64 << 20
	}
	return l
}

// Insert writes a row.
func (t *table) Insert(_ context.Context, columns []string, row []datum.Datum, rule tree.DuplicateRule) error {
	w := write{table: t, kind: insertRow, rule: rule, columns: columns, values: slices.Clone(row)}
	if err := t.source.keep(w); err != nil || rule != tree.DuplicateUpdate {
		return err
	}
	var key []datum.Datum
	for _, name := range t.PrimaryKey() {
		d := datum.Null
		if at := slices.Index(columns, name); at >= 0 {
			d = w.values[at]
		}
		key = append(key, d)
	}
	t.note(key, columns, w.values).whole = true
	return nil
}

// Update changes columns of a row.
func (t *table) Update(_ context.Context, key []datum.Datum, columns []string, values []datum.Datum) error {
	w := write{table: t, kind: updateRow, columns: columns, values: slices.Clone(values), key: slices.Clone(key)}
	if err := t.source.keep(w); err != nil {
		return err
	}
	t.note(w.key, columns, w.values)
	return nil
}

// Delete removes a row.
func (t *table) Delete(_ context.Context, key []datum.Datum) error {
	w := write{table: t, kind: deleteRow, key: slices.Clone(key)}
	if err := t.source.keep(w); err != nil {
		return err
	}
	t.note(w.key, nil, nil).gone = true
	return nil
}

// note remembers what becomes of a row, for Get.
func (t *table) note(key []datum.Datum, columns []string, values []datum.Datum) *written {
	if t.written == nil {
		t.written = map[string]*written{}
	}
	id := keyText(key)
	w := t.written[id]
	if w == nil || w.gone {
		w = &written{columns: map[string]datum.Datum{}, whole: w != nil}
		t.written[id] = w
	}
	for i, name := range columns {
		w.columns[name] = values[i]
	}
	return w
}

func keyText(key []datum.Datum) string {
	var id []byte
	for _, d := range key {
		id = d.AppendKey(id)
	}
	return string(id)
}

// Get reads the row of a key as the statement has left it.
func (t *table) Get(ctx context.Context, key []datum.Datum, columns []string) (row []datum.Datum, ok bool, err error) {
	w := t.written[keyText(key)]
	if w == nil || !w.whole && !w.gone {
		if row, ok, err = t.stored(ctx, key, columns); err != nil || !ok {
			return nil, false, err
		}
	}
	switch {
	case w == nil:
		return row, true, nil
	case w.gone:
		return nil, false, nil
	case row == nil:
		row = make([]datum.Datum, len(columns))
	}
	for i, name := range columns {
		if d, set := w.columns[name]; set {
			row[i] = d
		}
	}
	return row, true, nil
}

func (t *table) stored(ctx context.Context, key []datum.Datum, columns []string) (row []datum.Datum, ok bool, err error) {
	point := make(relational.Range, len(key))
	for i, d := range key {
		limit := relational.Limit{Bounded: true, Inclusive: true, Value: d}
		point[i] = relational.Interval{Low: limit, High: limit}
	}
	rows, err := t.Scan(ctx, relational.ScanRequest{Columns: columns, Index: relational.PrimaryName, Ranges: []relational.Range{point}, AllowFiltering: true})
	if err != nil {
		return nil, false, err
	}
	found, err := rows.Next()
	if err == nil {
		row = make([]datum.Datum, len(found))
		for i := range found {
			row[i] = found[i].Clone()
		}
	}
	if closed := rows.Close(); closed != nil {
		return nil, false, closed
	}
	if errors.Is(err, io.EOF) {
		return nil, false, nil
	}
	return row, err == nil, err
}

// Flush writes what the statement has collected, in its order. After an error, Effect.Broken says that some of it is in the transaction.
func (s *Source) Flush(ctx context.Context) (total modify.Effect, err error) {
	began := false
	for at := 0; at < len(s.writes); {
		next := at + 1
		for next < len(s.writes) && s.writes[at].together(&s.writes[next]) {
			next++
		}
		effect, err := s.run(ctx, s.writes[at:next])
		total.Affected += effect.Affected
		total.Warnings = append(total.Warnings, effect.Warnings...)
		if err != nil {
			total.Broken = began || effect.Broken
			return total, err
		}
		began, at = true, next
	}
	for _, w := range total.Warnings {
		s.options.Warn(w.Code, w.Message)
	}
	return total, nil
}

// together says whether two insertions can be one.
func (w *write) together(next *write) bool {
	return w.kind == insertRow && next.kind == insertRow && w.table == next.table && w.rule == next.rule && slices.Equal(w.columns, next.columns)
}

// run does a write, or some insertions at once.
func (s *Source) run(ctx context.Context, writes []write) (modify.Effect, error) {
	w := &writes[0]
	var x evaluate.Context
	var statement modify.Statement
	var err error
	if w.kind == insertRow {
		statement, err = w.table.inserting(writes)
		x.Begin(nil, s.options.NowMS, s.options.Session)
	} else {
		statement, err = w.table.changing(w)
		x.Begin(append(slices.Clone(w.values), w.key...), s.options.NowMS, s.options.Session)
	}
	if err != nil {
		return modify.Effect{}, err
	}
	return statement.Run(ctx, &modify.Call{DB: s.options.DB, Tx: s.options.Tx, Pin: w.table.pinned, Context: &x, Limits: s.options.Limits, Settings: s.options.Settings})
}

// inserting compiles some insertions.
func (t *table) inserting(writes []write) (modify.Statement, error) {
	rule := writes[0].rule
	if rule == tree.DuplicateUpdate {
		rule = tree.DuplicateError // it was looked for
	}
	s := &tree.Insert{Into: tree.Name{Database: t.definition.Database, Name: t.definition.Name}, Columns: writes[0].columns, Rule: rule}
	for i := range writes {
		row := make([]tree.Expression, len(writes[i].values))
		for k, d := range writes[i].values {
			row[k] = &tree.Literal{Value: d}
		}
		s.Rows = append(s.Rows, row)
	}
	return modify.CompileInsert(t.definition, s, t.source.options.Compile)
}

// changing compiles an update or deletion of the row of a key, with parameters for all values; once for each list of columns.
func (t *table) changing(w *write) (modify.Statement, error) {
	shape := strconv.Itoa(int(w.kind)) + strings.Join(w.columns, "\x00")
	if known := t.statements[shape]; known != nil {
		return known, nil
	}
	name := tree.Name{Database: t.definition.Database, Name: t.definition.Name}
	var where []tree.Expression
	for i, column := range t.PrimaryKey() {
		where = append(where, &tree.Binary{Operator: tree.Equal, Left: &tree.Column{Name: column}, Right: &tree.Parameter{Index: len(w.columns) + i}})
	}
	var made modify.Statement
	var err error
	if w.kind == deleteRow {
		made, err = modify.CompileDelete(t.definition, &tree.Delete{From: name, Where: all(tree.And, where)}, t.source.options.Compile)
	} else {
		s := &tree.Update{Table: name, Where: all(tree.And, where)}
		for i, column := range w.columns {
			s.Set = append(s.Set, tree.Assignment{Column: column, Value: &tree.Parameter{Index: i}})
		}
		made, err = modify.CompileUpdate(t.definition, s, t.source.options.Compile)
	}
	if err != nil {
		return nil, err
	}
	if t.statements == nil {
		t.statements = map[string]modify.Statement{}
	}
	t.statements[shape] = made
	return made, nil
}
