// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// item is a part of FROM: a leaf, or two items joined.
type item struct {
	leaf        *leaf // nil: a join
	kind        JoinKind
	left, right *item
	on          []tree.Expression // conjuncts of a join's condition
	straight    bool
}

// from reads FROM; nil if there is none.
func (s *scope) from(q *tree.Select) (it *item, err error) {
	from := q.Tables
	if q.From != nil {
		from = &tree.TableName{Name: *q.From, Alias: q.Alias, ForceIndex: q.ForceIndex, IgnoreIndex: q.IgnoreIndex}
	}
	if from == nil {
		return nil, nil
	}
	s.straight = q.Straight
	it, s.list, err = s.part(from, false)
	if err == nil && len(s.query.Tables)+s.scans > 2*tablesMax {
		err = fault.New(fault.NotSupported, "A query of so many tables")
	}
	return it, err
}

// part reads a part of FROM and lists its columns. nullable says that an outer join may put NULLs in place of its rows.
func (s *scope) part(from tree.TableExpression, nullable bool) (*item, []namedColumn, error) {
	switch from := from.(type) {
	case *tree.TableName:
		return s.table(from, nullable)
	case *tree.DerivedTable:
		return s.derived(from, nullable)
	case *tree.Join:
		return s.join(from, nullable)
	}
	return nil, nil, fault.New(fault.NotSupported, "This table")
}

// show makes a table visible under its name. Errors: 1066.
func (s *scope) show(v *visible) ([]namedColumn, error) {
	for _, other := range s.tables {
		if other.name == v.name && other.database == v.database {
			return nil, fault.New(fault.AliasTwice, v.name)
		}
	}
	for i := range v.columns {
		v.columns[i].table, v.columns[i].anyCase = v, v.anyCase
	}
	s.tables = append(s.tables, v)
	return v.columns, nil
}

// columnsOf are the columns of a leaf under their own names.
func columnsOf(l *leaf) (list []namedColumn) {
	for _, c := range l.columns {
		hidden := false
		if l.table != nil {
			declared, ok := l.table.Column(c.Name)
			hidden = ok && declared.Invisible
		}
		list = append(list, namedColumn{name: c.Name, is: &tree.Column{Table: l.name, Name: c.Name}, hidden: hidden})
	}
	return list
}

func (s *scope) table(t *tree.TableName, nullable bool) (*item, []namedColumn, error) {
	alias := cmp.Or(t.Alias, t.Name.Name)
	database := t.Database
	if database == "" {
		if common := s.with.find(t.Name.Name); common != nil {
			return s.common(common, alias, nullable)
		}
		database = s.with.home()
	}
	r, err := s.Catalog.Relation(database, t.Name.Name, len(s.viewing) > 0)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case r.View != nil:
		return s.view(&r, t, alias, nullable)
	case r.Table == nil:
		return s.virtual(&r, t, alias)
	}
	return s.addStored(&r, t, alias)
}

// databaseOf is the database that a table is visible in: an alias is in none.
func databaseOf(t *tree.TableName, r *Relation) string {
	if t.Alias != "" {
		return ""
	}
	return cmp.Or(r.Home, r.Database)
}

// addStored is a table of the database.
func (s *scope) addStored(r *Relation, t *tree.TableName, alias string) (*item, []namedColumn, error) {
	var columns []result.Column
	for i := range r.Table.Columns {
		columns = append(columns, plan.DescribeColumn(r.Table, alias, r.Table.Columns[i].Name))
	}
	grows := r.Table.Dynamic || len(r.Table.Wildcards) > 0
	for _, name := range definition.DynamicNames(r.Table, r.Names) {
		columns = append(columns, plan.DescribeColumn(r.Table, alias, name))
	}
	l := s.addLeaf(r.Database, alias, columns)
	l.table = r.Table
	l.pin = s.pin(r, grows)
	l.read = reader{force: t.ForceIndex, ignore: t.IgnoreIndex, hints: s.hints, allows: s.allows, relation: r}
	s.scans++
	list, err := s.show(&visible{database: databaseOf(t, r), name: alias, columns: columnsOf(l), dynamic: l})
	return &item{leaf: l}, list, err
}

