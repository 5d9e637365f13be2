// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/variable"
)

// askFor asks for the rights that a statement of each kind needs before anything is read or compiled. What compiles the
// reading or writing of rows asks for these: names for each table and view of a query, compileSingle, changesOne and
// insert for statements over one table, changesFound for others that write.
func (s *Session) askFor(read tree.Statement) error {
	if err := s.askTime(read); err != nil {
		return err
	}
	switch read := read.(type) {
	case *tree.Select, *tree.SetOperation, *tree.Values, *tree.SelectInto, *tree.Insert, *tree.Update, *tree.Delete,
		*tree.Explain:
		return nil // compiling asks, also what EXPLAIN and SELECT INTO compile when they run
	case *tree.Begin, *tree.Commit, *tree.Rollback, *tree.Savepoint, *tree.Nothing, *tree.Deallocate, *tree.Prepare,
		*tree.ExecutePrepared:
		return nil // PREPARE and EXECUTE compile and check the statement that is prepared
	case *tree.Use, *tree.ChangeUsers, *tree.Grant, *tree.SetRole, *tree.Kill:
		return nil // they check when they run: what they need depends on whom they are about
	case *tree.Set:
		return s.askSet(read)
	case *tree.AlterSystem:
		return s.ask(account.Super, "", "", nil)
	case *tree.Show:
		return s.askShow(read)
	case *tree.Describe:
		return s.askToSee(read.Table)
	}
	return s.askDefinition(read)
}

// askDefinition asks for what a statement about tables needs; one that is not known is refused to all but those who
// manage the server.
func (s *Session) askDefinition(read tree.Statement) error {
	switch read := read.(type) {
	case *tree.CreateTable:
		return s.askCreate(read)
	case *tree.AlterTable:
		return s.askAlter(read)
	case *tree.DropTable:
		if read.Temporary {
			return nil
		}
		return s.askTables(account.Drop, read.Tables...)
	case *tree.Maintain:
		return s.askTables(account.Select, read.Tables...)
	case *tree.RenameTable:
		return cmp.Or(s.askTables(account.Alter|account.Drop, read.From...),
			s.askTables(account.Create|account.Insert, read.To...))
	case *tree.TruncateTable:
		return s.askTables(account.Drop, read.Table)
	case *tree.CreateIndex:
		return s.askTables(account.Index, read.Table)
	case *tree.DropIndex:
		return s.askTables(account.Index, read.Table)
	case *tree.BuildIndex:
		return s.askTables(account.Index, read.Table)
	case *tree.CreateDatabase:
		return s.ask(account.Create, read.Database, "", nil)
	case *tree.AlterDatabase:
		return s.ask(account.Alter, cmp.Or(read.Database, s.database), "", nil)
	case *tree.DropDatabase:
		return s.askDropDatabase(read.Database)
	case *tree.CreateView:
		if read.OrReplace || read.Alter {
			if err := s.askTables(account.Drop, read.View); err != nil {
				return err
			}
		}
		return s.askTables(account.CreateView, read.View)
	case *tree.DropView:
		return s.askTables(account.Drop, read.Views...)
	}
	return s.ask(account.Super, "", "", nil)
}

