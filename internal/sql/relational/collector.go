// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/weftdb/weft/internal/sql/fault"
)

const (
	viewsDeepMax = 32  // of views of views
	usedMax      = 500 // of collector.used: the planner writes each use out
)

// collector walks a statement and gives names without a declaration to the tables that may have them.
type collector struct {
	ctx       *sql.Context
	statement *statement
	met       map[string]*mentioned
	views     int // how deep in views
	used      int // tables that were met, those of a common table expression or view at each use
	err       error
}

// scope is what one SELECT may name, and those around it.
type scope struct {
	parent  *scope
	entries []entry
	aliases map[string]bool // of the select list
	tables  map[string]entry
}

// entry is one member of FROM: a table, or rows whose columns have the given names; open says that they may have others.
type entry struct {
	alias   string
	table   *mentioned
	columns []string
	open    bool
	used    int // tables in it
}

func (e *entry) has(name string) bool {
	if e.table != nil {
		return e.table.declares(name)
	}
	for _, c := range e.columns {
		if strings.EqualFold(c, name) {
			return true
		}
	}
	return e.open
}

// walk takes in a whole statement.
func (c *collector) walk(parsed sqlparser.Statement) {
	switch q := parsed.(type) {
	case sqlparser.SelectStatement:
		c.query(q, nil)
	case *sqlparser.Explain:
		c.walk(q.Statement)
	case *sqlparser.Insert:
		c.insert(q)
	case *sqlparser.Update:
		s := c.open(nil, q.With, q.TableExprs)
		c.expressions(s, false, q.Exprs, q.Where, q.Limit)
		c.expressions(s, false, q.OrderBy)
	case *sqlparser.Delete:
		s := c.open(nil, q.With, q.TableExprs)
		c.expressions(s, false, q.Where, q.OrderBy, q.Limit)
	case *sqlparser.DDL:
		if q.ViewSpec != nil {
			c.query(q.ViewSpec.ViewExpr, nil)
		}
	case *sqlparser.Show:
		// it names no columns of tables
	}
}

func (c *collector) insert(q *sqlparser.Insert) {
	s := c.open(nil, q.With, nil)
	target := c.table(q.Table, q.Table.Name.String(), s)
	for _, name := range q.Columns {
		if target.table != nil {
			target.table.want(name.String())
		}
	}
	if rows, ok := q.Rows.(sqlparser.SelectStatement); ok {
		c.query(rows, s)
	} else {
		c.expressions(s, false, q.Rows)
	}
	s.entries = append(s.entries, target)
	c.expressions(s, false, q.OnDup)
}

// open begins a scope with its common table expressions and its FROM.
func (c *collector) open(parent *scope, with *sqlparser.With, from sqlparser.TableExprs) *scope {
	s := &scope{parent: parent, aliases: make(map[string]bool), tables: make(map[string]entry)}
	if with != nil {
		for _, cte := range with.Ctes {
			c.commonTable(s, cte, with.Recursive)
		}
	}
	var conditions []sqlparser.SQLNode
	for _, t := range from {
		conditions = c.from(s, t, conditions)
	}
	c.expressions(s, false, conditions...)
	return s
}

func (c *collector) commonTable(s *scope, cte *sqlparser.CommonTableExpr, recursive bool) {
	name := strings.ToLower(cte.As.String())
	sub, ok := cte.AliasedTableExpr.Expr.(*sqlparser.Subquery)
	if !ok {
		s.tables[name] = entry{open: true}
		return
	}
	before := c.used
	defer func() {
		made := s.tables[name]
		made.used, c.used = c.used-before, before
		s.tables[name] = made
	}()
	var columns []string
	known := len(cte.Columns) > 0
	for _, column := range cte.Columns {
		columns = append(columns, column.String())
	}
	if op, is := sub.Select.(*sqlparser.SetOp); is && recursive {
		first, open := c.query(op.Left, s)
		if !known {
			columns = first
		}
		s.tables[name] = entry{columns: columns, open: open && !known}
		c.query(op.Right, s)
		return
	}
	found, open := c.query(sub.Select, s)
	if !known {
		columns = found
	}
	s.tables[name] = entry{columns: columns, open: open && !known}
}

