// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// retype are columns whose rows are written anew, and their indexes.
type retype struct {
	actions []*tree.ModifyColumn
	columns []string
	indexes []string
	mark    string // of its columns
}

// prepareRetype computes what takes the place of columns that get types for which rows can't stay as they are. Nothing
// else has changed if it fails.
func (c *call) prepareRetype(name tree.Name, table *database.Table, p *parts) (*retype, error) {
	r := &retype{mark: strconv.FormatUint(rand.Uint64(), 36)}
	added, err := c.rewritten(name, p, r)
	if err != nil || len(added)+len(p.gone) == 0 {
		return r, err
	}
	if err = c.clearRetype(name, table); err == nil && len(added) > 0 {
		err = c.alter(name, table, added)
	}
	if err == nil && len(added) > 0 && c.Fill != nil {
		hidden := make([]string, len(r.columns))
		for i, column := range r.columns {
			hidden[i] = definition.Retyped(column)
		}
		err = c.Fill(c.ctx, name, hidden)
	}
	if err == nil {
		err = c.twin(name, table, p, r)
	}
	return r, c.orClear(name, table, err)
}

// rewritten notes the columns whose rows are written anew, and returns the actions that add what takes their place.
func (c *call) rewritten(name tree.Name, p *parts, r *retype) (added []tree.AlterAction, err error) {
	pin, err := c.pin(name)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	for _, action := range p.others {
		modify, ok := action.(*tree.ModifyColumn)
		if !ok {
			continue
		}
		add, err := c.Limits.Rewriting(pin.Table, modify, r.mark)
		if err != nil {
			return nil, err
		}
		if add != nil && c.session.Zoned && pin.MovesZone(modify) {
			return nil, notSupported("column '" + modify.Name +
				"' is converted between TIMESTAMP and another type in UTC: " +
				"SET time_zone = '+00:00' first")
		}
		if add != nil {
			added = append(added, add)
			r.actions, r.columns = append(r.actions, modify), append(r.columns, modify.Name)
		}
	}
	return added, nil
}

// twin makes the indexes of the columns anew, and those that lose columns, but for those that the statement drops.
func (c *call) twin(name tree.Name, table *database.Table, p *parts, r *retype) error {
	var without []string
	for _, index := range p.dropped {
		without = append(without, index.Index)
	}
	pin, err := c.pin(name)
	if err != nil {
		return err
	}
	twins, err := c.Limits.Twins(pin.Table, r.columns, p.gone, without)
	pin.Release()
	if err != nil {
		return err
	}
	for i := range twins {
		if err := c.addIndex(table, name, twins[i]); err != nil {
			return err
		}
		if err := c.awaitIndex(name, twins[i].Name); err != nil {
			return err
		}
		r.indexes = append(r.indexes, strings.TrimPrefix(twins[i].Name, definition.Retyped("")))
	}
	return nil
}

// finishRetype lets what was computed take the place of the columns, and removes what it replaces.
func (c *call) finishRetype(name tree.Name, table *database.Table, r *retype) error {
	if len(r.columns)+len(r.indexes) == 0 {
		return nil
	}
	var renamings []database.Renaming
	for _, column := range r.columns {
		renamings = append(renamings, database.Renaming{From: column, To: definition.FormerName(column)},
			database.Renaming{From: definition.Retyped(column), To: column})
	}
	var refusal error
	err := table.RenameAttributes(c.ctx, renamings, func(d *schema.Table) error {
		refusal = c.Limits.Retype(d, r.actions, r.indexes, r.mark)
		return refusal
	})
	if refusal != nil {
		err = refusal
	}
	return c.orClear(name, table, c.missing(err, name))
}

// orClear removes what a change of types has left, whether it has failed or come to its end.
func (c *call) orClear(name tree.Name, table *database.Table, because error) error {
	if because == nil {
		return nil
	}
	with := *c
	with.ctx = context.WithoutCancel(c.ctx)
	return errors.Join(because, with.clearRetype(name, table))
}

// clearRetype removes columns that were to take the place of others, those that were replaced, and their indexes.
func (c *call) clearRetype(name tree.Name, table *database.Table) error {
	pin, err := c.pin(name)
	if err != nil {
		return err
	}
	columns, indexes, replaced := definition.Leftovers(pin.Descriptor, pin.Table)
	deleting := slices.Clone(pin.Deleting)
	pin.Release()
	for _, index := range indexes {
		if err := table.DropIndex(c.ctx, index); err != nil && database.KindOf(err) != database.KindNotFound {
			return err
		}
	}
	for _, column := range columns {
		if err := c.change(name, &tree.DropColumn{IfExists: true, Name: column}); err != nil {
			return err
		}
	}
	if len(columns) == 0 && !replaced {
		return nil
	}
	if err := c.awaitLeaving(name, append(deleting, columns...)); err != nil {
		return err
	}
	return c.purge(table, name)
}

