// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/server/hbasethrift/hbase1"
)

// one answers Thrift1's calls. Each is HBase's call of its name. Attributes of calls are not looked at, but for the life of cells.
type one struct{ calls }

// io is the exception that tells of an error; nil of none.
func (o *one) io(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	f := o.fail(ctx, err)
	return &hbase1.IOError{Message: f.message, CanRetry: f.canRetry}
}

// argument is io for calls that have an exception of their own for illegal arguments.
func (o *one) argument(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if f := o.fail(ctx, err); f.isIllegal {
		return &hbase1.IllegalArgument{Message: f.message}
	} else {
		return &hbase1.IOError{Message: f.message, CanRetry: f.canRetry}
	}
}

// columnOne reads "family:qualifier", or "family" for a whole family.
func columnOne(text []byte) hbase.Column {
	family, qualifier, ok := bytes.Cut(text, []byte(":"))
	return hbase.Column{Family: family, Qualifier: qualifier, Whole: !ok}
}

func columnsOne(texts [][]byte) []hbase.Column {
	s := hbase.Selection{}
	for i := range texts {
		s.Add(columnOne(texts[i]))
	}
	return s.Columns
}

// columnName is columnOne's other direction.
func columnName(c *filter.Cell) []byte {
	return bytes.Join([][]byte{c.Family, c.Qualifier}, []byte(":"))
}

// before is the range of times that calls with a timestamp ask for: all before it.
func before(ms int64) hbase.TimeRange {
	return hbase.Between(0, ms)
}

