// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// find finds what a column's name means: an expression of columns of leaves and of parameters. Errors: 1052, 1054.
func (s *scope) find(c *tree.Column, where string) (tree.Expression, error) {
	e, err := s.findDeclared(c, where)
	if e != nil || err != nil {
		return e, err
	}
	if s.host != nil {
		if e, err := s.host.findDeclared(c, where); e != nil || err != nil {
			return e, err
		}
	}
	if s.outer != nil {
		if e, err := s.outer.find(c, where); e != nil || err != nil {
			return e, err
		}
	}
	if s.host != nil {
		if e, err := s.host.dynamic(c, where); e != nil || err != nil {
			return e, err
		}
	}
	if e, err = s.dynamic(c, where); e != nil || err != nil {
		return e, err
	}
	return nil, s.unknown(c, where)
}

// unknown is the error for a column that neither the scope nor the queries around it have.
func (s *scope) unknown(c *tree.Column, where string) error {
	if err := definition.CheckCursor(c.Name); err != nil {
		return err
	}
	e := fault.New(fault.UnknownColumn, c.String(), where)
	if v := s.findVisible(c); v != nil {
		return e.Meant(c.Name, namesOf(v.columns))
	}
	return e.Meant(cmp.Or(c.Table, c.Name), func(yield func(string) bool) {
		for s := s; s != nil; s = s.outer.scope() {
			names := namesOf(s.list)
			if c.Table != "" {
				names = func(yield func(string) bool) {
					_ = slices.ContainsFunc(s.tables, func(v *visible) bool { return !yield(v.name) })
				}
			}
			for name := range names {
				if !yield(name) {
					return
				}
			}
		}
	})
}

// findVisible is the table that a column names, of the scope or the queries around it; nil if there is none.
func (s *scope) findVisible(c *tree.Column) *visible {
	for ; s != nil && c.Table != ""; s = s.outer.scope() {
		if v := s.visible(c); v != nil {
			return v
		}
	}
	return nil
}

func namesOf(list []namedColumn) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = slices.ContainsFunc(list, func(n namedColumn) bool { return !yield(n.name) })
	}
}

// scope is the query around; nil if there is none.
func (n *nest) scope() *scope {
	if n == nil {
		return nil
	}
	return n.of
}

// findDeclared finds a column that one of the scope's tables is known to have; nil if none has.
func (s *scope) findDeclared(c *tree.Column, where string) (tree.Expression, error) {
	if c.Table != "" {
		v := s.visible(c)
		if v == nil {
			return nil, nil
		}
		if e := v.column(c.Name); e != nil {
			return e, nil
		}
		return s.findSpelled(v.columns, c.Name, where)
	}
	var found tree.Expression
	for i := range s.list {
		if !s.list[i].hasName(c.Name) {
			continue
		}
		if found != nil && !evaluate.Same(found, s.list[i].is) {
			return nil, fault.New(fault.AmbiguousColumn, c.Name, where)
		}
		found = s.list[i].is
	}
	if found == nil {
		return s.findSpelled(s.list, c.Name, where)
	}
	return found, nil
}

// takesAny reports whether the table has columns of any names, so that names in other letters are other columns.
func (v *visible) takesAny() bool {
	return v != nil && v.dynamic != nil && (v.dynamic.table.Dynamic || len(v.dynamic.table.Wildcards) > 0)
}

// findSpelled finds a column whose name differs in the case of letters alone, in tables that don't take any names; nil
// if there is none.
func (s *scope) findSpelled(list []namedColumn, name, where string) (found tree.Expression, err error) {
	for i := range list {
		n := &list[i]
		if n.hidden || !n.isSpelled(name) {
			continue
		}
		if found != nil && !evaluate.Same(found, n.is) {
			return nil, fault.New(fault.AmbiguousColumn, name, where)
		}
		found = n.is
	}
	return found, nil
}

// isSpelled reports whether a name is the column's but for the case of letters, in a table that doesn't take any names.
func (n *namedColumn) isSpelled(name string) bool {
	return !n.table.takesAny() && strings.EqualFold(n.name, name)
}

// dynamic finds a column that a table may have, since it takes any name; nil if none does.
func (s *scope) dynamic(c *tree.Column, where string) (tree.Expression, error) {
	var found *leaf
	for _, v := range s.tables {
		if c.Table != "" && !v.is(c) || v.dynamic == nil || !v.dynamic.takes(c.Name) {
			continue
		}
		if found != nil {
			return nil, fault.New(fault.AmbiguousColumn, c.Name, where)
		}
		found = v.dynamic
	}
	if found == nil {
		return nil, nil
	}
	return &tree.Column{Table: found.name, Name: c.Name}, nil
}

