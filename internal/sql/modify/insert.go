// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// insert is a compiled INSERT, UPSERT or REPLACE.
type insert struct {
	target
	columns []definition.Column   // those that are named, in the order of the values
	names   [][]byte              // theirs
	rows    [][]*evaluate.Program // nil: the column's default
	rule    tree.DuplicateRule
	updates []assignment
	moves   bool  // updates set a column of the primary key
	seeks   bool  // see seeksHolders
	over    scope // what updates read
	early   scope // what rows read: columns that stand before the one that is computed
	chained bool  // updates may read what those before them have assigned
	// presets are columns that are not named and that a new row gets a value of, by their positions in the table.
	presets []int
	// lacking are columns that are not named, must not be NULL and have no default.
	lacking []int
	atMS    int64 // the time of what is written; 0 is the clock's
	takes   int   // how many values the statement gives each row
	fed     bool  // the rows are those of a query: Call.Rows
	numberedColumns
}

// assignment is column = value.
type assignment struct {
	column definition.Column
	value  *evaluate.Program // nil: the column's default
	found  int               // which of the values that a query found it is, from 1 on; 0: it is computed here
}

// CompileInsert checks an INSERT, UPSERT or REPLACE against its table. Errors: *fault.Error.
func CompileInsert(t *definition.Table, s *tree.Insert, o Options) (Statement, error) {
	i := &insert{rule: ruleOf(s.Rule, t, o), fed: s.Query != nil}
	var err error
	if i.target, err = targetOf(t, o); err != nil {
		return nil, err
	}
	i.seeks = i.seeksHolders()
	if i.atMS, err = i.stampOf(s.Hints); err != nil {
		return nil, err
	}
	if err := i.nameColumns(s.Columns, s.Rows); err != nil {
		return nil, err
	}
	if i.takes = len(i.columns); i.fed && i.takes != o.Columns {
		return nil, fault.New(fault.ColumnCount, 1)
	}
	made := i.number()
	i.early = scope{target: &i.target, bare: true, early: true}
	for n, row := range s.Rows {
		if len(row) != len(i.columns) {
			return nil, fault.New(fault.ColumnCount, n+1)
		}
		values := make([]*evaluate.Program, len(row))
		for k, e := range row {
			var err error
			if values[k], err = i.early.compile(e); err != nil {
				return nil, err
			}
		}
		i.rows = append(i.rows, append(values, make([]*evaluate.Program, len(made))...)) // DEFAULT
	}
	i.columns = append(slices.Clip(i.columns), made...)
	i.findNumbered()
	for k := range i.columns {
		i.names = append(i.names, []byte(i.columns[k].Name))
	}
	return i, i.compileUpdates(s.Updates)
}

// size is the number of rows.
func (i *insert) size(call *Call) int {
	if i.fed {
		return len(call.rows)
	}
	return len(i.rows)
}

// computeValue computes the value that the statement gives a column of a row. ok is false for DEFAULT.
func (i *insert) computeValue(call *Call, n, k int) (d datum.Datum, ok bool, err error) {
	if i.fed {
		if k >= i.takes {
			return datum.Null, false, nil
		}
		return call.rows[n][k], true, nil
	}
	program := i.rows[n][k]
	if program == nil {
		return datum.Null, false, nil
	}
	d, err = program.Value(call.Context)
	return d, true, err
}

// nameColumns finds the columns of the list; without one, the values belong to all declared columns.
func (i *insert) nameColumns(names []string, rows [][]tree.Expression) error {
	named := map[string]bool{}
	listed := len(names) > 0 || len(rows) > 0 && len(rows[0]) == 0 // VALUES () is a row of defaults
	for at := range i.table.Columns {
		if !listed && !i.table.Columns[at].Invisible {
			i.columns = append(i.columns, i.table.Columns[at])
		}
	}
	for _, name := range names {
		column, err := i.column(name)
		if err != nil {
			return err
		}
		if named[name] {
			return fault.New(fault.ColumnNamedTwice, name)
		}
		named[name] = true
		i.columns = append(i.columns, column)
	}
	for at := range i.table.Columns {
		column := &i.table.Columns[at]
		switch {
		case named[column.Name] || !listed || isNumbered(column):
		case column.HasDefault():
			i.presets = append(i.presets, at)
		case column.KeyPart >= 0:
			return fault.New(fault.NoDefault, column.Name)
		case column.NotNull && column.Generated == nil:
			i.lacking = append(i.lacking, at)
		}
	}
	if i.table.Descriptor.Cells == nil ||
		slices.ContainsFunc(i.columns, func(c definition.Column) bool { return c.KeyPart < 0 }) {
		return nil
	}
	return fault.Message(fault.NotSupported,
		"name at least one column that is not in the key of table %s: a row needs more than its key", i.table.Name)
}

