// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/server/hbasethrift/hbase2"
)

// two answers Thrift2's calls. Each is HBase's call of its name.
type two struct{ calls }

// io is the exception that tells of an error; nil of none.
func (t *two) io(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	f := t.fail(ctx, err)
	return &hbase2.TIOError{Message: &f.message, CanRetry: &f.canRetry}
}

// argument is io for calls that have an exception of their own for illegal arguments.
func (t *two) argument(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if f := t.fail(ctx, err); f.isIllegal {
		return &hbase2.TIllegalArgument{Message: &f.message}
	} else {
		return &hbase2.TIOError{Message: &f.message, CanRetry: &f.canRetry}
	}
}

// Get reads a row.
func (t *two) Get(ctx context.Context, table []byte, tget *hbase2.TGet) (*hbase2.TResult_, error) {
	results, err := t.gets(ctx, table, []*hbase2.TGet{tget})
	if err != nil {
		return nil, t.io(ctx, err)
	}
	return resultTwo(&results[0]), nil
}

// GetMultiple reads several rows.
func (t *two) GetMultiple(ctx context.Context, table []byte, tgets []*hbase2.TGet) ([]*hbase2.TResult_, error) {
	results, err := t.gets(ctx, table, tgets)
	return answerWith(ctx, results), t.io(ctx, err)
}

// Exists says whether a read would find a cell.
func (t *two) Exists(ctx context.Context, table []byte, tget *hbase2.TGet) (bool, error) {
	found, err := t.ExistsAll(ctx, table, []*hbase2.TGet{tget})
	return err == nil && found[0], err
}

// ExistsAll is Exists of several reads.
func (t *two) ExistsAll(ctx context.Context, table []byte, tgets []*hbase2.TGet) ([]bool, error) {
	results, err := t.gets(ctx, table, tgets)
	found := make([]bool, len(results))
	for i := range results {
		found[i] = len(results[i].Cells) > 0
	}
	return found, t.io(ctx, err)
}

func (t *two) gets(ctx context.Context, table []byte, tgets []*hbase2.TGet) ([]hbase.Result, error) {
	name, err := hbase.ParseTableName(table)
	if err != nil {
		return nil, err
	}
	gets := make([]*hbase.Get, len(tgets))
	for i := range gets {
		if gets[i], err = getTwo(tgets[i]); err != nil {
			return nil, err
		}
	}
	return t.get(ctx, name, gets)
}

func getTwo(g *hbase2.TGet) (*hbase.Get, error) {
	get := &hbase.Get{Row: g.Row}
	s := &get.Selection
	addColumnsTwo(s, g.Columns)
	s.Times = timesTwo(g.TimeRange)
	if g.Timestamp != nil {
		s.Times = hbase.At(*g.Timestamp)
	}
	if g.MaxVersions != nil {
		if s.Versions = int(*g.MaxVersions); s.Versions <= 0 {
			return nil, errVersions
		}
	}
	if s.Offset = max(0, int(g.GetStoreOffset())); g.StoreLimit != nil && *g.StoreLimit >= 0 {
		s.Limit = max(1, int(*g.StoreLimit)) // 0 is 1 for HBase
	}
	var err error
	s.Filter, err = filterTwo(g.FilterString, g.FilterBytes)
	return get, err
}

// filterTwo reads a filter of the language, or one that HBase's Java client has serialized.
func filterTwo(text, serialized []byte) (filter.Filter, error) {
	if len(serialized) > 0 {
		f, err := filter.Unmarshal(serialized)
		if err != nil {
			return nil, refuse("%s", err)
		}
		return f, nil
	}
	return filterOf(text)
}

func addColumnsTwo(s *hbase.Selection, list []*hbase2.TColumn) {
	for _, c := range list {
		s.Add(hbase.Column{Family: c.Family, Qualifier: c.Qualifier, Whole: c.Qualifier == nil})
	}
}

func timesTwo(r *hbase2.TTimeRange) (times hbase.TimeRange) {
	if r == nil {
		return times
	}
	return hbase.Between(r.MinStamp, r.MaxStamp)
}

// typePut is the type of cells that hold a value. HBase's Java API can't tell the type of a cell without one.
const typePut = 4

