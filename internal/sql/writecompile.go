// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
)

// compileWrite compiles a statement that writes what a query finds; nil: it is another one. c has the
// parameters that estimates are made with; nil: none are known.
func (s *Session) compileWrite(read *tree.Relational, c *call) (w *queryWrite, err error) {
	if s.engine.options.Foreign {
		return nil, nil
	}
	parameters := placeholders(read.Tree)
	var query tree.Query
	w = &queryWrite{}
	switch read := read.Tree.(type) {
	case *tree.Insert:
		if read.Query == nil {
			return nil, nil
		}
		query, err = read.Query, w.inserts(s, read)
	case *tree.Update:
		w.updates = true
		query, err = w.finds(s, &finding{with: read.With, tables: tablesOrOne(read.Tables, read.Table, read.Alias), set: read.Set, verb: "UPDATE",
			query: tree.Select{Hints: read.Hints, With: read.With, Where: read.Where, OrderBy: read.OrderBy, Limit: read.Limit}})
	case *tree.Delete:
		targets := read.Targets
		if read.Tables == nil {
			targets = []tree.Name{{Name: aliasOr(read.Alias, read.From.Name)}}
		}
		query, err = w.finds(s, &finding{with: read.With, tables: tablesOrOne(read.Tables, read.From, read.Alias), removes: targets, verb: "DELETE",
			query: tree.Select{Hints: read.Hints, With: read.With, Where: read.Where, OrderBy: read.OrderBy, Limit: read.Limit}})
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if w.timeout, err = definition.Timeout(read.Hints); err != nil {
		return nil, err
	}
	if w.query, err = s.compileQuery(query, parameters, c); err != nil {
		return nil, err
	}
	if w.insert != nil && w.insert.Takes() != len(w.query.Columns) {
		return nil, fault.New(fault.ColumnCount, 1)
	}
	return w, nil
}

// inserts compiles the part of an INSERT that writes.
func (w *queryWrite) inserts(s *Session, read *tree.Insert) error {
	t, p, err := s.table(read.Into)
	if err != nil {
		return err
	}
	defer p.release()
	made, err := modify.CompileInsert(t, read, s.changeOptions())
	if err != nil {
		return err
	}
	w.insert, w.into = made.(modify.Taker), t
	return nil
}

func aliasOr(alias, name string) string {
	if alias != "" {
		return alias
	}
	return name
}

func tablesOrOne(tables tree.TableExpression, name tree.Name, alias string) tree.TableExpression {
	if tables != nil {
		return tables
	}
	return &tree.TableName{Name: name, Alias: alias}
}

// finding is what an UPDATE or DELETE reads and changes.
type finding struct {
	with    *tree.With
	tables  tree.TableExpression
	query   tree.Select // without its tables and list
	set     []tree.Assignment
	removes []tree.Name
	verb    string
	bases   []base
}

// base is a table in FROM.
type base struct {
	tree.Name
	alias string
	table *definition.Table // nil: it can't be written
	set   []tree.Assignment
	gone  bool // its rows are deleted
}

// finds compiles the parts of an UPDATE or DELETE that write, and makes the query that finds the rows: for each target its key and the values that
// are computed over several tables.
func (w *queryWrite) finds(s *Session, f *finding) (tree.Query, error) {
	if err := f.list(s, f.tables); err != nil {
		return nil, err
	}
	if err := f.assign(); err != nil {
		return nil, err
	}
	f.query.Tables = f.tables
	for i := range f.bases {
		b := &f.bases[i]
		if !b.gone && len(b.set) == 0 {
			continue
		}
		if b.table == nil {
			return nil, fault.New(fault.NotUpdatable, b.alias, f.verb)
		}
		if err := w.target(s, f, b); err != nil {
			return nil, err
		}
	}
	return &f.query, nil
}

// target compiles what becomes of the rows of one table.
func (w *queryWrite) target(s *Session, f *finding, b *base) error {
	t := &modify.Target{Table: b.table, Alias: b.alias, Set: b.set, Removes: b.gone}
	var values []tree.SelectItem
	for _, a := range b.set {
		at := 0
		if !f.isOwn(a.Value, b) {
			values = append(values, tree.SelectItem{Expression: a.Value})
			at = len(values)
		}
		t.Found = append(t.Found, at)
	}
	change, err := modify.CompileFound(t, s.changeOptions())
	if err != nil {
		return err
	}
	made := writeTarget{table: b.table, change: change, key: len(f.query.List)}
	for _, name := range change.Keys() {
		f.query.List = append(f.query.List, tree.SelectItem{Expression: &tree.Column{Table: b.alias, Name: name}})
	}
	made.values = len(f.query.List)
	made.keys = made.values - made.key
	f.query.List = append(f.query.List, values...)
	made.end = len(f.query.List)
	w.targets = append(w.targets, made)
	return nil
}

// isOwn says whether a value needs no more than the row that it is assigned to.
func (f *finding) isOwn(e tree.Expression, b *base) bool {
	own := true
	tree.Walk(e, func(e tree.Expression) bool {
		switch e := e.(type) {
		case *tree.Column:
			own = own && (e.Table == b.alias || e.Table == "" && len(f.bases) == 1)
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
		b := base{Name: from.Name, alias: aliasOr(from.Alias, from.Name.Name)}
		common := from.Database == "" && slices.ContainsFunc(f.common(), func(t tree.CommonTable) bool { return t.Name == from.Name.Name })
		database, _, err := s.resolve(from.Name)
		if err != nil && !common {
			return err
		}
		if !common && !schemas.IsVirtual(database) && !s.isView(from.Name) {
			t, p, err := s.table(from.Name)
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
		at := slices.IndexFunc(f.bases, func(b base) bool { return b.alias == n.Name && (n.Database == "" || n.Database == b.Database) })
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
				column, known := b.table.Column(a.Column)
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