// numberRows makes the numbers of a column that gets AUTO_INCREMENT go on behind those that rows have.
func (c *call) numberRows(name tree.Name, column string) error {
	if c.Greatest == nil {
		return nil
	}
	greatest, err := c.Greatest(c.ctx, name, column)
	if err != nil || greatest == 0 {
		return err
	}
	p, err := c.pin(name)
	if err != nil {
		return err
	}
	defer p.Release()
	return p.at.PassNumber(c.ctx, database.CounterColumn, greatest)
}

// numbered are the columns that get AUTO_INCREMENT.
func (c *call) numbered(name tree.Name, p *parts) (columns []string, err error) {
	pin, err := c.pin(name)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	for _, action := range p.others {
		if modify, ok := action.(*tree.ModifyColumn); ok && pin.GetsNumbers(modify) {
			columns = append(columns, modify.Name)
		}
	}
	return columns, nil
}

// narrow drops indexes and changes the descriptor. Where a column is to hold less than it did, rows have to be what it
// will hold: a check that holds off others goes with the change itself.
func (c *call) narrow(name tree.Name, table *database.Table, p *parts) error {
	checks, faults, err := c.narrowingChecks(name, p.others)
	var done []tree.AlterAction
	for i := 0; err == nil && i < len(checks); i++ {
		if err = c.change(name, checks[i]); err != nil {
			break
		}
		done = append(done, &tree.DropConstraint{Kind: "CHECK", Name: checks[i].Name})
		if c.Verify == nil {
			continue
		}
		err = c.Verify(c.ctx, name, checks[i].Name)
		if f, ok := fault.Of(err); ok && f.Code == fault.CheckViolated {
			err = faults[i]
		}
	}
	var r *retype
	if err == nil {
		r, err = c.prepareRetype(name, table, p)
	}
	if err == nil {
		err = c.orClear(name, table, c.dropIndexes(name, p))
	}
	if err == nil {
		err = c.finishRetype(name, table, r)
	}
	if err == nil && len(p.gone) > 0 { // columns can go once no index has them
		err = c.clearRetype(name, table)
	}
	if err == nil {
		err = c.dropReplaced(name, table, p)
	}
	if err == nil {
		err = c.alterNumbered(name, table, p, done)
	}
	if err == nil && len(r.columns) > 0 {
		return c.clearRetype(name, table)
	}
	if err == nil || len(checks) == 0 {
		return err
	}
	for _, check := range checks {
		if undone := c.change(name, &tree.DropConstraint{Kind: "CHECK", Name: check.Name,
			IfExists: true}); undone != nil {
			return undone
		}
	}
	return err
}

// alterNumbered changes the descriptor, and the numbers of columns that get AUTO_INCREMENT: before, so that no row
// gets a number that another has, and again after, for rows that were written meanwhile.
func (c *call) alterNumbered(name tree.Name, table *database.Table, p *parts, done []tree.AlterAction) error {
	numbered, err := c.numbered(name, p)
	for i := 0; err == nil && i < len(numbered); i++ {
		err = c.numberRows(name, numbered[i])
	}
	if err == nil {
		err = c.alter(name, table, slices.Concat(p.others, done))
	}
	for i := 0; err == nil && i < len(numbered); i++ {
		err = c.numberRows(name, numbered[i])
	}
	return err
}

// narrowingChecks are the checks for columns that are to hold less than they do, with what to say of rows that don't
// meet them.
func (c *call) narrowingChecks(name tree.Name, actions []tree.AlterAction) (checks []*tree.AddCheck, faults []error,
	err error) {
	p, err := c.pin(name)
	if err != nil {
		return nil, nil, err
	}
	defer p.Release()
	for _, action := range actions {
		if modify, ok := action.(*tree.ModifyColumn); ok {
			if condition, otherwise := definition.Narrowing(p.Table, modify); condition != nil {
				checks = append(checks, &tree.AddCheck{
					Check: tree.Check{Name: definition.NarrowingName(p.Name, modify.Name), Condition: condition}})
				faults = append(faults, otherwise)
			}
		}
	}
	return checks, faults, nil
}