// askTables asks for a privilege on each of some tables. It is about all rows of them.
func (s *Session) askTables(p account.Privileges, tables ...tree.Name) error {
	for _, n := range tables {
		database, name, err := s.resolve(n)
		if err == nil {
			err = s.ask(p, database, name, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) askCreate(read *tree.CreateTable) error {
	err := s.askTables(account.Create, read.Table)
	if err == nil && read.Like != nil {
		err = s.askTables(account.Select, *read.Like)
	}
	for i := range read.ForeignKeys {
		if err == nil {
			err = s.askReferences(&read.ForeignKeys[i], read.Table)
		}
	}
	for i := range read.Columns {
		if err == nil {
			err = s.askReferences(read.Columns[i].References, read.Table)
		}
	}
	return err
}

// askReferences asks for the privilege to refer to the table of a foreign key, whose name without a database is of the
// database of the table that refers.
func (s *Session) askReferences(key *tree.ForeignKey, from tree.Name) error {
	if key == nil {
		return nil
	}
	to := key.Table
	to.Database = cmp.Or(to.Database, from.Database)
	return s.askTables(account.References, to)
}

func (s *Session) askAlter(read *tree.AlterTable) error {
	err := s.askTables(account.Alter, read.Table)
	for _, action := range read.Actions {
		if err != nil {
			return err
		}
		switch action := action.(type) {
		case *tree.AddForeignKey:
			err = s.askReferences(&action.ForeignKey, read.Table)
		case *tree.AddColumn:
			err = s.askReferences(action.Column.References, read.Table)
		case *tree.ModifyColumn:
			err = s.askReferences(action.Column.References, read.Table)
		}
	}
	return err
}

// askDropDatabase asks to drop a database and each table in it.
func (s *Session) askDropDatabase(database string) (err error) {
	if err = s.ask(account.Drop, database, "", nil); err != nil || s.rights.Everything() {
		return err
	}
	s.engine.relations(database, func(name string) bool {
		err = s.ask(account.Drop, database, name, nil)
		return err == nil
	})
	return err
}

// askTime asks for the right to run a statement for longer than the server's own limit, as a hint says.
func (s *Session) askTime(read tree.Statement) error {
	if s.rights.Everything() {
		return nil
	}
	span, err := definition.Timeout(hintsOf(read))
	if err != nil || span == 0 || !isRaised(span, s.engine.variables.Global().StatementTimeout) {
		return nil // compiling tells of a fault
	}
	return s.ask(account.Super, "", "", nil)
}

// isRaised reports whether a limit is above another one; 0 is none.
func isRaised(limit, above time.Duration) bool { return above != 0 && (limit == 0 || limit > above) }

// askLimits asks for the right to raise what bounds how long a session keeps others waiting above the server's own
// limits.
func (s *Session) askLimits(next *variable.Values) error {
	global := s.engine.variables.Global()
	for _, one := range [][3]time.Duration{{s.values.StatementTimeout, next.StatementTimeout, global.StatementTimeout},
		{s.values.LockWait, next.LockWait, global.LockWait}, {s.values.IdleTransaction, next.IdleTransaction,
			global.IdleTransaction}} {
		if one[0] != one[1] && isRaised(one[1], one[2]) {
			return s.ask(account.Super, "", "", nil)
		}
	}
	return nil
}

// askSet asks for the right to change variables for all.
func (s *Session) askSet(read *tree.Set) error {
	if slices.ContainsFunc(read.Assignments, func(a tree.SetVariable) bool { return a.Variable.Global }) {
		return s.ask(account.Super, "", "", nil)
	}
	return nil
}

// askShow asks for the rights of a SHOW. The lists of databases, tables, connections and grants leave out what the user
// may not see.
func (s *Session) askShow(read *tree.Show) error {
	switch read.What {
	case "columns", "full columns", "index", "keys", "create table", "regions", "estimated rows", "table variables":
		n := read.Table
		n.Database = cmp.Or(read.Database, n.Database)
		switch {
		case n.Name == "":
			return s.askToSeeDatabase(s.database)
		case read.What == "regions", read.What == "estimated rows": // regions begin at keys of rows
			return s.askTables(account.Select, n)
		case read.What == "create table" && s.isView(n):
			return s.askTables(account.ShowView, n)
		}
		return s.askToSee(n)
	case "create view":
		return s.askTables(account.ShowView, read.Table)
	case "create database":
		return s.askToSeeDatabase(cmp.Or(read.Database, read.Table.Name))
	case "tables", "full tables", "table status", "open tables", "triggers", "events":
		return s.askToSeeDatabase(cmp.Or(read.Database, s.database))
	}
	return nil
}

// askToSee refuses to tell of a table that the user has no right to.
func (s *Session) askToSee(n tree.Name) error {
	database, name, err := s.resolve(n)
	if err != nil || s.sees(database, name) {
		return err
	}
	return s.denial(account.Select, account.Level{Database: database, Table: name},
		fault.New(fault.TableDenied, account.Select.String(), s.login.User, s.login.Host, name))
}

// askToSeeDatabase refuses to tell of a database of which the user has no right to anything. The default one is no
// secret.
func (s *Session) askToSeeDatabase(dbName string) error {
	if dbName == "" || dbName == database.DefaultDatabase || schemas.IsVirtual(dbName) || s.sees(dbName, "") {
		return nil
	}
	return s.denial(account.Select, account.Level{Database: dbName},
		fault.New(fault.DatabaseDenied, s.login.User, s.login.Host, dbName))
}