// from takes a member of FROM in and returns the conditions of joins, to be read once all members are there.
func (c *collector) from(s *scope, t sqlparser.TableExpr, conditions []sqlparser.SQLNode) []sqlparser.SQLNode {
	switch t := t.(type) {
	case *sqlparser.AliasedTableExpr:
		alias := t.As.String()
		switch e := t.Expr.(type) {
		case sqlparser.TableName:
			if alias == "" {
				alias = e.Name.String()
			}
			s.entries = append(s.entries, c.table(e, alias, s))
		case *sqlparser.Subquery:
			outer := s.parent
			if t.Lateral {
				outer = s
			}
			columns, open := c.query(e.Select, &scope{parent: outer, tables: s.tables})
			if len(e.Columns) > 0 {
				columns, open = nil, false
				for _, name := range e.Columns {
					columns = append(columns, name.String())
				}
			}
			s.entries = append(s.entries, entry{alias: alias, columns: columns, open: open})
		default:
			s.entries = append(s.entries, entry{alias: alias, open: true})
		}
	case *sqlparser.JoinTableExpr:
		conditions = c.from(s, t.LeftExpr, conditions)
		conditions = c.from(s, t.RightExpr, conditions)
		if t.Condition.On != nil {
			conditions = append(conditions, t.Condition.On)
		}
	case *sqlparser.ParenTableExpr:
		for _, inner := range t.Exprs {
			conditions = c.from(s, inner, conditions)
		}
	default:
		s.entries = append(s.entries, entry{open: true})
	}
	return conditions
}

// table finds what a name in FROM means: a common table expression, a table, a view, or none of them.
func (c *collector) table(name sqlparser.TableName, alias string, s *scope) entry {
	database, table := name.DbQualifier.String(), name.Name.String()
	if database == "" {
		for around := s; around != nil; around = around.parent {
			if found, ok := around.tables[strings.ToLower(table)]; ok {
				found.alias = alias
				c.use(found.used)
				return found
			}
		}
		database = c.statement.database
	}
	exact, ok, err := match(c.statement.source.Databases(), database)
	if err != nil || !ok {
		c.statement.missing[strings.ToLower(table)] = database
		c.fail(err)
		return entry{alias: alias, open: true}
	}
	of, ok, err := c.statement.table(exact, table)
	if err != nil || !ok {
		c.fail(err)
		return c.view(exact, table, alias)
	}
	c.use(1)
	key := exact + "\x00" + of.Name()
	if c.met[key] == nil {
		c.met[key] = &mentioned{table: of, declared: of.Columns(), extra: make(map[string]Column)}
	}
	return entry{alias: alias, table: c.met[key]}
}

// use counts tables. It fails when there are too many.
func (c *collector) use(tables int) {
	if c.used += max(1, tables); c.used > usedMax {
		c.fail(fault.New(fault.Refused, fmt.Sprintf("The statement names more than %d tables, those of a common table expression or a view counted at each use of it; "+
			"split it into several statements", usedMax)))
	}
}

func (c *collector) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// view reads a view's text, whose tables may show names of their own.
func (c *collector) view(database, name, alias string) entry {
	view, ok, err := (&databaseOf{c.statement, database}).find(c.ctx, name)
	if err == nil && !ok {
		c.statement.missing[strings.ToLower(name)] = database
	}
	if err != nil || !ok || c.views >= viewsDeepMax || c.err != nil {
		c.fail(err)
		return entry{alias: alias, open: true}
	}
	parsed, err := parse(c.ctx, view.CreateViewStatement)
	create, is := parsed.(*sqlparser.DDL)
	if err != nil || !is || create.ViewSpec == nil {
		return entry{alias: alias, open: true}
	}
	session := c.statement.database
	c.statement.database = database
	c.views++
	columns, open := c.query(create.ViewSpec.ViewExpr, nil)
	c.views--
	c.statement.database = session
	if len(create.ViewSpec.Columns) > 0 {
		columns, open = nil, false
		for _, n := range create.ViewSpec.Columns {
			columns = append(columns, n.String())
		}
	}
	return entry{alias: alias, columns: columns, open: open}
}

