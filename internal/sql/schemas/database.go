// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

func (c *call) createDatabase(st *tree.CreateDatabase) error {
	if err := c.Limits.CheckDatabaseName(st.Database); err != nil {
		return err
	}
	if !c.hasDatabase(st.Database) && st.Database != informationSchema {
		return c.makeDatabase(st.Database)
	}
	exists := fault.New(fault.DatabaseExists, st.Database)
	if st.IfNotExists {
		c.session.Warn(exists.Code, exists.Message)
		return nil
	}
	return exists
}

func (c *call) dropDatabase(st *tree.DropDatabase) error {
	if st.Database == informationSchema {
		return fault.New(fault.DatabaseDenied, c.session.User, "%", st.Database)
	}
	if c.hasDatabase(st.Database) {
		return c.removeDatabase(st.Database)
	}
	unknown := fault.New(fault.DatabaseUnknownDrop, st.Database)
	if st.IfExists {
		c.session.Warn(unknown.Code, unknown.Message)
		return nil
	}
	return unknown
}
