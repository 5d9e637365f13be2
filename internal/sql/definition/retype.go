// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// A column whose rows can't stay as they are for another type is written anew while its table is in use: a column that
// nobody sees is computed from it, in the rows that are there and in all that are written. Each of its indexes gets a
// twin. Then both take the place of the old ones in one step.

// Columns and indexes that will be, and that were, have names that begin so. No statement can declare one.
const (
	retypedPrefix = "!modify!"
	formerPrefix  = "!was!"
)

func isRetyping(name string) bool {
	return strings.HasPrefix(name, retypedPrefix) || strings.HasPrefix(name, formerPrefix)
}

// FormerName is the name of a column or an index from which another one has taken its own.
func FormerName(name string) string { return formerPrefix + name }

// Retyped is the successor of a column or an index.
func Retyped(name string) string { return retypedPrefix + name }

// ShownName is the name of a column, or of that whose place it takes.
func (c *Column) ShownName() string { return strings.TrimPrefix(c.Name, retypedPrefix) }

// IsRetyping reports whether the column is to take the place of another one.
func (c *Column) IsRetyping() bool { return strings.HasPrefix(c.Name, retypedPrefix) }

// keyedAlike reports whether keys hold the values of two types alike.
func keyedAlike(a, b datum.Type) bool {
	before, _ := KeyType(a)
	after, keyed := KeyType(b)
	return keyed && before == after && a.TimeUnit() == b.TimeUnit()
}

// rewrites reports whether rows are written anew for a column that gets another type: in tables of MySQL's kind, unless
// the column is in the primary key or computed.
func (t *Table) rewrites(old *Column, typed datum.Type) bool {
	if !t.InsertFails || t.Dynamic || t.Descriptor.Cells != nil || old.KeyPart >= 0 || old.Generated != nil {
		return false
	}
	if old.Type.Base == datum.Timestamp && old.Type.Variety == datum.Plain { // of an older version
		return false
	}
	_, _, ranged := typed.Range(old.Type)
	stays := typed.Holds(old.Type) || typed.Shortens(old.Type) || ranged
	return !stays || t.indexOn(old.Name) != "" && !keyedAlike(old.Type, typed)
}

// Rewriting is the column that takes the place of one that is modified; nil if rows stay as they are. mark tells it
// from those of other statements. Errors: those of the modification.
func (l Limits) Rewriting(t *Table, action *tree.ModifyColumn, mark string) (*tree.AddColumn, error) {
	at, known := t.byName[action.Name]
	if !known || !t.rewrites(&t.Columns[at], t.typeAfterModify(&t.Columns[at], action.Column.Type)) {
		return nil, nil
	}
	l = l.withDefaults()
	l.Rewritten = true
	later, err := Of(t.Descriptor)
	if err == nil {
		err = l.modifyColumn(later, action)
	}
	if err != nil {
		return nil, err
	}
	if _, keyed := KeyType(action.Column.Type); !keyed && t.indexOn(action.Name) != "" {
		return nil, refusal("column '%s' can't become %s: %s",
			action.Name, TypeName(action.Column.Type), t.keyRefusal(action.Name))
	}
	reads := func(a schema.Argument) bool { return a.Column == action.Name }
	for i := range t.Indexes {
		x := t.Indexes[i].Schema
		for _, p := range x.Key {
			if (x.Search || p.Computed() && !p.Hidden) && slices.ContainsFunc(p.Args, reads) {
				return nil, refusal("column '%s' can't become %s: index '%s' is computed from it; drop the index, "+
					"change the column, and make the index again", action.Name, TypeName(action.Column.Type), x.Name)
			}
		}
	}
	return &tree.AddColumn{Column: tree.ColumnDefinition{
		Name: Retyped(action.Name), Type: action.Column.Type, Generated: &tree.Column{Name: action.Name},
		Virtual: true, Hidden: true, Comment: mark,
	}}, nil
}

// MovesZone reports whether a column that is modified gets or loses a type whose values depend on the time zone.
func (t *Table) MovesZone(action *tree.ModifyColumn) bool {
	old := &t.Columns[t.byName[action.Name]]
	zoned := func(typed datum.Type) bool { return typed.Variety == datum.Zoned }
	return zoned(old.Type) != zoned(t.typeAfterModify(old, action.Column.Type))
}

// Twins are indexes like those that have one of some columns, but of what takes the columns' place, and without the
// columns that are gone. Indexes of some names get none.
func (l Limits) Twins(t *Table, columns, gone, without []string) (twins []database.IndexSpec, err error) {
	for i := range t.Indexes {
		x := &t.Indexes[i]
		holds := func(name string) bool { return slices.Contains(columns, name) }
		if slices.Contains(without, x.Name) || !Holds(x, columns) && !Holds(x, gone) {
			continue
		}
		twin, err := likeIndex(x.Schema)
		if err != nil {
			return nil, err
		}
		twin.Name = Retyped(x.Name)
		twin.Key, twin.Include = shrink(twin.Key, twin.Include, gone)
		if len(twin.Include) == 0 && twin.Projection == schema.ProjectInclude {
			twin.Projection = schema.ProjectKeys
		}
		for k := range twin.Include {
			if holds(twin.Include[k]) {
				twin.Include[k] = Retyped(twin.Include[k])
			}
		}
		for k := range twin.Key {
			if p := &twin.Key[k]; holds(p.Column()) {
				if *p, err = columnPart(t,
					&tree.KeyElement{Column: Retyped(p.Column()), Descending: p.Descending}); err != nil {
					return nil, err
				}
			}
		}
		twins = append(twins, twin)
	}
	return twins, nil
}

