// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// RenameColumn gives a column another name in what SQL keeps with a descriptor; the descriptor's own names are the
// caller's to change. As in MySQL, a column that a generated column or a check reads keeps its name. Errors:
// *fault.Error, and that of a damaged descriptor.
func (l Limits) RenameColumn(d *schema.Table, action *tree.RenameColumn) error {
	t, err := Of(d)
	if err != nil {
		return err
	}
	if err := l.withDefaults().checkRename(t, action.From, action.To); err != nil {
		return err
	}
	stored, _, err := readTable(d)
	if err != nil {
		return err
	}
	renamed := func(names []string) []string {
		names = slices.Clone(names)
		for i := range names {
			if names[i] == action.From {
				names[i] = action.To
			}
		}
		return names
	}
	for i := range stored.Columns {
		if c := &stored.Columns[i]; c.Name == action.From {
			c.Name = action.To
		}
	}
	for i := range stored.ForeignKeys {
		f := &stored.ForeignKeys[i]
		f.Columns = renamed(f.Columns)
		if f.Database == t.Database && f.Table == t.Name {
			f.References = renamed(f.References)
		}
	}
	return stored.write(d)
}

func (l Limits) checkRename(t *Table, from, to string) error {
	if err := t.checkFamilies(&tree.RenameColumn{}); err != nil {
		return err
	}
	at, err := t.columnToModify(from)
	if err != nil || from == to {
		return err
	}
	if reason := l.nameFault(to); reason != "" || isPattern(to) {
		return fault.Message(fault.WrongColumnName, "Incorrect column name '%s': %s", to, reason)
	}
	if _, taken := t.byName[to]; taken {
		return fault.New(fault.ColumnTwice, to)
	}
	if !t.InsertFails || t.Dynamic || t.Descriptor.Cells != nil {
		return refusal("column '%s' can't be renamed: LindormTable's tables keep the names of their columns; add a column, fill it by UPDATE, and drop this one", from)
	}
	if slices.Contains(t.Deleting, to) {
		return fault.Message(fault.Unsupported,
			"column is under deleting: rows of table '%s' may still hold a dropped column '%s'; run ALTER TABLE %s COMPACT first", t.Name, to, t.Name)
	}
	for _, x := range append([]schema.Index{t.Descriptor.Primary}, t.Descriptor.Indexes...) {
		for i := range x.Key {
			if p := &x.Key[i]; p.Computed() && !p.Hidden &&
				slices.ContainsFunc(p.Args, func(a schema.Argument) bool { return a.Column == from }) {
				return refusal("column '%s' can't be renamed: %s of a key is computed from it; drop the index, rename the column, and make the index again", from, p.Name)
			}
		}
	}
	if err := t.checkUnread(from); err != nil {
		return err
	}
	for _, r := range t.Referrers {
		if (r.Database != t.Database || r.Table != t.Name) && (t.Columns[at].KeyPart >= 0 || t.identifies(from)) {
			return refusal("column '%s' can't be renamed: foreign key '%s' of table '%s.%s' refers to this table; drop it, rename the column, and add it again", from, r.Name, r.Database, r.Table)
		}
	}
	return nil
}

// RenameIndex gives an index another name.
func RenameIndex(d *schema.Table, action *tree.RenameIndex) error {
	t, err := Of(d)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(d.Indexes, func(x schema.Index) bool {
		return x.Name == action.From && !x.Internal &&
			!IsLeaving(&x)
	})
	if at < 0 {
		return t.UnknownIndex(fault.NoSuchIndex, action.From)
	}
	if err := (Limits{}).withDefaults().CheckIndexName(action.To); err != nil {
		return err
	}
	for i := range d.Indexes {
		switch x := &d.Indexes[i]; {
		case x.Name == action.To && i != at:
			return fault.New(fault.KeyNameTwice, action.To)
		case x.Rebuild != nil && x.Rebuild.Of == action.From:
			return refusal("index '%s' can't be renamed while it is rebuilt; try again later", action.From)
		}
	}
	d.Indexes[at].Name = action.To
	return nil
}

// RenameTable gives what SQL keeps with a descriptor another name of its table: foreign keys that refer to the table
// itself follow.
func RenameTable(d *schema.Table, database, name string) error {
	stored, known, err := readTable(d)
	switch {
	case err != nil:
		return err
	case len(d.Streams) > 0 || len(d.Destinations) > 0:
		return refusal("table '%s' can't be renamed: readers know its stream by its name; switch the stream off first",
			d.Name)
	case !known:
		return nil
	}
	for i := range stored.ForeignKeys {
		if f := &stored.ForeignKeys[i]; f.RefersTo(d.Database, d.Name) {
			f.Database, f.Table, f.Next = database, name, nil
		}
	}
	d.Rules = stored.rules(database, name)
	return stored.write(d)
}
