// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Class is how a query reaches its rows.
type Class uint8

// The access classes.
const (
	Nothing    Class = iota // no row can match, or there is no table
	Get                     // one whole key
	MultiGet                // some whole keys
	Range                   // the first part of a key is bound, or there is no condition
	Filtering               // neither: every row is looked at, because that was allowed
	classCount              // how many there are
)

// String is the class as EXPLAIN names it.
func (c Class) String() string {
	return [classCount]string{"NOTHING", "GET", "MULTI GET", "RANGE", "INEFFICIENT"}[c]
}

// Access is how the rows of one execution are read.
type Access struct {
	Class Class
	// Point is the key of the only row that can match, if that is how the row is found; nil: walk Query.
	Point value.Row
	Query database.Query
	Plan  database.Plan // Query's
	Keys  int           // of Get and MultiGet: how many keys are read
	// Residual are the conjuncts, by their numbers, that have to be evaluated for each row.
	Residual []int
	// Sorted says that rows come in the order that was asked for.
	Sorted bool
	// Grouped says that rows of one group stand together.
	Grouped bool
	// Ranked is the MATCH by whose scores rows come; nil: they come in another order.
	Ranked *evaluate.Ranking
	// Warning is about an inefficient query that was let through; "": none.
	Warning string

	builder  value.RowBuilder
	key      []byte
	value    []byte
	residual []int
}

// chooser finds the access of one execution.
type chooser struct {
	source   *Source
	force    []string // indexes, of which one has to be used
	pinned   database.Pinned
	settings *Settings
	limits   []limit
	rowsMax  int // LIMIT and OFFSET together; negative: none
	wanted   []database.Ordering
	anyOrder bool
	groups   []string
	columns  []string // attributes needed of each row
	where    expr.Condition
	judged   expr.Condition // see Source.judged
	judges   bool           // conditions are left that are judged row by row
	points   map[string]int // columns with a list of values, and how many
	// parameters are the execution's, for messages.
	parameters []datum.Datum
	near       *database.Near // the order that is wanted; nil: another
	ranked     int            // the conjunct by whose scores rows are wanted; -1: none
	session    evaluate.Session
}

// gather puts together what all limits say. It returns false if no row can match.
func (c *chooser) gather(access *Access) bool {
	conditions := make([]expr.Condition, 0, len(c.limits))
	c.points = map[string]int{}
	for i := range c.limits {
		l := &c.limits[i]
		if l.never {
			return false
		}
		if !l.exact && !c.isClosed(l) {
			access.Residual = append(access.Residual, i)
			c.judges = c.judges || !l.halves // what lies beyond the range of a column is rare
		}
		for j := range l.columns {
			c.note(&l.columns[j])
		}
		if condition := l.condition(); condition != nil {
			conditions = append(conditions, condition)
		}
	}
	c.where = expr.Conjunction(conditions...)
	return true
}

// isClosed reports whether a limit is exact because others limit the other ends of its columns.
func (c *chooser) isClosed(l *limit) bool {
	for i := range l.columns {
		if one := &l.columns[i]; one.half &&
			!slices.ContainsFunc(c.limits, func(other limit) bool { return other.closes(one) }) {
			return false
		}
	}
	return l.halves
}

// closes reports whether the limit is on the other end of a half.
func (l *limit) closes(half *columnLimit) bool {
	return slices.ContainsFunc(l.columns,
		func(c columnLimit) bool { return c.column == half.column && c.half && c.low == half.high })
}

func (c *chooser) note(l *columnLimit) {
	if !l.isPoints {
		return
	}
	name := l.column.name
	if n, ok := c.points[name]; !ok || len(l.points) < n {
		c.points[name] = len(l.points)
	}
}

// argumentsBound reports whether a computed part follows from columns that have lists of values.
func (c *chooser) argumentsBound(x *schema.Index, p *schema.KeyPart) bool {
	for i := range p.Args {
		column := p.Args[i].Column
		if column == "" {
			continue
		}
		if _, ok := c.points[column]; ok {
			continue
		}
		if inner := partNamed(x, column); inner == nil || !c.argumentsBound(x, inner) {
			return false
		}
	}
	return true
}

