// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// rename gives columns and indexes their new names, before anything else is done.
func (c *call) rename(name tree.Name, table *database.Table, p *parts) error {
	for _, r := range p.renames {
		if r.From != r.To {
			if err := c.renameColumn(name, table, r); err != nil {
				return c.renameBack(name, table, p, c.missing(err, name))
			}
		}
		p.renamed++
	}
	if len(p.indexes) == 0 {
		return nil
	}
	for _, r := range p.indexes {
		if err := c.awaitName(name, r.To); err != nil {
			return c.renameBack(name, table, p, err)
		}
	}
	var refusal error
	err := table.Edit(c.ctx, func(d *schema.Table) error {
		for _, r := range p.indexes {
			if refusal = definition.RenameIndex(d, r); refusal != nil {
				return refusal
			}
		}
		return nil
	})
	if refusal != nil {
		err = refusal
	}
	if err != nil {
		return c.renameBack(name, table, p, c.missing(err, name))
	}
	return nil
}

func (c *call) renameColumn(name tree.Name, table *database.Table, r *tree.RenameColumn) error {
	var refusal error
	if err := c.checkUnused(name, r.To); err != nil {
		return err
	}
	err := table.RenameAttributes(c.ctx, []database.Renaming{{From: r.From, To: r.To}}, func(d *schema.Table) error {
		refusal = c.Limits.RenameColumn(d, r)
		return refusal
	})
	if refusal != nil {
		return refusal
	}
	return err
}

// checkUnused refuses a new name that rows have values under, which another protocol wrote.
func (c *call) checkUnused(name tree.Name, to string) error {
	seen, err := c.knownNames(name)
	if err != nil || !seen(to) {
		return err
	}
	for after := value.Row(nil); ; {
		p, err := c.DB.PinIn(name.Database, name.Name)
		if err != nil {
			return err
		}
		var keys []value.Row
		keys, after, err = c.rowsWith(p, []string{to}, after)
		p.Release()
		switch {
		case err != nil:
			return err
		case len(keys) > 0:
			return fault.Message(fault.Unsupported,
				"rows of table '%s' have values under the name '%s', which is not declared; choose another name, or declare and drop the column first", name.Name, to)
		case after == nil:
			return nil
		}
	}
}

// renameBack gives columns their old names again, since the statement ends with an error.
func (c *call) renameBack(name tree.Name, table *database.Table, p *parts, because error) error {
	for ; p.renamed > 0; p.renamed-- {
		r := p.renames[p.renamed-1]
		if r.From == r.To {
			continue
		}
		if err := c.renameColumn(name, table, &tree.RenameColumn{From: r.To, To: r.From}); err != nil {
			return errors.Join(because, err)
		}
	}
	return because
}

// renameTables gives tables other names, one after another. If one can't be renamed, those before it get their names
// back.
func (c *call) renameTables(st *tree.RenameTable) error {
	for i := range st.From {
		err := c.renameTable(st.From[i], st.To[i])
		if err == nil {
			continue
		}
		for i--; i >= 0; i-- {
			if back := c.renameTable(st.To[i], st.From[i]); back != nil {
				return errors.Join(err, back)
			}
		}
		return err
	}
	return nil
}

func (c *call) renameTable(from, to tree.Name) error {
	table, from, err := c.table(from)
	if err == nil {
		to, err = c.base(to)
	}
	if err == nil {
		err = c.Limits.CheckTableName(to.Name)
	}
	if err != nil || from == to {
		return err
	}
	if database.IsTemporary(from.Database) {
		return notSupported("a temporary table can't be renamed: CREATE TEMPORARY TABLE .. AS SELECT makes another one")
	}
	if !c.hasDatabase(to.Database) {
		return UnknownDatabase(c.DB, to.Database)
	}
	of, err := c.relationsOf(from)
	if err != nil {
		return err
	}
	if err := c.expect(of, from, to); err != nil {
		return errors.Join(err, c.settle(of, to, from))
	}
	var refusal error
	err = table.Rename(c.ctx, to.Database, to.Name, func(d *schema.Table) error {
		refusal = definition.RenameTable(d, to.Database, to.Name)
		return refusal
	})
	switch {
	case err == nil:
		return c.settle(of, from, to)
	case refusal != nil:
		err = refusal
	case database.KindOf(err) == database.KindExists:
		err = fault.New(fault.TableExists, to.Name)
	default:
		err = c.missing(err, from)
	}
	if back := c.settle(of, to, from); back != nil {
		return errors.Join(err, back)
	}
	return err
}

// relations are the foreign keys of other tables that refer to one, and its own that refer to others.
type relations struct {
	children []definition.Referrer
	parents  []definition.ForeignKey
}

func (c *call) relationsOf(name tree.Name) (of relations, err error) {
	if of.children, err = c.referrersKnown(name); err != nil {
		return of, err
	}
	of.parents, err = c.foreignKeysOf(name.Database, name.Name)
	of.parents = slices.DeleteFunc(of.parents,
		func(f definition.ForeignKey) bool { return f.RefersTo(name.Database, name.Name) })
	return of, err
}

// expect makes a table known by two names to the tables that it has relations with, so that each foreign key holds
// before and after it is renamed.
func (c *call) expect(of relations, from, to tree.Name) error {
	for i := range of.parents {
		f := &of.parents[i]
		err := c.note(f, &definition.Referrer{Database: to.Database, Table: to.Name, Name: f.Name}, nil)
		if err != nil && database.KindOf(err) != database.KindNotFound {
			return err
		}
	}
	return c.changeChildren(of, func(d *schema.Table, key string) error {
		return definition.SetNext(d, key, &schema.Referrer{Database: to.Database, Table: to.Name})
	})
}

// settle ends what expect has begun: the tables with relations know the table, which has the name now, by no other.
func (c *call) settle(of relations, old, now tree.Name) error {
	err := c.changeChildren(of, func(d *schema.Table, key string) error {
		return definition.SettleNext(d, key, schema.Referrer{Database: now.Database, Table: now.Name})
	})
	if err != nil {
		return err
	}
	return c.forget(old.Database, old.Name, of.parents)
}

func (c *call) changeChildren(of relations, edit func(d *schema.Table, key string) error) error {
	for _, r := range of.children {
		table, err := c.DB.TableIn(r.Database, r.Table)
		if err == nil {
			err = table.Edit(c.ctx, func(d *schema.Table) error { return edit(d, r.Name) })
		}
		if err != nil && database.KindOf(err) != database.KindNotFound {
			return err
		}
	}
	return nil
}