func (i *insert) compileUpdates(updates []tree.Assignment) error {
	i.over = scope{target: &i.target, sources: i.options.Sources}
	for _, u := range updates {
		column, err := i.column(u.Column)
		if err != nil {
			return err
		}
		if computed, err := i.isGenerated(&column, u.Value); err != nil || computed {
			if err != nil {
				return err
			}
			continue
		}
		if same, ok := u.Value.(*tree.ValuesOf); ok && column.KeyPart >= 0 && same.Column == column.Name &&
			!hasUnique(i.table) {
			continue // libraries assign all columns, and the two rows' keys are the same
		}
		if column.KeyPart >= 0 && i.table.Descriptor.Cells != nil {
			return keyFixed(u.Column) // cells would lose their times
		}
		i.moves = i.moves || column.KeyPart >= 0
		value, err := i.over.compile(u.Value)
		if err != nil {
			return err
		}
		i.updates = append(i.updates, assignment{column: column, value: value})
	}
	i.chained = len(i.updates) > 1 && slices.ContainsFunc(i.over.slots, func(s slot) bool {
		return !s.given && s.source == 0 &&
			slices.ContainsFunc(i.updates, func(u assignment) bool { return u.column.Name == string(s.name) })
	})
	return nil
}

func keyFixed(column string) error {
	return fault.Message(fault.NotSupported,
		"column '%s' is in the primary key, which can't be changed here: insert another row and delete this one",
		column)
}

// givenRow is one row of VALUES, computed.
type givenRow struct {
	cells []cell
	data  []datum.Datum // by column, for VALUES(c)
	row   value.Row     // the cells alone
	key   []byte
	at    int  // counted from 1
	made  bool // its number was taken from the counter
}

// lint:global a builder in the pool holds memory and nothing of a statement
var builders = sync.Pool{New: func() any { return new(value.RowBuilder) }}

// write writes the rows that are known.
func (i *insert) write(ctx context.Context, call *Call) (Effect, error) {
	size := i.size(call)
	if call.Limits.tooManyRows(size) {
		return Effect{}, tooManyRows(call.Limits.RowsMax)
	}
	rows := make([]givenRow, size)
	keys := make([][]byte, size)
	numbers := &numbers{call: call}
	call.ignores, call.fitsNulls = i.rule == tree.DuplicateIgnore, size > 1 || i.fed
	call.Context.StrictDivision = call.Context.StrictDivision && !call.ignores
	call.Context.StrictNumbers = call.Context.StrictNumbers && !call.ignores
	if err := i.computeAll(ctx, numbers, rows, keys); err != nil {
		return Effect{}, err
	}
	duplicates := 0
	effect, err := call.commit(ctx, i.table, keys, writeStepwise(i.moves, func(ctx context.Context, w *work) error {
		defer func() { duplicates = w.duplicates }()
		w.stepwise, w.ignores = w.stepwise || i.seeks, i.rule == tree.DuplicateIgnore
		if len(rows) > 1 && !w.stepwise {
			w.byKey = make(map[string]int, len(rows))
		}
		for n := range rows {
			if err := i.place(ctx, w, numbers, &rows[n]); err != nil {
				return err
			}
			if err := w.step(ctx); err != nil {
				return err
			}
		}
		return nil
	}))
	effect.GivenID = cmp.Or(effect.GivenID, numbers.given)
	effect.Warnings = append(call.adjusted, effect.Warnings...)
	if numbers.ignored != "" {
		effect.Warnings = append(effect.Warnings,
			Warning{fault.GeneratedIgnored, fault.New(fault.GeneratedIgnored, numbers.ignored, i.table.Name).Message})
	}
	if err == nil && (size > 1 || i.fed) {
		effect.Info = recordsInfo(size, duplicates, len(effect.Warnings))
	}
	return effect, err
}

