// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// scope holds the meanings of names in one SELECT, and the frame of its FROM. Once its FROM is read, the expressions of
// the SELECT are rewritten so that each column is one of a leaf by its unique name, and each column of a query around
// it a parameter; all that comes after deals with such expressions alone.
type scope struct {
	*compiler
	*frame
	outer *nest // the queries around this one; nil: none
	// host is the query in the same frame of whose WHERE this one is a part; nil: none.
	host   *scope
	with   *commonTables
	tables []*visible    // by the names of the statement, in their order
	list   []namedColumn // the columns that names without a table may mean
	nested map[tree.Query]*inner
	where  []tree.Expression // all conditions that each row of FROM meets
	// straight says that tables are joined in the order in which they stand.
	straight bool
}

// frame is the row that the leaves of a FROM write into. A table that was merged into another query shares its frame.
type frame struct {
	leaves []*leaf
	width  int
	lent   map[[2]string]int // parameters by which inner queries see columns, by leaf and name
	joined map[int]int       // parameters by which joined tables see slots
}

// nest is the place of a query inside of another one.
type nest struct {
	of      *scope // the query around
	within  *nest  // what depends on outer values, too, if this does; nil: nothing
	depends []dependency
}

// dependency is an outer value that a query depends on: a column or an aggregate of the scope of, which is seen as a
// parameter.
type dependency struct {
	parameter int
	of        *frame
	column    *tree.Column // of a leaf of the frame; nil: it is an aggregate
	aggregate *tree.Call   // over columns of leaves of the frame
}

// inner is a query in an expression.
type inner struct {
	nested  *Nested
	depends []dependency
}

// visible is a table as the statement names it.
type visible struct {
	database, name string
	columns        []namedColumn
	anyCase        bool  // names of columns are alike in any case of letters
	dynamic        *leaf // takes names that are no columns of its; nil: none does
}

// namedColumn is a column by its name.
type namedColumn struct {
	name string
	is   tree.Expression // of leaves
	// table is whose column it is; nil: it is of several (USING).
	table *visible
	// hidden says that neither * nor NATURAL JOIN means it.
	hidden  bool
	anyCase bool // the name is the same in any case of letters
}

// leaf is a source of rows: a table or a query.
type leaf struct {
	frame   *frame
	number  int
	name    string // unique
	columns []result.Column
	table   *definition.Table // nil: none
	pin     int               // of Query.Tables
	alias   string
	read    reader
	slots   []int          // by columns; -1: not wanted
	extra   map[string]int // slots of dynamic columns
	extras  []string
	node    func() (Node, error)
	lateral []dependency // outer values from the same frame
	loose   bool         // it was merged: conditions on the merged table need no key
	listed  bool         // a query lists values that its key or an index begins with
	known   float64      // rows of the table, about; 0: not known yet
	scans   map[*Scan]bool
}

// reader is how a table is to be read.
type reader struct {
	force, ignore []string
	hints         []tree.Hint
	allows        bool
	relation      *Relation
}

func (c *compiler) newScope(outer *nest, with *commonTables) *scope {
	return &scope{compiler: c, frame: &frame{lent: map[[2]string]int{}, joined: map[int]int{}}, outer: outer,
		with: with, nested: map[tree.Query]*inner{}}
}

// addLeaf adds a leaf with a unique name.
func (s *scope) addLeaf(database, alias string, columns []result.Column) *leaf {
	name := alias
	unique := func() bool { return !slices.ContainsFunc(s.leaves, func(l *leaf) bool { return l.name == name }) }
	if !unique() {
		name = database + "." + alias
	}
	for n := 2; !unique(); n++ {
		name = alias + "." + strconv.Itoa(n)
	}
	l := &leaf{frame: s.frame, number: len(s.leaves), name: name, alias: alias, columns: columns,
		slots: make([]int, len(columns)), extra: map[string]int{}}
	for i := range l.slots {
		l.slots[i] = -1
	}
	s.leaves = append(s.leaves, l)
	return l
}

// slot is the slot of a column, which is wanted from now on.
func (l *leaf) slot(column int) int {
	if l.slots[column] < 0 {
		l.slots[column] = l.frame.Extend(1)
	}
	return l.slots[column]
}

// to has the slots of all columns.
func (l *leaf) to() []int { return slices.Clone(l.slots) }

// column finds a column's number; -1 if it is dynamic.
func (l *leaf) column(name string) int {
	return slices.IndexFunc(l.columns, func(c result.Column) bool { return c.Name == name })
}

// place is the slot and the type of a column by its name.
func (l *leaf) place(name string) (slot int, t datum.Type) {
	if i := l.column(name); i >= 0 {
		return l.slot(i), l.columns[i].Type
	}
	slot, ok := l.extra[name]
	if !ok {
		slot = l.frame.Extend(1)
		l.extra[name], l.extras = slot, append(l.extras, name)
	}
	return slot, l.typeOf(name)
}

func (l *leaf) typeOf(name string) (t datum.Type) {
	if i := l.column(name); i >= 0 {
		return l.columns[i].Type
	}
	if l.table != nil {
		if l.table.IsTime(name) {
			return datum.Type{Base: datum.BigInt}
		}
		if c, ok := l.table.Column(name); ok && !c.Dynamic {
			return c.Type
		}
	}
	return t
}

