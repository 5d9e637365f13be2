// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase/filter"
)

// rowWrite is the change of a row in one commit. It decides on the row as it is.
type rowWrite struct {
	row     []byte
	columns []Column // that it names, for rights
	edits   func(stored value.Row, nowMS int64) ([]cell.Edit, error)
}

// commitRows is the number of rows that are written in one commit at most.
const commitRows = 500

// Put writes cells of rows, each row in one commit. Puts of one row are done in their order.
func (a *API) Put(ctx context.Context, name TableName, puts []*Put) error {
	list := make([]Mutation, len(puts))
	for i := range puts {
		list[i].Put = puts[i]
	}
	return a.mutateAll(ctx, "Put", name, list)
}

// Delete deletes cells of rows, each row in one commit.
func (a *API) Delete(ctx context.Context, name TableName, deletes []*Delete) error {
	list := make([]Mutation, len(deletes))
	for i := range deletes {
		list[i].Delete = deletes[i]
	}
	return a.mutateAll(ctx, "Delete", name, list)
}

// Add adds a deletion. That of a family replaces what was added of the family before, as in HBase.
func (d *Delete) Add(c CellDelete) {
	if c.Kind == DeleteFamily {
		d.Cells = slices.DeleteFunc(d.Cells, func(other CellDelete) bool { return bytes.Equal(other.Family, c.Family) })
	}
	d.Cells = append(d.Cells, c)
}

// MutateAll does puts and deletes of rows, each row in one commit. Those of one row are done in their order.
func (a *API) MutateAll(ctx context.Context, name TableName, list []Mutation) error {
	return a.mutateAll(ctx, "Mutate", name, list)
}

// mutateAll does mutations of any rows. Several rows share a commit.
func (a *API) mutateAll(ctx context.Context, operation string, name TableName, list []Mutation) (err error) {
	count := a.begin(ctx, operation, name, nil)
	defer count.end(&err)
	if len(list) > 0 {
		count.row, count.rows = list[0].row(), len(list)
	}
	ctx = count.waiting(ctx)
	p, t, err := a.pinFor(ctx, operation, name)
	if err != nil {
		return err
	}
	defer p.Release()
	if len(list) == 0 {
		return a.authorizeTable(ctx, operation, name)
	}
	order := make([][]byte, 0, len(list)) // of the rows, as they come first
	byRow := make(map[string][]Mutation, len(list))
	for i, m := range list {
		row := m.row()
		if err := m.check(t); err != nil {
			return a.tell(ctx, operation, p, row, err)
		}
		if before, ok := byRow[string(row)]; ok {
			byRow[string(row)] = append(before, m)
		} else {
			order = append(order, row)
			byRow[string(row)] = list[i : i+1 : i+1]
		}
	}
	for rows := range slices.Chunk(order, commitRows) {
		writes := make([]rowWrite, len(rows))
		for i, row := range rows {
			writes[i] = mutationsOf(t, row, byRow[string(row)])
		}
		if err := a.commit(ctx, operation, p, writes, returnsNone); err != nil {
			return err
		}
		count.wrote(len(writes))
	}
	return nil
}

func (m Mutation) row() []byte {
	if m.Put != nil {
		return m.Put.Row
	}
	return m.Delete.Row
}

// Mutate does several mutations of one row in one commit, in their order.
func (a *API) Mutate(ctx context.Context, name TableName, row []byte, list []Mutation) error {
	for _, m := range list {
		if !bytes.Equal(m.row(), row) {
			return failure("DoNotRetryIOException", "The row in the mutation does not match the row of the call")
		}
	}
	return a.mutateAll(ctx, "Mutate", name, list)
}

// What a write answers of a row, in the words of DynamoDB's ReturnValues.
const (
	returnsNone    = "NONE"
	returnsUpdated = "UPDATED_NEW"
)

// returned is the answer of a write whose new values may not be wanted.
func returned(unread bool) string {
	if unread {
		return returnsNone
	}
	return returnsUpdated
}