func (i *insert) computeAll(ctx context.Context, numbers *numbers, rows []givenRow, keys [][]byte) (err error) {
	builder := builders.Get().(*value.RowBuilder)
	for n := 0; n < len(rows) && err == nil; n++ {
		numbers.wanted = len(rows) - n
		err = i.compute(ctx, numbers, builder, n, &rows[n])
		keys[n] = rows[n].key
	}
	builders.Put(builder) // not after a panic, when it may still be in use
	if err == nil {
		err = numbers.pass(ctx)
	}
	return err
}

// compute evaluates a row of VALUES.
func (i *insert) compute(ctx context.Context, numbers *numbers, builder *value.RowBuilder, n int, g *givenRow) error {
	call := numbers.call
	g.at = n + 1
	g.cells = make([]cell, 0, len(i.columns)+len(i.presets))
	g.data = make([]datum.Datum, len(i.columns))
	for k := range i.columns {
		if len(i.early.slots) > 0 {
			if err := i.fillEarly(call, k, g); err != nil {
				return err
			}
		}
		d, v, err := i.value(ctx, numbers, n, k, g)
		if err != nil {
			return err
		}
		g.data[k] = d
		g.cells = append(g.cells, cell{name: i.names[k], value: v})
	}
	for _, at := range i.presets {
		if column := &i.table.Columns[at]; column.KeyPart >= 0 {
			v, err := i.preset(call, column, g.at)
			if err != nil {
				return err
			}
			g.cells = append(g.cells, cell{name: []byte(column.Name), value: v})
		}
	}
	return i.finish(call, builder, g)
}

// fillEarly gives the columns before column k their values, and others their defaults, where expressions of VALUES name
// them.
func (i *insert) fillEarly(call *Call, k int, g *givenRow) error {
	row := make([]datum.Datum, len(i.early.slots))
	for n := range i.early.slots {
		s := &i.early.slots[n]
		at := slices.IndexFunc(i.names, func(name []byte) bool { return bytes.Equal(name, s.name) })
		switch {
		case at >= 0 && at < k:
			row[n], _ = datum.FromValue(g.cells[at].value, s.typed)
		default:
			column, _ := i.table.Column(string(s.name))
			if column.Default != nil {
				row[n] = *column.Default
			} else if column.NotNull || column.KeyPart >= 0 {
				row[n], _ = s.typed.Implied()
			}
		}
	}
	call.Context.Row = row
	return nil
}

// finish makes the row and its key of the cells.
func (i *insert) finish(call *Call, builder *value.RowBuilder, g *givenRow) (err error) {
	if g.row, err = fresh(builder, call.Pin.Names(), g.cells); err != nil {
		return err
	}
	if err := i.checkKey(call, g); err != nil {
		return err
	}
	g.key, err = call.Pin.AppendItemKey(nil, &database.Write{Op: database.OpPut, Row: g.row})
	return err
}

// value computes the value of a column of a row of VALUES, and what is stored of it.
func (i *insert) value(ctx context.Context, numbers *numbers, n, k int, g *givenRow) (datum.Datum, value.Value, error) {
	column := &i.columns[k]
	if k == i.auto || k == i.rowID {
		return i.numberOf(ctx, numbers, n, k, g)
	}
	d, ok, err := i.computeValue(numbers.call, n, k)
	if column.Generated != nil && err == nil {
		if ok && numbers.call.Lax {
			numbers.ignored = column.Name
		} else if ok {
			err = fault.New(fault.GeneratedColumn, column.Name, i.table.Name)
		}
		return datum.Null, nil, err // it is computed of the row
	}
	if err == nil && !ok {
		d, err = i.valueOf(numbers.call, column, nil)
	}
	if err != nil {
		return d, nil, err
	}
	v, err := i.store(numbers.call, column, d, g.at)
	return d, v, err
}

