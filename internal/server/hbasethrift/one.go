// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/weftdb/weft/internal/hbase"
)

// one answers Thrift1's calls. Each is HBase's call of its name.
type one struct{ calls }

// read reads rows, of which each has the same selection.
func (o *one) read(ctx context.Context, table []byte, rows [][]byte, s hbase.Selection) ([]hbase.Result, error) {
	name, err := hbase.ParseTableName(table)
	if err != nil {
		return nil, err
	}
	if s.Times.ToMS < 0 {
		return nil, refuse("a timestamp must not be negative")
	}
	gets := make([]*hbase.Get, len(rows))
	for i := range rows {
		gets[i] = &hbase.Get{Row: rows[i], Selection: s}
	}
	return o.get(ctx, name, gets)
}

// newest reads the newest cell of a column.
func (o *one) newest(ctx context.Context, a *takenOne) (cellList, error) {
	return o.cells(ctx, a, hbase.Selection{Columns: []hbase.Column{columnOne(a.column)}})
}

// newestVersions reads the newest cells of a column, before a time if one is given.
func (o *one) newestVersions(ctx context.Context, a *takenOne) (cellList, error) {
	if a.versions <= 0 {
		return nil, errVersions
	}
	return o.cells(ctx, a, hbase.Selection{Columns: []hbase.Column{columnOne(a.column)}, Versions: int(a.versions),
		Times: a.before()})
}

func (o *one) cells(ctx context.Context, a *takenOne, s hbase.Selection) (cellList, error) {
	results, err := o.read(ctx, a.table, [][]byte{a.row}, s)
	if err != nil {
		return nil, err
	}
	return results[0].Cells, nil
}

// getRow reads a row, or columns of it, as it was before a time if one is given.
func (o *one) getRow(ctx context.Context, a *takenOne) (rowsOne, error) {
	a.rows = [][]byte{a.row}
	return o.getRows(ctx, a)
}

// getRows is getRow of several rows.
func (o *one) getRows(ctx context.Context, a *takenOne) (rowsOne, error) {
	results, err := o.read(ctx, a.table, a.rows, hbase.Selection{Columns: columnsOne(a.columns), Times: a.before()})
	return rowsOne{results: results}, err
}

// mutateRows writes and deletes cells of rows, each row at once.
func (o *one) mutateRows(ctx context.Context, a *takenOne) error {
	name, err := hbase.ParseTableName(a.table)
	list := make([]hbase.Mutation, 0, len(a.batches))
	for i := range a.batches {
		if err == nil {
			list, err = a.addMutations(list, a.batches[i].row, a.batches[i].mutations)
		}
	}
	if err == nil {
		err = o.api().MutateAll(ctx, name, list)
	}
	return err
}

// mutateRow is mutateRows of one row.
func (o *one) mutateRow(ctx context.Context, a *takenOne) error {
	a.batches[0].row = a.row
	return o.mutateRows(ctx, a)
}

// addMutations adds the deletes of a row and then its puts, as HBase does them.
func (a *takenOne) addMutations(list []hbase.Mutation, row []byte, mutations []mutationOne) ([]hbase.Mutation, error) {
	if a.life.err != nil {
		return nil, a.life.err
	}
	at, err := timeOf(a.time())
	if err != nil {
		return nil, err
	}
	deletes := 0
	for i := range mutations {
		if mutations[i].isDelete {
			deletes++
		}
	}
	if deletes > 0 {
		del := &hbase.Delete{Row: row}
		for i := range mutations {
			if mutations[i].isDelete {
				del.Add(deleteOne(columnOne(mutations[i].column), at))
			}
		}
		list = append(list, hbase.Mutation{Delete: del})
	}
	if deletes == len(mutations) {
		return list, nil
	}
	put := &hbase.Put{Row: row, Cells: make([]hbase.CellWrite, 0, len(mutations)-deletes)}
	for i := range mutations {
		if m := &mutations[i]; !m.isDelete {
			put.Cells = append(put.Cells,
				hbase.CellWrite{Column: columnOne(m.column), Value: m.value, AtMS: at, LifeMS: a.life.ms})
		}
	}
	return append(list, hbase.Mutation{Put: put}), nil
}

// deleteOne deletes all versions of a column, or of a family, up to a time.
func deleteOne(c hbase.Column, at int64) hbase.CellDelete {
	if c.Whole {
		return hbase.CellDelete{Column: c, Kind: hbase.DeleteFamily, AtMS: at}
	}
	return hbase.CellDelete{Column: c, Kind: hbase.DeleteVersions, AtMS: at}
}

// deleteAll deletes all cells of a column or a family of a row, up to a time if one is given.
func (o *one) deleteAll(ctx context.Context, a *takenOne) error {
	at, err := timeOf(a.time())
	if err != nil {
		return err
	}
	return o.delete(ctx, a.table, &hbase.Delete{Row: a.row,
		Cells: []hbase.CellDelete{deleteOne(columnOne(a.column), at)}})
}

// deleteRow deletes the cells of a row, up to a time if one is given.
func (o *one) deleteRow(ctx context.Context, a *takenOne) error {
	at, err := timeOf(a.time())
	if err != nil {
		return err
	}
	return o.delete(ctx, a.table, &hbase.Delete{Row: a.row, AtMS: at})
}

