// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"strings"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// An INSERT, UPDATE or DELETE of a view over one table becomes one of the table: names of the view's columns stand for
// the table's, and the view's condition counts beside the statement's.

// writtenView is a view whose rows are rows of one table.
type writtenView struct {
	database.StoredView
	table   tree.Name
	alias   string // of the table
	where   tree.Expression
	columns []string                   // the view's, in order
	of      map[string]tree.Expression // what each stands for, by its name in lower case
}

// viewsMax is the number of views that may stand above one another where rows are written.
const viewsMax = 16

// throughView is the statement on the table that a view is over, and the statement itself where no view is written
// that can be. The views are noted. Errors: 1054, 1348.
func (s *Session) throughView(read tree.Statement, w *writeStatement) (tree.Statement, error) {
	for range viewsMax {
		name, privilege, alias := target(read)
		dbName, view, err := s.resolve(name)
		if err != nil {
			return read, nil // which is said later
		}
		stored, ok := s.engine.db.StoredViews().Get(dbName, view)
		if !ok {
			return read, nil
		}
		v, ok := writtenThrough(stored)
		if !ok {
			return read, nil
		}
		err = s.ask(privilege, dbName, view, nil)
		if into, ok := read.(*tree.Insert); ok && err == nil {
			err = s.ask(duplicatePrivilege(into), dbName, view, nil)
		}
		if err != nil {
			return nil, err
		}
		w.views = append(w.views, stored)
		if read, err = (&viewNames{writtenView: v, alias: cmp.Or(alias, view)}).statement(read); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// target is the table of a statement that writes one without queries; it has no name in others.
func target(read tree.Statement) (name tree.Name, p account.Privileges, alias string) {
	switch read := read.(type) {
	case *tree.Insert:
		return read.Into, account.Insert, ""
	case *tree.Update:
		if tree.IsPlain(read) {
			return read.Table, account.Update, read.Alias
		}
	case *tree.Delete:
		if tree.IsPlain(read) {
			return read.From, account.Delete, read.Alias
		}
	}
	return name, 0, ""
}

// writtenThrough reads a view whose rows can be written: those of one table, each on its own.
func writtenThrough(stored database.StoredView) (*writtenView, bool) {
	query, columns, err := readView(stored)
	q, ok := query.(*tree.Select)
	if err != nil || !ok || !tree.IsPlain(q) || q.From == nil || q.Distinct || len(q.GroupBy) > 0 || q.Having != nil ||
		q.Limit != nil || q.Offset != nil {
		return nil, false
	}
	v := &writtenView{StoredView: stored, table: *q.From, alias: q.Alias, where: q.Where,
		of: map[string]tree.Expression{}}
	v.table.Database = cmp.Or(v.table.Database, stored.Database)
	for i := range q.List {
		if !isOfRow(q.List[i].Expression) {
			return nil, false
		}
		name := cmp.Or(q.List[i].Alias, q.List[i].Text)
		if c, ok := q.List[i].Expression.(*tree.Column); ok && q.List[i].Alias == "" {
			name = c.Name
		}
		if columns != nil {
			name = columns[i]
		}
		v.columns, v.of[strings.ToLower(name)] = append(v.columns, name), q.List[i].Expression
	}
	return v, true
}

// isOfRow reports whether an expression is computed of a row alone, rather than of several.
func isOfRow(e tree.Expression) bool {
	own := true
	tree.Walk(e, func(e tree.Expression) bool {
		switch e := e.(type) {
		case *tree.Star:
			own = false
		case *tree.Call:
			own = own && e.Over == nil && !evaluate.IsAggregate(e.Name)
		}
		return own
	})
	return own
}

// viewNames replaces the names of a view's columns in a statement, in which the view has an alias.
type viewNames struct {
	*writtenView
	alias string
	err   error
}

func (n *viewNames) statement(read tree.Statement) (tree.Statement, error) {
	switch read := read.(type) {
	case *tree.Insert:
		return n.insert(read)
	case *tree.Update:
		other := *read
		other.Table, other.Alias = n.table, n.writtenView.alias
		other.Set, other.Where = n.assignments(read.Set), n.condition(read.Where)
		other.OrderBy = n.orders(read.OrderBy)
		return &other, n.err
	case *tree.Delete:
		other := *read
		other.From, other.Alias = n.table, n.writtenView.alias
		other.Where, other.OrderBy = n.condition(read.Where), n.orders(read.OrderBy)
		return &other, n.err
	}
	return read, nil
}

func (n *viewNames) insert(read *tree.Insert) (tree.Statement, error) {
	other := *read
	other.Into, other.Columns, other.Updates = n.table, nil, n.assignments(read.Updates)
	names, refused := read.Columns, func() error { return fault.New(fault.NotInsertable, n.Name, "INSERT") }
	if len(names) == 0 {
		names = n.columns
	}
	for _, name := range n.columns { // each has to be one of the table's, be it named or not
		n.column(name, "field list", refused)
	}
	for _, name := range names {
		other.Columns = append(other.Columns, n.column(name, "field list", refused))
	}
	other.Rows = make([][]tree.Expression, len(read.Rows))
	for i, row := range read.Rows {
		for _, e := range row {
			other.Rows[i] = append(other.Rows[i], n.expression(e))
		}
	}
	return &other, n.err
}

// column is the table's column that a column of the view is; otherwise says why it has to be one.
func (n *viewNames) column(name, place string, otherwise func() error) string {
	e, known := n.of[strings.ToLower(name)]
	column, ok := e.(*tree.Column)
	switch {
	case !known:
		n.err = cmp.Or(n.err, error(fault.New(fault.UnknownColumn, name, place)))
		return name
	case !ok:
		n.err = cmp.Or(n.err, otherwise())
		return name
	}
	return column.Name
}

func (n *viewNames) assignments(list []tree.Assignment) (made []tree.Assignment) {
	for _, a := range list {
		name := n.column(a.Column, "field list", func() error { return fault.New(fault.ColumnNotUpdatable, a.Column) })
		made = append(made, tree.Assignment{Column: name, Value: n.expression(a.Value)})
	}
	return made
}

// condition is the view's beside the statement's.
func (n *viewNames) condition(where tree.Expression) tree.Expression {
	switch where = n.expression(where); {
	case where == nil:
		return n.where
	case n.where == nil:
		return where
	}
	return &tree.Binary{Operator: tree.And, Left: n.where, Right: where}
}

func (n *viewNames) orders(list []tree.Order) (made []tree.Order) {
	for _, o := range list {
		made = append(made, tree.Order{By: n.expression(o.By), Descending: o.Descending})
	}
	return made
}

func (n *viewNames) expression(e tree.Expression) tree.Expression {
	return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		if given, ok := e.(*tree.ValuesOf); ok {
			return &tree.ValuesOf{Column: n.column(given.Column, "field list",
				func() error { return fault.New(fault.ColumnNotUpdatable, given.Column) })}
		}
		column, ok := e.(*tree.Column)
		if !ok || column.Table != "" && !strings.EqualFold(column.Table, n.alias) {
			return nil
		}
		of, known := n.of[strings.ToLower(column.Name)]
		if !known {
			n.err = cmp.Or(n.err, error(fault.New(fault.UnknownColumn, column.Name, "where clause")))
		}
		return of
	})
}
