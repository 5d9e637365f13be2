// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"

	"github.com/weftdb/weft/internal/hbase"
)

// two answers Thrift2's calls. Each is HBase's call of its name.
type two struct{ calls }

// getOne reads a row.
func (t *two) getOne(ctx context.Context, a *callArguments) (r hbase.Result, err error) {
	results, err := t.getAll(ctx, a)
	if err != nil {
		return r, err
	}
	return results[0], nil
}

// getAll reads several rows.
func (t *two) getAll(ctx context.Context, a *callArguments) ([]hbase.Result, error) {
	name, err := a.tableName()
	if err != nil {
		return nil, err
	}
	return t.get(ctx, name, a.gets)
}

// exists reports whether a read would find a cell.
func (t *two) exists(ctx context.Context, a *callArguments) (bool, error) {
	found, err := t.existsAll(ctx, a)
	return err == nil && found[0], err
}

// existsAll is exists of several reads.
func (t *two) existsAll(ctx context.Context, a *callArguments) ([]bool, error) {
	results, err := t.getAll(ctx, a)
	found := make([]bool, len(results))
	for i := range results {
		found[i] = len(results[i].Cells) > 0
	}
	return found, err
}

// put writes cells of rows.
func (t *two) put(ctx context.Context, a *callArguments) error {
	name, err := a.tableName()
	if err != nil {
		return err
	}
	return t.api().Put(ctx, name, a.puts)
}

// deleteCells deletes cells of rows.
func (t *two) deleteCells(ctx context.Context, a *callArguments) error {
	name, err := a.tableName()
	if err != nil {
		return err
	}
	return t.api().Delete(ctx, name, a.deletes)
}

// deleteMultiple returns those deletes that could not be done: none, since all are done or the call fails.
func (t *two) deleteMultiple(ctx context.Context, a *callArguments) ([]hbase.Delete, error) {
	return nil, t.deleteCells(ctx, a)
}

// mutateRow does puts and deletes of a row at once.
func (t *two) mutateRow(ctx context.Context, a *callArguments) error {
	name, err := a.tableName()
	if err != nil {
		return err
	}
	return t.api().Mutate(ctx, name, a.mutations.row, a.mutations.list)
}

// checkAndPut is a put if a cell has a value, or, without a value, if there is no cell.
func (t *two) checkAndPut(ctx context.Context, a *callArguments) (bool, error) {
	return t.check(ctx, a, hbase.Equal, []hbase.Mutation{{Put: a.puts[0]}})
}

// checkAndDelete is a delete on the same terms.
func (t *two) checkAndDelete(ctx context.Context, a *callArguments) (bool, error) {
	return t.check(ctx, a, hbase.Equal, []hbase.Mutation{{Delete: a.deletes[0]}})
}

// checkAndMutate does mutations of a row if the comparison of the value with a cell holds: value, operator, cell.
func (t *two) checkAndMutate(ctx context.Context, a *callArguments) (bool, error) {
	if _, err := a.tableName(); err == nil && (a.operator < 0 || a.operator > int32(hbase.NoOp)) {
		return false, refuse("there is no compareOp %d", a.operator)
	}
	return t.check(ctx, a, hbase.Operator(a.operator), a.mutations.list)
}

func (t *two) check(ctx context.Context, a *callArguments, operator hbase.Operator, list []hbase.Mutation) (bool,
	error) {
	name, err := a.tableName()
	if err != nil {
		return false, err
	}
	condition := &hbase.Condition{Column: hbase.Column{Family: a.family, Qualifier: a.qualifier}, Operator: operator,
		Value: a.value}
	return t.api().CheckAndMutate(ctx, name, a.row, condition, list)
}

// incrementCells adds to integers of eight bytes and returns the new ones.
func (t *two) incrementCells(ctx context.Context, a *callArguments) (hbase.Result, error) {
	name, err := a.tableName()
	if err != nil {
		return hbase.Result{}, err
	}
	r, err := t.api().Increment(ctx, name, a.increment)
	return t.computed(ctx, r, err, a.increment.Unread)
}

// appendCells adds bytes to the ends of cells and returns the new ones.
func (t *two) appendCells(ctx context.Context, a *callArguments) (hbase.Result, error) {
	name, err := a.tableName()
	if err != nil {
		return hbase.Result{}, err
	}
	r, err := t.api().Append(ctx, name, a.append)
	return t.computed(ctx, r, err, a.append.Unread)
}

// computed is the answer of increments and appends, which clients may not want.
func (t *two) computed(ctx context.Context, r hbase.Result, err error, isUnread bool) (hbase.Result, error) {
	if err == nil {
		err = t.reserve(ctx, []hbase.Result{r})
	}
	if isUnread {
		r = hbase.Result{}
	}
	return r, err
}

// openScan begins a scan.
func (t *two) openScan(ctx context.Context, a *callArguments) (int32, error) {
	name, err := a.tableName()
	if err != nil {
		return 0, err
	}
	return t.openScanner(ctx, name, a.scan)
}

// scannerRows reads on: so many rows, or fewer; none at the end.
func (t *two) scannerRows(ctx context.Context, a *callArguments) ([]hbase.Result, error) {
	return t.rows(ctx, a.scanner, a.rows)
}

// endScan ends a scan. One that is not open is no fault for HBase.
func (t *two) endScan(ctx context.Context, a *callArguments) error {
	_ = t.closeScanner(ctx, a.scanner)
	return nil
}

// scannerResults is a scan in one call: so many rows, or all that there are.
func (t *two) scannerResults(ctx context.Context, a *callArguments) (all []hbase.Result, err error) {
	name, err := a.tableName()
	if err == nil && a.rows < 0 {
		err = refuse("a negative number of rows can't be read")
	}
	if err != nil {
		return nil, err
	}
	scanner, err := t.api().OpenScanner(ctx, name, a.scan)
	for err == nil && len(all) < int(a.rows) && !scanner.IsDone() {
		var results []hbase.Result
		if results, err = scanner.Next(ctx, int(a.rows)-len(all)); err == nil {
			err = t.reserve(ctx, results)
		}
		all = append(all, results...)
		if len(results) == 0 {
			break
		}
	}
	return all, err
}

// serverType says which version this is.
func (t *two) serverType(context.Context, *callArguments) (Version, error) { return Two, nil }
