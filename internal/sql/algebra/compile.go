// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Catalog finds what names of tables stand for.
type Catalog interface {
	// Relation finds a table, a view or a virtual table; database "" is the current one. A view doesn't see temporary
	// tables. Errors: 1146, 1049, 1046.
	Relation(database, name string, inView bool) (Relation, error)
}

// Relation is a table, a view or a virtual table.
type Relation struct {
	Database, Name string
	// Home is the database in which names see it, where that is another one: of a temporary table.
	Home string
	// Table is set for a table, with the version that the query is compiled for.
	Table  *definition.Table
	Pinned database.Pinned
	Names  []string // attribute names that it has seen
	// View is set for a view: its query, in which names without a database are of the view's own.
	View    tree.Query
	Columns []string // of a view, where it names them
	// Virtual is set for a virtual table.
	Virtual                   any
	VirtualColumns            []result.Column
	SchemaColumn, TableColumn int // see schemas.Virtual
}

// Options configure the compilation of a query.
type Options struct {
	Catalog Catalog
	// Parameters is the number of placeholders the statement has.
	Parameters int
	// Execution has the values that estimates are made with. Its Pinned is not used. Context may be nil: then nothing
	// is known of the values.
	Execution plan.Execution
	// Text writes the statement for messages.
	Text func() string
	// Stars is called with what each `*` stands for, by the names that its query has for them; nil: none.
	Stars map[*tree.Star][]tree.SelectItem
	// Only is a method that all joins use for which it is possible, whatever that costs; nil: costs decide. Loop keeps
	// queries in expressions, Hash makes joins of them where that is possible.
	Only *Method
}

// nestingMax bounds how deep queries nest, which the time of compiling grows with.
const nestingMax = 60

// tablesMax is the number of tables a query may have, as in MySQL.
const tablesMax = 61

// compiler compiles one statement.
type compiler struct {
	Options
	query   *Query
	types   []datum.Type // of the parameters behind the statement's own
	depth   int
	scans   int
	hints   []tree.Hint // of the queries around the one at hand
	allows  bool        // ALLOW FILTERING
	working int
	viewing []string // views being expanded
	// unnested is the number of SELECTs that were planned once more with joins in the place of queries.
	unnested int
	// volatile says that a function was met that gives another value each time.
	volatile bool
}

// Compile compiles a query. Errors: those of a statement that is wrong, such as 1052, 1054, 1066 and 1222, and the
// catalogue's.
func Compile(q tree.Query, o Options) (*Query, error) {
	c := &compiler{Options: o, query: &Query{Parameters: o.Parameters}}
	if err := c.readHints(q); err != nil {
		return nil, err
	}
	root, err := c.compile(q, nil, nil)
	if err != nil {
		return nil, err
	}
	c.query.Root = root
	c.query.Columns = root.Select.Columns[:root.Visible]
	c.query.Extra = len(c.types)
	for _, t := range c.types {
		c.query.Samples = append(c.query.Samples, sampleOf(t))
	}
	return c.query, nil
}

// readHints reads the hints of the whole statement.
func (c *compiler) readHints(q tree.Query) (err error) {
	s := tree.Leftmost(q)
	if s == nil {
		return nil
	}
	c.query.ForUpdate = s.ForUpdate
	c.query.Timeout, err = definition.Timeout(s.Hints)
	return err
}

// parameter makes a parameter behind the statement's own.
func (c *compiler) parameter(t datum.Type) int {
	c.types = append(c.types, t)
	return c.Parameters + len(c.types) - 1
}

// typeOf is the type of a parameter; Untyped if it is the statement's own.
func (c *compiler) typeOf(parameter int) datum.Type {
	if i := parameter - c.Parameters; i >= 0 && i < len(c.types) {
		return c.types[i]
	}
	return datum.Type{}
}

// compile compiles a query that stands inside of outer (nil: of none) and sees the common tables of with.
func (c *compiler) compile(q tree.Query, outer *nest, with *commonTables) (*Block, error) {
	if c.depth++; c.depth > nestingMax {
		return nil, fault.New(fault.NotSupported, "The queries are nested too deep: split the statement.")
	}
	defer func() { c.depth-- }()
	switch q := q.(type) {
	case *tree.Select:
		hints, allows := c.hints, c.allows
		c.hints, c.allows = append(slices.Clone(c.hints), q.Hints...), c.allows || q.AllowFiltering
		b, err := c.selects(q, outer, with)
		c.hints, c.allows = hints, allows
		return b, err
	case *tree.SetOperation:
		return c.combines(q, outer, with)
	case *tree.Values:
		return c.lists(q, outer, with)
	}
	return nil, fault.New(fault.NotSupported, "This query")
}

// selects compiles a SELECT.
func (c *compiler) selects(q *tree.Select, outer *nest, with *commonTables) (*Block, error) {
	with, err := c.with(q.With, outer, with)
	if err != nil {
		return nil, err
	}
	s := c.newScope(outer, with)
	from, err := s.from(q)
	if err != nil {
		return nil, err
	}
	read, err := s.rewrite(q)
	if err != nil {
		return nil, err
	}
	return s.finish(from, read)
}

// block is finish in one way.
func (s *scope) block(from *item, read *tree.Select) (*Block, error) {
	s.where = from.gather(conjuncts(read.Where, nil))
	upper, err := plan.CompileOver(read, s)
	if err != nil {
		return nil, err
	}
	b := &Block{Select: upper, Visible: len(upper.Items)}
	if b.From, err = s.plan(from, read.Where); err != nil {
		return nil, err
	}
	b.Width = s.width
	s.end(b)
	if err := s.orderByGroups(b, read); err != nil {
		return nil, err
	}
	s.stream(b, read)
	return b, nil
}