func (o *one) delete(ctx context.Context, table []byte, d *hbase.Delete) error {
	return namedTable(table, func(name hbase.TableName) error { return o.api().Delete(ctx, name, []*hbase.Delete{d}) })
}

// atomicIncrement adds to an integer of eight bytes and returns the new one.
func (o *one) atomicIncrement(ctx context.Context, a *takenOne) (int64, error) {
	return o.add(ctx, &increment{a.table, a.row, a.column, a.amount}, false)
}

// incrementRows adds to integers, one after the other.
func (o *one) incrementRows(ctx context.Context, a *takenOne) error {
	for i := range a.increments {
		if _, err := o.add(ctx, &a.increments[i], true); err != nil {
			return err
		}
	}
	return nil
}

// increment adds to an integer.
func (o *one) increment(ctx context.Context, a *takenOne) error {
	if a.increments == nil {
		return refuse("increment needs a structure that says what to add")
	}
	return o.incrementRows(ctx, a)
}

func (o *one) add(ctx context.Context, i *increment, unread bool) (int64, error) {
	name, err := hbase.ParseTableName(i.table)
	if err != nil {
		return 0, err
	}
	r, err := o.api().Increment(ctx, name, &hbase.Increment{Row: i.row, Unread: unread,
		Amounts: []hbase.Amount{{Column: columnOne(i.column), By: i.amount}}})
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(r.Cells[0].Value)), nil
}

// appendCells adds bytes to the ends of cells and returns the new ones.
func (o *one) appendCells(ctx context.Context, taken *takenOne) (cellList, error) {
	a := taken.append
	if a == nil {
		return nil, refuse("append needs a structure that says what to append")
	}
	name, err := hbase.ParseTableName(a.table)
	if err == nil && len(a.columns) != len(a.values) {
		err = refuse("append has %d columns and %d values: give one value for each column", len(a.columns),
			len(a.values))
	}
	if err != nil {
		return nil, err
	}
	in := &hbase.Append{Row: a.row}
	for i := range a.columns {
		in.Cells = append(in.Cells, hbase.CellWrite{Column: columnOne(a.columns[i]), Value: a.values[i]})
	}
	r, err := o.api().Append(ctx, name, in)
	if err == nil {
		err = o.reserve(ctx, []hbase.Result{r})
	}
	return r.Cells, err
}

// checkAndPut is a put if a cell has a value, or, without a value, if there is no cell.
func (o *one) checkAndPut(ctx context.Context, a *takenOne) (bool, error) {
	name, err := hbase.ParseTableName(a.table)
	if err == nil && (a.put == nil || a.put.isDelete) {
		err = refuse("checkAndPut needs a mutation that puts")
	}
	if err != nil {
		return false, err
	}
	list, err := a.addMutations(nil, a.row, []mutationOne{*a.put})
	if err != nil {
		return false, err
	}
	return o.api().CheckAndMutate(ctx, name, a.row,
		&hbase.Condition{Column: columnOne(a.column), Operator: hbase.Equal, Value: a.value}, list)
}

// scannerOpen begins a scan at a row, up to another one and as of a time if these are given.
func (o *one) scannerOpen(ctx context.Context, a *takenOne) (int32, error) {
	return o.open(ctx, a.table, a.scanned(nil))
}

// scannerOpenWithPrefix begins a scan of the rows whose keys begin with a prefix.
func (o *one) scannerOpenWithPrefix(ctx context.Context, a *takenOne) (int32, error) {
	quoted := bytes.ReplaceAll(a.row, []byte("'"), []byte("''"))
	return o.open(ctx, a.table, a.scanned(bytes.Join([][]byte{[]byte("PrefixFilter('"), quoted, []byte("')")}, nil)))
}

// scannerOpenWithScan begins a scan.
func (o *one) scannerOpenWithScan(ctx context.Context, a *takenOne) (int32, error) {
	return o.open(ctx, a.table, a.scan)
}

func (o *one) open(ctx context.Context, table []byte, scan *scanOne) (int32, error) {
	name, err := hbase.ParseTableName(table)
	if err == nil && scan == nil {
		err = refuse("scannerOpenWithScan needs a scan")
	}
	if err == nil {
		err = scan.refused
	}
	if err != nil {
		return 0, err
	}
	id, err := o.openScanner(ctx, name, &scan.Scan)
	if id *= 2; scan.isSorted { // a scanner's number says how its rows are returned
		id++
	}
	return id, err
}

// scannerGet reads the next row; none at the end.
func (o *one) scannerGet(ctx context.Context, a *takenOne) (rowsOne, error) {
	a.rowsWanted = 1
	return o.scannerGetList(ctx, a)
}

// scannerGetList reads the next rows; none at the end.
func (o *one) scannerGetList(ctx context.Context, a *takenOne) (rowsOne, error) {
	results, err := o.rows(ctx, a.scanner/2, a.rowsWanted)
	return rowsOne{results, a.scanner%2 == 1}, err
}

// scannerClose ends a scan.
func (o *one) scannerClose(ctx context.Context, a *takenOne) error {
	return o.closeScanner(ctx, a.scanner/2)
}

// serverType says which version this is.
func (o *one) serverType(context.Context, *takenOne) (Version, error) { return One, nil }
