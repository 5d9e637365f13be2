// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

func (c *call) createTable(st *tree.CreateTable) error {
	name, err := c.base(st.Table)
	if err != nil {
		return err
	}
	if !c.hasDatabase(name.Database) && !database.IsTemporary(name.Database) {
		return UnknownDatabase(c.DB, name.Database)
	}
	if _, err := c.DB.TableIn(name.Database, name.Name); err == nil && st.IfNotExists {
		c.session.Warn(fault.TableExists, fault.New(fault.TableExists, name.Name).Message)
		return nil
	}
	definition.SpellCreate(st)
	spec, err := c.specOf(st, name)
	if err != nil {
		return err
	}
	keys, err := c.prepareKeys(&spec)
	if err != nil {
		return err
	}
	if _, err = c.DB.CreateTable(c.ctx, spec); err == nil {
		if err := c.startNumbers(name, st.Options); err != nil {
			return err
		}
		c.noteIdle(st.Options)
		c.noteCollation(st.Collation)
		for i := range st.Indexes {
			c.noteIdle(st.Indexes[i].Options)
		}
		return nil
	}
	if database.KindOf(err) != database.KindExists { // then the names may be those of the other table
		if undone := c.forget(name.Database, name.Name, keys); undone != nil {
			return undone
		}
	}
	switch database.KindOf(err) {
	case database.KindExists:
		exists := fault.Because(err, fault.TableExists, name.Name)
		if st.IfNotExists {
			c.session.Warn(exists.Code, exists.Message)
			return nil
		}
		return exists
	case database.KindInvalid:
		return fault.Because(err, fault.CannotCreateTable, name.Name, reason(err))
	}
	return err
}

// prepareKeys makes foreign keys ready before their table is there: it and the tables that they refer to know of one
// another.
func (c *call) prepareKeys(spec *database.TableSpec) ([]definition.ForeignKey, error) {
	if _, err := c.DB.TableIn(spec.Database, spec.Name); err == nil {
		return nil, nil // CreateTable says so
	}
	referrers, err := c.referrers(tree.Name{Database: spec.Database, Name: spec.Name})
	if err != nil {
		return nil, err
	}
	return definition.Prepare(spec, referrers, c.refer)
}