// Holds reports whether one of some columns is in the key of an index, or included.
func Holds(x *Index, columns []string) bool {
	holds := func(name string) bool { return slices.Contains(columns, name) }
	return slices.ContainsFunc(x.Include, holds) ||
		slices.ContainsFunc(x.Schema.Key, func(p schema.KeyPart) bool { return holds(p.Column()) })
}

// shrink is a key, and what is included, without the columns that are gone.
func shrink(key []schema.KeyPart, include, gone []string) ([]schema.KeyPart, []string) {
	leaves := func(name string) bool { return slices.Contains(gone, name) }
	return slices.DeleteFunc(slices.Clone(key), func(p schema.KeyPart) bool { return leaves(p.Column()) }),
		slices.DeleteFunc(slices.Clone(include), leaves)
}

// Shrink takes columns out of the indexes of a copy of a table's definition.
func Shrink(d *schema.Table, gone []string) {
	for i := range d.Indexes {
		if x := &d.Indexes[i]; !x.Search {
			x.Key, x.Include = shrink(x.Key, x.Include, gone)
		}
	}
}

// Beginnings are the columns that hold the beginnings of some columns for indexes.
func (t *Table) Beginnings(of []string) (names []string) {
	for i := range t.Columns {
		if column, _, ok := t.Columns[i].Beginning(); ok && slices.Contains(of, column) {
			names = append(names, t.Columns[i].Name)
		}
	}
	return names
}

// Retype lets columns and their indexes be those that have been computed from them. The attributes themselves are the
// caller's to rename: each to its FormerName, and what is Retyped to its name. mark is Rewriting's.
func (l Limits) Retype(d *schema.Table, actions []*tree.ModifyColumn, indexes []string, mark string) error {
	l = l.withDefaults()
	l.Rewritten = true
	for _, action := range actions {
		if err := l.retypeColumn(d, action, mark); err != nil {
			return err
		}
	}
	for _, name := range indexes {
		old, known := d.Index(name)
		twin, made := d.Index(Retyped(name))
		if !known || !made || !twin.State.Readable() {
			return refusal("index '%s' was changed by another statement; try again", name)
		}
		old.Name, twin.Name = FormerName(name), name
		*old, *twin = *twin, *old // it is shown in the same place
	}
	return nil
}

func (l Limits) retypeColumn(d *schema.Table, action *tree.ModifyColumn, mark string) error {
	t, err := Of(d)
	if err != nil {
		return err
	}
	at, known := t.byName[action.Name]
	later, made := t.byName[Retyped(action.Name)]
	if !known || !made || t.Columns[later].Comment != mark {
		return refusal("column '%s' was changed by another statement; try again", action.Name)
	}
	own := *action
	if own.Place = (tree.Place{}); t.Columns[at].NotNull && !own.Column.NotNull {
		own.Column.Default = nil // it may be NULL, which the column may be only afterwards
	}
	own.Column.NotNull = t.Columns[at].NotNull
	own.Column.AutoIncrement = own.Column.AutoIncrement && t.Columns[at].AutoIncrement
	typed := t.Columns[later].Type
	t.remove(later)
	if err := l.modifyColumn(t, &own); err != nil {
		return err
	}
	t.Columns[t.byName[action.Name]].Type = typed
	stored := t.toStored()
	stored.Deleting = append(slices.Clone(stored.Deleting), FormerName(action.Name))
	d.Columns = slices.DeleteFunc(slices.Clone(d.Columns), func(c schema.Column) bool { return c.Name == action.Name })
	d.Rules = stored.rules(t.Database, t.Name)
	return stored.write(d)
}

// Leftovers are columns and indexes of a change of types that has not come to its end, and whether rows may hold a
// column that was replaced.
func Leftovers(d *schema.Table, t *Table) (columns, indexes []string, replaced bool) {
	for i := range t.Columns {
		if isRetyping(t.Columns[i].Name) {
			columns = append(columns, t.Columns[i].Name)
		}
	}
	for i := range d.Indexes {
		if x := &d.Indexes[i]; isRetyping(x.Name) && !IsLeaving(x) {
			indexes = append(indexes, x.Name)
		}
	}
	return columns, indexes, slices.ContainsFunc(t.Deleting, isRetyping)
}

// GetsNumbers reports whether a column gets AUTO_INCREMENT by an action of ALTER TABLE.
func (t *Table) GetsNumbers(action *tree.ModifyColumn) bool {
	at, known := t.byName[action.Name]
	return known && action.Column.AutoIncrement && !t.Columns[at].AutoIncrement
}

// checkNumbered refuses AUTO_INCREMENT for a column by which no key finds its greatest value, and for a second one.
func (t *Table) checkNumbered(old *Column) error {
	first := slices.ContainsFunc(t.Indexes, func(x Index) bool {
		return !x.Schema.Search && x.Schema.Visible()[0].Column() == old.Name
	})
	if t.Auto() >= 0 || old.KeyPart < 0 && !first {
		return fault.New(fault.AutoKey)
	}
	return nil
}