// end makes sure that a table is read no further than LIMIT wants it, and expects no more rows of the block.
func (s *scope) end(b *Block) {
	x := s.Execution
	x.Explain, x.Context = true, s.sample()
	limit, offset, err := b.Select.Limits(x.Context)
	if err != nil || limit < 0 {
		return
	}
	b.Most = float64(limit)
	scan, ok := b.From.(*Scan)
	if !ok {
		return
	}
	if scan.Need, b.Ends = b.Select.Ends(scan.Source); !b.Ends {
		return
	}
	var access plan.Access
	need := scan.Need
	need.RowsMax = limit + offset
	for _, l := range s.leaves {
		if l.scans[scan] {
			x.Pinned = l.read.relation.Pinned
		}
	}
	if err := scan.Source.Bind(&x, &need, &access); err == nil && access.Ends(&need) {
		rows := float64(need.RowsMax)
		scan.Estimate.Rows, scan.Estimate.Cost = min(scan.Estimate.Rows, rows), min(scan.Estimate.Cost,
			openCost+pointCost*rows)
	}
}

// combines compiles a set operation: its ORDER BY and LIMIT belong to a SELECT * over it.
func (c *compiler) combines(q *tree.SetOperation, outer *nest, with *commonTables) (*Block, error) {
	with, err := c.with(q.With, outer, with)
	if err != nil {
		return nil, err
	}
	left, err := c.compile(q.Left, outer, with)
	if err != nil {
		return nil, err
	}
	right, err := c.compile(q.Right, outer, with)
	if err != nil {
		return nil, err
	}
	if left.Visible != right.Visible {
		return nil, fault.New(fault.WrongNumberOfColumns)
	}
	node := &Combine{Kind: q.Kind, All: q.All, Left: left, Right: right}
	columns := slices.Clone(left.Select.Columns[:left.Visible])
	for i := range columns {
		a, b := &tree.Computed{Slot: i, Type: left.Select.Items[i].Program.Type()}, &tree.Computed{Slot: i,
			Type: right.Select.Items[i].Program.Type()}
		t, first, second, err := unify(a, b)
		if err != nil {
			return nil, err
		}
		columns[i] = result.Column{Name: columns[i].Name, Type: t}
		node.LeftConvert, node.RightConvert = append(node.LeftConvert, first), append(node.RightConvert, second)
	}
	return c.over(node, columns, outer, with, &tree.Select{OrderBy: q.OrderBy, Limit: q.Limit, Offset: q.Offset},
		func(to []int) { node.To = to })
}

// unify makes programs that convert two values to their common type; nil: a value is of it.
func unify(a, b *tree.Computed) (t datum.Type, first, second *evaluate.Program, err error) {
	t, mixed := datum.Unify([]datum.Type{a.Type, b.Type})
	if !mixed {
		return t, nil, nil, nil
	}
	convert := func(x, other tree.Expression) (*evaluate.Program, error) {
		always := &tree.Literal{Value: datum.Bool(true)}
		return evaluate.Compile(&tree.Case{Whens: []tree.When{{Condition: always, Result: x}}, Else: other}, nil)
	}
	if first, err = convert(a, b); err != nil {
		return t, nil, nil, err
	}
	second, err = convert(b, a)
	return t, first, second, err
}

// over compiles SELECT * over a node with some columns. set is called with their places.
func (c *compiler) over(node Node, columns []result.Column, outer *nest, with *commonTables, read *tree.Select,
	set func(to []int)) (*Block, error) {
	s := c.newScope(outer, with)
	l := s.addLeaf("", "", columns)
	l.node = func() (Node, error) {
		set(l.to())
		return node, nil
	}
	for i := range columns {
		l.slot(i) // all are wanted: rows are compared as wholes
	}
	var err error
	if s.list, err = s.show(&visible{columns: columnsOf(l)}); err != nil {
		return nil, err
	}
	whole := *read
	whole.List = []tree.SelectItem{{Expression: &tree.Star{}}}
	rewritten, err := s.rewrite(&whole)
	if err != nil {
		return nil, err
	}
	return s.finish(&item{leaf: l}, rewritten)
}

// lists compiles VALUES.
func (c *compiler) lists(q *tree.Values, outer *nest, with *commonTables) (*Block, error) {
	node := &Values{}
	inner := c.newScope(outer, with)
	types := make([][]datum.Type, len(q.Rows[0]))
	for _, row := range q.Rows {
		if len(row) != len(types) {
			return nil, fault.New(fault.WrongNumberOfColumns)
		}
		var programs []*evaluate.Program
		for i, e := range row {
			e, err := inner.resolve(e, "field list")
			if err != nil {
				return nil, err
			}
			p, err := inner.program(e, "field list")
			if err != nil {
				return nil, err
			}
			programs, types[i] = append(programs, p), append(types[i], p.Type())
		}
		node.Rows = append(node.Rows, programs)
	}
	columns := make([]result.Column, len(types))
	for i := range columns {
		columns[i].Name = "column_" + strconv.Itoa(i)
		columns[i].Type, _ = datum.Unify(types[i])
	}
	return c.over(node, columns, outer, with, &tree.Select{OrderBy: q.OrderBy, Limit: q.Limit, Offset: q.Offset},
		func(to []int) { node.To = to })
}
