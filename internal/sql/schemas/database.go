// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"slices"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// hasDatabase says whether there is a database of the name.
func (c *call) hasDatabase(name string) bool { return slices.Contains(c.DB.Databases(), name) }

func (c *call) createDatabase(st *tree.CreateDatabase) error {
	if err := c.Limits.CheckDatabaseName(st.Database); err != nil {
		return err
	}
	exists := fault.New(fault.DatabaseExists, st.Database)
	if st.Database != informationSchema {
		err := c.DB.CreateDatabase(c.ctx, st.Database)
		if err == nil || weft.KindOf(err) != weft.KindExists {
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

// dropDatabase drops a database with its tables. The default one stays, since DynamoDB's tables are there.
func (c *call) dropDatabase(st *tree.DropDatabase) error {
	switch st.Database {
	case informationSchema:
		return fault.New(fault.DatabaseDenied, c.session.User, "%", st.Database)
	case weft.DefaultDatabase:
		return notSupported("database '" + st.Database + "' can't be dropped: it is always there, and holds the tables made over DynamoDB; drop its tables")
	}
	err := c.DB.DropDatabase(c.ctx, st.Database, true)
	if err == nil || weft.KindOf(err) != weft.KindNotFound {
		return err
	}
	unknown := fault.New(fault.DatabaseUnknownDrop, st.Database)
	if st.IfExists {
		c.session.Warn(unknown.Code, unknown.Message)
		return nil
	}
	return unknown
}