// Extend is plan.Origin's.
func (f *frame) Extend(slots int) int {
	first := f.width
	f.width += slots
	return first
}

// leafOf is the leaf of a rewritten column.
func (f *frame) leafOf(c *tree.Column) *leaf {
	for _, l := range f.leaves {
		if l.name == c.Table {
			return l
		}
	}
	return nil
}

// Column is plan.Origin's.
func (s *scope) Column(c *tree.Column, where string) (slot int, t datum.Type, err error) {
	if l := s.leafOf(c); l != nil && c.Database == "" {
		slot, t = l.place(c.Name)
		return slot, t, nil
	}
	e, err := s.find(c, where)
	if err != nil {
		return 0, t, err
	}
	if found, ok := e.(*tree.Column); ok {
		if l := s.leafOf(found); l != nil {
			slot, t = l.place(found.Name)
			return slot, t, nil
		}
	}
	return 0, t, s.unknown(c, where)
}

// Star is plan.Origin's. Stars were written out before.
func (s *scope) Star(string) ([]tree.SelectItem, error) { return nil, fault.New(fault.NoTablesUsed) }

// Describe is plan.Origin's.
func (s *scope) Describe(c *tree.Column) (described result.Column, ok bool) {
	l := s.leafOf(c)
	if l == nil {
		return described, false
	}
	if i := l.column(c.Name); i >= 0 {
		return l.columns[i], true
	}
	if l.table != nil {
		return plan.DescribeColumn(l.table, l.alias, c.Name), true
	}
	return described, false
}

// Declares is plan.Origin's: a column that has its table was found before any alias.
func (s *scope) Declares(c *tree.Column) bool { return c.Table != "" }

// ParameterType is evaluate.ParameterScope's.
func (s *scope) ParameterType(index int) datum.Type { return s.typeOf(index) }

// Depends is plan.Origin's: WHERE or inner joins make the column equal to a key or a constant, or all of its table's
// key is so.
func (s *scope) Depends(c *tree.Column, keys []tree.Expression) bool {
	fixed := s.determinedBy(keys)
	if fixed(c.Table, c.Name) {
		return true
	}
	l := s.leafOf(c)
	if l.isVirtual() && len(keys) > 0 {
		return true // clients that read these tables set no ONLY_FULL_GROUP_BY
	}
	if l == nil || l.table == nil || len(keys) == 0 {
		return false
	}
	for i := range l.table.Key {
		if at := l.table.Key[i].Column; at >= 0 && !fixed(l.name, l.table.Columns[at].Name) {
			return false
		}
	}
	return true
}

// determinedBy says of columns whether they have one value in rows that are alike in keys.
func (s *scope) determinedBy(keys []tree.Expression) func(table, name string) bool {
	known := map[[2]string]bool{}
	for _, e := range keys {
		if c, ok := e.(*tree.Column); ok {
			known[[2]string{c.Table, c.Name}] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, e := range s.equalities() {
			left, isColumn := e.Left.(*tree.Column)
			right, isOther := e.Right.(*tree.Column)
			set := func(c *tree.Column) {
				if k := [2]string{c.Table, c.Name}; !known[k] {
					known[k], changed = true, true
				}
			}
			has := func(c *tree.Column) bool { return known[[2]string{c.Table, c.Name}] }
			switch {
			case isColumn && isOther && has(left):
				set(right)
			case isColumn && isOther && has(right):
				set(left)
			case isColumn && !isOther && len(evaluate.Columns(e.Right)) == 0:
				set(left)
			case isOther && !isColumn && len(evaluate.Columns(e.Left)) == 0:
				set(right)
			}
		}
	}
	return func(table, name string) bool { return known[[2]string{table, name}] }
}

// program compiles a rewritten expression over the frame.
func (s *scope) program(e tree.Expression, where string) (*evaluate.Program, error) {
	return evaluate.Compile(e, clause{s, where})
}

// clause resolves the columns of one clause.
type clause struct {
	*scope
	where string
}

// Resolve is evaluate.Scope's.
func (c clause) Resolve(column *tree.Column) (slot int, t datum.Type, err error) {
	return c.Column(column, c.where)
}

// WordsOf is evaluate.WordsScope's, for columns of one table.
func (c clause) WordsOf(columns []*tree.Column) (evaluate.WordsOf, error) {
	return c.scope.WordsOf(columns)
}

// WordsOf is evaluate.WordsScope's, for columns of one table.
func (s *scope) WordsOf(columns []*tree.Column) (evaluate.WordsOf, error) {
	var of *leaf
	names := make([]string, len(columns))
	for i, column := range columns {
		found := column
		if s.leafOf(column) == nil {
			e, err := s.find(column, "field list")
			if err != nil {
				return evaluate.WordsOf{}, err
			}
			found, _ = e.(*tree.Column)
		}
		var l *leaf
		if found != nil {
			l = s.leafOf(found)
		}
		if l == nil || l.table == nil || of != nil && l != of {
			return evaluate.WordsOf{}, fault.New(fault.NoFullText)
		}
		of, names[i] = l, found.Name
	}
	return plan.WordsOf(of.table, names)
}
