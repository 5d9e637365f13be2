// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/definition"
)

// hasDatabase says whether there is a database of the name.
func (c *call) hasDatabase(name string) bool {
	return name == weft.DefaultDatabase || len(c.DB.Tables(name, "", 1)) > 0
}

// databases lists all databases.
func (c *call) databases() []string { return []string{weft.DefaultDatabase} }

// truncate frees the rows of a table.
func (c *call) truncate(database, name string) error {
	p, err := c.DB.PinIn(database, name)
	if err != nil {
		return err
	}
	t, err := definition.Of(p.Descriptor())
	p.Release()
	if err != nil {
		return err
	}
	spec, err := definition.Like(t, database, name)
	if err != nil {
		return err
	}
	if err := c.DB.DropTable(c.ctx, database, name); err != nil {
		return err
	}
	_, err = c.DB.CreateTable(c.ctx, spec)
	return err
}

// makeDatabase makes a database.
func (c *call) makeDatabase(string) error { return notSupported("databases can't be made yet") }

// removeDatabase drops a database with its tables.
func (c *call) removeDatabase(string) error { return notSupported("databases can't be dropped yet") }
