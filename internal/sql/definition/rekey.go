// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"maps"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// A table gets another primary key as another table that takes its place: rows lie in the order of the key.

// Rekeying is an ALTER TABLE that gives a table another primary key, or other types of the key's columns.
type Rekeying struct {
	// Key is the primary key as it will be; nil: the table has none that is seen.
	Key []tree.KeyElement
	// Number is the column of the key whose rows get numbers, since it comes with AUTO_INCREMENT; "" is none.
	Number string
	// Unties says that columns that stay in the key change in a way that columns of a key can't: before that, rows are
	// copied to be without a key.
	Unties bool
	// First are the actions on the table as it is, Before those on a copy of it that has the key of old, After those on
	// the one with the new key, and Last those on the table once that is in its place.
	First, Before, After, Last []tree.AlterAction
}

// Rekeying finds what actions do to the primary key; nil: nothing. Errors: fault.KeyTwice, 1091, and a refusal for a
// table whose rows can't be copied.
func (t *Table) Rekeying(actions []tree.AlterAction) (*Rekeying, error) {
	r, old := &Rekeying{}, t.KeyElements()
	var added []tree.KeyElement
	var gone []string
	drops, changes := false, false
	add := func(key ...tree.KeyElement) (err error) {
		if added != nil {
			err = fault.New(fault.KeyTwice)
		}
		added, changes = key, true
		return err
	}
	for _, action := range actions {
		var err error
		switch a := action.(type) {
		case *tree.AddPrimaryKey:
			err = add(a.Key...)
		case *tree.DropPrimaryKey, *tree.DropIndex:
			if !dropsKey(action) {
				continue
			}
			if drops, changes = true, true; old == nil {
				err = fault.New(fault.DropColumnUnknown, PrimaryName)
			}
		case *tree.AddColumn:
			if a.Column.PrimaryKey {
				err = add(tree.KeyElement{Column: a.Column.Name})
			}
		case *tree.DropColumn:
			if t.isKeyed(a.Name) && !slices.ContainsFunc(old,
				func(e tree.KeyElement) bool { return slices.Contains(e.Arguments, a.Name) }) {
				gone, changes = append(gone, a.Name), true
			}
		case *tree.ModifyColumn:
			if a.Column.PrimaryKey && !t.isKeyed(a.Name) {
				err = add(tree.KeyElement{Column: a.Column.Name})
			}
			changes = changes || t.unties(a)
		}
		if err != nil {
			return nil, err
		}
	}
	if !changes {
		return nil, nil
	}
	old = slices.DeleteFunc(old, func(e tree.KeyElement) bool { return slices.Contains(gone, e.Column) })
	switch {
	case len(old) > 0 && added != nil && !drops:
		return nil, fault.New(fault.KeyTwice)
	case added != nil:
		r.Key = added
	case !drops && len(old) > 0:
		r.Key = renamed(old, actions)
	}
	for _, action := range actions {
		t.order(r, action)
	}
	return r, t.checkCopied(r)
}

// dropsKey reports whether an action is DROP PRIMARY KEY, or DROP INDEX in the same sense.
func dropsKey(action tree.AlterAction) bool {
	if index, ok := action.(*tree.DropIndex); ok {
		return strings.EqualFold(index.Index, PrimaryName)
	}
	_, drops := action.(*tree.DropPrimaryKey)
	return drops
}

// isKeyed reports whether a column is in the primary key that is seen.
func (t *Table) isKeyed(name string) bool {
	at, known := t.byName[name]
	return known && t.Columns[at].KeyPart >= 0 && !t.Columns[at].IsRowID()
}

// unties reports whether a column of the primary key is to be what it can't become in its place.
func (t *Table) unties(a *tree.ModifyColumn) bool {
	if !t.isKeyed(a.Name) {
		return false
	}
	old := t.Columns[t.byName[a.Name]].Type
	typed := t.typeAfterModify(&t.Columns[t.byName[a.Name]], a.Column.Type)
	_, _, ranged := typed.Range(old)
	stays := typed.Holds(old) || typed.Shortens(old) || typed.Retimes(old) || ranged
	return !stays || !keyedAlike(old, typed)
}