// commit writes rows that are all different. returns selects the part of them that it returns.
func (a *API) commit(
	ctx context.Context, operation string, p database.Pinned, writes []rowWrite, returns string,
) error {
	rows, columns := make([][]byte, len(writes)), []Column(nil)
	list := make([]database.TableWrite, len(writes))
	for i, w := range writes {
		key, err := keyOf(p, w.row)
		if err != nil {
			return err
		}
		rows[i], columns = w.row, append(columns, w.columns...)
		list[i] = database.TableWrite{Table: p,
			Write: database.Write{Op: database.OpUpdate, Row: key, Edits: w.edits, Judged: true}}
	}
	if err := a.authorize(ctx, operation, p, part{rows: rows, columns: columns, returns: returns}); err != nil {
		return err
	}
	if len(list) == 1 {
		return faultOf(p.Write(ctx, &list[0].Write, &list[0].Result))
	}
	_, err := a.DB.WriteAll(ctx, list)
	return faultOf(err)
}

func (m Mutation) check(t *Table) error {
	if err := checkRow(m.row()); err != nil {
		return err
	}
	if m.Put != nil {
		if len(m.Put.Cells) == 0 {
			return Illegal("No columns to insert")
		}
		return checkCells(t, m.Put.Cells)
	}
	for _, c := range m.Delete.Cells {
		if isNegative(c.AtMS) {
			return Illegal("Timestamp cannot be negative. ts=%d", c.AtMS)
		}
		if err := t.hasFamilies(c.Column); err != nil {
			return err
		}
	}
	if isNegative(m.Delete.AtMS) {
		return Illegal("Timestamp cannot be negative. ts=%d", m.Delete.AtMS)
	}
	return nil
}

func isNegative(atMS int64) bool { return atMS < 0 && atMS != Epoch }

func checkCells(t *Table, cells []CellWrite) error {
	for _, c := range cells {
		if isNegative(c.AtMS) {
			return Illegal("Timestamp cannot be negative. ts=%d", c.AtMS)
		}
		if err := t.hasFamilies(c.Column); err != nil {
			return err
		}
	}
	return nil
}

// mutationsOf is the write of a row's mutations.
func mutationsOf(t *Table, row []byte, list []Mutation) rowWrite {
	w, n := rowWrite{row: row}, 0
	for _, m := range list {
		if m.Put != nil {
			n += len(m.Put.Cells)
		} else {
			n += max(len(m.Delete.Cells), len(t.Families))
		}
	}
	w.columns = make([]Column, 0, n)
	edits := make([]cell.Edit, 0, n)
	for _, m := range list {
		if m.Put != nil {
			for _, c := range m.Put.Cells {
				w.columns = append(w.columns, c.Column)
				if c.LifeMS >= 0 {
					edits = append(edits, putEdit(&c, c.Value))
				}
			}
			continue
		}
		for i, c := range m.Delete.Cells {
			c.Whole = c.Kind == DeleteFamily || c.Kind == DeleteFamilyVersion
			w.columns = append(w.columns, c.Column)
			edits = append(edits, deleteEdit(&c, m.Delete.Cells[:i]))
		}
		if len(m.Delete.Cells) == 0 {
			for _, f := range t.Families {
				w.columns = append(w.columns, Column{Family: []byte(f.Name), Whole: true})
				edits = append(edits, cell.Edit{Kind: cell.MaskPrefix, Name: Column{Family: []byte(f.Name)}.attribute(),
					AtMS: m.Delete.AtMS})
			}
		}
	}
	w.edits = func(value.Row, int64) ([]cell.Edit, error) { return edits, nil }
	return w
}

func putEdit(c *CellWrite, content []byte) cell.Edit {
	const more = 8 // for the value's kind and length
	room := c.appendAttribute(make([]byte, 0, len(c.Family)+1+len(c.Qualifier)+len(content)+more))
	n := len(room)
	room = value.AppendBinary(room, content)
	return cell.Edit{Kind: cell.PutCell, Name: room[:n:n], Value: value.Value(room[n:]), AtMS: c.AtMS, LifeMS: c.LifeMS}
}