// pin is the number of a table's version in Query.Tables.
func (c *compiler) pin(r *Relation, grows bool) int {
	at := slices.IndexFunc(c.query.Tables, func(t Table) bool { return t.Descriptor == r.Table.Descriptor })
	if at < 0 {
		at = len(c.query.Tables)
		c.query.Tables = append(c.query.Tables,
			Table{Table: r.Table, Names: len(r.Names), Grows: grows && len(r.Names) < database.AttributeNamesMax})
	}
	return at
}

// virtual is a table that is made up when it is read.
func (s *scope) virtual(r *Relation, t *tree.TableName, alias string) (*item, []namedColumn, error) {
	columns := slices.Clone(r.VirtualColumns)
	for i := range columns {
		columns[i].Table = alias
	}
	l := s.addLeaf(r.Database, alias, columns)
	relation := *r
	l.read.relation = &relation
	l.node = func() (Node, error) {
		return &Virtual{Of: relation.Virtual, Alias: alias, To: l.to()}, nil
	}
	list, err := s.show(&visible{database: databaseOf(t, r), name: alias, columns: columnsOf(l), anyCase: true})
	return &item{leaf: l}, list, err
}

// viewsMax bounds how deep views are made of views.
const viewsMax = 32

// view is the query that a view stands for.
func (s *scope) view(r *Relation, t *tree.TableName, alias string, nullable bool) (*item, []namedColumn, error) {
	name := r.Database + "\x00" + r.Name
	if slices.Contains(s.viewing, name) || len(s.viewing) >= viewsMax {
		return nil, nil, fault.New(fault.NotSupported,
			"View '"+r.Database+"."+r.Name+"' refers to itself, or nests too deep; it")
	}
	s.viewing = append(s.viewing, name)
	defer func() { s.viewing = s.viewing[:len(s.viewing)-1] }()
	it, list, err := s.addQuery(r.View, derivedScope{alias: alias, database: databaseOf(t, r), columns: r.Columns,
		with: &commonTables{database: r.Database}, nullable: nullable})
	if f, ok := fault.Of(err); ok {
		switch f.Code {
		case fault.NoSuchTable, fault.UnknownDatabase, fault.UnknownColumn:
			err = fault.Because(err, fault.ViewInvalid, r.Database, r.Name)
		}
	}
	return it, list, err
}

func (s *scope) derived(t *tree.DerivedTable, nullable bool) (*item, []namedColumn, error) {
	if t.Alias == "" {
		return nil, nil, fault.New(fault.AliasMissing)
	}
	return s.addQuery(t.Query, derivedScope{alias: t.Alias, columns: t.Columns, with: s.with, nullable: nullable,
		lateral: t.Lateral})
}

// derivedScope says how a query in FROM is named and what it sees.
type derivedScope struct {
	alias, database   string
	columns           []string
	with              *commonTables
	nullable, lateral bool
}

// addQuery reads a query in FROM. A plain one is merged: its tables become some of this FROM.
func (s *scope) addQuery(q tree.Query, as derivedScope) (*item, []namedColumn, error) {
	if plain, ok := q.(*tree.Select); ok && !as.lateral && isPlain(plain) {
		it, list, err := s.merge(plain, as)
		if it != nil || err != nil {
			return it, list, err
		}
	}
	outer := s.outer
	if as.lateral {
		outer = &nest{of: s, within: s.outer}
	}
	own := &nest{}
	if outer != nil && !as.lateral {
		own = &nest{of: outer.of, within: outer}
		outer = own
	}
	b, err := s.compile(q, outer, as.with)
	if err != nil {
		return nil, nil, err
	}
	l, list, err := s.answer(b, as)
	if err != nil {
		return nil, nil, err
	}
	node := &Derived{Alias: as.alias, Block: b}
	if as.lateral {
		l.lateral = outer.depends
	} else if s.outer != nil && len(own.depends) == 0 { // the same each time that this query is run again
		node.Block, node.Spool = nil, s.spool(as.alias, b, nil)
	}
	l.node = func() (Node, error) {
		node.To = l.to()
		for _, d := range l.lateral {
			if d.of == s.frame {
				if d.column == nil {
					return nil, fault.New(fault.GroupWithoutBy)
				}
				slot, _, err := s.Column(d.column, "from clause")
				if err != nil {
					return nil, err
				}
				node.Outer = append(node.Outer, Outer{slot, d.parameter})
			}
		}
		return node, nil
	}
	return &item{leaf: l}, list, nil
}

