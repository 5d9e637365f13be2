// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"iter"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// UnknownDatabase is the error for a database that there is not.
func UnknownDatabase(db *database.DB, name string) error {
	return fault.New(fault.UnknownDatabase, name).Meant(name,
		slices.Values(slices.Concat(db.Databases(), virtualDatabases[:])))
}

// UnknownTable is the error for a table that a database doesn't have; cause may be nil.
func UnknownTable(db *database.DB, cause error, database, name string) error {
	return fault.Because(cause, fault.NoSuchTable, database, name).Meant(name, namesIn(db, database))
}

// namesIn are the names of a database's tables and views.
func namesIn(db *database.DB, database string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for after, more := "", true; more; {
			page := db.Tables(database, after, tablesPage)
			for _, after = range page {
				if !yield(after) {
					return
				}
			}
			more = len(page) == tablesPage
		}
		for _, view := range db.StoredViews().List(database) {
			if !yield(view.Name) {
				return
			}
		}
	}
}

// hasDatabase reports whether there is a database of the name.
func (c *call) hasDatabase(name string) bool { return slices.Contains(c.DB.Databases(), name) }

func (c *call) createDatabase(st *tree.CreateDatabase) error {
	if err := c.Limits.CheckDatabaseName(st.Database); err != nil {
		return err
	}
	mode, given, err := definition.DatabaseOptions(st.Options)
	if err != nil {
		return err
	}
	exists := fault.New(fault.DatabaseExists, st.Database)
	if st.Database != informationSchema {
		c.noteCollation(st.Collation)
		err := c.DB.CreateDatabase(c.ctx, st.Database)
		if err == nil && given {
			return c.DB.SetDatabaseOption(c.ctx, st.Database, definition.DatabaseInsertMode, mode)
		}
		if err == nil || database.KindOf(err) != database.KindExists {
			return err
		}
		exists.Err = err
	}
	if st.IfNotExists {
		c.session.Warn(exists.Code, exists.Message)
		return nil
	}
	return exists
}

// alterDatabase sets a database's options.
func (c *call) alterDatabase(st *tree.AlterDatabase) error {
	mode, given, err := definition.DatabaseOptions(st.Options)
	switch {
	case err != nil:
		return err
	case st.Database == informationSchema:
		return fault.New(fault.DatabaseDenied, c.session.User, "%", st.Database)
	case !c.hasDatabase(st.Database):
		return UnknownDatabase(c.DB, st.Database)
	case !given:
		return nil
	}
	return c.DB.SetDatabaseOption(c.ctx, st.Database, definition.DatabaseInsertMode, mode)
}

// dropDatabase drops a database with its tables. The default one stays, since DynamoDB's tables are there.
func (c *call) dropDatabase(st *tree.DropDatabase) error {
	switch st.Database {
	case informationSchema:
		return fault.New(fault.DatabaseDenied, c.session.User, "%", st.Database)
	case database.DefaultDatabase:
		return notSupported("database '" + st.Database +
			"' can't be dropped: it is always there, and holds the tables made over DynamoDB; drop its tables")
	}
	var names []tree.Name
	for _, table := range c.DB.Tables(st.Database, "", math.MaxInt) {
		names = append(names, tree.Name{Database: st.Database, Name: table})
	}
	if err := c.checkUnreferred(names); err != nil {
		return err
	}
	err := c.DB.DropDatabase(c.ctx, st.Database, true)
	if err == nil || database.KindOf(err) != database.KindNotFound {
		return err
	}
	unknown := fault.New(fault.DatabaseUnknownDrop, st.Database)
	if st.IfExists {
		c.session.Warn(unknown.Code, unknown.Message)
		return nil
	}
	return unknown
}
