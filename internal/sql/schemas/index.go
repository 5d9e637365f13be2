// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"errors"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// createIndex starts to build an index, and waits until it answers unless ASYNC was said. If the statement ends before,
// the build goes on; a row that can't stand in the index ends the statement without the index.
func (c *call) createIndex(st *tree.CreateIndex) error {
	table, name, err := c.table(st.Table)
	if err != nil {
		return err
	}
	st, hidden, err := c.express(st, name)
	if err != nil {
		return err
	}
	if err = c.createKeyed(st, table, name); err != nil && len(hidden) > 0 {
		return c.undo(name, hidden, err)
	}
	return err
}

// express makes the columns that an index on expressions needs. hidden are actions that drop them again.
func (c *call) express(st *tree.CreateIndex, name tree.Name) (_ *tree.CreateIndex, hidden []tree.AlterAction,
	err error) {
	p, err := c.pin(st.Table)
	if err != nil {
		return nil, nil, err
	}
	p.SpellIndex(&st.Index)
	one := *st
	added, err := c.Limits.Express(p.Table, &one.Index)
	p.Release()
	for i := 0; err == nil && i < len(added); i++ {
		if err = c.change(name, added[i]); err == nil {
			if err = c.fill(name, []tree.AlterAction{added[i]}); err == nil {
				hidden = append(hidden, &tree.DropColumn{Name: added[i].Column.Name})
			}
		}
	}
	if err != nil && len(hidden) > 0 {
		err = c.undo(name, hidden, err)
	}
	return &one, hidden, err
}

// createKeyed is createIndex on columns.
func (c *call) createKeyed(st *tree.CreateIndex, table *database.Table, name tree.Name) error {
	spec, err := c.indexSpec(st)
	if err != nil {
		if f, ok := fault.Of(err); ok && f.Code == fault.KeyNameTwice && st.IfNotExists {
			c.session.Warn(f.Code, f.Message)
			return nil
		}
		return err
	}
	err = c.addIndex(table, name, spec)
	switch database.KindOf(err) {
	case database.KindExists:
		return fault.Because(err, fault.KeyNameTwice, spec.Name)
	case database.KindInvalid:
		return &fault.Error{Code: fault.NotSupported, State: fault.NotSupported.State(),
			Message: "index " + spec.Name + ": " +
				strings.TrimLeft(strings.TrimPrefix(reason(err), "index "+spec.Name), ",: "), Err: err}
	}
	if err != nil {
		return c.missing(err, name)
	}
	c.noteIdle(st.Index.Options)
	if st.Index.Async {
		return nil
	}
	err = c.awaitIndex(name, spec.Name)
	if _, refused := fault.Of(err); refused {
		if dropped := table.DropIndex(c.ctx, spec.Name); dropped != nil &&
			database.KindOf(dropped) != database.KindNotFound {
			return dropped
		}
	}
	return err
}

// addIndex starts the build. An index of the same name that was dropped just before is waited for.
func (c *call) addIndex(table *database.Table, name tree.Name, spec database.IndexSpec) error {
	err := table.AddIndex(c.ctx, spec)
	if database.KindOf(err) != database.KindExists {
		return err
	}
	if err := c.awaitName(name, spec.Name); err != nil {
		return err
	}
	return table.AddIndex(c.ctx, spec)
}

// awaitName waits while an index that was dropped still has a name.
func (c *call) awaitName(name tree.Name, index string) error {
	return c.poll(func() (bool, error) {
		leaving, err := c.isLeaving(name, index)
		return !leaving, err
	})
}

func (c *call) isLeaving(name tree.Name, index string) (bool, error) {
	p, err := c.DB.PinIn(name.Database, name.Name)
	if err != nil {
		return false, c.missing(err, name)
	}
	defer p.Release()
	x, ok := p.Descriptor().Index(index)
	return ok && definition.IsLeaving(x), nil
}

func (c *call) indexSpec(st *tree.CreateIndex) (database.IndexSpec, error) {
	p, err := c.pin(st.Table)
	if err != nil {
		return database.IndexSpec{}, err
	}
	defer p.Release()
	return c.Limits.Index(&st.Index, p.Table)
}