// startNumbers makes AUTO_INCREMENT go on from the option of that name. It never goes back.
func (c *call) startNumbers(name tree.Name, options []tree.Option) error {
	for _, o := range options {
		if !strings.EqualFold(o.Name, "AUTO_INCREMENT") {
			continue
		}
		first, err := strconv.ParseUint(o.Value, 10, 64)
		if err != nil {
			return fault.New(fault.WrongVariableValue, o.Name, o.Value)
		}
		p, err := c.pin(name)
		if err != nil {
			return err
		}
		if first > 1 && p.Auto() >= 0 {
			err = p.at.PassNumber(c.ctx, database.CounterColumn, first-1)
		}
		p.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// noteCollation tells of a collation that texts will not be compared by.
func (c *call) noteCollation(name string) {
	if name != "" {
		c.session.Warn(fault.NotSupported, definition.CollationNote(name))
	}
}

// noteIdle tells of options that change nothing.
func (c *call) noteIdle(options []tree.Option) {
	if names := definition.Idle(options); len(names) > 0 {
		c.session.Warn(fault.NotSupported, strings.Join(names, ", ")+": stored and shown, but without effect")
	}
}

// isPlain reports whether a table is one of MySQL's kind, whose columns have their defaults in rows that were there
// before them.
func (c *call) isPlain(name tree.Name) (bool, error) {
	p, err := c.pin(name)
	if err != nil {
		return false, err
	}
	defer p.Release()
	return p.InsertFails, nil
}

// noteAltered tells what an ALTER TABLE does not do, though it may be expected.
func (c *call) noteAltered(actions []tree.AlterAction, plain bool) {
	for _, action := range actions {
		switch action := action.(type) {
		case *tree.AddColumn:
			if !plain && action.Column.Generated == nil && (action.Column.Default != nil || action.Column.NotNull) {
				c.session.Warn(fault.NotSupported,
					"column '"+action.Column.Name+
						"' is NULL in existing rows: DEFAULT and NOT NULL apply to rows written from now on")
			}
		case *tree.SetOptions:
			c.noteIdle(action.Options)
		}
	}
}

func (c *call) specOf(st *tree.CreateTable, name tree.Name) (database.TableSpec, error) {
	if st.Like == nil {
		return c.Limits.Create(st, name.Database)
	}
	if err := c.Limits.CheckTableName(name.Name); err != nil {
		return database.TableSpec{}, err
	}
	like, err := c.pin(*st.Like)
	if err != nil {
		return database.TableSpec{}, err
	}
	defer like.Release()
	return definition.Like(like.Table, name.Database, name.Name)
}

// dropTables drops all tables that are named, or none if one is not there and IF EXISTS was not said.
func (c *call) dropTables(st *tree.DropTable) error {
	names := make([]tree.Name, 0, len(st.Tables))
	var absent []string
	for _, table := range st.Tables {
		_, name, err := c.table(table)
		switch f, _ := fault.Of(err); {
		case err == nil:
			names = append(names, name)
		case f == nil || f.Code != fault.NoSuchTable && f.Code != fault.WrongObject &&
			(f.Code != fault.UnknownDatabase || !st.IfExists):
			return err
		default:
			absent = append(absent, name.Database+"."+name.Name)
		}
	}
	if len(absent) > 0 && !st.IfExists {
		unknown := fault.New(fault.UnknownTableDrop, strings.Join(absent, ","))
		if database, name, one := strings.Cut(absent[0], "."); one && len(absent) == 1 {
			return unknown.Meant(name, namesIn(c.DB, database))
		}
		return unknown
	}
	if err := c.checkUnreferred(names); err != nil {
		return err
	}
	for _, name := range names {
		keys, err := c.foreignKeysOf(name.Database, name.Name)
		if err != nil {
			return err
		}
		if err := c.DB.DropTable(c.ctx, name.Database, name.Name); err != nil &&
			database.KindOf(err) != database.KindNotFound {
			return err
		}
		if err := c.forget(name.Database, name.Name, keys); err != nil {
			return err
		}
	}
	for _, name := range absent {
		c.session.Warn(fault.UnknownTableDrop, fault.New(fault.UnknownTableDrop, name).Message)
	}
	return nil
}

// truncateTable frees all rows at once.
func (c *call) truncateTable(st *tree.TruncateTable) error {
	name, err := c.resolve(st.Table)
	if err != nil {
		return err
	}
	if err := c.checkTruncate(name); err != nil {
		return err
	}
	return c.missing(c.DB.TruncateTable(c.ctx, name.Database, name.Name, nil), name)
}

// alterTable changes the descriptor in one step, between those that drop indexes and those that make indexes and
// foreign keys. It then compacts if that was asked for. docs/sql.md says what remains after a failure.
func (c *call) alterTable(st *tree.AlterTable) error {
	table, name, err := c.table(st.Table)
	if err != nil {
		return err
	}
	if done, err := c.splitRegions(name, table, st.Actions); done || err != nil {
		return err
	}
	if r, err := c.rekeying(name, st.Actions); err != nil {
		return err
	} else if r != nil && c.copies {
		return notSupported("the primary key can't change in one statement with what else this one does: use several")
	} else if r != nil {
		c.noteCollation(st.Collation)
		return c.rekey(name, table, st.Actions, r.First)
	}
	parts := split(st.Table, st.Actions)
	checked, err := c.checksOf(name)
	if err != nil {
		return err
	}
	before, err := c.foreignKeysOf(name.Database, name.Name)
	if err = errors.Join(err, c.leaveIndexes(name, &parts)); err == nil {
		err = c.free(name, table, &parts)
	}
	if err == nil && (len(st.Actions)+len(parts.gone) > 1 || len(parts.renames) > 0 ||
		len(parts.dropped)+len(parts.others) > 1) {
		err = c.rehearse(name, &parts)
	}
	if err == nil {
		err = c.rename(name, table, &parts)
	}
	if err != nil {
		return err
	}
	if err := c.narrow(name, table, &parts); err != nil {
		return c.renameBack(name, table, &parts, err)
	}
	if err = c.forgetDropped(name, before); err == nil {
		err = c.fill(name, parts.others)
	}
	if err == nil {
		err = c.addIndexes(name, &parts)
	}
	if err == nil {
		err = c.verifyChecks(name, checked)
	}
	if err != nil {
		return c.renameBack(name, table, &parts, c.takeBack(name, &parts, checked, err))
	}
	for _, key := range parts.keys {
		if err := c.addForeignKey(name, key); err != nil {
			return err
		}
	}
	return c.settleAltered(name, table, st)
}

// settleAltered does what comes last in an ALTER TABLE: notes, numbers and COMPACT.
func (c *call) settleAltered(name tree.Name, table *database.Table, st *tree.AlterTable) error {
	plain, err := c.isPlain(name)
	if err != nil {
		return err
	}
	c.noteAltered(st.Actions, plain)
	c.noteCollation(st.Collation)
	for _, action := range st.Actions {
		if set, ok := action.(*tree.SetOptions); ok {
			if err := c.startNumbers(name, set.Options); err != nil {
				return err
			}
		}
	}
	for _, action := range st.Actions {
		if _, ok := action.(*tree.Compact); ok {
			if err := c.purge(table, name); err != nil {
				return err
			}
			return c.missing(table.Compact(c.ctx), name)
		}
	}
	return nil
}

// splitRegions gives actions the names that the table has, and splits it at keys, if that is all that is asked for.
func (c *call) splitRegions(name tree.Name, table *database.Table, actions []tree.AlterAction) (done bool, err error) {
	p, err := c.pin(name)
	if err != nil {
		return false, err
	}
	p.SpellAlter(actions)
	spec, done, err := p.SplitAt(actions)
	p.Release()
	if done && err == nil {
		_, err = table.Split(c.ctx, "", *spec)
		err = c.missing(err, name)
	}
	return done, err
}

// parts are the actions of an ALTER TABLE in the order in which they are carried out.
type parts struct {
	renames []*tree.RenameColumn
	indexes []*tree.RenameIndex
	dropped []*tree.DropIndex
	others  []tree.AlterAction
	made    []*tree.CreateIndex
	keys    []*tree.ForeignKey
	built   []string           // the indexes of made that were not there
	hidden  []tree.AlterAction // drop the columns of an index on expressions that was not made
	renamed int                // how many of renames are done
	gone    []string           // columns that are dropped and that indexes are to do without
}

func split(table tree.Name, actions []tree.AlterAction) (p parts) {
	for _, action := range actions {
		switch a := action.(type) {
		case *tree.DropIndex:
			p.dropped = append(p.dropped, a)
		case *tree.CreateIndex:
			p.made = append(p.made, a)
		case *tree.AddForeignKey:
			p.keys = append(p.keys, &a.ForeignKey)
		case *tree.AddColumn:
			if a.Column.References != nil {
				p.keys = append(p.keys, a.Column.References)
			}
			if a.Column.Unique && !a.IfNotExists {
				plain := *a
				plain.Column.Unique = false
				a, p.made = &plain, append(p.made, uniqueOn(table, a.Column.Name))
			}
			p.others = append(p.others, a)
		case *tree.RenameColumn:
			p.renames = append(p.renames, a)
		case *tree.RenameIndex:
			p.indexes = append(p.indexes, a)
		case *tree.ModifyColumn:
			plain := *a
			if plain.Column.Unique {
				plain.Column.Unique = false
				p.made = append(p.made, uniqueOn(table, a.Column.Name))
			}
			if a.Name != a.Column.Name {
				p.renames = append(p.renames, &tree.RenameColumn{From: a.Name, To: a.Column.Name})
				plain.Name = a.Column.Name
			}
			p.others = append(p.others, &plain)
		default:
			p.others = append(p.others, a)
		}
	}
	return p
}

func uniqueOn(table tree.Name, column string) *tree.CreateIndex {
	return &tree.CreateIndex{Table: table,
		Index: tree.IndexDefinition{Unique: true, Key: []tree.KeyElement{{Column: column}}}}
}

// rehearse changes a copy of the table's definition, so that a statement of several actions changes nothing if one of
// them can't be done. An action that the rows don't allow is found later.
func (c *call) rehearse(name tree.Name, p *parts) error {
	seen, err := c.knownNames(name)
	if err != nil {
		return err
	}
	pin, err := c.pin(name)
	if err != nil {
		return err
	}
	defer pin.Release()
	d := pin.Descriptor.Clone()
	for _, r := range p.renames {
		if err := c.Limits.RenameColumn(d, r); err != nil {
			return err
		}
		if r.From == r.To {
			continue
		}
		if err := d.RenameAttribute(r.From, r.To); err != nil {
			return err
		}
	}
	for _, r := range p.indexes {
		if err := definition.RenameIndex(d, r); err != nil {
			return err
		}
	}
	for _, index := range p.dropped {
		at := slices.IndexFunc(d.Indexes, func(x schema.Index) bool { return x.Name == index.Index })
		if at < 0 && !index.IfExists {
			return pin.UnknownIndex(fault.DropColumnUnknown, index.Index)
		} else if at >= 0 {
			d.Indexes = slices.Delete(d.Indexes, at, at+1)
		}
	}
	definition.Shrink(d, p.gone)
	if replaced := p.replaced(); pin.InsertFails && len(replaced) > 0 {
		known := seen
		seen = func(name string) bool { return !slices.Contains(replaced, name) && known(name) }
	}
	limits := c.Limits
	limits.Rewritten = true
	if err := limits.Alter(d, p.others, seen); err != nil {
		return err
	}
	if err := definition.SetJournal(c.DB, d, p.others); err != nil {
		return err
	}
	return c.rehearseIndexes(d, p.made, seen)
}

func (c *call) rehearseIndexes(d *schema.Table, made []*tree.CreateIndex, seen func(string) bool) error {
	var names []string
	for _, index := range made {
		table, err := definition.Of(d)
		if err != nil {
			return err
		}
		one := *index
		added, err := c.Limits.Express(table, &one.Index)
		for i := 0; err == nil && i < len(added); i++ {
			err = c.Limits.Alter(d, []tree.AlterAction{added[i]}, seen)
		}
		if err == nil {
			table, err = definition.Of(d)
		}
		if err != nil {
			return err
		}
		spec, err := c.Limits.Index(&one.Index, table)
		if f, ok := fault.Of(err); err != nil && !(ok && f.Code == fault.KeyNameTwice && index.IfNotExists) {
			return err
		}
		if slices.Contains(names, spec.Name) && index.Index.Name != "" {
			return fault.New(fault.KeyNameTwice, spec.Name)
		}
		names = append(names, spec.Name)
	}
	return nil
}

// takeBack drops the checks, indexes and columns that a failed statement has added.
func (c *call) takeBack(name tree.Name, p *parts, before []string, because error) error {
	undone, err := c.checksOf(name)
	if err != nil {
		return err
	}
	var actions []tree.AlterAction
	for _, check := range undone {
		if !slices.Contains(before, check) {
			actions = append(actions, &tree.DropConstraint{Kind: "CHECK", Name: check})
		}
	}
	for _, index := range p.built {
		if err := c.dropIndex(&tree.DropIndex{IfExists: true, Table: name, Index: index}); err != nil {
			return err
		}
	}
	for i := len(p.others) - 1; i >= 0; i-- {
		if add, ok := p.others[i].(*tree.AddColumn); ok {
			actions = append(actions, &tree.DropColumn{Name: add.Column.Name})
		}
	}
	return c.undo(name, slices.Concat(p.hidden, actions), because)
}

// fill gives the rows that are there the values of the columns that were added.
func (c *call) fill(name tree.Name, actions []tree.AlterAction) error {
	plain, err := c.isPlain(name)
	if err != nil || c.Fill == nil {
		return err
	}
	var added []string
	for _, action := range actions {
		add, ok := action.(*tree.AddColumn)
		if ok && (add.Column.Generated != nil || plain && (add.Column.Default != nil || add.Column.NotNull)) {
			added = append(added, add.Column.Name)
		}
	}
	if len(added) > 0 {
		err = c.Fill(c.ctx, name, added)
	}
	return err
}

// alter changes the descriptor.
func (c *call) alter(name tree.Name, table *database.Table, actions []tree.AlterAction) error {
	seen, err := c.knownNames(name)
	if err != nil {
		return err
	}
	var refusal error
	err = table.Edit(c.ctx, func(d *schema.Table) error {
		if refusal = c.Limits.Alter(d, actions, seen); refusal == nil {
			refusal = definition.SetJournal(c.DB, d, actions)
		}
		return refusal
	})
	if refusal != nil {
		return refusal
	}
	return c.missing(err, name)
}

// knownNames says which names rows may have attributes of: any, once the dictionary of the table's names is full.
func (c *call) knownNames(name tree.Name) (func(string) bool, error) {
	p, err := c.DB.PinIn(name.Database, name.Name)
	if err != nil {
		return nil, c.missing(err, name)
	}
	defer p.Release()
	names := p.AttributeNames()
	return func(name string) bool {
		return len(names) >= database.AttributeNamesMax || slices.Contains(names, name)
	}, nil
}
