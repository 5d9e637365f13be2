// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
)

// changeViews runs CREATE, ALTER and DROP VIEW.
func (s *Session) changeViews(ctx context.Context, read tree.Statement, c *call) (err error) {
	if s.values.ReadOnly {
		return fault.New(fault.ReadOnlyTransaction)
	}
	switch read := read.(type) {
	case *tree.CreateView:
		err = s.createView(ctx, read)
	case *tree.DropView:
		err = s.dropViews(ctx, read)
	}
	if err != nil {
		return err
	}
	return c.sink.Done(result.Done{})
}

// createView keeps a view once its query is known to be right. Errors: 1050, 1146 for ALTER, 1347, 1351, 1353, 1462,
// and those of its query.
func (s *Session) createView(ctx context.Context, read *tree.CreateView) error {
	dbName, name, err := s.base(read.View)
	if err != nil {
		return err
	}
	if schemas.IsVirtual(dbName) {
		return fault.New(fault.DatabaseDenied, s.login.User, s.login.Host, dbName)
	}
	views := s.engine.db.StoredViews()
	_, exists := views.Get(dbName, name)
	switch _, p, err := s.tableOf(dbName, name); {
	case err == nil:
		p.release()
		if read.Alter || read.OrReplace {
			return fault.New(fault.WrongObject, dbName, name, "VIEW")
		}
		return fault.New(fault.TableExists, name)
	case !isNoTable(err) || read.Alter && !exists:
		return err
	case exists && !read.OrReplace && !read.Alter:
		return fault.New(fault.TableExists, name)
	}
	if dbName != s.database { // where names without a database will be looked for
		qualify(read.Query, s.database)
	}
	if err := s.checkView(read, dbName, name); err != nil {
		return err
	}
	query := string(tree.AppendQuery(nil, read.Query))
	view := database.StoredView{Database: dbName, Name: name, Query: query,
		Statement: viewStatement(read, name) + query}
	if exists {
		return s.viewKept(views.Replace(ctx, view), name)
	}
	return s.viewKept(views.Put(ctx, view), name)
}

// viewKept words the error of a view whose name somebody else took meanwhile.
func (s *Session) viewKept(err error, name string) error {
	if errors.Is(err, database.ErrViewExists) {
		return fault.Because(err, fault.TableExists, name)
	}
	return err
}

// isNoTable says that an error is about a table that is not there.
func isNoTable(err error) bool {
	if err == nil {
		return false // as of nearly all statements, which are to allocate nothing here
	}
	f, ok := fault.Of(err)
	return ok && f.Code == fault.NoSuchTable
}

// viewStatement is the statement that makes a view, as it is kept, up to its query. Names in it that have no database
// are of the view's own.
func viewStatement(read *tree.CreateView, name string) string {
	text := tree.AppendName([]byte("CREATE VIEW "), name)
	for i, column := range read.Columns {
		separator := ", "
		if i == 0 {
			separator = "("
		}
		text = tree.AppendName(append(text, separator...), column)
	}
	if len(read.Columns) > 0 {
		text = append(text, ')')
	}
	return string(append(text, " AS "...))
}

// checkView compiles the query of a view as reading the view would, and writes out what depends on the tables of today
// and on how the text is written: the columns that `*` stands for, and the names of those without an alias.
func (s *Session) checkView(read *tree.CreateView, dbName, name string) error {
	if hasVariables(read.Query) {
		return fault.New(fault.ViewVariable)
	}
	whole := &tree.Select{List: []tree.SelectItem{{Expression: &tree.Star{}}},
		Tables: &tree.DerivedTable{Query: read.Query, Alias: name, Columns: read.Columns}}
	stars := map[*tree.Star][]tree.SelectItem{}
	q, err := s.compileQueryBy(whole, nil,
		algebra.Options{Text: statementText, Execution: plan.Execution{Settings: s.planSettings()}, Stars: stars})
	if err != nil {
		return err
	}
	if err := checkNotTemporary(q); err != nil {
		return err
	}
	writeOut(read.Query, stars)
	if slices.ContainsFunc(q.views, func(v database.StoredView) bool {
		return v.Database == dbName &&
			v.Name == name
	}) {
		return fault.New(fault.ViewRecursion, dbName, name)
	}
	return nil
}