func resultTwo(r *hbase.Result) *hbase2.TResult_ {
	out := &hbase2.TResult_{Row: r.Row, ColumnValues: make([]*hbase2.TColumnValue, len(r.Cells)), Partial: r.Partial}
	cells, kind := make([]hbase2.TColumnValue, len(r.Cells)), int8(typePut)
	for i := range r.Cells {
		c := &r.Cells[i]
		cells[i] = hbase2.TColumnValue{Family: c.Family, Qualifier: c.Qualifier, Value: c.Value, Timestamp: &c.AtMS, Type: &kind}
		out.ColumnValues[i] = &cells[i]
	}
	return out
}

// Put writes cells of a row.
func (t *two) Put(ctx context.Context, table []byte, tput *hbase2.TPut) error {
	return t.PutMultiple(ctx, table, []*hbase2.TPut{tput})
}

// PutMultiple writes cells of several rows.
func (t *two) PutMultiple(ctx context.Context, table []byte, tputs []*hbase2.TPut) error {
	name, err := hbase.ParseTableName(table)
	puts := slices.Grow(callOf(ctx).puts, len(tputs)) // there are either these or those
	for _, tput := range tputs {
		if err == nil {
			var put *hbase.Put
			put, err = putTwo(tput)
			puts = append(puts, put)
		}
	}
	if err == nil {
		err = t.api().Put(ctx, name, puts)
	}
	return t.io(ctx, err)
}

func putTwo(p *hbase2.TPut) (*hbase.Put, error) {
	if p.CellVisibility != nil {
		return nil, refuse("visibility of cells is not supported: leave cellVisibility out")
	}
	cells, err := cellsTwo(p.ColumnValues, p.Timestamp, p.Attributes)
	return &hbase.Put{Row: p.Row, Cells: cells}, err
}