// partNamed is the computed part of that name that another one is computed from.
func partNamed(x *schema.Index, name string) *schema.KeyPart {
	for i := range x.Key {
		if p := &x.Key[i]; p.Name == name && p.Computed() && !p.Hidden {
			return p
		}
	}
	return nil
}

// class finds the class of a query that does not name whole keys. bounds says that some index would bound it.
func (c *chooser) class(bounds bool) Class {
	if bounds || !c.source.whereHasColumns {
		return Range
	}
	return Filtering
}

// choose finds the access.
func (c *chooser) choose(access *Access) error {
	if !c.gather(access) {
		access.Residual = nil
		return nil
	}
	if keys, whole := c.keys(); whole {
		return c.chooseKeys(access, keys)
	}
	query := c.query()
	plan, bounds, err := c.planBest(&query)
	if err != nil {
		return err
	}
	if c.near != nil && plan.Keys > 0 && c.source.Table.Descriptor.Cells == nil {
		plan = c.planNear(&query, plan)
	}
	access.Class = c.class(bounds || c.findsNearest(&query))
	if err := c.judge(access); err != nil {
		return err
	}
	if c.ranked >= 0 && plan.Keys > 0 {
		if plan, err = c.planRanked(access, &query, plan); err != nil {
			return err
		}
	}
	c.take(access, query, plan)
	switch {
	case plan.Keys == 0:
		access.Class, access.Residual, access.Warning = Nothing, nil, ""
	case plan.Single:
		access.Class, access.Keys = getClass(plan.Keys), plan.Keys
	}
	return nil
}

// query is the walk with nothing decided yet.
func (c *chooser) query() database.Query {
	return database.Query{AnyIndex: true, Where: c.where, Judged: c.judged, Wanted: c.columns,
		SpansMax: c.settings.SpansMax, Ignore: c.ignoredIndexes(), Cells: c.source.hints.cells,
		Order: c.wanted, Limit: c.limit(), Drops: c.judges,
		AnyOrder: c.anyOrder && len(c.wanted) == 0 && len(c.groups) == 0 && c.rowsMax < 0}
}

// limit is the number of rows that are wanted, as package database has it.
func (c *chooser) limit() int {
	if c.rowsMax < 0 || c.anyOrder && len(c.wanted) == 0 { // the order is that of an expression, for which all are read
		return 0
	}
	return max(c.rowsMax, 1)
}

// chooseKeys reads whole keys.
func (c *chooser) chooseKeys(access *Access, keys int) error {
	access.Class, access.Keys = getClass(keys), keys
	if keys > c.settings.MultiGetKeysMax {
		return tooManyKeys(keys, c.settings.MultiGetKeysMax)
	}
	query := c.query()
	query.AnyIndex, query.Ignore = false, nil
	plan, err := c.pinned.Plan(query)
	if err != nil {
		return err
	}
	c.take(access, query, plan)
	if plan.Keys == 0 {
		access.Class, access.Residual, access.Keys = Nothing, nil, 0
	}
	return nil
}

// getClass is the class of a query that names so many keys in full.
func getClass(keys int) Class {
	if keys > 1 {
		return MultiGet
	}
	return Get
}

// take makes a plan the access.
func (c *chooser) take(access *Access, query database.Query, plan database.Plan) {
	access.Sorted, query.Reverse = plan.Sorted, plan.Backwards
	access.Grouped = plan.Together(c.groups)
	access.Query, access.Plan = query, plan
	if c.source.hints.cells != nil { // one key may be several rows, which differ in what is not in it
		inKey := func(columns []string) bool {
			return !slices.ContainsFunc(columns, func(name string) bool { return !c.source.isPrimary(name) })
		}
		access.Grouped = access.Grouped && inKey(c.groups)
		access.Sorted = access.Sorted &&
			!slices.ContainsFunc(c.wanted, func(o database.Ordering) bool { return !c.source.isPrimary(o.Column) })
	}
}