// writeOut replaces each `*` by its columns, and gives the expressions of select lists their names.
func writeOut(query tree.Query, stars map[*tree.Star][]tree.SelectItem) {
	tree.Find(query, func(of *tree.Select) {
		var list []tree.SelectItem
		for _, item := range of.List {
			switch e := item.Expression.(type) {
			case *tree.Star:
				list = append(list, stars[e]...)
				continue
			case *tree.Column:
			default:
				item.Alias = cmp.Or(item.Alias, item.Text)
			}
			list = append(list, item)
		}
		of.List = list
	})
}

// hasVariables reports whether a query has placeholders or variables.
func hasVariables(of tree.Query) (has bool) {
	tree.Find(of, func(*tree.Parameter) { has = true })
	tree.Find(of, func(*tree.Variable) { has = true })
	tree.Find(of, func(call *tree.Call) { has = has || call.Name == tree.Assigns })
	return has
}

// qualify gives the tables of a query that have no database one, but for those that are common table expressions.
func qualify(of tree.Query, database string) {
	common := map[string]bool{}
	tree.Find(of, func(t *tree.CommonTable) { common[t.Name] = true })
	set := func(n *tree.Name) {
		if n.Database == "" && !common[n.Name] {
			n.Database = database
		}
	}
	tree.Find(of, func(t *tree.TableName) { set(&t.Name) })
	tree.Find(of, func(read *tree.Select) {
		if read.From != nil {
			set(read.From)
		}
	})
}

// dropViews drops all views of a list, or none if one is missing and IF EXISTS was not said. Errors: 1051, 1347.
func (s *Session) dropViews(ctx context.Context, read *tree.DropView) error {
	views := s.engine.db.StoredViews()
	var there []tree.Name
	var missing []string
	for _, n := range read.Views {
		database, name, err := s.base(n)
		if err != nil {
			return err
		}
		if _, ok := views.Get(database, name); ok {
			there = append(there, tree.Name{Database: database, Name: name})
			continue
		}
		if _, p, err := s.tableOf(database, name); err == nil {
			p.release()
			return fault.New(fault.WrongObject, database, name, "VIEW")
		}
		missing = append(missing, database+"."+name)
	}
	if len(missing) > 0 && !read.IfExists {
		return fault.New(fault.UnknownTableDrop, strings.Join(missing, ","))
	}
	for _, name := range missing {
		s.note(fault.UnknownTableDrop, fault.New(fault.UnknownTableDrop, name).Message)
	}
	for _, n := range there {
		if err := views.Drop(ctx, n.Database, n.Name); err != nil && !errors.Is(err, database.ErrViewNotFound) {
			return err
		}
	}
	return nil
}

// note keeps a note for SHOW WARNINGS.
func (s *Session) note(code fault.Code, message string) {
	s.warnings = append(s.warnings, warning{"Note", code, message})
}

// viewColumns are the columns of a view, for information_schema and DESCRIBE. They do not depend on a session.
func (e *Engine) viewColumns(ctx context.Context, in schemas.Session, view tree.Name) ([]result.Column, error) {
	s, err := e.viewReader(ctx, in)
	if err != nil {
		return nil, err
	}
	whole := &tree.Select{List: []tree.SelectItem{{Expression: &tree.Star{}}}, From: &view}
	q, err := s.compileQuery(whole, 0, nil)
	if err != nil {
		return nil, err
	}
	return q.Columns, ctx.Err()
}

// viewReader is a session that compiles queries of views.
func (e *Engine) viewReader(ctx context.Context, in schemas.Session) (*Session, error) {
	s := &Session{engine: e, running: ctx, database: in.Database}
	s.login.User = in.User
	return s, s.preset()
}

// viewInstead is errStale if there is a view where a table was not found: it is one since the statement was compiled.
func (s *Session) viewInstead(n tree.Name, err error) error {
	if !isNoTable(err) || !s.isView(n) {
		return err
	}
	return errStale
}

func (s *Session) isView(n tree.Name) bool {
	database, name, err := s.resolve(n)
	if err != nil {
		return false
	}
	_, ok := s.engine.db.StoredViews().Get(database, name)
	return ok
}

// showCreateView answers SHOW CREATE VIEW. Errors: 1146.
func (s *Session) showCreateView(n tree.Name, c *call) (done bool, err error) {
	database, name, err := s.resolve(n)
	if err != nil {
		return true, err
	}
	view, ok := s.engine.db.StoredViews().Get(database, name)
	if !ok {
		return true, schemas.UnknownTable(s.engine.db, nil, database, name)
	}
	return true, rows(c, texts("View", "Create View", "character_set_client", "collation_connection"),
		[][]datum.Datum{{text(view.Name), text(schemas.ViewStatement(view.Statement)), text("utf8mb4"),
			text("utf8mb4_bin")}})
}