// getOne reads rows, of which each has the same selection.
func (o *one) getOne(ctx context.Context, table []byte, rows [][]byte, s hbase.Selection) ([]hbase.Result, error) {
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

func cellsOne(cells []filter.Cell) []*hbase1.TCell {
	list := make([]*hbase1.TCell, len(cells))
	for i := range cells {
		list[i] = &hbase1.TCell{Value: cells[i].Value, Timestamp: cells[i].AtMS}
	}
	return list
}

// resultsOne are the rows that have cells: by the names of their columns or, if sorted, in their order.
func resultsOne(results []hbase.Result, sorted bool) []*hbase1.TRowResult_ {
	list := []*hbase1.TRowResult_{}
	for i := range results {
		r := &results[i]
		if len(r.Cells) == 0 {
			continue
		}
		out := &hbase1.TRowResult_{Row: r.Row}
		if !sorted {
			out.Columns = make(map[string]*hbase1.TCell, len(r.Cells))
		}
		for j, cell := range cellsOne(r.Cells) {
			name := columnName(&r.Cells[j])
			if sorted {
				out.SortedColumns = append(out.SortedColumns, &hbase1.TColumn{ColumnName: name, Cell: cell})
			} else if _, newer := out.Columns[string(name)]; !newer {
				out.Columns[string(name)] = cell
			}
		}
		list = append(list, out)
	}
	return list
}

// Get reads the newest cell of a column.
func (o *one) Get(ctx context.Context, tableName, row, column []byte, _ map[string][]byte) ([]*hbase1.TCell, error) {
	return o.cells(ctx, tableName, row, hbase.Selection{Columns: []hbase.Column{columnOne(column)}})
}

// GetVer reads the newest cells of a column.
func (o *one) GetVer(ctx context.Context, tableName, row, column []byte, numVersions int32, attributes map[string][]byte) ([]*hbase1.TCell, error) {
	return o.GetVerTs(ctx, tableName, row, column, latest, numVersions, attributes)
}

// GetVerTs reads the newest cells of a column before a time.
func (o *one) GetVerTs(ctx context.Context, tableName, row, column []byte, timestamp int64, numVersions int32, _ map[string][]byte) ([]*hbase1.TCell, error) {
	if numVersions <= 0 {
		return nil, o.io(ctx, errVersions)
	}
	return o.cells(ctx, tableName, row, hbase.Selection{Columns: []hbase.Column{columnOne(column)}, Versions: int(numVersions), Times: before(timestamp)})
}

func (o *one) cells(ctx context.Context, table, row []byte, s hbase.Selection) ([]*hbase1.TCell, error) {
	results, err := o.getOne(ctx, table, [][]byte{row}, s)
	if err != nil {
		return nil, o.io(ctx, err)
	}
	return cellsOne(results[0].Cells), nil
}

// GetRow reads a row.
func (o *one) GetRow(ctx context.Context, tableName, row []byte, attributes map[string][]byte) ([]*hbase1.TRowResult_, error) {
	return o.GetRowsWithColumnsTs(ctx, tableName, [][]byte{row}, nil, latest, attributes)
}

// GetRowTs reads a row as it was before a time.
func (o *one) GetRowTs(ctx context.Context, tableName, row []byte, timestamp int64, attributes map[string][]byte) ([]*hbase1.TRowResult_, error) {
	return o.GetRowsWithColumnsTs(ctx, tableName, [][]byte{row}, nil, timestamp, attributes)
}

// GetRowWithColumns reads columns of a row.
func (o *one) GetRowWithColumns(ctx context.Context, tableName, row []byte, columns [][]byte, attributes map[string][]byte) ([]*hbase1.TRowResult_, error) {
	return o.GetRowsWithColumnsTs(ctx, tableName, [][]byte{row}, columns, latest, attributes)
}

// GetRowWithColumnsTs reads columns of a row as they were before a time.
func (o *one) GetRowWithColumnsTs(ctx context.Context, tableName, row []byte, columns [][]byte, timestamp int64, attributes map[string][]byte) ([]*hbase1.TRowResult_, error) {
	return o.GetRowsWithColumnsTs(ctx, tableName, [][]byte{row}, columns, timestamp, attributes)
}

// GetRows reads several rows.
func (o *one) GetRows(ctx context.Context, tableName []byte, rows [][]byte, attributes map[string][]byte) ([]*hbase1.TRowResult_, error) {
	return o.GetRowsWithColumnsTs(ctx, tableName, rows, nil, latest, attributes)
}

// GetRowsTs reads several rows as they were before a time.
func (o *one) GetRowsTs(ctx context.Context, tableName []byte, rows [][]byte, timestamp int64, attributes map[string][]byte) ([]*hbase1.TRowResult_, error) {
	return o.GetRowsWithColumnsTs(ctx, tableName, rows, nil, timestamp, attributes)
}

// GetRowsWithColumns reads columns of several rows.
func (o *one) GetRowsWithColumns(ctx context.Context, tableName []byte, rows, columns [][]byte, attributes map[string][]byte) ([]*hbase1.TRowResult_, error) {
	return o.GetRowsWithColumnsTs(ctx, tableName, rows, columns, latest, attributes)
}

// GetRowsWithColumnsTs reads columns of several rows as they were before a time.
func (o *one) GetRowsWithColumnsTs(ctx context.Context, tableName []byte, rows, columns [][]byte, timestamp int64, _ map[string][]byte) ([]*hbase1.TRowResult_, error) {
	results, err := o.getOne(ctx, tableName, rows, hbase.Selection{Columns: columnsOne(columns), Times: before(timestamp)})
	return resultsOne(results, false), o.io(ctx, err)
}

// MutateRow writes and deletes cells of a row.
func (o *one) MutateRow(ctx context.Context, tableName, row []byte, mutations []*hbase1.Mutation, attributes map[string][]byte) error {
	return o.MutateRowTs(ctx, tableName, row, mutations, latest, attributes)
}

// MutateRowTs does so with a time.
func (o *one) MutateRowTs(ctx context.Context, tableName, row []byte, mutations []*hbase1.Mutation, timestamp int64, attributes map[string][]byte) error {
	return o.MutateRowsTs(ctx, tableName, []*hbase1.BatchMutation{{Row: row, Mutations: mutations}}, timestamp, attributes)
}

// MutateRows writes and deletes cells of several rows, each row at once.
func (o *one) MutateRows(ctx context.Context, tableName []byte, rowBatches []*hbase1.BatchMutation, attributes map[string][]byte) error {
	return o.MutateRowsTs(ctx, tableName, rowBatches, latest, attributes)
}

// MutateRowsTs does so with a time.
func (o *one) MutateRowsTs(ctx context.Context, tableName []byte, rowBatches []*hbase1.BatchMutation, timestamp int64, attributes map[string][]byte) error {
	name, err := hbase.ParseTableName(tableName)
	var list []hbase.Mutation
	for _, b := range rowBatches {
		if err != nil {
			break
		}
		var row []hbase.Mutation
		row, err = mutationsOne(b, timestamp, attributes)
		list = append(list, row...)
	}
	if err == nil {
		err = o.api().MutateAll(ctx, name, list)
	}
	return o.argument(ctx, err)
}

// mutationsOne are the deletes of a row and then its puts, as HBase does them.
func mutationsOne(b *hbase1.BatchMutation, timestamp int64, attributes map[string][]byte) (list []hbase.Mutation, err error) {
	life, err := lifeOf(attributes)
	if err != nil {
		return nil, err
	}
	at, err := timeOf(&timestamp)
	if err != nil {
		return nil, err
	}
	put, del := &hbase.Put{Row: b.Row}, &hbase.Delete{Row: b.Row}
	for _, m := range b.Mutations {
		column := columnOne(m.Column)
		if m.IsDelete {
			del.Add(deleteOne(column, at))
		} else {
			put.Cells = append(put.Cells, hbase.CellWrite{Column: column, Value: m.Value, AtMS: at, LifeMS: life})
		}
	}
	if len(del.Cells) > 0 {
		list = append(list, hbase.Mutation{Delete: del})
	}
	if len(put.Cells) > 0 {
		list = append(list, hbase.Mutation{Put: put})
	}
	return list, nil
}

// deleteOne deletes all versions of a column, or of a family, up to a time.
func deleteOne(c hbase.Column, at int64) hbase.CellDelete {
	if c.Whole {
		return hbase.CellDelete{Column: c, Kind: hbase.DeleteFamily, AtMS: at}
	}
	return hbase.CellDelete{Column: c, Kind: hbase.DeleteVersions, AtMS: at}
}

// DeleteAll deletes all cells of a column or a family of a row.
func (o *one) DeleteAll(ctx context.Context, tableName, row, column []byte, attributes map[string][]byte) error {
	return o.DeleteAllTs(ctx, tableName, row, column, latest, attributes)
}

// DeleteAllTs deletes those up to a time.
func (o *one) DeleteAllTs(ctx context.Context, tableName, row, column []byte, timestamp int64, _ map[string][]byte) error {
	at, err := timeOf(&timestamp)
	if err != nil {
		return o.io(ctx, err)
	}
	return o.delete(ctx, tableName, &hbase.Delete{Row: row, Cells: []hbase.CellDelete{deleteOne(columnOne(column), at)}})
}

// DeleteAllRow deletes a row.
func (o *one) DeleteAllRow(ctx context.Context, tableName, row []byte, attributes map[string][]byte) error {
	return o.DeleteAllRowTs(ctx, tableName, row, latest, attributes)
}

// DeleteAllRowTs deletes the cells of a row up to a time.
func (o *one) DeleteAllRowTs(ctx context.Context, tableName, row []byte, timestamp int64, _ map[string][]byte) error {
	at, err := timeOf(&timestamp)
	if err != nil {
		return o.io(ctx, err)
	}
	return o.delete(ctx, tableName, &hbase.Delete{Row: row, AtMS: at})
}

func (o *one) delete(ctx context.Context, table []byte, d *hbase.Delete) error {
	name, err := hbase.ParseTableName(table)
	if err == nil {
		err = o.api().Delete(ctx, name, []*hbase.Delete{d})
	}
	return o.io(ctx, err)
}

// AtomicIncrement adds to an integer of eight bytes and returns the new one.
func (o *one) AtomicIncrement(ctx context.Context, tableName, row, column []byte, value int64) (int64, error) {
	n, err := o.increment(ctx, &hbase1.TIncrement{Table: tableName, Row: row, Column: column, Ammount: value}, false)
	return n, o.argument(ctx, err)
}

// Increment adds to an integer.
func (o *one) Increment(ctx context.Context, increment *hbase1.TIncrement) error {
	if increment == nil {
		return o.io(ctx, refuse("increment needs a structure that says what to add"))
	}
	return o.IncrementRows(ctx, []*hbase1.TIncrement{increment})
}

// IncrementRows adds to integers, one after the other.
func (o *one) IncrementRows(ctx context.Context, increments []*hbase1.TIncrement) error {
	for _, i := range increments {
		if _, err := o.increment(ctx, i, true); err != nil {
			return o.io(ctx, err)
		}
	}
	return nil
}

func (o *one) increment(ctx context.Context, i *hbase1.TIncrement, unread bool) (int64, error) {
	name, err := hbase.ParseTableName(i.Table)
	if err != nil {
		return 0, err
	}
	r, err := o.api().Increment(ctx, name, &hbase.Increment{Row: i.Row, Unread: unread,
		Amounts: []hbase.Amount{{Column: columnOne(i.Column), By: i.Ammount}}})
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(r.Cells[0].Value)), nil
}

