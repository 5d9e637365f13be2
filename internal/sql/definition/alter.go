// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Alter applies actions of an ALTER TABLE, all or none, to a copy of a descriptor: to what SQL keeps there, to its
// declared columns and to the rules of its cells. seen says whether rows may have an attribute of a name. COMPACT is
// nothing that a descriptor shows. Errors: *fault.Error, and that of a damaged descriptor.
func (l Limits) Alter(d *schema.Table, actions []tree.AlterAction, seen func(name string) bool) error {
	l = l.withDefaults()
	t, err := Of(d)
	if err != nil {
		return err
	}
	drops := func(action tree.AlterAction) bool { _, ok := action.(*tree.DropConstraint); return ok }
	for _, first := range []bool{true, false} {
		for _, action := range actions {
			if drops(action) != first {
				continue
			}
			if err := l.alter(t, action, seen); err != nil {
				return err
			}
		}
	}
	return t.store(d)
}

func (l Limits) alter(t *Table, action tree.AlterAction, seen func(string) bool) error {
	if err := t.checkFamilies(action); err != nil {
		return err
	}
	switch action := action.(type) {
	case *tree.MapColumn:
		return t.mapColumn(action)
	case *tree.AddColumn:
		return l.addColumn(t, action)
	case *tree.ModifyColumn:
		return l.modifyColumn(t, action)
	case *tree.AlterDefault:
		return l.alterDefault(t, action)
	case *tree.DropColumn:
		return t.dropColumn(action, seen)
	case *tree.SetOptions:
		return t.setOptions(action.Options, false)
	case *tree.AddForeignKey:
		_, err := l.AddForeignKey(t, &action.ForeignKey)
		return err
	case *tree.AddCheck:
		return l.addCheck(t, &action.Check)
	case *tree.DropConstraint:
		return t.dropConstraint(action)
	case *tree.RefusedAlter:
		return refusedAlter(action)
	}
	return nil
}

// store writes SQL's own definition, and the columns that all protocols share, into a descriptor.
func (t *Table) store(d *schema.Table) error {
	if t.Families != nil {
		return t.toStored().write(d)
	}
	columns := t.schemaColumns()
	for _, c := range d.Columns { // columns that other protocols declared without a type
		if _, declared := t.byName[c.Name]; declared && c.Type == schema.AnyType {
			columns = append(columns, c)
		}
	}
	d.Columns, d.Cells, d.Rules = columns, t.cells(d.Cells), t.toStored().rules(t.Database, t.Name)
	if d.Cells != nil && d.Rules.Deletes {
		return refusal("rows of table '%s' can't expire: foreign keys refer to them", t.Name)
	}
	return t.toStored().write(d)
}

// addColumn declares a column. Values that rows already have under its name, as a dynamic column, are read with the new
// type from then on.
func (l Limits) addColumn(t *Table, action *tree.AddColumn) error {
	d := &action.Column
	if at, ok := t.byName[d.Name]; ok {
		if action.IfNotExists {
			return nil
		}
		if t.Columns[at].KeyPart >= 0 {
			return fault.Message(fault.ColumnTwice,
				"Duplicate column name '%s': it is in the primary key", d.Name)
		}
		return fault.New(fault.ColumnTwice, d.Name)
	}
	if d.AutoIncrement || d.Unique {
		return refusal("column '%s' can't be added with AUTO_INCREMENT, which is for new tables, nor with UNIQUE and IF NOT EXISTS: the rows that are there have no value in it; "+
			"add the column, give it values, and then CREATE UNIQUE INDEX", d.Name)
	}
	if slices.Contains(t.Deleting, d.Name) {
		return fault.Message(fault.Unsupported,
			"column is under deleting: rows of table '%s' may still hold a dropped column '%s'; run ALTER TABLE %s COMPACT first", t.Name, d.Name, t.Name)
	}
	if err := l.declareOne(t, d); err != nil {
		return err
	}
	if len(t.Columns) > l.ColumnsMax {
		return fault.New(fault.TooManyColumns)
	}
	if err := l.checkGenerated(t, t.byName[d.Name]); err != nil {
		return err
	}
	for i := range d.Checks {
		if err := l.addCheck(t, &d.Checks[i]); err != nil {
			return err
		}
	}
	if err := t.checkIndexed(d); err != nil || isPattern(d.Name) {
		return err
	}
	return t.move(d.Name, action.Place)
}