// checkKey refuses a key whose columns are too long together.
func (i *insert) checkKey(call *Call, g *givenRow) error {
	total, most := 0, call.Limits.withDefaults().KeyBytesMax
	for k := range g.cells {
		// behind the columns that are named stand presets of the key
		if k >= len(i.columns) || i.columns[k].KeyPart >= 0 {
			total += len(g.cells[k].value)
		}
	}
	if total > most {
		return fault.New(fault.KeyTooLong, most, "all columns together", g.at)
	}
	return nil
}

// preset is a column's default.
func (i *insert) preset(call *Call, column *definition.Column, row int) (value.Value, error) {
	d, err := i.valueOf(call, column, nil)
	if err != nil {
		return nil, err
	}
	return i.store(call, column, d, row)
}

// place decides what becomes of one row.
func (i *insert) place(ctx context.Context, w *work, numbers *numbers, g *givenRow) error {
	old, exists, err := w.current(ctx, g.key, g.row)
	for ; err == nil && exists && g.made && i.auto >= 0; old, exists, err = w.current(ctx, g.key, g.row) {
		if err := i.renumber(ctx, w, numbers, g); err != nil { // somebody wrote the number through another process
			return err
		}
	}
	if err != nil {
		return err
	}
	if !exists {
		old = nil
	}
	if i.seeks {
		return i.placeUnique(ctx, w, g, old)
	}
	switch {
	case !exists || i.rule == tree.ReplaceRow:
		return i.placeNew(w, g, old)
	case i.rule == tree.DuplicateIgnore:
		i.ignore(w, g, old, i.duplicate(g))
		return nil
	case i.rule == tree.DuplicateError:
		return i.duplicate(g)
	case i.rule == tree.DuplicateUpdate:
		return i.placeUpdate(ctx, w, g, old)
	}
	w.effect.Affected++
	return i.placeCells(ctx, w, g, old, g.cells)
}

// ignore leaves a row out, and warns.
func (i *insert) ignore(w *work, g *givenRow, old value.Row, why error) {
	w.duplicates++
	w.warn(fault.DuplicateEntry, "%s", why.Error())
	w.add(pendingRow{key: g.key, old: old, read: w.readsOnce(), kept: true})
}

// newRow makes a row of the given columns and the defaults of the others.
func (i *insert) newRow(w *work, g *givenRow) (row value.Row, cells []cell, err error) {
	cells = g.cells
	for _, at := range i.presets {
		column := &i.table.Columns[at]
		if column.KeyPart >= 0 {
			continue // it is among them
		}
		v, err := i.preset(w.call, column, g.at)
		if err != nil {
			return nil, nil, err
		}
		cells = append(cells[:len(cells):len(cells)], cell{name: []byte(column.Name), value: v})
	}
	if cells, err = i.imply(w, g, cells); err != nil {
		return nil, nil, err
	}
	row = g.row
	if len(cells) > len(g.cells) {
		if row, err = fresh(&w.builder, w.names, cells); err != nil {
			return nil, nil, err
		}
	}
	row, more, err := i.settle(w, nil, row, cells, g.at)
	if err != nil {
		return nil, nil, err
	}
	return row, append(cells[:len(cells):len(cells)], more...), i.checkRow(row, w.names)
}

// leaveOut leaves a row out that a check refuses, if the statement asks for that, and warns.
func (i *insert) leaveOut(w *work, why error) error {
	refused, ok := fault.Of(why)
	if !ok || refused.Code != fault.CheckViolated || i.rule != tree.DuplicateIgnore {
		return why
	}
	w.duplicates++
	w.warn(refused.Code, "%s", refused.Message)
	return nil
}