// takes reports whether a table has, or may have, a column that it does not list.
func (l *leaf) takes(name string) bool {
	_, ok := l.table.Column(name)
	return ok || l.table.IsTime(name)
}

func (s *scope) visible(c *tree.Column) *visible {
	for _, v := range s.tables {
		if v.is(c) {
			return v
		}
	}
	return nil
}

// is reports whether the table is the one that a column names.
func (v *visible) is(c *tree.Column) bool {
	return v.name == c.Table && (c.Database == "" || c.Database == v.database)
}

// column returns the meaning of a column of the table; nil if it has none of that name.
func (v *visible) column(name string) tree.Expression {
	for i := range v.columns {
		if v.columns[i].hasName(name) {
			return v.columns[i].is
		}
	}
	return nil
}

// hasName reports whether a column has a name.
func (n *namedColumn) hasName(name string) bool {
	return n.name == name || n.anyCase && strings.EqualFold(n.name, name)
}

// find finds a column of the queries around, as parameters; nil if they have none of that name. Whatever stands between
// depends on it, too.
func (n *nest) find(c *tree.Column, where string) (tree.Expression, error) {
	e, err := n.of.findDeclared(c, where)
	if e == nil && err == nil && n.of.outer != nil {
		before := len(n.of.outer.depends)
		e, err = n.of.outer.find(c, where)
		for _, d := range n.of.outer.depends[before:] {
			n.add(d)
		}
		if e != nil || err != nil {
			return n.again(e), err
		}
	}
	if e == nil && err == nil {
		e, err = n.of.dynamic(c, where)
	}
	if e == nil || err != nil {
		return nil, err
	}
	return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		column, ok := e.(*tree.Column)
		if !ok {
			return nil
		}
		return &tree.Parameter{Index: n.lend(column)}
	}), nil
}

// again notes the parameters of an expression that a query further out has lent before.
func (n *nest) again(e tree.Expression) tree.Expression {
	tree.Walk(e, func(e tree.Expression) bool {
		if p, ok := e.(*tree.Parameter); ok {
			for _, d := range n.of.outer.depends {
				if d.parameter == p.Index {
					n.add(d)
				}
			}
		}
		return true
	})
	return e
}

// lend is the parameter by which a column of the query around is seen.
func (n *nest) lend(c *tree.Column) int {
	f := n.of.frame
	index, ok := f.lent[[2]string{c.Table, c.Name}]
	if !ok {
		var t datum.Type
		if l := f.leafOf(c); l != nil {
			t = l.typeOf(c.Name)
		}
		index = n.of.parameter(t)
		f.lent[[2]string{c.Table, c.Name}] = index
	}
	n.add(dependency{parameter: index, of: f, column: c})
	return index
}

func (n *nest) add(d dependency) {
	for i := range n.depends {
		if n.depends[i].parameter == d.parameter {
			return
		}
	}
	n.depends = append(n.depends, d)
	if n.within != nil {
		n.within.add(d)
	}
}

// preset is DEFAULT(column) with the default of the column's table; nil for another expression.
func (s *scope) preset(call *tree.Call, where string) tree.Expression {
	c, ok := call.PresetOf()
	if !ok {
		return nil
	}
	found, err := s.find(c, where)
	column, ok := found.(*tree.Column)
	if err != nil || !ok {
		return nil
	}
	l := s.leafOf(column)
	if l == nil || l.table == nil {
		return nil
	}
	preset, ok := l.table.Preset(column.Name)
	if !ok {
		return nil
	}
	return &tree.Call{Name: call.Name, Arguments: []tree.Expression{preset, preset}}
}

// resolve rewrites an expression: see scope.
func (s *scope) resolve(e tree.Expression, where string) (tree.Expression, error) {
	return s.resolveBut(e, where, nil)
}

// resolveBut is resolve that leaves names alone that keep wants.
func (s *scope) resolveBut(e tree.Expression, where string, keep func(c *tree.Column) bool) (tree.Expression, error) {
	var failed error
	rewritten := tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		call, ok := e.(*tree.Call)
		s.volatile = s.volatile || ok && plan.IsVolatile(call)
		if ok && failed == nil && s.isOuterAggregate(call, keep) {
			var outer tree.Expression
			outer, failed = s.outer.aggregate(call, where)
			return outer
		}
		if ok && failed == nil {
			if preset := s.preset(call, where); preset != nil {
				return preset
			}
		}
		c, ok := e.(*tree.Column)
		if !ok || failed != nil || keep != nil && keep(c) {
			return nil
		}
		found, err := s.find(c, where)
		if err != nil {
			failed = err
			return nil
		}
		if column, ok := found.(*tree.Column); ok {
			return &tree.Column{Table: column.Table, Name: column.Name, At: c.At}
		}
		return found
	})
	if failed == nil {
		rewritten = s.foldWords(rewritten)
	}
	return rewritten, failed
}