// order puts an action where it belongs: columns of the new key are to be there before it, and what needs it comes
// afterwards.
func (t *Table) order(r *Rekeying, action tree.AlterAction) {
	keyed := func(name string) bool {
		return slices.ContainsFunc(r.Key, func(e tree.KeyElement) bool {
			return e.Column == name || slices.Contains(e.Arguments, name)
		})
	}
	switch a := action.(type) {
	case *tree.AddPrimaryKey, *tree.DropPrimaryKey:
	case *tree.DropIndex:
		if !dropsKey(action) {
			r.After = append(r.After, action)
		}
	case *tree.AddForeignKey, *tree.SetOptions, *tree.Compact:
		r.Last = append(r.Last, action)
	case *tree.DropConstraint:
		if _, foreign := t.ForeignKey(a.Name); foreign || a.Kind == "FOREIGN KEY" {
			r.First = append(r.First, action)
			return
		}
		r.Before = append(r.Before, action)
	case *tree.RenameColumn:
		r.Before = append(r.Before, action)
	case *tree.AddColumn:
		plain := *a
		if plain.Column.PrimaryKey = false; a.Column.AutoIncrement && keyed(a.Column.Name) {
			plain.Column.AutoIncrement, plain.Column.NotNull, r.Number = false, true, a.Column.Name
		}
		if f := a.Column.References; f != nil {
			plain.Column.References, r.Last = nil, append(r.Last, &tree.AddForeignKey{ForeignKey: *f})
		}
		r.Before = append(r.Before, &plain)
	case *tree.ModifyColumn:
		plain := *a
		plain.Column.PrimaryKey = false
		if keyed(a.Column.Name) {
			early := plain
			early.Column.AutoIncrement, early.Column.Unique = false, false
			r.Before, r.Unties = append(r.Before, &early), r.Unties || t.unties(a)
			plain.Name = a.Column.Name
		}
		r.After = append(r.After, &plain)
	default:
		r.After = append(r.After, action)
	}
}

// renamed is a key whose columns have the names that actions give them.
func renamed(key []tree.KeyElement, actions []tree.AlterAction) []tree.KeyElement {
	for _, action := range actions {
		var from, to string
		switch a := action.(type) {
		case *tree.RenameColumn:
			from, to = a.From, a.To
		case *tree.ModifyColumn:
			from, to = a.Name, a.Column.Name
		default:
			continue
		}
		for i := range key {
			if key[i].Column == from {
				key[i].Column = to
				break
			}
		}
	}
	return key
}

// KeyElements are the elements of the primary key; nil if it is not seen.
func (t *Table) KeyElements() (elements []tree.KeyElement) {
	if t.HasRowID() {
		return nil
	}
	stated := t.Descriptor.Primary.Stated()
	for i := range stated {
		e := tree.KeyElement{Column: stated[i].Column(), Descending: stated[i].Descending}
		if e.Column == "" {
			e.Function = stated[i].Function.String()
			for _, a := range stated[i].Args {
				e.Arguments = append(e.Arguments, a.Column)
			}
		}
		elements = append(elements, e)
	}
	return elements
}

// checkCopied refuses another key for a table whose rows have more than columns, or that others know by its columns.
func (t *Table) checkCopied(r *Rekeying) error {
	d := t.Descriptor
	kind := ""
	switch {
	case !t.InsertFails:
		kind = "is not of MySQL's kind"
	case d.Cells != nil:
		kind = "keeps the times of its cells"
	case len(d.Streams) > 0 || len(d.Destinations) > 0:
		return refusal("table '%s' can't get another primary key: its stream has items by their keys; switch the stream off first", t.Name)
	case len(t.ForeignKeys)+len(t.Referrers) > 0 && slices.ContainsFunc(r.Before, changesColumn):
		return refusal("columns of the primary key of table '%s' can't change in one statement with the key, nor get another type, because of foreign keys: drop these, change the columns, and add them again", t.Name)
	}
	if kind == "" {
		return nil
	}
	return refusal("the primary key of table '%s' can't change, because the table %s: rows are laid out by the primary key; %s",
		t.Name, kind, t.otherKey())
}