// Append adds bytes to the ends of cells and returns the new ones.
func (o *one) Append(ctx context.Context, a *hbase1.TAppend) ([]*hbase1.TCell, error) {
	if a == nil {
		return nil, o.io(ctx, refuse("append needs a structure that says what to append"))
	}
	name, err := hbase.ParseTableName(a.Table)
	if err == nil && len(a.Columns) != len(a.Values) {
		err = refuse("append has %d columns and %d values: give one value for each column", len(a.Columns), len(a.Values))
	}
	in := &hbase.Append{Row: a.Row}
	for i := range a.Columns {
		if err == nil {
			in.Cells = append(in.Cells, hbase.CellWrite{Column: columnOne(a.Columns[i]), Value: a.Values[i]})
		}
	}
	r := hbase.Result{}
	if err == nil {
		r, err = o.api().Append(ctx, name, in)
	}
	if err == nil {
		err = o.reserve(ctx, []hbase.Result{r})
	}
	return cellsOne(r.Cells), o.io(ctx, err)
}

// CheckAndPut is a put if a cell has a value, or, without a value, if there is no cell.
func (o *one) CheckAndPut(ctx context.Context, tableName, row, column, value []byte, mput *hbase1.Mutation, attributes map[string][]byte) (bool, error) {
	name, err := hbase.ParseTableName(tableName)
	if err == nil && (mput == nil || mput.IsDelete) {
		err = refuse("checkAndPut needs a mutation that puts")
	}
	if err != nil {
		return false, o.argument(ctx, err)
	}
	list, err := mutationsOne(&hbase1.BatchMutation{Row: row, Mutations: []*hbase1.Mutation{mput}}, latest, attributes)
	if err != nil {
		return false, o.argument(ctx, err)
	}
	done, err := o.api().CheckAndMutate(ctx, name, row, &hbase.Condition{Column: columnOne(column), Operator: hbase.Equal, Value: value}, list)
	return done, o.argument(ctx, err)
}