// placeNew writes the new row.
func (i *insert) placeNew(w *work, g *givenRow, old value.Row) error {
	row, cells, err := i.newRow(w, g)
	if err != nil {
		return i.leaveOut(w, err)
	}
	w.effect.Affected++
	if g.made && w.effect.InsertID == 0 {
		w.effect.InsertID = i.idOf(g)
	}
	// only REPLACE comes here with one; MySQL counts it once where it needn't write
	if old != nil && (!bytes.Equal(old, row) || hasUnique(i.table)) {
		w.effect.Affected++
		w.duplicates++
	}
	p := pendingRow{key: g.key, old: old, read: w.readsOnce(), row: row, op: database.OpPut, atMS: i.atMS,
		replaces: old != nil}
	if i.rule != tree.ReplaceRow && w.call.Pin.Descriptor().Cells != nil {
		// nothing is there to be deleted
		p.written = w.cellNames(slices.DeleteFunc(slices.Clone(cells),
			func(c cell) bool { return c.value == nil && i.atMS == 0 }))
	}
	w.add(p)
	return nil
}

// placeUpdate applies ON DUPLICATE KEY UPDATE. MySQL counts such a row twice, and not at all if nothing changes.
func (i *insert) placeUpdate(ctx context.Context, w *work, g *givenRow, old value.Row) error {
	cells, err := i.computeUpdates(w, g, old)
	if err != nil {
		return err
	}
	if !changes(old, w.names, cells) {
		w.add(pendingRow{key: g.key, old: old, read: w.readsOnce(), kept: true})
		return nil
	}
	w.effect.Affected += 2
	w.duplicates++
	if i.auto >= 0 {
		v, _ := old.Get(w.names, i.names[i.auto])
		d, _ := datum.FromValue(v, i.columns[i.auto].Type)
		w.effect.GivenID = d.Bits()
	}
	return i.placeCells(ctx, w, g, old, cells)
}

// computeUpdates computes the assignments of ON DUPLICATE KEY UPDATE from left to right: each sees those before it.
func (i *insert) computeUpdates(w *work, g *givenRow, row value.Row) (cells []cell, err error) {
	cells = make([]cell, 0, len(i.updates))
	data := g.data
	if len(i.over.sources) > 0 {
		data = slices.Concat(data, w.call.rows[g.at-1][i.takes:])
	}
	for n := range i.updates {
		u := &i.updates[n]
		if err := i.over.fill(w, row, i.columns, data); err != nil {
			return nil, err
		}
		d, err := i.valueOf(w.call, &u.column, u.value)
		if err != nil {
			return nil, err
		}
		v, err := i.store(w.call, &u.column, d, g.at)
		if err != nil {
			return nil, err
		}
		name := []byte(u.column.Name)
		if again := findCell(cells, name); again != nil {
			again.value = v
		} else {
			cells = append(cells, cell{name: name, value: v})
		}
		if i.chained {
			if row, err = merge(&w.builder, w.names, row, []cell{{name: name, value: v}}); err != nil {
				return nil, err
			}
		}
	}
	return cells, nil
}

// placeCells overwrites some columns of a row.
func (i *insert) placeCells(ctx context.Context, w *work, g *givenRow, old value.Row, cells []cell) error {
	row, err := merge(&w.builder, w.names, old, cells)
	if err != nil {
		return err
	}
	row, more, err := i.settle(w, old, row, cells, g.at)
	if err != nil {
		return err
	}
	cells = append(cells[:len(cells):len(cells)], more...)
	if err := i.checkCells(row); err != nil {
		return err
	}
	p := pendingRow{key: g.key, old: old, read: w.readsOnce(), row: row, op: database.OpPut,
		written: w.cellNames(cells), atMS: i.atMS}
	if i.moves {
		return i.putAt(ctx, w, p)
	}
	w.add(p)
	return nil
}

// duplicate is the error of a row that is there.
func (i *insert) duplicate(g *givenRow) error {
	var parts []string
	for _, part := range i.table.Key {
		for k := range i.columns {
			if part.Column >= 0 && i.columns[k].Name == part.Name {
				parts = append(parts, string(g.data[k].AppendText(nil)))
			}
		}
	}
	return fault.New(fault.DuplicateEntry, strings.Join(parts, "-"), i.table.Name+"."+definition.PrimaryName)
}
