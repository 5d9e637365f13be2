// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/relational/value"
)

// index is an Index as the engine's planner sees it.
type index struct {
	of        Index
	table     *table
	positions []int // of its columns in the table's
}

var _ sql.OrderedIndex = (*index)(nil)

// GetIndexes are the indexes whose columns the table shows.
func (t *table) GetIndexes(*sql.Context) ([]sql.Index, error) {
	var indexes []sql.Index
	for _, of := range t.of.Indexes() {
		i := &index{of: of, table: t, positions: make([]int, 0, len(of.Columns))}
		for _, c := range of.Columns {
			if at := t.position(c.Name); at >= 0 {
				i.positions = append(i.positions, at)
			}
		}
		if len(i.positions) == len(of.Columns) && len(of.Columns) > 0 {
			indexes = append(indexes, i)
		}
	}
	return indexes, nil
}

// IndexedAccess is the table itself: LookupPartitions reads the lookup.
func (t *table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return t }

func (i *index) ID() string        { return i.of.Name }
func (i *index) Database() string  { return i.table.database }
func (i *index) Table() string     { return i.table.Name() }
func (i *index) IsUnique() bool    { return i.of.Unique }
func (i *index) IsSpatial() bool   { return false }
func (i *index) IsFullText() bool  { return false }
func (i *index) IsVector() bool    { return false }
func (i *index) Comment() string   { return i.of.Comment }
func (i *index) IndexType() string { return "BTREE" }
func (i *index) IsGenerated() bool { return false }

// Expressions are the columns as the engine's conditions name them.
func (i *index) Expressions() []string {
	names := make([]string, len(i.positions))
	for n, at := range i.positions {
		names[n] = i.table.Name() + "." + i.table.schema[at].Name
	}
	return names
}

// ColumnExpressionTypes are Expressions with their types.
func (i *index) ColumnExpressionTypes() []sql.ColumnExpressionType {
	columns := make([]sql.ColumnExpressionType, len(i.positions))
	for n, name := range i.Expressions() {
		columns[n] = sql.ColumnExpressionType{Expression: name, Type: value.KeyType(i.table.schema[i.positions[n]].Type)}
	}
	return columns
}

// CanSupport takes all ranges.
func (i *index) CanSupport(*sql.Context, ...sql.Range) bool { return true }

// CanSupportOrderBy is asked for distances of vectors only.
func (i *index) CanSupportOrderBy(sql.Expression) bool { return false }

// PrefixLengths are none: whole columns are indexed.
func (i *index) PrefixLengths() []uint16 { return nil }

func (i *index) ordered() bool {
	for _, c := range i.of.Columns {
		if c.Descending {
			return false
		}
	}
	return !i.of.Unordered
}

// Order is none where a column descends: the engine knows one direction for all columns, and would leave out a sort that it needs.
func (i *index) Order() sql.IndexOrder {
	if !i.ordered() {
		return sql.IndexOrderNone
	}
	return sql.IndexOrderAsc
}

// Reversible says that an ordered walk can go backwards.
func (i *index) Reversible() bool { return i.ordered() }

// convert makes our range of the engine's; empty says that no row can be in it.
func (i *index) convert(ctx *sql.Context, r sql.MySQLRange) (converted Range, empty bool, err error) {
	for n := range r {
		if n >= len(i.positions) {
			break
		}
		if none, err := r[n].IsEmpty(); err == nil && none {
			return nil, true, nil
		}
		interval, err := i.interval(ctx, &r[n], i.positions[n])
		if err != nil {
			return nil, false, err
		}
		converted = append(converted, interval)
	}
	for len(converted) > 0 && converted[len(converted)-1].free() {
		converted = converted[:len(converted)-1] // free ones at the end say nothing
	}
	return converted, false, nil
}

// free says that every value is within.
func (i *Interval) free() bool { return i.Null && !i.NullOnly && !i.Low.Bounded && !i.High.Bounded }

func (i *index) interval(ctx *sql.Context, r *sql.MySQLRangeColumnExpr, at int) (interval Interval, err error) {
	switch low := r.LowerBound.(type) {
	case sql.BelowNull:
		interval.Null = true
	case sql.Below:
		interval.Low, err = i.limit(ctx, low.Key, true, at)
	case sql.Above:
		interval.Low, err = i.limit(ctx, low.Key, false, at)
	}
	if err != nil {
		return interval, err
	}
	switch high := r.UpperBound.(type) {
	case sql.AboveNull:
		interval.NullOnly = true
	case sql.Above:
		interval.High, err = i.limit(ctx, high.Key, true, at)
	case sql.Below:
		interval.High, err = i.limit(ctx, high.Key, false, at)
	}
	return interval, err
}

// limit makes an end of an engine's value, which may be of another type than the column's.
func (i *index) limit(ctx *sql.Context, key any, inclusive bool, at int) (Limit, error) {
	base := i.table.columns[at].Type.Base
	end, err := value.FromEngine(ctx, key, datum.Untyped, nil)
	if base == datum.Untyped && end.Kind() == datum.KindText {
		return Limit{}, err // a text may be a number there
	}
	return Limit{Bounded: err == nil, Inclusive: inclusive, Value: end}, err
}