// cellsTwo are the cells of a write; those without a time get that of the whole write.
func cellsTwo(values []*hbase2.TColumnValue, at *int64, attributes map[string][]byte) ([]hbase.CellWrite, error) {
	life, err := lifeOf(attributes)
	if err != nil {
		return nil, err
	}
	cells := make([]hbase.CellWrite, len(values))
	for i, v := range values {
		if len(v.Tags) > 0 {
			return nil, refuse("tags of cells are not supported: leave tags out")
		}
		own := at
		if v.Timestamp != nil {
			own = v.Timestamp
		}
		cells[i] = hbase.CellWrite{Column: hbase.Column{Family: v.Family, Qualifier: v.Qualifier}, Value: v.Value, LifeMS: life}
		if cells[i].AtMS, err = timeOf(own); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// DeleteSingle deletes cells of a row.
func (t *two) DeleteSingle(ctx context.Context, table []byte, tdelete *hbase2.TDelete) error {
	_, err := t.DeleteMultiple(ctx, table, []*hbase2.TDelete{tdelete})
	return err
}

// DeleteMultiple deletes cells of several rows. It returns those that could not be done: none, since all are done or the call fails.
func (t *two) DeleteMultiple(ctx context.Context, table []byte, tdeletes []*hbase2.TDelete) ([]*hbase2.TDelete, error) {
	name, err := hbase.ParseTableName(table)
	deletes := make([]*hbase.Delete, len(tdeletes))
	for i := range deletes {
		if err == nil {
			deletes[i], err = deleteTwo(tdeletes[i])
		}
	}
	if err == nil {
		err = t.api().Delete(ctx, name, deletes)
	}
	return []*hbase2.TDelete{}, t.io(ctx, err)
}

// deleteTwo follows ThriftUtilities.deleteFromThrift of HBase: the time of the whole counts only without columns.
func deleteTwo(d *hbase2.TDelete) (out *hbase.Delete, err error) {
	out = &hbase.Delete{Row: d.Row}
	if d.Columns == nil {
		out.AtMS, err = timeOf(d.Timestamp)
		return out, err
	}
	for _, c := range d.Columns {
		one := hbase.CellDelete{Column: hbase.Column{Family: c.Family, Qualifier: c.Qualifier}}
		if one.AtMS, err = timeOf(c.Timestamp); err != nil {
			return nil, err
		}
		switch d.DeleteType {
		case hbase2.TDeleteType_DELETE_COLUMN:
			one.Kind = hbase.DeleteVersion
		case hbase2.TDeleteType_DELETE_COLUMNS:
			one.Kind = hbase.DeleteVersions
		case hbase2.TDeleteType_DELETE_FAMILY:
			one.Kind = hbase.DeleteFamily
		case hbase2.TDeleteType_DELETE_FAMILY_VERSION:
			if one.Kind = hbase.DeleteFamilyVersion; one.AtMS == 0 {
				return nil, refuse("Timestamp is required for TDelete with DeleteFamilyVersion type")
			}
		default:
			return nil, refuse("there is no delete type %d", d.DeleteType)
		}
		out.Add(one)
	}
	return out, nil
}

// MutateRow does puts and deletes of a row at once.
func (t *two) MutateRow(ctx context.Context, table []byte, mutations *hbase2.TRowMutations) error {
	name, list, err := mutationsTwo(table, mutations)
	if err == nil {
		err = t.api().Mutate(ctx, name, mutations.Row, list)
	}
	return t.io(ctx, err)
}

func mutationsTwo(table []byte, mutations *hbase2.TRowMutations) (name hbase.TableName, list []hbase.Mutation, err error) {
	if name, err = hbase.ParseTableName(table); err != nil {
		return name, nil, err
	}
	list = make([]hbase.Mutation, len(mutations.Mutations))
	for i, m := range mutations.Mutations {
		switch {
		case m.Put != nil:
			list[i].Put, err = putTwo(m.Put)
		case m.DeleteSingle != nil:
			list[i].Delete, err = deleteTwo(m.DeleteSingle)
		default:
			err = refuse("a mutation must be a put or a deleteSingle")
		}
		if err != nil {
			return name, nil, err
		}
	}
	return name, list, nil
}

// CheckAndPut is a put if a cell has a value, or, without a value, if there is no cell.
func (t *two) CheckAndPut(ctx context.Context, table, row, family, qualifier, value []byte, tput *hbase2.TPut) (bool, error) {
	mutations := &hbase2.TRowMutations{Row: row, Mutations: []*hbase2.TMutation{{Put: tput}}}
	return t.CheckAndMutate(ctx, table, row, family, qualifier, hbase2.TCompareOp_EQUAL, value, mutations)
}

// CheckAndDelete is a delete on the same terms.
func (t *two) CheckAndDelete(ctx context.Context, table, row, family, qualifier, value []byte, tdelete *hbase2.TDelete) (bool, error) {
	mutations := &hbase2.TRowMutations{Row: row, Mutations: []*hbase2.TMutation{{DeleteSingle: tdelete}}}
	return t.CheckAndMutate(ctx, table, row, family, qualifier, hbase2.TCompareOp_EQUAL, value, mutations)
}

// CheckAndMutate does mutations of a row if the comparison of the value with a cell holds: value, operator, cell.
func (t *two) CheckAndMutate(ctx context.Context, table, row, family, qualifier []byte, operator hbase2.TCompareOp, value []byte, mutations *hbase2.TRowMutations) (bool, error) {
	name, list, err := mutationsTwo(table, mutations)
	if err == nil && (operator < 0 || operator > hbase2.TCompareOp_NO_OP) {
		err = refuse("there is no compareOp %d", operator)
	}
	if err != nil {
		return false, t.io(ctx, err)
	}
	condition := &hbase.Condition{Column: hbase.Column{Family: family, Qualifier: qualifier}, Operator: hbase.Operator(operator), Value: value}
	done, err := t.api().CheckAndMutate(ctx, name, row, condition, list)
	return done, t.io(ctx, err)
}

// Increment adds to integers of eight bytes and returns the new ones.
func (t *two) Increment(ctx context.Context, table []byte, tincrement *hbase2.TIncrement) (*hbase2.TResult_, error) {
	name, err := hbase.ParseTableName(table)
	if err == nil && tincrement.CellVisibility != nil {
		err = refuse("visibility of cells is not supported: leave cellVisibility out")
	}
	in := &hbase.Increment{Row: tincrement.Row, Unread: !isWanted(tincrement.ReturnResults)}
	if err == nil {
		in.LifeMS, err = lifeOf(tincrement.Attributes)
	}
	if err != nil {
		return nil, t.io(ctx, err)
	}
	for _, c := range tincrement.Columns {
		in.Amounts = append(in.Amounts, hbase.Amount{Column: hbase.Column{Family: c.Family, Qualifier: c.Qualifier}, By: c.Amount})
	}
	r, err := t.api().Increment(ctx, name, in)
	return t.computed(ctx, r, err, tincrement.ReturnResults)
}

// Append adds bytes to the ends of cells and returns the new ones.
func (t *two) Append(ctx context.Context, table []byte, tappend *hbase2.TAppend) (*hbase2.TResult_, error) {
	name, err := hbase.ParseTableName(table)
	if err == nil && tappend.CellVisibility != nil {
		err = refuse("visibility of cells is not supported: leave cellVisibility out")
	}
	in := &hbase.Append{Row: tappend.Row, Unread: !isWanted(tappend.ReturnResults)}
	if err == nil {
		in.Cells, err = cellsTwo(tappend.Columns, nil, tappend.Attributes)
	}
	if err != nil {
		return nil, t.io(ctx, err)
	}
	r, err := t.api().Append(ctx, name, in)
	return t.computed(ctx, r, err, tappend.ReturnResults)
}

// isWanted reports whether a client wants the new values.
func isWanted(returnResults *bool) bool { return returnResults == nil || *returnResults }

// computed is the answer of Increment and Append, which clients may not want.
func (t *two) computed(ctx context.Context, r hbase.Result, err error, wanted *bool) (*hbase2.TResult_, error) {
	if err == nil {
		err = t.reserve(ctx, []hbase.Result{r})
	}
	if !isWanted(wanted) {
		r = hbase.Result{}
	}
	return resultTwo(&r), t.io(ctx, err)
}

// OpenScanner begins a scan.
func (t *two) OpenScanner(ctx context.Context, table []byte, tscan *hbase2.TScan) (int32, error) {
	name, scan, err := scanTwo(table, tscan)
	id := int32(0)
	if err == nil {
		id, err = t.openScanner(ctx, name, scan)
	}
	return id, t.io(ctx, err)
}

func scanTwo(table []byte, in *hbase2.TScan) (name hbase.TableName, scan *hbase.Scan, err error) {
	if name, err = hbase.ParseTableName(table); err != nil {
		return name, nil, err
	}
	scan = &hbase.Scan{Start: in.StartRow, Stop: in.StopRow, Reversed: in.GetReversed(), Limit: max(0, int(in.GetLimit())), Batch: max(0, int(in.GetBatchSize()))}
	s := &scan.Selection
	addColumnsTwo(s, in.Columns)
	s.Times, s.Versions = timesTwo(in.TimeRange), int(in.MaxVersions)
	for family, times := range in.ColFamTimeRangeMap {
		if s.FamilyTimes == nil {
			s.FamilyTimes = map[string]hbase.TimeRange{}
		}
		s.FamilyTimes[family] = timesTwo(times)
	}
	if s.Versions <= 0 { // HBase refuses it in a get, and scans for nothing
		s.Versions, s.Times, s.FamilyTimes = 1, hbase.Between(0, 0), nil
	}
	s.Filter, err = filterTwo(in.FilterString, in.FilterBytes)
	return name, scan, err
}

// GetScannerRows reads on: so many rows, or fewer; none at the end.
func (t *two) GetScannerRows(ctx context.Context, scannerID, numRows int32) ([]*hbase2.TResult_, error) {
	results, err := t.rows(ctx, scannerID, numRows)
	return answerWith(ctx, results), t.argument(ctx, err)
}

// CloseScanner ends a scan. One that is not open is no fault for HBase.
func (t *two) CloseScanner(ctx context.Context, scannerID int32) error {
	_ = t.closeScanner(ctx, scannerID)
	return nil
}

// GetScannerResults is a scan in one call: so many rows, or all that there are.
func (t *two) GetScannerResults(ctx context.Context, table []byte, tscan *hbase2.TScan, numRows int32) ([]*hbase2.TResult_, error) {
	name, scan, err := scanTwo(table, tscan)
	if err == nil && numRows < 0 {
		err = refuse("a negative number of rows can't be read")
	}
	if err != nil {
		return nil, t.io(ctx, err)
	}
	scanner, err := t.api().OpenScanner(ctx, name, scan)
	var all []hbase.Result
	for err == nil && len(all) < int(min(numRows, math.MaxInt32)) && !scanner.IsDone() {
		var results []hbase.Result
		if results, err = scanner.Next(ctx, int(numRows)-len(all)); err == nil {
			err = t.reserve(ctx, results)
		}
		all = append(all, results...)
		if len(results) == 0 {
			break
		}
	}
	return answerWith(ctx, all), t.io(ctx, err)
}

// GetThriftServerType says which version this is.
func (t *two) GetThriftServerType(context.Context) (hbase2.TThriftServerType, error) {
	return hbase2.TThriftServerType_TWO, nil
}
