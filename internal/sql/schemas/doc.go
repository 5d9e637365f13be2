// SPDX-License-Identifier: Apache-2.0

// Package schemas runs the statements about tables rather than rows: CREATE, ALTER, DROP, TRUNCATE, and SHOW and
// DESCRIBE as far as they tell of databases, tables, columns and indexes. Queries of tools are answered with MySQL's
// column names.
//
// Knows: what such statements do to a database, and the answers that clients of MySQL expect.
// Never: rows of tables (but to free those of a dropped column), sessions' variables, packets.
package schemas

import (
	"context"
	"errors"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Statements runs statements about tables. It is safe for concurrent use. DB must be set; for the rest the zero value
// works.
type Statements struct {
	DB *database.DB
	// Limits bound what DDL may ask for. Default: LindormTable's.
	Limits definition.Limits
	// Where reports whether SHOW .. WHERE keeps a row of its answer, whose columns are named as in the answer;
	// parameters are the statement's. Default: WHERE is refused.
	Where func(where tree.Expression, columns []result.Column, row, parameters []datum.Datum) (keep bool, err error)
	// Warnings returns warnings for an operator about the server and a table, for SHOW REGIONS. Default: none.
	Warnings func(table string) []string
	// Processes lists the connections. Default: none are known.
	Processes func() []result.Process
	// Digests lists what statements took, the most expensive first, Slow the last slow ones, and Transactions those
	// that are open. Default: none are known.
	Digests      func() []digest.Digest
	Slow         func() []digest.Statement
	Transactions func() []Transaction
	// Waits lists who waits for rows now, and the rows that were waited for. Default: nobody is known.
	Waits func() (now, since []database.Wait)
	// Verify reports whether the rows of a table keep a constraint of it. Default: nobody looks.
	Verify func(ctx context.Context, table tree.Name, constraint string) error
	// Fill gives the rows that are there the values of columns that were added: what is computed, or the default.
	// Default: they stay as they are.
	Fill func(ctx context.Context, table tree.Name, added []string) error
	// Greatest is the greatest number in a column of a table; 0 if no row has one above. Default: it is not looked for.
	Greatest func(ctx context.Context, table tree.Name, column string) (uint64, error)
	// Copy puts the rows of a table, which nobody writes meanwhile, into one that has another primary key; a column
	// that is named gets numbers. Default: no table gets another primary key.
	Copy func(ctx context.Context, from, to tree.Name, number string) error
	// ViewColumns are the columns of a view. Default: they are not known.
	ViewColumns func(ctx context.Context, in Session, view tree.Name) ([]result.Column, error)
}

// Session is the part of the session that statements need.
type Session struct {
	Database string // the current one, "" if none
	// Parameters are the values of the statement's question marks.
	Parameters []datum.Datum
	User       string
	// Sees reports whether the user may know of a table or view, or, for the table "", of a database. Default: the user
	// may know of all.
	Sees func(database, table string) bool
	// SeesRows reports whether the user may read all rows of a table: only then are the dynamic columns that rows have
	// told, and how many rows there are. Default: of all.
	SeesRows func(database, table string) bool
	// SeesQuery reports whether the user may know the query of a view. Default: of all.
	SeesQuery func(database, view string) bool
	// Privileges calls visit for each privilege that the user may know of. Default: there are none.
	Privileges func(ctx context.Context, visit func(Privilege) error) error
	// Process reports whether the user may see a connection. Default: all.
	Process func(*result.Process) bool
	// Warn takes notes such as that of CREATE TABLE IF NOT EXISTS. Default: they are lost.
	Warn func(code fault.Code, message string)
	// Own finds the session's temporary table of a name; other names come back as they are. Default: there are none.
	// Errors: fault.UnknownDatabase for a database of others' temporary tables.
	Own func(name tree.Name) (tree.Name, error)
	// Zoned says that time_zone is another than UTC.
	Zoned bool
	// Unchecked is foreign_key_checks = 0.
	Unchecked bool
	// Variables calls visit for each system variable as it is shown: the session's value, or the global one. Default:
	// none are known.
	Variables func(global bool, visit func(name, shown string) error) error
}

// Transaction is one that a session has open.
type Transaction struct {
	Session          uint32
	User             string
	Begun            time.Time
	Isolation        string
	ReadOnly         bool
	Working          bool // a statement of it is at work
	Statements, Held int  // statements that have ended, BEGIN included, and rows that it held when the last one did
}

// Privilege is a privilege of a user or a role, at a level: of a table, a database, or "" for everything.
type Privilege struct {
	Grantee, Database, Table, Name string
	Grantable                      bool
}

func (c *call) sees(database, table string) bool {
	return c.session.Sees == nil || c.session.Sees(database, table)
}

func (c *call) seesRows(p heldDefinition) bool {
	return c.session.SeesRows == nil || c.session.SeesRows(p.Database, p.Name)
}

// informationSchema is the virtual database that clients see.
const informationSchema = "information_schema"

// call is one statement at work.
type call struct {
	*Statements
	ctx     context.Context
	session Session
	sink    result.Sink
	copies  bool // it works on a table that takes another one's place
}

// Run runs a statement. handled is false, and nothing has happened, for statements of other kinds.
// Errors: *fault.Error; those of package database and of the sink as they are.
func (s *Statements) Run(ctx context.Context, statement tree.Statement, in Session, sink result.Sink) (handled bool,
	err error) {
	if in.Warn == nil {
		in.Warn = func(fault.Code, string) {}
	}
	c := &call{Statements: s, ctx: ctx, session: in, sink: sink}
	switch st := statement.(type) {
	case *tree.CreateTable:
		return true, c.answerDone(c.createTable(st))
	case *tree.AlterTable:
		return true, c.answerDone(c.alterTable(st))
	case *tree.DropTable:
		return true, c.answerDone(c.dropTables(st))
	case *tree.Maintain:
		return true, c.maintain(st)
	case *tree.RenameTable:
		return true, c.answerDone(c.renameTables(st))
	case *tree.TruncateTable:
		return true, c.answerDone(c.truncateTable(st))
	case *tree.CreateIndex:
		return true, c.answerDone(c.createIndex(st))
	case *tree.DropIndex:
		return true, c.answerDone(c.dropIndex(st))
	case *tree.BuildIndex:
		return true, c.answerDone(c.buildIndex(st))
	case *tree.CreateDatabase:
		return true, c.answerDone(c.createDatabase(st))
	case *tree.AlterDatabase:
		return true, c.answerDone(c.alterDatabase(st))
	case *tree.DropDatabase:
		return true, c.answerDone(c.dropDatabase(st))
	case *tree.Describe:
		if c.ViewColumns == nil && c.isView(st.Table) {
			return false, nil
		}
		return true, c.describe(st)
	case *tree.Show:
		return c.show(st)
	}
	return false, nil
}

// answerDone answers a statement that has no rows.
func (c *call) answerDone(err error) error {
	if err != nil {
		return err
	}
	return c.sink.Done(result.Done{})
}

func (c *call) databaseOf(named string) string {
	if named != "" {
		return named
	}
	return c.session.Database
}

// resolve finds a temporary table, or gives a name its database. Errors: 1046.
func (c *call) resolve(name tree.Name) (tree.Name, error) {
	if c.session.Own != nil {
		var err error
		if name, err = c.session.Own(name); err != nil {
			return name, err
		}
	}
	return c.base(name)
}

// base is resolve without temporary tables.
func (c *call) base(name tree.Name) (tree.Name, error) {
	if database.IsTemporary(name.Database) && c.session.Own != nil {
		return c.session.Own(name)
	}
	if name.Database = c.databaseOf(name.Database); name.Database == "" {
		return name, fault.New(fault.NoDatabase)
	}
	return name, nil
}

// table finds a table. Errors: 1046, 1049, 1146.
func (c *call) table(name tree.Name) (*database.Table, tree.Name, error) {
	name, err := c.resolve(name)
	if err != nil {
		return nil, name, err
	}
	t, err := c.DB.TableIn(name.Database, name.Name)
	return t, name, c.missing(err, name)
}

// missing words the error for a table that is not there: perhaps its database is not.
func (c *call) missing(err error, name tree.Name) error {
	if err == nil || database.KindOf(err) != database.KindNotFound {
		return err
	}
	if !c.hasDatabase(name.Database) {
		return UnknownDatabase(c.DB, name.Database)
	}
	if c.isView(name) {
		return fault.Because(err, fault.WrongObject, name.Database, name.Name, "BASE TABLE")
	}
	return UnknownTable(c.DB, err, name.Database, name.Name)
}

// heldDefinition is a table's definition, held until it is released.
type heldDefinition struct {
	at database.Pinned
	*definition.Table
}

// Release gives the table's version back.
func (p heldDefinition) Release() { p.at.Release() }

// pin takes a table's definition. Errors: 1046, 1049, 1146, and that of a damaged descriptor.
func (c *call) pin(name tree.Name) (heldDefinition, error) {
	name, err := c.resolve(name)
	if err != nil {
		return heldDefinition{}, err
	}
	p, err := c.DB.PinIn(name.Database, name.Name)
	if err != nil {
		return heldDefinition{}, c.missing(err, name)
	}
	t, err := definition.Of(p.Descriptor())
	if err != nil {
		p.Release()
		return heldDefinition{}, err
	}
	return heldDefinition{p, t}, nil
}

// reason returns the text of an error of package database without the names of its layers.
func reason(err error) string {
	if known, ok := errors.AsType[*database.Error](err); ok {
		return known.Reason()
	}
	return err.Error()
}