// databaseOf finds views by name.
type databaseOf struct {
	statement *statement
	name      string
}

func (d *databaseOf) find(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	return (&database{name: d.name, statement: d.statement}).GetViewDefinition(ctx, name)
}

// query takes in a SELECT and returns the names of its columns; open says that it may have others.
func (c *collector) query(q sqlparser.SelectStatement, parent *scope) (columns []string, open bool) {
	switch q := q.(type) {
	case *sqlparser.ParenSelect:
		return c.query(q.Select, parent)
	case *sqlparser.SetOp:
		s := c.open(parent, q.With, nil)
		columns, open = c.query(q.Left, s)
		c.query(q.Right, s)
		return columns, open
	case *sqlparser.Select:
		s := c.open(parent, q.With, q.From)
		for _, item := range q.SelectExprs {
			if aliased, ok := item.(*sqlparser.AliasedExpr); ok && !aliased.As.IsEmpty() {
				s.aliases[aliased.As.Lowered()] = true
			}
		}
		c.expressions(s, false, q.SelectExprs, q.Where, q.Window, q.Limit)
		c.expressions(s, true, q.GroupBy, q.Having, q.OrderBy)
		return s.outputs(q.SelectExprs)
	}
	return nil, true
}

// outputs are the names of a select list.
func (s *scope) outputs(list sqlparser.SelectExprs) (columns []string, open bool) {
	for _, item := range list {
		switch item := item.(type) {
		case *sqlparser.AliasedExpr:
			if !item.As.IsEmpty() {
				columns = append(columns, item.As.String())
			} else if column, ok := item.Expr.(*sqlparser.ColName); ok {
				columns = append(columns, column.Name.String())
			}
		case *sqlparser.StarExpr:
			for i := range s.entries {
				e := &s.entries[i]
				if !item.TableName.IsEmpty() && !strings.EqualFold(item.TableName.Name.String(), e.alias) {
					continue
				}
				columns, open = append(columns, e.columns...), open || e.open
				if e.table != nil {
					for i := range e.table.declared {
						columns = append(columns, e.table.declared[i].Name)
					}
				}
			}
		default:
			open = true
		}
	}
	return columns, open
}

// expressions takes in the names of expressions; aliased says that a bare name may be an alias of the select list.
func (c *collector) expressions(s *scope, aliased bool, nodes ...sqlparser.SQLNode) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.ColName:
			c.mention(s, node, aliased)
			return false, nil
		case *sqlparser.Subquery:
			c.query(node.Select, s)
			return false, nil
		case sqlparser.SelectStatement:
			c.query(node, s)
			return false, nil
		}
		return true, nil
	}, nodes...)
}

// mention gives a name to the table that may have it, unless it is declared somewhere around.
func (c *collector) mention(s *scope, column *sqlparser.ColName, aliased bool) {
	name, qualifier := column.Name.String(), column.Qualifier.Name.String()
	if strings.HasPrefix(name, "@") {
		return
	}
	if qualifier != "" {
		for around := s; around != nil; around = around.parent {
			for i := range around.entries {
				if e := &around.entries[i]; strings.EqualFold(e.alias, qualifier) {
					if e.table != nil {
						e.table.want(name)
					}
					return
				}
			}
		}
		c.statement.strangers[strings.ToLower(qualifier)] = name
		return
	}
	if aliased && s.aliases[strings.ToLower(name)] {
		return
	}
	for around := s; around != nil; around = around.parent {
		for i := range around.entries {
			if around.entries[i].has(name) {
				return
			}
		}
	}
	for around := s; around != nil; around = around.parent {
		found := false
		for i := range around.entries {
			if e := &around.entries[i]; e.table != nil && e.table.want(name) {
				found = true
			}
		}
		if found {
			return
		}
	}
}
