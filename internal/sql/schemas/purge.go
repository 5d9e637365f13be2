// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/tree"
)

// purgePage is the number of rows that are gone through before the table's version is taken anew, so that other changes
// of its schema need not wait long.
const purgePage = 1000

// purge removes the bytes of dropped columns from all rows, and gives their names free.
func (c *call) purge(table *database.Table, name tree.Name) error {
	p, err := c.pin(name)
	if err != nil {
		return err
	}
	deleting, id := slices.Clone(p.Deleting), p.Descriptor.ID
	p.Release()
	if len(deleting) == 0 {
		return nil
	}
	for after := value.Row(nil); ; {
		if after, err = c.purgeRows(name, id, deleting, after); err != nil {
			return err
		}
		if after == nil {
			break
		}
	}
	return table.Edit(c.ctx, func(d *schema.Table) error {
		if d.ID != id {
			return nil
		}
		return definition.Purged(d, deleting)
	})
}

// free makes room for the columns of an ALTER TABLE: those of IF NOT EXISTS that are there are left out, indexes that
// are being dropped and have a column of such a name are waited for, and the bytes of dropped columns are removed from
// a table of MySQL's kind to which a column of such a name is added.
func (c *call) free(name tree.Name, table *database.Table, parts *parts) error {
	p, err := c.pin(name)
	if err != nil {
		return err
	}
	plain, deleting, columns := p.InsertFails, p.Deleting, p.Columns
	p.Release()
	parts.others = slices.DeleteFunc(parts.others, func(action tree.AlterAction) bool {
		add, ok := action.(*tree.AddColumn)
		return ok && add.IfNotExists && slices.ContainsFunc(columns,
			func(c definition.Column) bool { return c.Name == add.Column.Name })
	})
	names := parts.newNames()
	if err := c.awaitLeaving(name, names); err != nil {
		return err
	}
	if !plain || !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(deleting, name) }) {
		return nil
	}
	return c.purge(table, name)
}

// newNames are the names of columns that are added, or get another name.
func (p *parts) newNames() (names []string) {
	for _, action := range p.others {
		if add, ok := action.(*tree.AddColumn); ok {
			names = append(names, add.Column.Name)
		}
	}
	for _, r := range p.renames {
		names = append(names, r.To)
	}
	return names
}

// awaitLeaving waits until no index that is being dropped has a column of some names: writes still reach it.
func (c *call) awaitLeaving(name tree.Name, columns []string) error {
	if len(columns) == 0 {
		return nil
	}
	return c.poll(func() (bool, error) {
		p, err := c.DB.PinIn(name.Database, name.Name)
		if err != nil {
			return false, c.missing(err, name)
		}
		defer p.Release()
		return !slices.ContainsFunc(p.Descriptor().Indexes,
			func(x schema.Index) bool { return isLeaving(&x) && hasAny(&x, columns) }), nil
	})
}

func isLeaving(x *schema.Index) bool { return x.State == schema.Retiring || x.State == schema.Dropping }

// hasAny reports whether an index has one of some columns, in its key or in its entries' values.
func hasAny(x *schema.Index, columns []string) bool {
	for _, part := range x.Key {
		for _, a := range part.Args {
			if slices.Contains(columns, a.Column) {
				return true
			}
		}
	}
	return slices.ContainsFunc(x.Include, func(name string) bool { return slices.Contains(columns, name) })
}

// purgeRows goes through a page of rows and returns the key after which to go on, nil at the end, and for a table that
// was dropped meanwhile.
func (c *call) purgeRows(name tree.Name, id uint32, columns []string, after value.Row) (last value.Row, err error) {
	p, err := c.DB.PinIn(name.Database, name.Name)
	if err != nil {
		return nil, c.missing(err, name)
	}
	defer p.Release()
	if p.Descriptor().ID != id {
		return nil, nil
	}
	keys, last, err := c.rowsWith(p, columns, after)
	if err != nil {
		return nil, err
	}
	remove := &expr.Update{}
	for _, column := range columns {
		remove.Remove = append(remove.Remove, expr.Path{Name: column})
	}
	for _, key := range keys {
		// no constraint is about a dropped column
		write := &database.Write{Op: database.OpUpdate, Row: key, Update: remove, Judged: true}
		if err := p.Write(c.ctx, write, &database.WriteResult{}); err != nil {
			return nil, err
		}
	}
	return last, nil
}

// rowsWith returns the keys of those rows of a page that have one of the columns.
func (c *call) rowsWith(p database.Pinned, columns []string, after value.Row) (keys []value.Row, last value.Row,
	err error) {
	has := &expr.Or{}
	for _, column := range columns {
		has.List = append(has.List, &expr.Exists{Path: expr.Path{Name: column}})
	}
	cursor, err := p.Query(c.ctx, database.Query{Filter: has, After: after, ExaminedMax: purgePage, Quiet: true})
	if err != nil {
		return nil, nil, err
	}
	for cursor.Next() {
		key, err := p.KeyOf(nil, cursor.Row())
		if err != nil {
			cursor.Close()
			return nil, nil, err
		}
		keys = append(keys, bytes.Clone(key))
	}
	if cursor.More() {
		last, err = cursor.LastKey()
	}
	if closed := cursor.Close(); err == nil {
		err = closed
	}
	return keys, last, err
}
