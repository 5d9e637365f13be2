// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/tree"
)

// Spelled is the name of the column that a statement means, as the table has it: as in MySQL, letters match in any case. A name that is a column's stays as it
// is, and so does one that is none's, or that of several. In a table that takes any names, each is another column.
func (t *Table) Spelled(name string) string {
	if _, exact := t.byName[name]; exact || t.Dynamic || len(t.Wildcards) > 0 {
		return name
	}
	found := name
	for i := range t.Columns {
		if !strings.EqualFold(t.Columns[i].Name, name) {
			continue
		}
		if found != name {
			return name
		}
		found = t.Columns[i].Name
	}
	return found
}

// Spell gives the columns of a statement about this one table the names that the table has. Aliases come before columns.
func (t *Table) Spell(statement tree.Statement) {
	var aliases []string
	if read, ok := statement.(*tree.Select); ok {
		for i := range read.List {
			item := &read.List[i]
			if c, ok := item.Expression.(*tree.Column); ok && item.Alias == "" && t.Spelled(c.Name) != c.Name {
				item.Alias = c.Name // the answer names it as it was written
			} else if item.Alias != "" {
				aliases = append(aliases, item.Alias)
			}
		}
	}
	spell := func(name *string) {
		if !slices.ContainsFunc(aliases, func(alias string) bool { return strings.EqualFold(alias, *name) }) {
			*name = t.Spelled(*name)
		}
	}
	tree.Find(statement, func(c *tree.Column) { spell(&c.Name) })
	tree.Find(statement, func(v *tree.ValuesOf) { spell(&v.Column) })
	switch s := statement.(type) {
	case *tree.Insert:
		t.SpellInsert(s)
	case *tree.Update:
		t.spellAssignments(s.Set)
	}
}

// SpellInsert is Spell for the names of an INSERT alone, whose query is about other tables.
func (t *Table) SpellInsert(s *tree.Insert) {
	for i := range s.Columns {
		s.Columns[i] = t.Spelled(s.Columns[i])
	}
	t.spellAssignments(s.Updates)
}

func (t *Table) spellAssignments(list []tree.Assignment) {
	for i := range list {
		list[i].Column = t.Spelled(list[i].Column)
	}
}