// ScannerOpen begins a scan at a row.
func (o *one) ScannerOpen(ctx context.Context, tableName, startRow []byte, columns [][]byte, attributes map[string][]byte) (int32, error) {
	return o.ScannerOpenWithScan(ctx, tableName, &hbase1.TScan{StartRow: startRow, Columns: columns}, attributes)
}

// ScannerOpenTs begins a scan of what was before a time.
func (o *one) ScannerOpenTs(ctx context.Context, tableName, startRow []byte, columns [][]byte, timestamp int64, attributes map[string][]byte) (int32, error) {
	return o.ScannerOpenWithScan(ctx, tableName, &hbase1.TScan{StartRow: startRow, Columns: columns, Timestamp: &timestamp}, attributes)
}

// ScannerOpenWithStop begins a scan of a range of rows.
func (o *one) ScannerOpenWithStop(ctx context.Context, tableName, startRow, stopRow []byte, columns [][]byte, attributes map[string][]byte) (int32, error) {
	return o.ScannerOpenWithScan(ctx, tableName, &hbase1.TScan{StartRow: startRow, StopRow: stopRow, Columns: columns}, attributes)
}

// ScannerOpenWithStopTs begins a scan of a range of rows as they were before a time.
func (o *one) ScannerOpenWithStopTs(ctx context.Context, tableName, startRow, stopRow []byte, columns [][]byte, timestamp int64, attributes map[string][]byte) (int32, error) {
	return o.ScannerOpenWithScan(ctx, tableName, &hbase1.TScan{StartRow: startRow, StopRow: stopRow, Columns: columns, Timestamp: &timestamp}, attributes)
}

