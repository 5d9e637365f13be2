// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
)

// compileWrite compiles a statement that writes rows. c has the parameters that estimates are made with; nil: none are
// known.
func (s *Session) compileWrite(read tree.Statement, c *call) (w *writeStatement, err error) {
	w = &writeStatement{does: KindRelational, ignores: tree.Ignores(read)}
	if read, err = s.throughView(read, w); err != nil {
		return nil, err
	}
	into, inserts := read.(*tree.Insert)
	f := findingOf(read)
	own := f.query.Hints
	if inserts {
		own = into.Hints
	}
	if w.timeout, err = definition.Timeout(own); err != nil {
		return nil, err
	}
	hints, plain := own, tree.IsPlain(read)
	if plain {
		w.does = kindOf(read)
	} else {
		hints = hintsOf(read)
	}
	w.notes = s.hintNotes(hints, w.does)
	switch {
	case inserts:
		err = w.insert(s, into, plain, c)
	case plain:
		err = w.changesOne(s, read, f)
	default:
		err = w.changesFound(s, f, tree.Placeholders(read), c)
	}
	return w, err
}

// findingOf returns the parts of an UPDATE or DELETE that are read and changed.
func findingOf(read tree.Statement) *finding {
	switch read := read.(type) {
	case *tree.Update:
		return &finding{with: read.With, name: read.Table, alias: read.Alias,
			tables: tablesOrOne(read.Tables, read.Table, read.Alias), set: read.Set, verb: "UPDATE",
			ignore: read.Ignore, query: tree.Select{Hints: read.Hints, With: read.With, Where: read.Where,
				OrderBy: read.OrderBy, Limit: read.Limit}}
	case *tree.Delete:
		targets := read.Targets
		if read.Tables == nil {
			targets = []tree.Name{{Name: cmp.Or(read.Alias, read.From.Name)}}
		}
		return &finding{with: read.With, name: read.From, alias: read.Alias,
			tables: tablesOrOne(read.Tables, read.From, read.Alias), removes: targets, verb: "DELETE",
			ignore: read.Ignore, query: tree.Select{Hints: read.Hints, With: read.With, Where: read.Where,
				OrderBy: read.OrderBy, Limit: read.Limit}}
	}
	return &finding{}
}

// changesOne compiles an UPDATE or DELETE of one table without queries in it, for the table's current version.
func (w *writeStatement) changesOne(s *Session, read tree.Statement, f *finding) error {
	privilege := account.Update
	if f.removes != nil {
		privilege = account.Delete
	}
	t, p, err := s.table(f.name, privilege)
	if err == nil {
		t.Spell(read)
	}
	if err != nil {
		return s.writesView(read, f.name, err)
	}
	defer p.release()
	if err := s.askChange(read, t); err != nil {
		return err
	}
	spelled := findingOf(read)
	q := &spelled.query
	err = modify.CheckHints(q.Hints)
	if err == nil {
		err = modify.CheckBounded(t, f.verb, q.Where, q.Limit, s.writeOptions(t))
	}
	if err != nil {
		return err
	}
	w.tables = []*definition.Table{t}
	if w.statement, err = modify.CompileChange([]modify.Target{{Table: t, Alias: f.alias, Stored: true,
		Set: spelled.set, Removes: f.removes != nil, Ignore: f.ignore}}, s.writeOptions); err != nil {
		return err
	}
	w.query = &queryStatement{}
	w.query.Query, err = algebra.StoredRows(plan.From{Table: t, Alias: f.alias, Where: q.Where, Hints: q.Hints,
		Statement: statementText}, q.OrderBy, q.Limit)
	return err
}

// insert compiles an INSERT of written rows, or of a query's.
func (w *writeStatement) insert(s *Session, read *tree.Insert, plain bool, c *call) error {
	parameters := tree.Placeholders(read)
	if !plain && read.Query == nil {
		whole := *read
		if whole.Query, whole.Rows = queryOfRows(read.Rows), nil; whole.Query == nil {
			return fault.New(fault.NotSupported,
				"VALUES can't have both DEFAULT and a subquery in one statement: write the default value, or INSERT .. SELECT")
		}
		read = &whole
	}
	t, p, err := s.table(read.Into, account.Insert)
	if err != nil {
		return s.writesView(read, read.Into, err)
	}
	defer p.release()
	options := s.writeOptions(t)
	w.tables, w.inserts, w.mode = []*definition.Table{t}, true, options.Insert
	if plain {
		t.Spell(read)
		err = s.askChange(read, t)
	} else {
		t.SpellInsert(read)
		if err = s.askInsertSelect(read, t); err == nil {
			err = w.findInserted(s, read, parameters, c, &options)
		}
	}
	if err == nil {
		w.statement, err = modify.CompileInsert(t, read, options)
	}
	return err
}

