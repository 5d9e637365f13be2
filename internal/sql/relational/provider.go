// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"context"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/relational/rewrite"
	"github.com/weftdb/weft/internal/sql/relational/value"
)

// systemDatabase is the database of the server's own tables, which tools read.
const systemDatabase = "mysql"

// provider finds the databases of the statement that asks.
type provider struct {
	// system is the engine's stub of database mysql; nil until the engine is built.
	system sql.Database
}

// Database finds a database by its name.
func (p *provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	s := statementOf(ctx)
	exact, ok, err := match(s.source.Databases(), name)
	if err != nil {
		return nil, err
	}
	if ok {
		return &database{name: exact, statement: s}, nil
	}
	if strings.EqualFold(name, systemDatabase) && p.system != nil {
		return p.system, nil
	}
	return nil, sql.ErrDatabaseNotFound.New(name)
}

// HasDatabase says whether there is one of the name.
func (p *provider) HasDatabase(ctx *sql.Context, name string) bool {
	_, err := p.Database(ctx, name)
	return err == nil
}

// AllDatabases are all but information_schema.
func (p *provider) AllDatabases(ctx *sql.Context) []sql.Database {
	s := statementOf(ctx)
	var all []sql.Database
	for _, name := range s.source.Databases() {
		all = append(all, &database{name: name, statement: s})
	}
	if p.system != nil {
		all = append(all, p.system)
	}
	return all
}

// Function is Weft's own function in place of the engine's.
func (*provider) Function(_ *sql.Context, name string) (sql.Function, bool) {
	return value.Function(name)
}

// match finds a name: itself, else the only one that differs by case alone.
func match(names []string, name string) (exact string, ok bool, err error) {
	found := 0
	for _, n := range names {
		if n == name {
			return n, true, nil
		}
		if strings.EqualFold(n, name) {
			exact = n
			found++
		}
	}
	if found > 1 {
		return "", false, fault.New(fault.NotSupported, "The name '"+name+"' is ambiguous: several names differ from it by case alone; write one of them exactly")
	}
	return exact, found == 1, nil
}

// database is one database for one statement.
type database struct {
	name      string
	statement *statement
}

var _ sql.ViewDatabase = (*database)(nil)

// Name is its name.
func (d *database) Name() string { return d.name }

// GetTableInsensitive finds a table.
func (d *database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	of, ok, err := d.statement.table(d.name, name)
	if err != nil || !ok {
		return nil, false, err
	}
	return newTable(of, d.name, d.statement), true, nil
}

// GetTableNames are the names of all tables, sorted.
func (d *database) GetTableNames(*sql.Context) ([]string, error) {
	names, err := d.statement.source.Tables(d.name)
	if err != nil {
		return nil, err
	}
	names = append([]string(nil), names...)
	sort.Strings(names)
	return names, nil
}

func (d *database) views() (Views, error) {
	if v := d.statement.source.Views(); v != nil {
		return v, nil
	}
	return nil, sql.ErrViewsNotSupported.New(d.name)
}

// CreateView keeps a view.
func (d *database) CreateView(ctx *sql.Context, name, text, create string) error {
	name = d.statement.viewName(name)
	views, err := d.views()
	if err != nil {
		return err
	}
	if _, exists, err := views.Get(d.name, name); err != nil || exists {
		if err == nil {
			err = sql.ErrExistingView.New(d.name, name)
		}
		return err
	}
	if _, exists, err := d.statement.table(d.name, name); err != nil || exists {
		if err == nil {
			err = fault.New(fault.TableExists, name)
		}
		return err
	}
	return views.Put(d.name, View{Name: name, Select: text, Statement: create, SQLMode: sql.LoadSqlMode(ctx).String()})
}

// DropView forgets a view.
func (d *database) DropView(ctx *sql.Context, name string) error {
	views, err := d.views()
	if err != nil {
		return err
	}
	found, exists, err := d.GetViewDefinition(ctx, d.statement.viewName(name))
	if err != nil || !exists {
		if err == nil {
			err = sql.ErrViewDoesNotExist.New(d.name, name)
		}
		return err
	}
	return views.Drop(d.name, found.Name)
}

// GetViewDefinition finds a view: by its exact name, else by the only one that differs by case, unless a table has it.
func (d *database) GetViewDefinition(_ *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	views := d.statement.source.Views()
	if views == nil {
		return sql.ViewDefinition{}, false, nil
	}
	view, ok, err := views.Get(d.name, name)
	if err != nil || ok {
		return d.within(view, ok, err)
	}
	all, err := views.List(d.name)
	if err != nil || len(all) == 0 {
		return sql.ViewDefinition{}, false, err
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	exact, ok, err := match(names, name)
	if err != nil || !ok {
		return sql.ViewDefinition{}, false, err
	}
	return d.within(views.Get(d.name, exact))
}

// within is the definition of a view whose text is within the budget: an older version may have kept another.
func (d *database) within(view View, ok bool, err error) (sql.ViewDefinition, bool, error) {
	if err == nil {
		err = token.Relational().Check([]byte(view.Statement))
	}
	if err != nil {
		return sql.ViewDefinition{}, false, err
	}
	return d.definition(view), ok, nil
}

// AllViews are all views.
func (d *database) AllViews(*sql.Context) ([]sql.ViewDefinition, error) {
	views := d.statement.source.Views()
	if views == nil {
		return nil, nil
	}
	all, err := views.List(d.name)
	definitions := make([]sql.ViewDefinition, len(all))
	for i := range all {
		if definitions[i].Name = all[i].Name; token.Relational().Check([]byte(all[i].Statement)) == nil {
			definitions[i] = d.definition(all[i])
		}
	}
	return definitions, err
}

// definition makes the engine's view. Its statement names the database, which the session need not have chosen.
func (d *database) definition(v View) sql.ViewDefinition {
	made := sql.ViewDefinition{Name: v.Name, TextDefinition: v.Select, CreateViewStatement: v.Statement, SqlMode: v.SQLMode}
	parsed, err := sqlparser.ParseWithOptions(context.Background(), v.Statement, sql.NewSqlModeFromString(v.SQLMode).ParserOptions())
	create, ok := parsed.(*sqlparser.DDL)
	if err != nil || !ok || create.ViewSpec == nil {
		return made
	}
	columns := sqlparser.String(create.ViewSpec.Columns)
	if rewrite.WriteOutRegexp(create.ViewSpec.ViewExpr) {
		v.Select = sqlparser.String(create.ViewSpec.ViewExpr)
	}
	made.CreateViewStatement = "CREATE VIEW " + quoted(d.name) + "." + quoted(v.Name) + columns + " AS " + v.Select
	return made
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