// deleteEdit is the edit of one of a mutation's deletions. As in HBase, those without a time see the row as it was
// before all mutations of the call, and a second one of the same column takes the version before.
func deleteEdit(c *CellDelete, before []CellDelete) cell.Edit {
	e := cell.Edit{Name: c.attribute(), AtMS: c.AtMS}
	switch {
	case c.Kind == DeleteVersion && c.AtMS == 0:
		e.Kind = cell.MaskNewest
		for i := range before {
			if b := &before[i]; b.Kind == c.Kind && b.AtMS == 0 && bytes.Equal(b.attribute(), e.Name) {
				e.Rank++
			}
		}
	case c.Kind == DeleteVersion:
		e.Kind = cell.MaskCell
	case c.Kind == DeleteVersions:
		e.Kind = cell.MaskCells
	case c.Kind == DeleteFamily:
		e.Kind, e.Name = cell.MaskPrefix, Column{Family: c.Family}.attribute()
	default:
		e.Kind, e.Name = cell.MaskTime, Column{Family: c.Family}.attribute()
	}
	return e
}

// CheckAndMutate does mutations of a row, in one commit, if a condition holds for it, and reports whether it did.
func (a *API) CheckAndMutate(ctx context.Context, name TableName, row []byte, condition *Condition,
	list []Mutation) (done bool, err error) {
	count := a.begin(ctx, "CheckAndMutate", name, nil)
	count.row = row
	defer count.end(&err)
	p, t, err := a.pinFor(ctx, "CheckAndMutate", name)
	if err != nil {
		return false, err
	}
	defer p.Release()
	if condition.Filter == nil {
		if err := t.hasFamilies(condition.Column); err != nil {
			return false, a.tell(ctx, "CheckAndMutate", p, row, err)
		}
	}
	for _, m := range list {
		if !bytes.Equal(m.row(), row) {
			return false, failure("DoNotRetryIOException", "The row in the mutation does not match the row of the call")
		}
		if err := m.check(t); err != nil {
			return false, a.tell(ctx, "CheckAndMutate", p, row, err)
		}
	}
	w := mutationsOf(t, row, list)
	if condition.Filter != nil { // which may look at any column
		w.columns = append(w.columns, Column{Whole: true})
	} else {
		w.columns = append(w.columns, condition.Column)
	}
	edits := w.edits
	w.edits = func(stored value.Row, nowMS int64) (_ []cell.Edit, err error) {
		if done, err = condition.holds(p, t, row, stored, nowMS); err != nil || !done {
			return nil, err
		}
		return edits(stored, nowMS)
	}
	err = a.commit(count.waiting(ctx), "CheckAndMutate", p, []rowWrite{w}, returnsNone)
	if count.Examined = 1; done && err == nil {
		count.Written = 1
	}
	return done, err
}

// holds reports whether the condition is true of a stored row.
func (c *Condition) holds(p database.Pinned, t *Table, row []byte, stored value.Row, nowMS int64) (bool, error) {
	selection, run := Selection{Times: c.Times, Filter: c.Filter}, filter.Run(nil)
	if c.Filter != nil {
		if run = selection.begin(false); run.Skips(row) {
			return false, nil
		}
	} else {
		selection.Columns = []Column{c.Column}
	}
	var cells []filter.Cell
	if stored != nil {
		var err error
		if cells, err = selection.cells(nil, p, t, row, stored, nowMS, run); err != nil {
			return false, err
		}
	}
	switch {
	case c.Filter != nil:
		return len(cells) > 0, nil
	case len(c.Value) == 0:
		return (len(cells) == 0 || len(cells[0].Value) == 0) == (c.Operator != NotEqual), nil
	case len(cells) == 0:
		return false, nil
	}
	return c.Operator.holds(bytes.Compare(c.Value, cells[0].Value)), nil
}

// holds reports whether an operator holds for the comparison of its left side with its right one.
func (o Operator) holds(compared int) bool {
	switch o {
	case Less:
		return compared < 0
	case LessOrEqual:
		return compared <= 0
	case Equal:
		return compared == 0
	case NotEqual:
		return compared != 0
	case GreaterOrEqual:
		return compared >= 0
	case Greater:
		return compared > 0
	}
	return true
}

