// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/tree"
)

// lookup is a compiled request, for requests that differ in the values of a point alone: those of a join.
type lookup struct {
	of        relational.ScanRequest
	isPoint   bool
	source    *plan.Source
	positions []int // of the request's columns in the slots
	order     []weft.Ordering
	free      *scan
}

// scan is a walk over rows.
type scan struct {
	lookup  *lookup
	x       plan.Execution
	context evaluate.Context
	access  plan.Access
	rows    *execute.Rows
	out     []datum.Datum
	points  []datum.Datum
}

// Scan walks the rows that meet a request, by the path that plans choose.
func (t *table) Scan(ctx context.Context, request relational.ScanRequest) (relational.Rows, error) {
	points, isPoint := pointOf(&request)
	l, err := t.lookup(&request, isPoint)
	if err != nil {
		return nil, err
	}
	view, err := t.source.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	o := &t.source.options
	r := l.free
	if l.free = nil; r == nil {
		r = &scan{lookup: l}
		r.x = plan.Execution{Pinned: t.pinned, Context: &r.context, Settings: o.Settings}
	}
	r.points = append(r.points[:0], points...)
	r.context.Begin(r.points, o.NowMS, o.Session)
	need := plan.Need{Order: l.order, RowsMax: -1}
	if err := l.source.Bind(&r.x, &need, &r.access); err != nil {
		return nil, err
	}
	t.source.warn(r.access.Warning)
	if r.rows, err = execute.Open(ctx, view, l.source, &r.x, &r.access); err != nil {
		return nil, err
	}
	if len(l.order) > 0 && !r.access.Sorted {
		return sorted(r, o.Settings.WithDefaults().SortBytesMax)
	}
	return r, nil
}