// wordColumns are columns of virtual tables that hold words in upper case. Clients compare them with words in any case,
// as MySQL's collation of those tables lets them. // immutable
var wordColumns = [...]string{"IS_NULLABLE", "TABLE_TYPE", "COLUMN_KEY", "CONSTRAINT_TYPE", "IS_UPDATABLE",
	"ROUTINE_TYPE", "PARAMETER_MODE", "INDEX_TYPE"}

// foldWords puts words that are compared with such columns into upper case.
func (s *scope) foldWords(e tree.Expression) tree.Expression {
	isWord := func(e tree.Expression) bool {
		c, ok := e.(*tree.Column)
		return ok && slices.Contains(wordColumns[:], strings.ToUpper(c.Name)) && s.leafOf(c).isVirtual()
	}
	folded := func(e tree.Expression) tree.Expression {
		if l, ok := e.(*tree.Literal); ok && l.Value.Kind() == datum.KindText {
			return &tree.Literal{Value: datum.TextString(strings.ToUpper(string(l.Value.Bytes())))}
		}
		return e
	}
	return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		switch e := e.(type) {
		case *tree.Binary:
			if isWord(e.Left) || isWord(e.Right) {
				return &tree.Binary{Operator: e.Operator, Left: folded(e.Left), Right: folded(e.Right)}
			}
		case *tree.In:
			if isWord(e.X) {
				in := &tree.In{X: e.X, Not: e.Not}
				for _, member := range e.List {
					in.List = append(in.List, folded(member))
				}
				return in
			}
		}
		return nil
	})
}

// isVirtual reports whether a leaf is a table that is made up when it is read.
func (l *leaf) isVirtual() bool { return l != nil && l.table == nil && l.read.relation != nil }

// rewrite resolves all names of a SELECT's upper part and of its WHERE.
func (s *scope) rewrite(q *tree.Select) (*tree.Select, error) {
	read := *q
	read.From, read.Tables, read.List, read.GroupBy, read.OrderBy, read.Windows = nil, nil, nil, nil, nil, nil
	aliases := definition.AliasesOf(q.List)
	for _, item := range q.List {
		if err := s.item(&read, item); err != nil {
			return nil, err
		}
	}
	for _, w := range q.Windows {
		over, err := s.resolve(&tree.Call{Over: &w.Window}, "window order by")
		if err != nil {
			return nil, err
		}
		read.Windows = append(read.Windows, tree.NamedWindow{Name: w.Name, Window: *over.(*tree.Call).Over})
	}
	isAlias := func(c *tree.Column) bool { return c.Table == "" && slices.Contains(aliases, c.Name) }
	var err error
	if read.Where, err = s.resolve(q.Where, "where clause"); err != nil {
		return nil, err
	}
	for _, e := range q.GroupBy {
		e = s.spellAliases(e, aliases, false)
		if e, err = s.groupKey(e, isAlias); err != nil {
			return nil, err
		}
		read.GroupBy = append(read.GroupBy, e)
	}
	if read.Having, err = s.resolveBut(s.spellAliases(q.Having, aliases, false), "having clause", isAlias); err != nil {
		return nil, err
	}
	for _, o := range q.OrderBy {
		if o.By, err = s.resolveBut(s.spellAliases(o.By, aliases, true), "order clause", isAlias); err != nil {
			return nil, err
		}
		read.OrderBy = append(read.OrderBy, o)
	}
	read.Aggregates, err = s.aggregatesWithin(&read)
	return &read, err
}

// spellAliases gives names that mean aliases the letters that these have. first says that aliases come before columns.
func (s *scope) spellAliases(e tree.Expression, aliases definition.Aliases, first bool) tree.Expression {
	if e == nil || len(aliases) == 0 {
		return e
	}
	return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		c, ok := e.(*tree.Column)
		if !ok {
			return nil
		}
		alias, ok := aliases.Find(c)
		if !ok || alias == c.Name {
			return nil
		}
		if found, err := s.findDeclared(c, ""); !first && (found != nil || err != nil) {
			return nil
		}
		return &tree.Column{Name: alias}
	})
}