func (c *compiler) spool(name string, b *Block, depends []dependency) *Spool {
	sp := &Spool{Name: name, Block: b}
	for _, d := range depends {
		sp.Parameters = append(sp.Parameters, d.parameter)
	}
	c.query.Spools = append(c.query.Spools, sp)
	return sp
}

// answer makes a leaf of a query's answer.
func (s *scope) answer(b *Block, as derivedScope) (*leaf, []namedColumn, error) {
	columns, err := rename(b.Select.Columns[:b.Visible], as.columns)
	if err != nil {
		return nil, nil, err
	}
	for i := range columns {
		for j := range i {
			if columns[i].Name == columns[j].Name {
				return nil, nil, fault.New(fault.ColumnTwice, columns[i].Name)
			}
		}
		columns[i] = result.Column{Table: as.alias, OriginalTable: as.alias, Name: columns[i].Name,
			OriginalName: columns[i].Name, Type: b.Select.Items[i].Program.Type()}
	}
	l := s.addLeaf(as.database, as.alias, columns)
	list, err := s.show(&visible{database: as.database, name: as.alias, columns: columnsOf(l)})
	return l, list, err
}

// rename gives columns the names of a list, if there is one.
func rename(columns []result.Column, names []string) ([]result.Column, error) {
	columns = slices.Clone(columns)
	if len(names) == 0 {
		return columns, nil
	}
	if len(names) != len(columns) {
		return nil, fault.New(fault.ViewColumns)
	}
	for i := range columns {
		columns[i].Name = names[i]
	}
	return columns, nil
}

// isPlain reports whether a SELECT does no more than choose rows and columns.
func isPlain(q *tree.Select) bool {
	if q.With != nil || q.Distinct || len(q.GroupBy) > 0 || q.Rollup || q.Having != nil || len(q.Windows) > 0 ||
		len(q.OrderBy) > 0 || q.Limit != nil || q.Offset != nil ||
		q.From == nil && q.Tables == nil {
		return false
	}
	list := conditionsOf(q.Tables, []tree.Expression{q.Where})
	for _, item := range q.List {
		list = append(list, item.Expression)
	}
	plain := true
	for _, e := range list {
		tree.Walk(e, func(e tree.Expression) bool {
			switch e := e.(type) {
			case *tree.Subquery, *tree.Exists, *tree.InQuery, *tree.Quantified, *tree.Variable:
				plain = false
			case *tree.Call:
				plain = plain && e.Over == nil && !evaluate.IsAggregate(e.Name) && !plan.IsVolatile(e)
			}
			return plain
		})
	}
	return plain
}

// conditionsOf adds the conditions of all joins of a part of FROM.
func conditionsOf(from tree.TableExpression, list []tree.Expression) []tree.Expression {
	if j, ok := from.(*tree.Join); ok {
		return conditionsOf(j.Right, conditionsOf(j.Left, append(list, j.On)))
	}
	return list
}

