// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/tree"
)

// speller gives names the spelling that they have among others, in whatever case of letters they are written.
type speller []string

// name is the one of s that a name means; the name itself if it is one of them, or if none or several fit.
func (s speller) name(name string) string {
	found := name
	for _, known := range s {
		if known == name {
			return name
		}
		if strings.EqualFold(known, name) {
			if found != name {
				return name
			}
			found = known
		}
	}
	return found
}

func (s speller) names(names []string) {
	for i := range names {
		names[i] = s.name(names[i])
	}
}

func (s speller) keys(elements []tree.KeyElement) {
	for i := range elements {
		elements[i].Column = s.name(elements[i].Column)
		s.names(elements[i].Arguments)
		s.expression(elements[i].Expression)
	}
}

func (s speller) expression(e tree.Expression) {
	if e == nil {
		return
	}
	tree.Walk(e, func(e tree.Expression) bool {
		if c, ok := e.(*tree.Column); ok {
			c.Name = s.name(c.Name)
		}
		return true
	})
}

func (s speller) index(d *tree.IndexDefinition) {
	s.keys(d.Key)
	s.names(d.Include)
}

func (s speller) foreignKey(f *tree.ForeignKey) {
	if f != nil {
		s.names(f.Columns)
	}
}

// column spells what a column's definition says of other columns.
func (s speller) column(d *tree.ColumnDefinition) {
	s.expression(d.Generated)
	for i := range d.Checks {
		s.expression(d.Checks[i].Condition)
	}
	s.foreignKey(d.References)
}

// SpellCreate gives columns that keys and constraints name the names with which the statement declares them.
func SpellCreate(st *tree.CreateTable) {
	var s speller
	for i := range st.Columns {
		s = append(s, st.Columns[i].Name)
	}
	for i := range st.Columns {
		s.column(&st.Columns[i])
	}
	s.keys(st.PrimaryKey)
	for i := range st.Indexes {
		s.index(&st.Indexes[i])
	}
	for i := range st.ForeignKeys {
		s.foreignKey(&st.ForeignKeys[i])
	}
	for i := range st.Checks {
		s.expression(st.Checks[i].Condition)
	}
}

// columnNames returns the names of the table's columns; none if it takes any names, each of which is another column.
func (t *Table) columnNames() (s speller) {
	if t.Dynamic || len(t.Wildcards) > 0 || t.Families != nil {
		return nil
	}
	for i := range t.Columns {
		s = append(s, t.Columns[i].Name)
	}
	return s
}

// SpelledIndex is the name of the index that a statement means.
func (t *Table) SpelledIndex(name string) string {
	var s speller
	for i := range t.Indexes {
		s = append(s, t.Indexes[i].Name)
	}
	return s.name(name)
}

func (t *Table) spelledConstraint(name string) string {
	var s speller
	for i := range t.ForeignKeys {
		s = append(s, t.ForeignKeys[i].Name)
	}
	for i := range t.Checks {
		s = append(s, t.Checks[i].Name)
	}
	return s.name(name)
}

// SpellIndex gives the columns of an index that is made the names that the table has.
func (t *Table) SpellIndex(d *tree.IndexDefinition) { t.columnNames().index(d) }

// SpellAlter gives the columns, indexes and constraints of an ALTER TABLE the names that the table has, or that the
// statement adds.
func (t *Table) SpellAlter(actions []tree.AlterAction) {
	known := t.columnNames()
	later := append(speller{}, known...)
	for _, action := range actions {
		switch a := action.(type) {
		case *tree.AddColumn:
			later = append(later, a.Column.Name)
		case *tree.RenameColumn:
			later = append(later, a.To)
		case *tree.ModifyColumn:
			if a.Column.Name != a.Name {
				later = append(later, a.Column.Name)
			}
		}
	}
	if known == nil {
		later = nil
	}
	for _, action := range actions {
		t.spellAction(action, known, later)
	}
}

// spellAction spells one action by the columns that the table has, and those that it will have.
func (t *Table) spellAction(action tree.AlterAction, known, later speller) {
	switch a := action.(type) {
	case *tree.AddColumn:
		later.column(&a.Column)
		a.Place.After = later.name(a.Place.After)
	case *tree.ModifyColumn:
		if a.Column.Name == a.Name { // MODIFY keeps the spelling of the table
			a.Column.Name = known.name(a.Name)
		}
		a.Name, a.Place.After = known.name(a.Name), later.name(a.Place.After)
		later.column(&a.Column)
	case *tree.RenameColumn:
		a.From = known.name(a.From)
	case *tree.AlterDefault:
		a.Name = known.name(a.Name)
	case *tree.DropColumn:
		a.Name = known.name(a.Name)
	case *tree.AddForeignKey:
		later.foreignKey(&a.ForeignKey)
	case *tree.AddCheck:
		later.expression(a.Condition)
	case *tree.CreateIndex:
		later.index(&a.Index)
	case *tree.AddPrimaryKey:
		later.index(&tree.IndexDefinition{Key: a.Key})
	case *tree.DropIndex:
		a.Index = t.SpelledIndex(a.Index)
	case *tree.RenameIndex:
		a.From = t.SpelledIndex(a.From)
	case *tree.DropConstraint:
		a.Name = t.spelledConstraint(a.Name)
	}
}
