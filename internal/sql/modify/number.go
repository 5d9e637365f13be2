// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"context"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// numberedColumns is which columns of an INSERT get numbers, by their positions in its columns; -1 for none.
type numberedColumns struct{ auto, rowID int }

func isNumbered(c *definition.Column) bool { return c.AutoIncrement || c.IsRowID() }

// number returns the columns that are not named and get numbers.
func (i *insert) number() (made []definition.Column) {
	for at := range i.table.Columns {
		column := &i.table.Columns[at]
		if isNumbered(column) &&
			!slices.ContainsFunc(i.columns, func(c definition.Column) bool { return c.Name == column.Name }) {
			made = append(made, *column)
		}
	}
	return made
}

// findNumbered notes where those columns are.
func (i *insert) findNumbered() {
	i.auto, i.rowID = -1, -1
	for k := range i.columns {
		switch {
		case i.columns[k].AutoIncrement:
			i.auto = k
		case i.columns[k].IsRowID():
			i.rowID = k
		}
	}
}

// numbers are the numbers of one execution. Rows that follow one another get numbers that do, too.
type numbers struct {
	call   *Call
	wanted int // rows from here on
	blocks [2]struct{ next, end uint64 }
	// most is the largest number that a row brought with it, and given the last; 0 is none.
	most, given uint64
	ignored     string // a generated column that a row brought a value of
}

// next returns the next number of a counter.
func (n *numbers) next(ctx context.Context, counter database.Counter) (uint64, error) {
	b := &n.blocks[counter]
	if counter == database.CounterColumn && b.next <= n.most {
		if err := n.pass(ctx); err != nil {
			return 0, err
		}
		b.next = b.end
	}
	if b.next == b.end {
		first, err := n.call.Pin.TakeNumbers(ctx, counter, uint64(max(n.wanted, 1)))
		if err != nil {
			return 0, err
		}
		b.next, b.end = first, first+uint64(max(n.wanted, 1))
	}
	b.next++
	return b.next - 1, nil
}

// pass makes the counter go on behind the numbers that rows brought with them.
func (n *numbers) pass(ctx context.Context) error {
	if n.most == 0 {
		return nil
	}
	return n.call.Pin.PassNumber(ctx, database.CounterColumn, n.most)
}

// numberOf is the value of a column that gets a number where it is given none.
func (i *insert) numberOf(ctx context.Context, numbers *numbers, n, k int, g *givenRow) (datum.Datum, value.Value,
	error) {
	column, call := &i.columns[k], numbers.call
	d, ok, err := i.computeValue(call, n, k)
	if err != nil {
		return d, nil, err
	}
	if ok {
		if !d.IsNull() {
			if d, err = datum.Store(d, column.Type); err != nil {
				_, err = i.store(call, column, d, g.at) // which words it
				return d, nil, err
			}
		}
		if !d.IsNull() && (d.Bits() != 0 || call.ZeroIsNumber) {
			if k == i.auto && (d.Kind() == datum.KindUint || d.Int() > 0) {
				numbers.given = d.Bits()
				numbers.most = max(numbers.most, numbers.given)
			}
			v, err := i.store(call, column, d, g.at)
			return d, v, err
		}
	}
	g.made = g.made || k == i.auto
	return i.nextOf(ctx, numbers, k, g)
}

// nextOf is the next number as a column stores it.
func (i *insert) nextOf(ctx context.Context, numbers *numbers, k int, g *givenRow) (datum.Datum, value.Value, error) {
	counter := database.CounterColumn
	if k == i.rowID {
		counter = database.CounterRow
	}
	number, err := numbers.next(ctx, counter)
	if err != nil {
		return datum.Null, nil, err
	}
	column := &i.columns[k]
	d := datum.Uint(number)
	if number <= math.MaxInt64 {
		d = datum.Int(int64(number))
	}
	v, err := i.store(numbers.call, column, d, g.at)
	if f, ok := fault.Of(err); ok && f.Code == fault.OutOfRange {
		return d, nil, fault.Message(fault.NumbersUsedUp,
			"Failed to read auto-increment value from storage engine: column '%s' of type %s has no number left after %d",
			column.Name, definition.TypeName(column.Type), number-1)
	}
	return d, v, err
}

// renumber gives a row another number.
func (i *insert) renumber(ctx context.Context, w *work, numbers *numbers, g *givenRow) (err error) {
	numbers.wanted = 1
	d, v, err := i.nextOf(ctx, numbers, i.auto, g)
	if err != nil {
		return err
	}
	g.data[i.auto], g.cells[i.auto].value = d, v
	return i.finish(w.call, &w.builder, g)
}

// idOf is the number of a row.
func (i *insert) idOf(g *givenRow) uint64 { return g.data[i.auto].Bits() }

// Greatest is the greatest number in a column of a table; 0 if no row has one above.
func Greatest(ctx context.Context, db *database.DB, table tree.Name, column string) (most uint64, err error) {
	err = eachRow(ctx, db, table, func(w *work) (func(row value.Row) error, error) {
		of, _ := w.table.Column(column)
		return func(row value.Row) error {
			v, _ := row.Get(w.names, []byte(column))
			switch d, _ := datum.FromValue(v, of.Type); {
			case d.Kind() == datum.KindUint:
				most = max(most, d.Uint())
			case d.Kind() == datum.KindInt && d.Int() > 0:
				most = max(most, uint64(d.Int()))
			}
			return nil
		}, nil
	})
	return most, err
}