// The times between two looks at a build or a removal.
const (
	lookFirst = time.Millisecond
	lookLast  = 100 * time.Millisecond
)

// awaitIndex waits until an index answers queries, or is gone. Errors: a *fault.Error if a row can't stand in it.
func (c *call) awaitIndex(name tree.Name, index string) error {
	return c.poll(func() (bool, error) {
		building, err := c.isBuilding(name, index)
		return !building, err
	})
}

// poll looks again and again until something is so.
func (c *call) poll(so func() (bool, error)) error {
	for pause := lookFirst; ; pause = min(2*pause, lookLast) {
		if done, err := so(); err != nil || done {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-c.ctx.Done():
			timer.Stop()
			return c.ctx.Err()
		}
	}
}

func (c *call) isBuilding(name tree.Name, index string) (bool, error) {
	p, err := c.DB.PinIn(name.Database, name.Name)
	if err != nil {
		return false, c.missing(err, name)
	}
	defer p.Release()
	x, ok := p.Descriptor().Index(index)
	if !ok || x.State.Readable() || !x.State.TakesDeletes() {
		return false, nil
	}
	progress, building, err := p.BuildProgress(c.ctx, index)
	if progress.Duplicate != nil {
		t, err := c.pin(name)
		if err != nil {
			return false, err
		}
		defer t.Release()
		return false, t.Duplicate(progress.Duplicate)
	}
	if progress.Misfit {
		return false, &fault.Error{Code: fault.IncorrectValue, State: fault.IncorrectValue.State(),
			Message: "index '" + index + "' can't be built: " + faultText(progress.Fault)}
	}
	return building, err
}

// faultText is why a build stands still, without the names of layers.
func faultText(text string) string { return (&database.Error{Err: errors.New(text)}).Reason() }

func (c *call) dropIndex(st *tree.DropIndex) error {
	table, name, err := c.table(st.Table)
	if err != nil {
		return err
	}
	p, err := c.pin(st.Table)
	if err != nil {
		return err
	}
	spelled := *st
	if spelled.Index = p.SpelledIndex(st.Index); strings.EqualFold(st.Index, definition.PrimaryName) {
		p.Release()
		return c.alterTable(&tree.AlterTable{Table: st.Table, Actions: []tree.AlterAction{&tree.DropPrimaryKey{}}})
	}
	if st = &spelled; err == nil {
		err = c.checkDropIndex(name, st.Index)
	}
	if err != nil {
		p.Release()
		return err
	}
	p.Release() // what it knows stays; held, it would hold up the change
	err = table.DropIndex(c.ctx, st.Index)
	for _, column := range p.ExpressionsOf(st.Index) {
		if err == nil {
			err = c.change(name, &tree.DropColumn{Name: column})
		}
	}
	if err == nil || database.KindOf(err) != database.KindNotFound {
		return err
	}
	unknown := p.UnknownIndex(fault.DropColumnUnknown, st.Index)
	if st.IfExists {
		c.session.Warn(unknown.Code, unknown.Message)
		return nil
	}
	return unknown
}

// dropIndexes drops the indexes of an ALTER TABLE, after the constraints that it drops, which may need them.
func (c *call) dropIndexes(name tree.Name, p *parts) error {
	if len(p.dropped) == 0 {
		return nil
	}
	kept := p.others[:0:0]
	for _, action := range p.others {
		constraint, ok := action.(*tree.DropConstraint)
		if !ok {
			kept = append(kept, action)
		} else if err := c.change(name, constraint); err != nil {
			return err
		}
	}
	p.others = kept
	for _, index := range p.dropped {
		if err := c.dropIndex(index); err != nil {
			return err
		}
	}
	return nil
}