// groupKey resolves an expression of GROUP BY: a name is a column before it is an alias.
func (s *scope) groupKey(e tree.Expression, isAlias func(c *tree.Column) bool) (tree.Expression, error) {
	c, ok := e.(*tree.Column)
	if ok && isAlias(c) {
		if found, err := s.findDeclared(c, "group statement"); found != nil || err != nil {
			return found, err
		}
		return e, nil
	}
	return s.resolveBut(e, "group statement", isAlias)
}

// item resolves an element of the select list; a star is written out.
func (s *scope) item(read *tree.Select, item tree.SelectItem) error {
	star, ok := item.Expression.(*tree.Star)
	if ok {
		list, err := s.star(star)
		read.List = append(read.List, list...)
		return err
	}
	e, err := s.resolve(item.Expression, "field list")
	if err != nil {
		return err
	}
	if c, ok := item.Expression.(*tree.Column); ok {
		if now, same := e.(*tree.Column); item.Alias == "" &&
			(!same || now.Name != c.Name && !(s.leafOf(now).isVirtual() && strings.EqualFold(now.Name, c.Name))) {
			item.Alias = c.Name
		}
	}
	read.List = append(read.List, tree.SelectItem{Expression: e, Alias: item.Alias, Text: item.Text})
	return nil
}

// star lists the columns that `*` or `t.*` stands for.
func (s *scope) star(star *tree.Star) (list []tree.SelectItem, err error) {
	columns := s.list
	if star.Table != "" {
		v := s.visible(&tree.Column{Table: star.Table})
		if v == nil {
			return nil, fault.New(fault.UnknownTableDrop, star.Table)
		}
		columns = v.columns
	}
	if len(s.tables) == 0 {
		return nil, fault.New(fault.NoTablesUsed)
	}
	var written []tree.SelectItem
	for _, c := range columns {
		if c.hidden {
			continue
		}
		own := &tree.Column{Name: c.name}
		if c.table != nil {
			own.Table = c.table.name
		}
		written = append(written, tree.SelectItem{Expression: own})
		item := tree.SelectItem{Expression: c.is, Text: c.name}
		if column, ok := c.is.(*tree.Column); !ok || column.Name != c.name {
			item.Alias = c.name
		}
		list = append(list, item)
	}
	if s.Stars != nil {
		s.Stars[star] = written
	}
	return list, nil
}

// Subquery is evaluate.SubqueryScope's.
func (s *scope) Subquery(q tree.Query, exists bool, slot func(e tree.Expression) (int, error)) (of evaluate.SubqueryOf,
	err error) {
	in, err := s.inner(q, exists)
	if err != nil {
		return of, err
	}
	use := Subquery{Nested: in.nested}
	of.Constant = !in.nested.Volatile
	for _, d := range in.depends {
		at := -1
		if d.of == s.frame {
			if at, err = slot(d.value()); err != nil {
				return of, err
			}
			of.Constant = false
		}
		use.Slots = append(use.Slots, at)
	}
	of.Number = len(s.query.Subqueries)
	s.query.Subqueries = append(s.query.Subqueries, use)
	for i := range in.nested.Columns {
		of.Types = append(of.Types, in.nested.Block.Select.Items[i].Program.Type())
	}
	return of, nil
}

// compileApart compiles a query within this one, and reports whether its answer may differ each time that it is run.
func (s *scope) compileApart(q tree.Query, n *nest) (b *Block, volatile bool, err error) {
	around := s.volatile
	s.volatile = false
	b, err = s.compile(q, n, s.with)
	volatile = s.volatile
	s.volatile = around || volatile
	return b, volatile, err
}

// dropValues makes a query behind EXISTS compute no values of its select list: only rows count, and a value may
// overflow.
func (s *scope) dropValues(b *Block) error {
	if b.Select.Distinct {
		return nil
	}
	null, err := s.program(&tree.Literal{Value: datum.Null}, "field list")
	for i := range b.Select.Items {
		b.Select.Items[i].Program = null
	}
	return err
}

// inner compiles the query of an expression, once.
func (s *scope) inner(q tree.Query, exists bool) (*inner, error) {
	if in := s.nested[q]; in != nil {
		return in, nil
	}
	n := &nest{of: s}
	b, volatile, err := s.compileApart(q, n)
	if err == nil && exists && !volatile {
		err = s.dropValues(b)
	}
	if err != nil {
		return nil, err
	}
	in := &inner{nested: &Nested{Block: b, Columns: b.Visible, Volatile: volatile}, depends: n.depends}
	for _, d := range n.depends {
		in.nested.Outer = append(in.nested.Outer, d.parameter)
	}
	s.nested[q] = in
	return in, nil
}