// ScannerOpenWithPrefix begins a scan of the rows whose keys begin with a prefix.
func (o *one) ScannerOpenWithPrefix(ctx context.Context, tableName, startAndPrefix []byte, columns [][]byte, attributes map[string][]byte) (int32, error) {
	quoted := bytes.ReplaceAll(startAndPrefix, []byte("'"), []byte("''"))
	return o.ScannerOpenWithScan(ctx, tableName, &hbase1.TScan{
		StartRow: startAndPrefix, Columns: columns, FilterString: bytes.Join([][]byte{[]byte("PrefixFilter('"), quoted, []byte("')")}, nil),
	}, attributes)
}

// ScannerOpenWithScan begins a scan.
func (o *one) ScannerOpenWithScan(ctx context.Context, tableName []byte, in *hbase1.TScan, _ map[string][]byte) (int32, error) {
	name, err := hbase.ParseTableName(tableName)
	if err == nil && in == nil {
		err = refuse("scannerOpenWithScan needs a scan")
	}
	if err != nil {
		return 0, o.io(ctx, err)
	}
	scan := &hbase.Scan{Start: in.StartRow, Stop: in.StopRow, Reversed: in.GetReversed(), Batch: max(0, int(in.GetBatchSize()))}
	s := &scan.Selection
	if s.Columns = columnsOne(in.Columns); in.Timestamp != nil {
		s.Times = before(*in.Timestamp)
	}
	id := int32(0)
	if s.Filter, err = filterOf(in.FilterString); err == nil {
		id, err = o.openScanner(ctx, name, scan)
	}
	if id *= 2; in.GetSortColumns() { // a scanner's number says how its rows are returned
		id++
	}
	return id, o.io(ctx, err)
}

// ScannerGet reads the next row; none at the end.
func (o *one) ScannerGet(ctx context.Context, id int32) ([]*hbase1.TRowResult_, error) {
	return o.ScannerGetList(ctx, id, 1)
}

// ScannerGetList reads the next rows; none at the end.
func (o *one) ScannerGetList(ctx context.Context, id, nbRows int32) ([]*hbase1.TRowResult_, error) {
	results, err := o.rows(ctx, id/2, nbRows)
	return resultsOne(results, id%2 == 1), o.argument(ctx, err)
}

// ScannerClose ends a scan.
func (o *one) ScannerClose(ctx context.Context, id int32) error {
	return o.argument(ctx, o.closeScanner(ctx, id/2))
}

// GetThriftServerType says which version this is.
func (o *one) GetThriftServerType(context.Context) (hbase1.TThriftServerType, error) {
	return hbase1.TThriftServerType_ONE, nil
}