// addIndexes makes the indexes of an ALTER TABLE.
func (c *call) addIndexes(name tree.Name, p *parts) error {
	for _, index := range p.made {
		one, hidden, err := c.express(index, name)
		if err != nil {
			return err
		}
		p.hidden = hidden
		spec, err := c.indexSpec(one)
		if err == nil {
			one.Index.Name = spec.Name
		}
		if err := c.createIndex(one); err != nil {
			return err
		}
		if err == nil {
			p.built = append(p.built, spec.Name)
		}
		p.hidden = nil
	}
	return nil
}

// undo takes back what a statement did that ends with an error.
func (c *call) undo(name tree.Name, actions []tree.AlterAction, because error) error {
	for _, action := range actions {
		if err := c.change(name, action); err != nil {
			return err
		}
	}
	return because
}

// buildIndex is BUILD INDEX, for which there is nothing to do but to wait: an index is built as it is made. ALTER INDEX
// .. REBUILD learns the codecs of a Z-order anew.
func (c *call) buildIndex(st *tree.BuildIndex) error {
	p, err := c.pin(st.Table)
	if err != nil {
		return err
	}
	name := tree.Name{Database: p.Database, Name: p.Name}
	var names []string
	for i := range p.Indexes {
		if x := &p.Indexes[i]; st.Index == "" || x.Name == st.Index {
			names = append(names, x.Name)
		}
	}
	p.Release()
	if st.Index != "" && len(names) == 0 {
		return p.UnknownIndex(fault.NoSuchIndex, st.Index)
	}
	if len(st.Fields) > 0 {
		return c.alterFields(st, name)
	}
	if len(st.Options) > 0 {
		return c.splitIndex(st, name)
	}
	return c.buildAll(name, names, st.Alter)
}

// splitIndex is ALTER INDEX .. SET 'SPLITKEYS' = ..
func (c *call) splitIndex(st *tree.BuildIndex, name tree.Name) error {
	p, err := c.pin(st.Table)
	if err != nil {
		return err
	}
	spec, err := p.SplitIndexAt(st.Index, st.Options)
	p.Release()
	if err != nil {
		return err
	}
	table, err := c.DB.TableIn(name.Database, name.Name)
	if err == nil {
		_, err = table.Split(c.ctx, st.Index, *spec)
	}
	return c.missing(err, name)
}

func (c *call) buildAll(name tree.Name, names []string, alter string) error {
	switch alter {
	case "", "REBUILD":
	case "DISABLED", "DISABLE":
		return notSupported("an index can't be disabled: DROP INDEX removes it at once, and CREATE INDEX rebuilds it while the table is in use")
	default:
		return notSupported("ALTER INDEX takes REBUILD: an index is dropped and made anew to change it")
	}
	table, err := c.DB.TableIn(name.Database, name.Name)
	if err != nil {
		return c.missing(err, name)
	}
	for _, index := range names {
		if alter == "REBUILD" {
			err := table.RebuildIndex(c.ctx, index)
			// it learns nothing, or is at it
			if kind := database.KindOf(err); err != nil && kind != database.KindInvalid && kind != database.KindBusy {
				return err
			}
		}
		if err := c.awaitIndex(name, index); err != nil {
			return err
		}
	}
	return nil
}

// alterFields is ALTER INDEX .. ADD or DROP COLUMNS of a search index. It waits until the index answers with its new
// columns.
func (c *call) alterFields(st *tree.BuildIndex, name tree.Name) error {
	p, err := c.pin(st.Table)
	if err != nil {
		return err
	}
	key, err := c.Limits.Fields(p.Table, st)
	p.Release()
	if err != nil {
		return err
	}
	table, err := c.DB.TableIn(name.Database, name.Name)
	if err != nil {
		return c.missing(err, name)
	}
	if err := table.SetFields(c.ctx, st.Index, key); err != nil {
		return err
	}
	return c.poll(func() (bool, error) {
		p, err := c.DB.PinIn(name.Database, name.Name)
		if err != nil {
			return false, c.missing(err, name)
		}
		defer p.Release()
		for x := range p.Descriptor().Rebuilds(st.Index) {
			if !x.IsReplaced() {
				return false, nil
			}
		}
		return true, nil
	})
}

func notSupported(text string) error { return fault.New(fault.NotSupported, text) }