// merge reads a plain query in FROM as a part of this FROM. nil if that can't be: where NULLs may take the place of its
// rows, only columns do.
func (s *scope) merge(q *tree.Select, as derivedScope) (*item, []namedColumn, error) {
	if as.nullable && (q.Where != nil || slices.ContainsFunc(q.List, func(item tree.SelectItem) bool {
		switch item.Expression.(type) {
		case *tree.Column, *tree.Star:
			return false
		}
		return true
	})) {
		return nil, nil, nil
	}
	hints, allows := s.hints, s.allows
	s.hints, s.allows = append(slices.Clone(s.hints), q.Hints...), s.allows || q.AllowFiltering
	defer func() { s.hints, s.allows = hints, allows }()
	sub := &scope{compiler: s.compiler, frame: s.frame, outer: s.outer, with: as.with, nested: s.nested}
	it, err := sub.from(q)
	if err != nil {
		return nil, nil, err
	}
	read, err := sub.rewrite(&tree.Select{List: q.List, Where: q.Where})
	if err != nil {
		return nil, nil, err
	}
	if it.leaf != nil && read.Where == nil {
		it.leaf.loose = true
	}
	if read.Where != nil {
		it = &item{kind: Inner, left: it, on: conjuncts(read.Where, nil)}
	}
	v := &visible{database: as.database, name: as.alias}
	if len(as.columns) > 0 && len(as.columns) != len(read.List) {
		return nil, nil, fault.New(fault.ViewColumns)
	}
	for i, one := range read.List {
		name := one.Alias
		if c, ok := one.Expression.(*tree.Column); ok && name == "" {
			name = c.Name
		}
		name = cmp.Or(name, one.Text)
		if len(as.columns) > 0 {
			name = as.columns[i]
		}
		if v.column(name) != nil {
			return nil, nil, fault.New(fault.ColumnTwice, name)
		}
		v.columns = append(v.columns, namedColumn{name: name, is: noPosition(one.Expression)})
	}
	list, err := s.show(v)
	return it, list, err
}

// noPosition writes an integer in such a way that GROUP BY and ORDER BY do not read it as the number of an item.
func noPosition(e tree.Expression) tree.Expression {
	if literal, ok := e.(*tree.Literal); ok && literal.Value.Kind() == datum.KindInt {
		return &tree.Unary{Operator: tree.Plus, X: e}
	}
	return e
}

// join reads a join.
func (s *scope) join(j *tree.Join, nullable bool) (*item, []namedColumn, error) {
	first := len(s.tables)
	it := &item{kind: Inner, straight: j.Straight || s.straight}
	var left, right []namedColumn
	var err error
	if it.left, left, err = s.part(j.Left, nullable || j.Kind == tree.RightJoin ||
		j.Kind == tree.FullJoin); err != nil {
		return nil, nil, err
	}
	s.list = left // what LATERAL sees
	if it.right, right, err = s.part(j.Right, nullable || j.Kind == tree.LeftJoin ||
		j.Kind == tree.FullJoin); err != nil {
		return nil, nil, err
	}
	list := append(slices.Clone(left), right...)
	using := j.Using
	if j.Natural {
		using = commonNames(left, right)
	}
	if len(using) > 0 {
		if list, err = s.using(it, j.Kind, using, left, right); err != nil {
			return nil, nil, err
		}
	}
	if j.On != nil {
		tables, all := s.tables, s.list
		s.tables, s.list = s.tables[first:], list
		on, err := s.resolve(j.On, "on clause")
		s.tables, s.list = tables, all
		if err != nil {
			return nil, nil, err
		}
		it.on = append(it.on, conjuncts(on, nil)...)
	}
	switch j.Kind {
	case tree.LeftJoin:
		it.kind = Left
	case tree.FullJoin:
		it.kind = Full
	case tree.RightJoin:
		it.kind, it.left, it.right = Left, it.right, it.left
	}
	return it, list, nil
}

// commonNames are the names that both sides of a NATURAL JOIN have.
func commonNames(left, right []namedColumn) (names []string) {
	for _, a := range left {
		common := func(b namedColumn) bool { return !b.hidden && (b.hasName(a.name) || b.isSpelled(a.name)) }
		if !a.hidden && slices.ContainsFunc(right, common) && !slices.Contains(names, a.name) {
			names = append(names, a.name)
		}
	}
	return names
}