// newest returns the cell of a column as it is; ok is false if it has none.
func newest(p database.Pinned, stored value.Row, nowMS int64, c Column) (found cell.Version, ok bool, err error) {
	if stored == nil {
		return found, false, nil
	}
	wanted := c.attribute()
	err = p.CellsOf(stored, nowMS, func(name []byte, v *cell.Version) bool {
		if bytes.Equal(name, wanted) {
			found, ok = *v, true
		}
		return !ok
	})
	return found, ok, err
}

// Increment adds to integers of eight bytes in one commit, and returns the new ones.
func (a *API) Increment(ctx context.Context, name TableName, in *Increment) (Result, error) {
	cells := make([]CellWrite, len(in.Amounts))
	for i := range cells {
		cells[i] = CellWrite{Column: in.Amounts[i].Column, LifeMS: in.LifeMS}
	}
	next := func(i int, old []byte, ok bool) ([]byte, error) {
		n := int64(0)
		if ok {
			if len(old) != 8 {
				return nil, failure("DoNotRetryIOException", "Field is not a long, it's %d bytes wide", len(old))
			}
			n = int64(binary.BigEndian.Uint64(old))
		}
		return binary.BigEndian.AppendUint64(nil, uint64(n+in.Amounts[i].By)), nil
	}
	return a.compute(ctx, "Increment", name, in.Row, cells, returned(in.Unread), next)
}

// Append adds bytes to the ends of cells in one commit, and returns the new ones.
func (a *API) Append(ctx context.Context, name TableName, in *Append) (Result, error) {
	next := func(i int, old []byte, _ bool) ([]byte, error) { return slices.Concat(old, in.Cells[i].Value), nil }
	return a.compute(ctx, "Append", name, in.Row, in.Cells, returned(in.Unread), next)
}

// compute writes cells whose values depend on those before.
func (a *API) compute(
	ctx context.Context, operation string, name TableName, row []byte, cells []CellWrite, returns string,
	next func(i int, old []byte, ok bool) ([]byte, error),
) (_ Result, err error) {
	count := a.begin(ctx, operation, name, nil)
	count.row = row
	defer count.end(&err)
	p, t, err := a.pinFor(ctx, operation, name)
	if err != nil {
		return Result{}, err
	}
	defer p.Release()
	if len(cells) == 0 {
		return Result{}, a.tell(ctx, operation, p, row, Illegal("%s needs a column", operation))
	}
	if err := checkCells(t, cells); err != nil {
		return Result{}, a.tell(ctx, operation, p, row, err)
	}
	result := Result{Row: row, Cells: make([]filter.Cell, len(cells))}
	w := rowWrite{row: row}
	for i := range cells {
		w.columns = append(w.columns, cells[i].Column)
	}
	w.edits = func(stored value.Row, nowMS int64) ([]cell.Edit, error) {
		edits := make([]cell.Edit, 0, len(cells))
		for i := range cells {
			old, ok, err := newest(p, stored, nowMS, cells[i].Column)
			if err != nil {
				return nil, err
			}
			content, err := next(i, old.Value.Bytes(), ok)
			if err != nil {
				return nil, err
			}
			c := cells[i]
			if c.LifeMS == 0 {
				c.LifeMS = old.LifeMS // it begins anew
			}
			if ok {
				c.AtMS = 0
			}
			if old.AtMS > nowMS { // a client's clock was ahead
				c.AtMS = old.AtMS
			}
			if c.LifeMS >= 0 {
				edits = append(edits, putEdit(&c, content))
			}
			result.Cells[i] = filter.Cell{Family: c.Family, Qualifier: c.Qualifier, Value: content,
				AtMS: max(0, cmp.Or(c.AtMS, nowMS))}
		}
		return edits, nil
	}
	if err := a.commit(count.waiting(ctx), operation, p, []rowWrite{w}, returns); err != nil {
		return Result{}, err
	}
	count.wrote(1)
	slices.SortStableFunc(result.Cells, func(a, b filter.Cell) int {
		if by := bytes.Compare(a.Family, b.Family); by != 0 {
			return by
		}
		return bytes.Compare(a.Qualifier, b.Qualifier)
	})
	return result, nil
}
