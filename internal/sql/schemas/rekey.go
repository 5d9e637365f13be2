// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// A table gets another primary key in this way: nobody may write its rows. They are copied into a table with the new
// key, which nobody else sees, and the other actions of the statement are done there. Then that table takes the place
// of the first one, in one commit. Readers have the first one until then. If anything fails, it stays as it is. If the
// process ends, the copy goes with it, and the next process, or another gateway, lets writers in again.

// rekeying finds what actions do to the primary key of a table; nil: nothing.
func (c *call) rekeying(name tree.Name, actions []tree.AlterAction) (*definition.Rekeying, error) {
	p, err := c.pin(name)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	return p.Rekeying(actions)
}

// rekey does an ALTER TABLE that changes the primary key. first are the actions on the table before all others.
func (c *call) rekey(name tree.Name, table *database.Table, actions, first []tree.AlterAction) error {
	err := c.alterIn(name, first)
	if err == nil {
		err = c.poll(func() (bool, error) {
			err := c.missing(table.Hold(c.ctx), name)
			if database.KindOf(err) == database.KindBusy { // another statement changes the key
				return false, nil
			}
			return true, err
		})
	}
	if err != nil {
		return err
	}
	r, err := c.rekeying(name, actions)
	if err == nil && r == nil { // another statement has done it
		err = c.changedMeanwhile(name)
	}
	if err == nil {
		err = c.replace(name, table, r)
	}
	if err != nil {
		return errors.Join(err, table.Free(context.WithoutCancel(c.ctx)))
	}
	return c.alterIn(name, r.Last)
}

func (c *call) changedMeanwhile(name tree.Name) error {
	return fault.Message(fault.TableChanged, "table '%s' was changed by another statement; try again", name.Name)
}

// alterIn does actions of an ALTER TABLE on a table that may be one of copyOf's.
func (c *call) alterIn(name tree.Name, actions []tree.AlterAction) error {
	if len(actions) == 0 {
		return nil
	}
	moved := make([]tree.AlterAction, len(actions))
	for i, action := range actions {
		switch a := action.(type) {
		case *tree.CreateIndex:
			there := *a
			there.Table = name
			action = &there
		case *tree.DropIndex:
			there := *a
			there.Table = name
			action = &there
		}
		moved[i] = action
	}
	return c.alterTable(&tree.AlterTable{Table: name, Actions: moved})
}

// replace puts a table with another key into the place of one whose rows nobody writes.
func (c *call) replace(name tree.Name, table *database.Table, r *definition.Rekeying) (err error) {
	inner := *c
	inner.ctx, inner.session.Own, inner.copies = c.DB.AsItself(c.ctx), nil, true
	var made []string // databases of copies
	defer func() {
		for _, of := range made {
			err = errors.Join(err, c.DB.DropDatabase(context.WithoutCancel(inner.ctx), of, true))
		}
	}()
	p, err := inner.pin(name)
	if err != nil {
		return err
	}
	version, key, from := p.Descriptor.Version, p.KeyElements(), name
	p.Release()
	if r.Unties {
		key = nil
	}
	if len(r.Before) > 0 {
		from, err = inner.copyOf(name, key, "", &made)
		if err == nil {
			err = inner.alterIn(from, r.Before)
		}
		if err != nil {
			return err
		}
	}
	to, err := inner.copyOf(from, r.Key, r.Number, &made)
	if err == nil {
		err = inner.alterIn(to, r.After)
	}
	if err == nil {
		err = inner.checkKeys(name, to)
	}
	if err != nil {
		return err
	}
	var refusal error
	err = table.Replace(c.ctx, c.DB.TableNamed(to.Database, to.Name), func(old, fresh *schema.Table) error {
		if refusal = definition.Inherit(old, fresh); old.Version != version {
			refusal = c.changedMeanwhile(name)
		}
		return refusal
	})
	if refusal != nil {
		err = refusal
	}
	return c.missing(err, name)
}

// copyOf makes a table that nobody else sees, with the rows of another one and a primary key of its own, and notes its
// database.
func (c *call) copyOf(from tree.Name, key []tree.KeyElement, number string, made *[]string) (to tree.Name, err error) {
	if c.Copy == nil {
		return to, notSupported("the primary key can't change here")
	}
	if to.Database, err = c.DB.CreateTemporary(c.ctx); err != nil {
		return to, err
	}
	*made, to.Name = append(*made, to.Database), from.Name
	p, err := c.pin(from)
	if err != nil {
		return to, err
	}
	next, err := p.at.NextNumber(c.ctx, database.CounterColumn)
	p.Release() // changes of the schema wait for it, and the next one for them
	if err != nil {
		return to, err
	}
	spec, err := c.Limits.Rekey(p.Table, key, number, to.Database)
	if err == nil {
		_, err = c.DB.CreateTable(c.ctx, spec)
	}
	if database.KindOf(err) == database.KindInvalid {
		err = fault.Because(err, fault.CannotCreateTable, to.Name, reason(err))
	}
	if err == nil {
		err = c.passNumbers(to, next)
	}
	if err == nil {
		err = c.Copy(c.ctx, from, to, number)
	}
	return to, err
}

// passNumbers makes the numbers of a copy go on with the one that is next for the table.
func (c *call) passNumbers(to tree.Name, next uint64) error {
	if next <= 1 {
		return nil
	}
	p, err := c.pin(to)
	if err != nil {
		return err
	}
	defer p.Release()
	return p.at.PassNumber(c.ctx, database.CounterColumn, next-1)
}

// checkKeys refuses a copy that has not the keys which it needs in the place of a table.
func (c *call) checkKeys(name, to tree.Name) error {
	old, err := c.pin(name)
	if err != nil {
		return err
	}
	defer old.Release()
	referred, err := c.referredOf(old.Table)
	if err != nil {
		return err
	}
	p, err := c.pin(to)
	if err != nil {
		return err
	}
	defer p.Release()
	return p.CheckKeys(old.ForeignKeys, referred)
}