// using joins by columns of the same names, each of which is one column of the join. Errors: 1054, 1052.
func (s *scope) using(it *item, kind tree.JoinKind, names []string, left, right []namedColumn) (list []namedColumn,
	err error) {
	pick := func(side []namedColumn, name string) (tree.Expression, error) {
		var found tree.Expression
		fits := func(c namedColumn) bool { return c.hasName(name) }
		if !slices.ContainsFunc(side, fits) {
			fits = func(c namedColumn) bool { return c.isSpelled(name) }
		}
		for _, c := range side {
			if fits(c) && found != nil {
				return nil, fault.New(fault.AmbiguousColumn, name, "from clause")
			} else if fits(c) {
				found = c.is
			}
		}
		if found == nil {
			return nil, fault.New(fault.UnknownColumn, name, "from clause").Meant(name, namesOf(side))
		}
		return found, nil
	}
	isUsed := func(c namedColumn) bool {
		return slices.ContainsFunc(names, func(name string) bool { return c.hasName(name) || c.isSpelled(name) })
	}
	first := left
	if kind == tree.RightJoin {
		first = right
	}
	var coalesced []namedColumn
	for _, c := range first {
		if !isUsed(c) {
			continue
		}
		a, err := pick(left, c.name)
		if err != nil {
			return nil, err
		}
		b, err := pick(right, c.name)
		if err != nil {
			return nil, err
		}
		it.on = append(it.on, &tree.Binary{Operator: tree.Equal, Left: a, Right: b})
		is := a
		switch kind {
		case tree.RightJoin:
			is = b
		case tree.FullJoin:
			is = &tree.Call{Name: "coalesce", Arguments: []tree.Expression{a, b}}
		}
		coalesced = append(coalesced, namedColumn{name: c.name, is: is, anyCase: c.anyCase})
	}
	if len(coalesced) < len(names) {
		for _, name := range names {
			if _, err := pick(first, name); err != nil {
				return nil, err
			}
		}
	}
	rest := [][]namedColumn{left, right}
	if kind == tree.RightJoin {
		slices.Reverse(rest)
	}
	for _, side := range rest {
		for _, c := range side {
			if !isUsed(c) {
				coalesced = append(coalesced, c)
			}
		}
	}
	return coalesced, nil
}

// conjuncts are the conditions that a chain of AND joins.
func conjuncts(e tree.Expression, list []tree.Expression) []tree.Expression {
	if e == nil {
		return list
	}
	if both, ok := e.(*tree.Binary); ok && both.Operator == tree.And {
		return conjuncts(both.Right, conjuncts(both.Left, list))
	}
	if pairs := equalPairs(e); pairs != nil {
		for _, pair := range pairs {
			list = conjuncts(pair, list)
		}
		return list
	}
	if between, ok := e.(*tree.Between); ok && !between.Not && isColumn(between.X) {
		low := &tree.Binary{Operator: tree.GreaterOrEqual, Left: between.X, Right: between.Low}
		high := &tree.Binary{Operator: tree.LessOrEqual, Left: between.X, Right: between.High}
		return append(list, low, high)
	}
	return factor(e, list)
}

// equalPairs are the comparisons of the elements of (a, b) = (c, d); nil if e is no such equality.
func equalPairs(e tree.Expression) (pairs []tree.Expression) {
	both, ok := e.(*tree.Binary)
	if !ok || both.Operator != tree.Equal && both.Operator != tree.NullSafeEqual {
		return nil
	}
	left, ok := both.Left.(*tree.Tuple)
	right, too := both.Right.(*tree.Tuple)
	if !ok || !too || len(left.Elements) != len(right.Elements) {
		return nil // a program of it has the error
	}
	for i := range left.Elements {
		pairs = append(pairs, &tree.Binary{Operator: both.Operator, Left: left.Elements[i], Right: right.Elements[i]})
	}
	return pairs
}

func isColumn(e tree.Expression) bool {
	_, ok := e.(*tree.Column)
	return ok
}