// checkIndexed refuses a type that disagrees with an index which holds the column under another.
func (t *Table) checkIndexed(d *tree.ColumnDefinition) error {
	typed, keyed := KeyType(d.Type)
	for i := range t.Indexes {
		for _, p := range t.Indexes[i].Schema.Key {
			if p.Column() == d.Name && (!keyed || !agree(typed, p.Type)) {
				return refusal("column '%s' can't be of type %s: index '%s' holds it as %s", d.Name, TypeName(d.Type),
					t.Indexes[i].Name, TypeName(typeOf(p.Type)))
			}
		}
	}
	return nil
}

// HeldAs is the type under which an index holds a column; "" if none does, or under any type.
func (t *Table) HeldAs(column string) string {
	for i := range t.Indexes {
		for _, p := range t.Indexes[i].Schema.Key {
			if p.Column() == column && typeOf(p.Type).Base != datum.Untyped {
				return TypeName(typeOf(p.Type))
			}
		}
	}
	return ""
}

func agree(a, b schema.Type) bool {
	number := func(t schema.Type) bool { return t == schema.Number || t >= schema.Int }
	return a == b || a == schema.AnyType || b == schema.AnyType || number(a) && number(b)
}

// dropColumn hides a column at once. Its name can't be used again until the bytes are gone, if any row may have them.
func (t *Table) dropColumn(action *tree.DropColumn, seen func(string) bool) error {
	at, ok := t.byName[action.Name]
	switch {
	case !ok && action.IfExists:
		return nil
	case !ok && isPattern(action.Name) &&
		slices.ContainsFunc(t.Wildcards, func(w Wildcard) bool { return w.Pattern == action.Name }):
		return refusal("wildcard column '%s' can't be dropped: rows may hold any of the columns that it stands for",
			action.Name)
	case !ok:
		return fault.New(fault.DropColumnUnknown, action.Name).Meant(action.Name, t.Names())
	case t.Columns[at].KeyPart >= 0:
		return refusal("column '%s' can't be dropped: %s", action.Name, t.keyRefusal(action.Name))
	}
	if index := t.indexOf(action.Name); index != "" {
		return refusal("column '%s' can't be dropped: index '%s' holds it; write DROP INDEX %s ON %s first",
			action.Name, index, index, t.Name)
	}
	if err := t.checkFree(action.Name); err != nil {
		return err
	}
	t.remove(at)
	if err := t.checkWhole(); err != nil {
		return err
	}
	if seen(action.Name) {
		t.Deleting = append(slices.Clone(t.Deleting), action.Name)
	}
	return nil
}

func (t *Table) remove(at int) {
	t.Columns = slices.Delete(slices.Clone(t.Columns), at, at+1)
	clear(t.byName)
	for i := range t.Columns {
		t.byName[t.Columns[i].Name] = i
	}
	for i := range t.Key {
		if t.Key[i].Column > at {
			t.Key[i].Column--
		}
	}
}

// indexOf names an index that has the column in its key or includes it; "" if there is none. One that covers whatever
// there is does not count.
func (t *Table) indexOf(name string) string {
	if index := t.indexOn(name); index != "" {
		return index
	}
	for i := range t.Indexes {
		if slices.Contains(t.Indexes[i].Include, name) {
			return t.Indexes[i].Name
		}
	}
	return ""
}

// Purged forgets that columns are under deleting, once no row has them any more. d is a copy of the descriptor, to be
// changed.
func Purged(d *schema.Table, names []string) error {
	stored, known, err := readTable(d)
	if err != nil || !known {
		return err
	}
	stored.Deleting = slices.DeleteFunc(stored.Deleting, func(name string) bool { return slices.Contains(names, name) })
	return stored.write(d)
}
