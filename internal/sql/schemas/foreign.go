// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// MySQL's codes of foreign keys that definitions raise.
const (
	codeReferredDrop     fault.Code = 3730
	codeReferredTruncate fault.Code = 1701
)

// refer checks what a table's foreign keys refer to, and makes the tables there know of them. The keys' references are
// filled in. own is the table itself, as it is or will be.
func (c *call) refer(own *definition.Table, keys []definition.ForeignKey) error {
	for i := range keys {
		f := &keys[i]
		if f.Database == own.Database && f.Table == own.Name {
			if err := own.CheckReference(f, own); err != nil {
				return err
			}
			continue
		}
		if err := c.referTo(own, f); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) referTo(own *definition.Table, f *definition.ForeignKey) error {
	parent, err := c.pin(tree.Name{Database: f.Database, Name: f.Table})
	if isMissing(err) && c.session.Unchecked && len(f.References) > 0 {
		return nil // it comes later
	}
	if isMissing(err) {
		return fault.Because(err, fault.CannotCreateTable, own.Database+"."+own.Name,
			`errno: 150 "Foreign key constraint is incorrectly formed": `+f.Name+": there is no table "+f.Database+"."+
				f.Table)
	}
	if err != nil {
		return err
	}
	err = own.CheckReference(f, parent.Table)
	parent.Release()
	if err != nil {
		return err
	}
	return c.note(f, &definition.Referrer{Database: own.Database, Table: own.Name, Name: f.Name}, nil)
}

// note changes what the table of a foreign key knows of who refers to it.
func (c *call) note(f *definition.ForeignKey, more *definition.Referrer, gone func(definition.Referrer) bool) error {
	table, err := c.DB.TableIn(f.Database, f.Table)
	if err != nil {
		return err
	}
	return table.Edit(c.ctx, func(d *schema.Table) error { return definition.SetReferrers(d, more, gone) })
}

// forget makes the tables that foreign keys of a table refer to forget them.
func (c *call) forget(dbName, table string, keys []definition.ForeignKey) error {
	for i := range keys {
		f := &keys[i]
		if f.Database == dbName && f.Table == table {
			continue
		}
		err := c.note(f, nil, func(r definition.Referrer) bool {
			return r == definition.Referrer{Database: dbName, Table: table, Name: f.Name}
		})
		if err != nil && database.KindOf(err) != database.KindNotFound {
			return err
		}
	}
	return nil
}

// referrers are the foreign keys of other tables that refer to a table, be it there or not.
func (c *call) referrers(name tree.Name) (list []definition.Referrer, err error) {
	for _, database := range c.DB.Databases() {
		for after, more := "", true; more; {
			page := c.DB.Tables(database, after, tablesPage)
			for _, one := range page {
				after = one
				keys, err := c.foreignKeysOf(database, one)
				if err != nil {
					return nil, err
				}
				for i := range keys {
					if keys[i].RefersTo(name.Database, name.Name) && (database != name.Database || one != name.Name) {
						list = append(list, definition.Referrer{Database: database, Table: one, Name: keys[i].Name})
					}
				}
			}
			more = len(page) == tablesPage
		}
	}
	return list, nil
}

// foreignKeysOf returns the foreign keys of a table; none if it is gone.
func (c *call) foreignKeysOf(dbName, table string) ([]definition.ForeignKey, error) {
	p, err := c.DB.PinIn(dbName, table)
	if err != nil {
		if database.KindOf(err) == database.KindNotFound {
			return nil, nil
		}
		return nil, err
	}
	defer p.Release()
	dialect := p.Descriptor().Dialect
	if !bytes.Contains(dialect[definition.Dialect], []byte("foreignKeys")) {
		return nil, nil
	}
	return definition.ForeignKeysOf(dialect)
}

// checkUnreferred refuses to drop tables to which others refer that stay.
func (c *call) checkUnreferred(names []tree.Name) error {
	if c.session.Unchecked {
		return nil
	}
	for _, name := range names {
		list, err := c.referrersKnown(name)
		if err != nil {
			return err
		}
		for _, r := range list {
			if !slices.Contains(names, tree.Name{Database: r.Database, Name: r.Table}) {
				return fault.Message(codeReferredDrop,
					"Cannot drop table '%s' referenced by a foreign key constraint '%s' on table '%s'.", name.Name,
					r.Name, r.Table)
			}
		}
	}
	return nil
}

// referrersKnown are the foreign keys of other tables that refer to a table which is there.
func (c *call) referrersKnown(name tree.Name) (list []definition.Referrer, err error) {
	p, err := c.pin(name)
	if err != nil {
		if isMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	defer p.Release()
	for _, r := range p.Referrers {
		keys, err := c.foreignKeysOf(r.Database, r.Table)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(keys, func(f definition.ForeignKey) bool {
			return f.Name == r.Name && f.RefersTo(name.Database, name.Name)
		}) {
			list = append(list, r)
		}
	}
	return list, nil
}

// checkTruncate refuses to empty a table to which others refer.
func (c *call) checkTruncate(name tree.Name) error {
	if c.session.Unchecked {
		return nil
	}
	list, err := c.referrersKnown(name)
	if err != nil || len(list) == 0 {
		return err
	}
	f := &list[0]
	return fault.Message(codeReferredTruncate,
		"Cannot truncate a table referenced in a foreign key constraint (`%s`.`%s`, CONSTRAINT `%s`): DELETE FROM %s, or SET foreign_key_checks = 0",
		f.Database, f.Table, f.Name, name.Name)
}

// addForeignKey adds a constraint to a table that is there: its index, what it refers to, and then itself. The rows
// that are there are looked at last, when those that are written meanwhile keep it already.
func (c *call) addForeignKey(name tree.Name, d *tree.ForeignKey) error {
	var added definition.ForeignKey
	own, err := c.pin(name)
	if err != nil {
		return err
	}
	own.Release()
	whole := *own.Table
	if added, err = c.Limits.AddForeignKey(&whole, d); err != nil {
		return err
	}
	if index := own.IndexFor(d, added.Name); index != nil {
		wider := *c.Statements
		wider.Limits.IndexesMax = len(own.Indexes) + 1
		with := *c
		with.Statements = &wider
		if err := with.createIndex(index); err != nil {
			return err
		}
	}
	keys := []definition.ForeignKey{added}
	if err := c.refer(own.Table, keys); err != nil {
		return err
	}
	filled := *d
	filled.Name, filled.References, filled.Table = added.Name, keys[0].References, tree.Name{Database: added.Database,
		Name: added.Table}
	if err := c.change(name, &tree.AddForeignKey{ForeignKey: filled}); err != nil {
		return err
	}
	if c.session.Unchecked || c.Verify == nil {
		return nil
	}
	if err := c.Verify(c.ctx, name, added.Name); err != nil {
		undone := c.change(name, &tree.DropConstraint{Kind: "FOREIGN KEY", Name: added.Name})
		if undone == nil {
			undone = c.forget(name.Database, name.Name, keys)
		}
		if undone != nil {
			return undone
		}
		return err
	}
	return nil
}

// change applies one action of ALTER TABLE.
func (c *call) change(name tree.Name, action tree.AlterAction) error {
	table, err := c.DB.TableIn(name.Database, name.Name)
	if err != nil {
		return c.missing(err, name)
	}
	return c.alter(name, table, []tree.AlterAction{action})
}

// checksOf are the names of a table's checks.
func (c *call) checksOf(name tree.Name) (names []string, err error) {
	p, err := c.pin(name)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	for i := range p.Checks {
		names = append(names, p.Checks[i].Name)
	}
	return names, nil
}

// verifyChecks checks that existing rows meet the new checks.
func (c *call) verifyChecks(name tree.Name, before []string) error {
	after, err := c.checksOf(name)
	if err != nil || c.Verify == nil {
		return err
	}
	for _, check := range after {
		if slices.Contains(before, check) {
			continue
		}
		if err := c.Verify(c.ctx, name, check); err != nil {
			return err
		}
	}
	return nil
}

// forgetDropped makes the tables forget a table to which it referred before, and does not any more.
func (c *call) forgetDropped(name tree.Name, before []definition.ForeignKey) error {
	if len(before) == 0 {
		return nil
	}
	after, err := c.foreignKeysOf(name.Database, name.Name)
	if err != nil {
		return err
	}
	return c.forget(name.Database, name.Name, slices.DeleteFunc(before, func(f definition.ForeignKey) bool {
		return slices.ContainsFunc(after, func(other definition.ForeignKey) bool { return other.Name == f.Name })
	}))
}

// checkDropIndex refuses to drop an index that a foreign key needs.
func (c *call) checkDropIndex(name tree.Name, index string) error {
	p, err := c.pin(name)
	if err != nil || c.session.Unchecked && len(p.ForeignKeys) == 0 {
		if err == nil {
			p.Release()
		}
		return err
	}
	defer p.Release()
	referred, err := c.referredOf(p.Table)
	if err != nil {
		return err
	}
	return p.CheckDropIndex(index, referred)
}

// referredOf returns the columns of a table that others' foreign keys refer to.
func (c *call) referredOf(t *definition.Table) (referred [][]string, err error) {
	for _, r := range t.Referrers {
		keys, err := c.foreignKeysOf(r.Database, r.Table)
		if err != nil {
			return nil, err
		}
		for i := range keys {
			if keys[i].Name == r.Name && keys[i].RefersTo(t.Database, t.Name) {
				referred = append(referred, keys[i].References)
			}
		}
	}
	return referred, nil
}