// changesColumn reports whether an action gives a column that is there another name or type.
func changesColumn(action tree.AlterAction) bool {
	switch action.(type) {
	case *tree.RenameColumn, *tree.ModifyColumn:
		return true
	}
	return false
}

// Rekey is the spec of a table like another one, with another key, or for nil with one that is not seen; number gets
// AUTO_INCREMENT, unless it is "". It has none of its foreign keys: Inherit gives it these. Errors: those of a key in
// CREATE TABLE.
func (l Limits) Rekey(t *Table, key []tree.KeyElement, number, dbName string) (spec database.TableSpec, err error) {
	l = l.withDefaults()
	later, err := Of(t.Descriptor)
	if err != nil {
		return spec, err
	}
	later.untie()
	if key == nil {
		key, err = later.addRowID(&tree.CreateTable{})
	}
	var parts []schema.KeyPart
	if err == nil {
		parts, err = l.primaryParts(later, key)
	}
	if err != nil {
		return spec, err
	}
	later.ForeignKeys, later.Referrers, later.Deleting = nil, nil, nil
	later.setKey(&schema.Index{Key: parts})
	for i := range later.Columns {
		c := &later.Columns[i]
		c.AutoIncrement = c.AutoIncrement || c.Name == number
		switch {
		case c.KeyPart >= 0 && c.Generated != nil:
			return spec, refusal("generated column '%s' can't be in the primary key: an index may have it", c.Name)
		case c.KeyPart >= 0 && c.Default != nil && c.Default.IsNull():
			c.Default = nil
		}
	}
	if spec, err = l.spec(later, parts, nil); err != nil {
		return spec, err
	}
	spec.Database, spec.RecoveryDays, spec.Stream = dbName, 0, nil
	others := maps.Clone(t.Descriptor.Dialect)
	delete(others, Dialect)
	maps.Copy(spec.Dialect, others)
	for i := range t.Indexes {
		index, err := likeIndex(t.Indexes[i].Schema)
		if err != nil {
			return spec, err
		}
		index.Include = slices.DeleteFunc(index.Include,
			func(name string) bool { return later.isKeyed(name) })
		if len(index.Include) == 0 && index.Projection == schema.ProjectInclude {
			index.Projection = schema.ProjectKeys
		}
		spec.Indexes = append(spec.Indexes, index)
	}
	return spec, nil
}

// untie takes the primary key away, and the column that nobody sees.
func (t *Table) untie() {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if t.Columns[i].KeyPart = -1; t.Columns[i].IsRowID() {
			t.Key = nil
			t.remove(i)
		}
	}
	t.Key = nil
}

// Inherit gives a table that takes the place of another one that one's foreign keys.
func Inherit(old, fresh *schema.Table) error {
	from, _, err := readTable(old)
	if err != nil {
		return err
	}
	to, _, err := readTable(fresh)
	if err != nil {
		return err
	}
	to.ForeignKeys, to.Referrers = from.ForeignKeys, from.Referrers
	fresh.Rules = to.rules(old.Database, old.Name)
	return to.write(fresh)
}

// CheckKeys refuses a definition whose keys are not those that its columns and foreign keys need. f are the foreign
// keys that the table will have, referred the columns that others' refer to. Errors: 1553, 1075.
func (t *Table) CheckKeys(f []ForeignKey, referred [][]string) error {
	numbered := t.Auto() < 0 || t.Columns[t.Auto()].KeyPart >= 0
	for i := range t.Indexes {
		x := t.Indexes[i].Schema
		numbered = numbered || !x.Search && x.Visible()[0].Column() == t.Columns[t.Auto()].Name
	}
	if !numbered {
		return fault.New(fault.AutoKey)
	}
	whole := *t
	whole.ForeignKeys = f
	if whole.needs(referred) {
		return fault.Message(codeIndexNeeded, "Cannot drop index 'PRIMARY': needed in a foreign key constraint")
	}
	return nil
}
