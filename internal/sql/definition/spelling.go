// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/tree"
)

// Spelled is the name of the column that a statement means, as the table has it: as in MySQL, letters match in any
// case. A name that is a column's stays as it is, and so does one that is none's, or that of several. In a table that
// takes any names, each is another column.
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

// Spell gives the columns of a statement about this one table the names that the table has.
func (t *Table) Spell(statement tree.Statement) {
	tree.Find(statement, t.presetCall)
	if read, ok := statement.(*tree.Select); ok {
		t.spellSelect(read)
		return
	}
	tree.Find(statement, func(c *tree.Column) { c.Name = t.Spelled(c.Name) })
	tree.Find(statement, func(v *tree.ValuesOf) { v.Column = t.Spelled(v.Column) })
	switch s := statement.(type) {
	case *tree.Insert:
		t.SpellInsert(s)
	case *tree.Update:
		t.spellAssignments(s.Set)
	}
}

// spellSelect is Spell for a query, in whose upper part names may be aliases.
func (t *Table) spellSelect(read *tree.Select) {
	for i := range read.List {
		item := &read.List[i]
		if c, ok := item.Expression.(*tree.Column); ok && item.Alias == "" && t.Spelled(c.Name) != c.Name {
			item.Alias = c.Name // the answer names it as it was written
		}
	}
	aliases := AliasesOf(read.List)
	lower := *read
	lower.GroupBy, lower.Having, lower.OrderBy = nil, nil, nil
	tree.Find(&lower, func(c *tree.Column) { c.Name = t.Spelled(c.Name) })
	tree.Find(&tree.Select{OrderBy: read.OrderBy}, func(c *tree.Column) {
		if name, ok := aliases.Find(c); ok {
			c.Name = name
			return
		}
		c.Name = t.Spelled(c.Name)
	})
	tree.Find(&tree.Select{GroupBy: read.GroupBy, Having: read.Having}, func(c *tree.Column) {
		spelled := t.Spelled(c.Name)
		name, ok := aliases.Find(c)
		if _, known := t.byName[spelled]; ok && (name == c.Name || !known) {
			spelled = name
		}
		c.Name = spelled
	})
}

// Aliases are the names that a select list gives to its items.
type Aliases []string

// AliasesOf returns the aliases of a list.
func AliasesOf(list []tree.SelectItem) (aliases Aliases) {
	for i := range list {
		if list[i].Alias != "" {
			aliases = append(aliases, list[i].Alias)
		}
	}
	return aliases
}

// Find is the alias that a name of ORDER BY, GROUP BY or HAVING means, if it is one: letters match in any case, unless
// several aliases differ in it alone.
func (a Aliases) Find(c *tree.Column) (alias string, ok bool) {
	if c.Table != "" {
		return "", false
	}
	if slices.Contains(a, c.Name) {
		return c.Name, true
	}
	name := speller(a).name(c.Name)
	return name, name != c.Name
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

// presetCall puts the default of a column behind it in DEFAULT(column).
func (t *Table) presetCall(call *tree.Call) {
	if c, ok := call.PresetOf(); ok {
		if preset, ok := t.Preset(t.Spelled(c.Name)); ok {
			call.Arguments = []tree.Expression{c, preset}
		}
	}
}

// Preset is the default of a column as an expression: NULL if it has none; ok is false if it must have a value, or is
// computed.
func (t *Table) Preset(name string) (e tree.Expression, ok bool) {
	at, known := t.byName[name]
	if !known {
		return nil, false
	}
	switch c := &t.Columns[at]; {
	case c.Default != nil:
		return &tree.Literal{Value: *c.Default}, true
	case c.DefaultNow:
		return &tree.Call{Name: "now"}, true
	case c.DefaultExpression != nil, c.NotNull:
		return nil, false
	}
	return &tree.Literal{}, true
}