// Next returns the next row.
func (r *scan) Next() ([]datum.Datum, error) {
	r.context.Reset()
	if !r.rows.Next() {
		if err := r.rows.Close(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	row := r.rows.Row()
	r.out = r.out[:0]
	for _, at := range r.lookup.positions {
		r.out = append(r.out, row[at])
	}
	return r.out, nil
}

// Close ends the walk.
func (r *scan) Close() error {
	err := r.rows.Close()
	if r.lookup.free == nil {
		r.lookup.free = r
	}
	return err
}

// lookupsMax is how many compiled requests of one table a statement keeps.
const lookupsMax = 64

// lookup finds or compiles a request.
func (t *table) lookup(request *relational.ScanRequest, isPoint bool) (*lookup, error) {
	if isPoint {
		for _, l := range t.lookups {
			if l.isPoint && l.serves(request) {
				return l, nil
			}
		}
	}
	l := &lookup{of: *request, isPoint: isPoint}
	q := plan.Query{Table: t.definition, Where: condition(t, request, isPoint), AllowFiltering: request.AllowFiltering, Statement: t.source.text}
	if request.Ordered {
		q.ForceIndex = []string{request.Index}
		for _, name := range t.indexed(request.Index) {
			l.order = append(l.order, weft.Ordering{Column: name, Descending: request.Reverse})
		}
	}
	var err error
	if l.source, err = plan.CompileSource(q); err != nil {
		return nil, err
	}
	columns := slices.Clip(request.Columns)
	for _, by := range l.order {
		columns = append(columns, by.Column)
	}
	for _, name := range columns {
		at, ok := l.source.Want(name)
		if !ok {
			return nil, fault.New(fault.UnknownColumn, name, "field list")
		}
		l.positions = append(l.positions, at)
	}
	if isPoint && len(t.lookups) < lookupsMax {
		t.lookups = append(t.lookups, l)
	}
	return l, nil
}

// serves says whether a request differs in the values of its point alone.
func (l *lookup) serves(r *relational.ScanRequest) bool {
	return l.of.Index == r.Index && l.of.Ordered == r.Ordered && l.of.Reverse == r.Reverse && l.of.AllowFiltering == r.AllowFiltering &&
		len(l.of.Ranges[0]) == len(r.Ranges[0]) && slices.Equal(l.of.Columns, r.Columns) && slices.Equal(l.of.Where, r.Where)
}

// indexed names the columns of an index as the engine knows it.
func (t *table) indexed(index string) (names []string) {
	for i := range t.Indexes() {
		if t.indexes[i].Name != index {
			continue
		}
		for _, c := range t.indexes[i].Columns {
			names = append(names, c.Name)
		}
	}
	return names
}

// pointOf returns the values of a request for one point of an index.
func pointOf(request *relational.ScanRequest) (values []datum.Datum, ok bool) {
	if len(request.Ranges) != 1 {
		return nil, false
	}
	for i := range request.Ranges[0] {
		d, single := request.Ranges[0][i].Equal()
		if !single {
			return nil, false
		}
		values = append(values, d)
	}
	return values, len(values) > 0
}

// condition is what a request asks of rows. The values of a point are parameters.
func condition(t *table, request *relational.ScanRequest, isPoint bool) tree.Expression {
	where := slices.Clone(request.Where)
	names := t.indexed(request.Index)
	switch {
	case isPoint:
		for i := range request.Ranges[0] {
			where = append(where, &tree.Binary{Operator: tree.Equal, Left: &tree.Column{Name: names[i]}, Right: &tree.Parameter{Index: i}})
		}
	case len(request.Ranges) > 0:
		if e := within(names, request.Ranges); e != nil {
			where = append(where, e)
		}
	}
	return all(tree.And, where)
}

// all joins conditions; nil for none.
func all(operator tree.Operator, list []tree.Expression) (e tree.Expression) {
	for _, one := range list {
		if e == nil {
			e = one
		} else {
			e = &tree.Binary{Operator: operator, Left: e, Right: one}
		}
	}
	return e
}

// within says that a row is in one of some ranges; nil says nothing.
func within(names []string, ranges []relational.Range) tree.Expression {
	if e := listed(names, ranges); e != nil {
		return e
	}
	alternatives := make([]tree.Expression, 0, len(ranges))
	for _, r := range ranges {
		var parts []tree.Expression
		for i := range r {
			parts = append(parts, intervalOf(names[i], &r[i])...)
		}
		if len(parts) == 0 {
			return nil
		}
		alternatives = append(alternatives, all(tree.And, parts))
	}
	return all(tree.Or, alternatives)
}

// listed makes IN of ranges that are all one value of the first column.
func listed(names []string, ranges []relational.Range) tree.Expression {
	list := make([]tree.Expression, 0, len(ranges))
	for _, r := range ranges {
		if len(r) != 1 {
			return nil
		}
		d, single := r[0].Equal()
		if !single {
			return nil
		}
		list = append(list, &tree.Literal{Value: d})
	}
	return &tree.In{X: &tree.Column{Name: names[0]}, List: list}
}

// intervalOf is the conditions on one column.
func intervalOf(name string, i *relational.Interval) (parts []tree.Expression) {
	column := &tree.Column{Name: name}
	bound := func(l relational.Limit, inclusive, exclusive tree.Operator) {
		if !l.Bounded {
			return
		}
		operator := exclusive
		if l.Inclusive {
			operator = inclusive
		}
		parts = append(parts, &tree.Binary{Operator: operator, Left: column, Right: &tree.Literal{Value: l.Value}})
	}
	if i.NullOnly {
		return []tree.Expression{&tree.Is{X: column, Kind: tree.IsNull}}
	}
	if d, single := i.Equal(); single {
		return []tree.Expression{&tree.Binary{Operator: tree.Equal, Left: column, Right: &tree.Literal{Value: d}}}
	}
	bound(i.Low, tree.GreaterOrEqual, tree.Greater)
	bound(i.High, tree.LessOrEqual, tree.Less)
	switch {
	case len(parts) == 0 && !i.Null:
		return []tree.Expression{&tree.Is{X: column, Kind: tree.IsNull, Not: true}}
	case len(parts) > 0 && i.Null:
		return []tree.Expression{&tree.Binary{Operator: tree.Or, Left: &tree.Is{X: column, Kind: tree.IsNull}, Right: all(tree.And, parts)}}
	}
	return parts
}

// Joined refuses a join whose condition names columns of the table that no key begins with: each row of the other side would mean a look at all
// of this one's.
func (t *table) Joined(columns []string, allowFiltering bool) error {
	s := t.source
	if allowFiltering || s.options.Settings.Inefficient == plan.AllowInefficient {
		return nil
	}
	list := strings.Join(columns, ", ")
	text := fmt.Sprintf("Detect inefficient query: %s This query may be a full table scan and thus may have unpredictable performance. It joins %s by %s, "+
		"which neither its key nor an index begins with, and would look at every one of its rows, about %d of them. What helps: join by the first key column of one of the tables; "+
		"create an index: CREATE INDEX idx_%s_%s ON %s(%s); or allow it with the hint /*+ _l_allow_filtering_ */ right behind SELECT",
		s.text(), t.Name(), list, t.Rows(), t.Name(), columns[0], tree.AppendName(nil, t.Name()), tree.AppendName(nil, columns[0]))
	if s.options.Settings.Inefficient == plan.WarnInefficient {
		s.warn(text)
		return nil
	}
	return fault.New(fault.Refused, text)
}