// findInserted compiles the query of an INSERT .. SELECT.
func (w *writeStatement) findInserted(s *Session, read *tree.Insert, parameters int, c *call,
	options *modify.Options) error {
	query, sources, err := s.withSources(read, w.tables[0])
	if err != nil {
		return err
	}
	if w.query, err = s.compileQuery(query, parameters, c); err != nil {
		return err
	}
	options.Columns = len(w.query.Columns) - len(sources)
	for i, column := range sources {
		options.Sources = append(options.Sources, modify.Source{Table: column.Table, Name: column.Name,
			Type: w.query.Root.Select.Items[options.Columns+i].Program.Type()})
	}
	return nil
}

// queryOfRows is a query that yields the rows of VALUES, in which queries stand; nil if some value is DEFAULT, which no
// query yields.
func queryOfRows(rows [][]tree.Expression) (q tree.Query) {
	for _, row := range rows {
		one := &tree.Select{}
		for _, e := range row {
			if _, ok := e.(*tree.Default); ok {
				return nil
			}
			one.List = append(one.List, tree.SelectItem{Expression: e, Text: "?"})
		}
		if q == nil {
			q = one
		} else {
			q = &tree.SetOperation{Kind: tree.Union, All: true, Left: q, Right: one}
		}
	}
	return q
}

// withSources makes the query of an INSERT yield the columns of its tables that ON DUPLICATE KEY UPDATE names, too.
// Those of queries with groups and the like can't be named. Errors: 1052.
func (s *Session) withSources(read *tree.Insert, t *definition.Table) (query tree.Query, sources []*tree.Column,
	err error) {
	q, ok := read.Query.(*tree.Select)
	if !ok || q.Distinct || len(q.GroupBy) > 0 || q.Having != nil || len(read.Updates) == 0 {
		return read.Query, nil, nil
	}
	f := &finding{with: q.With, tables: q.Tables}
	if q.From != nil {
		f.tables = &tree.TableName{Name: *q.From, Alias: q.Alias}
	}
	if err := f.list(s, f.tables); err != nil {
		return nil, nil, err
	}
	whole := *q
	whole.List = slices.Clone(q.List)
	for _, u := range read.Updates {
		tree.Walk(u.Value, func(e tree.Expression) bool {
			column, ok := e.(*tree.Column)
			if !ok {
				return true
			}
			_, own := t.Column(column.Name)
			own = own && (column.Table == "" || column.Table == t.Name)
			if own && f.has(column) {
				err = fault.New(fault.AmbiguousColumn, column.Name, "field list")
			}
			known := slices.ContainsFunc(sources,
				func(c *tree.Column) bool { return c.Table == column.Table && c.Name == column.Name })
			if !known && !own {
				sources = append(sources, column)
				whole.List = append(whole.List, tree.SelectItem{Expression: column})
			}
			return true
		})
	}
	return &whole, sources, err
}

// has reports whether a table of FROM has a column.
func (f *finding) has(c *tree.Column) bool {
	return slices.ContainsFunc(f.bases, func(b base) bool {
		if b.table == nil || c.Table != "" && c.Table != b.alias {
			return false
		}
		column, ok := b.table.Column(c.Name)
		return ok && !column.Dynamic
	})
}

func tablesOrOne(tables tree.TableExpression, name tree.Name, alias string) tree.TableExpression {
	return cmp.Or[tree.TableExpression](tables, &tree.TableName{Name: name, Alias: alias})
}

// finding holds the rows that an UPDATE or DELETE reads and changes.
type finding struct {
	with    *tree.With
	name    tree.Name // of the only table
	alias   string    // its
	tables  tree.TableExpression
	query   tree.Select // without its tables and list
	set     []tree.Assignment
	removes []tree.Name
	verb    string
	ignore  bool
	bases   []base
	targets []modify.Target
}

// base is a table in FROM.
type base struct {
	tree.Name
	alias string
	table *definition.Table // nil: it can't be written
	set   []tree.Assignment
	gone  bool // its rows are deleted
}

// privilege returns the privilege that a change of the table's rows needs.
func (b *base) privilege() account.Privileges {
	if b.gone {
		return account.Delete
	}
	return account.Update
}

// changesFound compiles an UPDATE or DELETE over several tables or with queries in it: the query finds, for each
// target, its key and the values that are computed over several tables.
func (w *writeStatement) changesFound(s *Session, f *finding, parameters int, c *call) error {
	if err := f.list(s, f.tables); err != nil {
		return err
	}
	if b := &f.bases[0]; len(f.bases) == 1 && b.table != nil && f.query.Where == nil {
		if err := modify.CheckBounded(b.table, f.verb, nil, f.query.Limit, s.writeOptions(b.table)); err != nil {
			return err
		}
	}
	if err := f.assign(); err != nil {
		return err
	}
	f.query.Tables = f.tables
	for i := range f.bases {
		b := &f.bases[i]
		if !b.gone && len(b.set) == 0 {
			continue
		}
		if b.table == nil {
			return fault.New(fault.NotUpdatable, b.alias, f.verb)
		}
		if err := s.ask(b.privilege(), b.table.Database, b.table.Name, nil); err != nil {
			return err
		}
		w.tables = append(w.tables, b.table)
		f.target(b)
	}
	var err error
	if w.query, err = s.compileQuery(&f.query, parameters, c); err != nil {
		return err
	}
	for i := range f.targets {
		t := &f.targets[i]
		values := t.First + len(modify.KeyNames(t.Table))
		for k := range t.Sources { // their types are known now
			t.Sources[k].Type = w.query.Root.Select.Items[values+k].Program.Type()
		}
	}
	w.statement, err = modify.CompileChange(f.targets, s.writeOptions)
	return err
}

// target asks the query for the keys of a table's rows and the values that they are assigned.
func (f *finding) target(b *base) {
	t := modify.Target{Table: b.table, Alias: b.alias, Removes: b.gone, Ignore: f.ignore, First: len(f.query.List)}
	for _, name := range modify.KeyNames(b.table) {
		f.query.List = append(f.query.List, tree.SelectItem{Expression: &tree.Column{Table: b.alias, Name: name}})
	}
	for _, a := range b.set {
		at := 0
		if len(f.bases) == 1 {
			a.Value = f.asks(&t, a.Value)
		} else if !f.isOwn(a.Value, b) {
			f.find(&t, a.Value)
			at = len(t.Sources)
		}
		t.Set, t.Found = append(t.Set, a), append(t.Found, at)
	}
	f.targets = append(f.targets, t)
}

// sourceTable stands before the names of values that a query finds: no table has that name.
const sourceTable = "\x00found"

// find has the query compute a value.
func (f *finding) find(t *modify.Target, e tree.Expression) *tree.Column {
	name := strconv.Itoa(len(t.Sources))
	t.Sources = append(t.Sources, modify.Source{Table: sourceTable, Name: name})
	f.query.List = append(f.query.List, tree.SelectItem{Expression: e})
	return &tree.Column{Table: sourceTable, Name: name}
}

// asks has the query compute the queries of a value; the rest is computed over the row, as the assignments before have
// left it.
func (f *finding) asks(t *modify.Target, e tree.Expression) tree.Expression {
	return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		switch e.(type) {
		case *tree.Subquery, *tree.Exists, *tree.InQuery, *tree.Quantified:
			return f.find(t, e)
		}
		return nil
	})
}

// isOwn reports whether a value needs no more than the row that it is assigned to.
func (f *finding) isOwn(e tree.Expression, b *base) bool {
	own := true
	tree.Walk(e, func(e tree.Expression) bool {
		switch e := e.(type) {
		case *tree.Column:
			own = own && e.Table == b.alias
		case *tree.Subquery, *tree.Exists, *tree.InQuery, *tree.Quantified:
			own = false
		}
		return own
	})
	return own
}

// list finds the tables of FROM.
func (f *finding) list(s *Session, from tree.TableExpression) error {
	switch from := from.(type) {
	case *tree.Join:
		if err := f.list(s, from.Left); err != nil {
			return err
		}
		return f.list(s, from.Right)
	case *tree.DerivedTable:
		f.bases = append(f.bases, base{alias: from.Alias})
	case *tree.TableName:
		b := base{Name: from.Name, alias: cmp.Or(from.Alias, from.Name.Name)}
		common := from.Database == "" &&
			slices.ContainsFunc(f.common(), func(t tree.CommonTable) bool { return t.Name == from.Name.Name })
		database, _, err := s.resolve(from.Name)
		if err != nil && !common {
			return err
		}
		if !common && !schemas.IsVirtual(database) && !s.isView(from.Name) {
			t, p, err := s.table(from.Name, account.Select)
			if err != nil {
				return err
			}
			p.release()
			b.table = t
		}
		f.bases = append(f.bases, b)
	}
	return nil
}

// assign finds the tables that are written. Errors: 1052, 1054, 1109.
func (f *finding) assign() error {
	for _, n := range f.removes {
		at := slices.IndexFunc(f.bases, func(b base) bool {
			return b.alias == n.Name &&
				(n.Database == "" || n.Database == b.Database)
		})
		if at < 0 {
			return fault.New(fault.UnknownTarget, n.Name)
		}
		f.bases[at].gone = true
	}
	for _, a := range f.set {
		b, err := f.baseOf(&a)
		if err != nil {
			return err
		}
		if b.table != nil {
			a.Column = b.table.Spelled(a.Column)
		}
		b.set = append(b.set, a)
	}
	return nil
}

// baseOf is the table that an assignment is to.
func (f *finding) baseOf(a *tree.Assignment) (found *base, err error) {
	for i := range f.bases {
		b := &f.bases[i]
		is := a.Table == b.alias
		if a.Table == "" {
			is = len(f.bases) == 1
			if b.table != nil && !is {
				column, known := b.table.Column(b.table.Spelled(a.Column))
				is = known && !column.Dynamic
			}
		}
		if is && found != nil {
			return nil, fault.New(fault.AmbiguousColumn, a.Column, "field list")
		}
		if is {
			found = b
		}
	}
	if found == nil {
		name := a.Column
		if a.Table != "" {
			name = a.Table + "." + name
		}
		return nil, fault.New(fault.UnknownColumn, name, "field list")
	}
	return found, nil
}

// common are the common tables in front of the statement.
func (f *finding) common() []tree.CommonTable {
	if f.with == nil {
		return nil
	}
	return f.with.Tables
}
