// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// columnToModify finds the column of MODIFY, CHANGE or ALTER COLUMN.
func (t *Table) columnToModify(name string) (int, error) {
	at, known := t.byName[name]
	if !known {
		return 0, t.UnknownColumn(name, t.Name)
	}
	return at, nil
}

// modifyColumn declares a column anew. Unless its rows are written anew, what they hold has to be of the new type, too.
func (l Limits) modifyColumn(t *Table, action *tree.ModifyColumn) error {
	at, err := t.columnToModify(action.Name)
	if err != nil {
		return err
	}
	old, d := t.Columns[at], action.Column
	if err := t.checkModified(&old, &d); err != nil {
		return err
	}
	d.Type = t.typeAfterModify(&old, d.Type)
	c, err := l.column(&d)
	if err != nil {
		return err
	}
	_, _, ranged := c.Type.Range(old.Type)
	rewritten := l.Rewritten && t.rewrites(&old, c.Type)
	if !rewritten && !c.Type.Holds(old.Type) && !c.Type.Shortens(old.Type) && !c.Type.Retimes(old.Type) && !ranged {
		return refusal("column '%s' can't become %s: its rows hold %s; add a column, fill it by UPDATE, and drop this one", old.Name, TypeName(c.Type), TypeName(old.Type))
	}
	if why := t.keyRefusal(old.Name); why != "" && !rewritten && !keyedAlike(old.Type, c.Type) {
		return refusal("column '%s' can't become %s: %s", old.Name, TypeName(c.Type), why)
	}
	before, _ := KeyType(old.Type)
	after, _ := KeyType(c.Type)
	c.KeyPart, c.Invisible, c.Original = old.KeyPart, old.Invisible, old.Original && before == after
	c.NotNull = c.NotNull || c.KeyPart >= 0
	if err := t.checkRetyped(&old, &c); err != nil {
		return err
	}
	t.Columns[at] = c
	return t.move(action.Name, action.Place)
}

// checkRetyped refuses to declare a column otherwise than constraints and generated columns need it.
func (t *Table) checkRetyped(old, c *Column) error {
	set := func(f *ForeignKey) bool { return f.OnDelete == "SET NULL" || f.OnUpdate == "SET NULL" }
	for i := range t.ForeignKeys {
		f := &t.ForeignKeys[i]
		switch {
		case !slices.Contains(f.Columns, c.Name):
		case !comparable(old.Type, c.Type):
			return fault.Message(codeForeignChange,
				"Cannot change column '%s': used in a foreign key constraint '%s'; drop it, change the columns on both sides, and add it again", c.Name, f.Name)
		case c.NotNull && set(f):
			return fault.Message(codeForeignNull,
				"Column '%s' cannot be NOT NULL: needed in a foreign key constraint '%s' SET NULL", c.Name, f.Name)
		}
	}
	if len(t.Referrers) > 0 && t.identifies(c.Name) && !comparable(old.Type, c.Type) {
		r := &t.Referrers[0]
		return fault.Message(codeForeignParent,
			"Cannot change column '%s': used in a foreign key constraint '%s' of table '%s.%s'; drop it, change the columns on both sides, and add it again", c.Name, r.Name, r.Database, r.Table)
	}
	if computesAlike(old.Type, c.Type) {
		return nil
	}
	if c.Generated != nil {
		return refusal("generated column '%s' can't become %s: its rows hold what was computed as %s; drop it, and add it again", c.Name, TypeName(c.Type), TypeName(old.Type))
	}
	rest := *t
	rest.Checks = slices.DeleteFunc(slices.Clone(t.Checks),
		func(k Check) bool { return k.Name == NarrowingName(t.Name, c.Name) })
	if f, held := fault.Of(rest.checkFree(c.Name)); held && f.Code != codeForeignDrop {
		return fault.Message(f.Code, "column '%s' can't become %s, because constraints or generated columns use it as %s: %s Drop that, change the column, and add it again", c.Name, TypeName(c.Type), TypeName(old.Type), f.Message)
	}
	return nil
}

// identifies reports whether a column is in a key that tells a row from all others: foreign keys refer to those alone.
func (t *Table) identifies(column string) bool {
	unique := func(x Index) bool {
		return x.Schema.Unique && slices.ContainsFunc(x.Schema.Key,
			func(p schema.KeyPart) bool { return p.Column() == column })
	}
	return t.Columns[t.byName[column]].KeyPart >= 0 || slices.ContainsFunc(t.Indexes, unique)
}

// computesAlike reports whether expressions give the same for values of either type.
func computesAlike(a, b datum.Type) bool {
	if a.IsInteger() && b.IsInteger() || a.IsText() && b.IsText() && a.Variety == b.Variety {
		return true
	}
	return a.Base == b.Base && a.Scale == b.Scale && a.Variety == b.Variety && a.FractionDigits() == b.FractionDigits()
}

// checkModified refuses what a column that has rows can't become.
func (t *Table) checkModified(old *Column, d *tree.ColumnDefinition) error {
	if d.AutoIncrement && !old.AutoIncrement {
		if err := t.checkNumbered(old); err != nil {
			return err
		}
	}
	switch {
	case d.Generated != nil && (old.Generated == nil || expressionText(d.Generated) != expressionText(old.Generated)):
		return refusal("column '%s' can't get another expression: add another generated column, and drop this one",
			old.Name)
	case d.References != nil || len(d.Checks) > 0:
		return refusal("MODIFY takes no constraints: use ALTER TABLE %s ADD CONSTRAINT ..", t.Name)
	}
	return nil
}

// alterDefault gives a column another default, or none.
func (l Limits) alterDefault(t *Table, action *tree.AlterDefault) error {
	at, err := t.columnToModify(action.Name)
	if err != nil {
		return err
	}
	c := t.Columns[at]
	c.Default, c.DefaultNow, c.DefaultExpression = nil, false, nil
	if err := l.preset(&c, &tree.ColumnDefinition{Name: c.Name, Type: c.Type, Default: action.Default}); err != nil {
		return err
	}
	t.Columns[at] = c
	return nil
}

// move puts a column behind another one, or first.
func (t *Table) move(name string, place tree.Place) error {
	if _, known := t.byName[place.After]; !known && place.After != "" || place.After == name {
		return t.UnknownColumn(place.After, t.Name)
	}
	if place == (tree.Place{}) {
		return nil
	}
	order := slices.Clone(t.Columns)
	at := slices.IndexFunc(order, func(c Column) bool { return c.Name == name })
	moved := order[at]
	order = slices.Delete(order, at, at+1)
	behind := slices.IndexFunc(order, func(c Column) bool { return c.Name == place.After }) // -1: first
	order = slices.Insert(order, behind+1, moved)
	for i := range t.Key {
		if t.Key[i].Column >= 0 {
			name := t.Columns[t.Key[i].Column].Name
			t.Key[i].Column = slices.IndexFunc(order, func(c Column) bool { return c.Name == name })
		}
	}
	for i := range order {
		t.byName[order[i].Name] = i
	}
	t.Columns = order
	return nil
}

// typeAfterModify is the type that a column gets. A TIMESTAMP that an older version made stays one that holds what was
// written, and a BOOLEAN a truth value.
func (t *Table) typeAfterModify(old *Column, typed datum.Type) datum.Type {
	switch {
	case old.Type.Base == datum.Timestamp && old.Type.Variety == datum.Plain:
		return typed
	// as SHOW COLUMNS has it
	case old.Type.Base == datum.Boolean &&
		(typed.Base == datum.Boolean || typed.Base == datum.TinyInt && typed.Length == 1):
		return old.Type
	}
	return t.kindType(typed)
}

// NarrowingName is the name of the check that Narrowing's condition is while the column changes.
func NarrowingName(table, column string) string { return table + "_modify_" + column }

// Narrowing is the condition that rows must meet so that a column can be redeclared, with the error for those that
// don't; nil: none.
func Narrowing(t *Table, action *tree.ModifyColumn) (condition tree.Expression, otherwise *fault.Error) {
	at, known := t.byName[action.Name]
	if !known {
		return nil, nil
	}
	old, d := &t.Columns[at], &action.Column
	column, typed := &tree.Column{Name: old.Name}, t.typeAfterModify(old, d.Type)
	low, high, ranged := typed.Range(old.Type)
	if d.NotNull && !old.NotNull {
		condition, otherwise = &tree.Is{X: column, Not: true}, fault.New(fault.NullInRows, old.Name)
	}
	if typed.Holds(old.Type) || t.rewrites(old, typed) {
		return condition, otherwise
	}
	var fits tree.Expression
	switch {
	case typed.Retimes(old.Type):
		fits = &tree.Is{X: column}
		otherwise = refusal("column '%s' can't become %s: its rows hold times of %s; add a column, fill it by UPDATE, and drop this one", old.Name, TypeName(typed), TypeName(old.Type))
	case ranged:
		above := &tree.Binary{Operator: tree.GreaterOrEqual, Left: column, Right: &tree.Literal{Value: datum.Int(low)}}
		below := &tree.Binary{Operator: tree.LessOrEqual, Left: column, Right: &tree.Literal{Value: datum.Uint(high)}}
		fits = &tree.Binary{Operator: tree.And, Left: above, Right: below}
		otherwise = fault.Message(fault.OutOfRange,
			"Out of range value for column '%s': rows have values that %s does not hold, or NULL",
			old.Name, TypeName(typed))
	case typed.Shortens(old.Type):
		length := "char_length"
		if d.Type.IsBinary() {
			length = "length"
		}
		fits = &tree.Binary{Operator: tree.LessOrEqual,
			Left:  &tree.Call{Name: length, Arguments: []tree.Expression{column}},
			Right: &tree.Literal{Value: datum.Int(int64(d.Type.Length))}}
		otherwise = fault.Message(fault.DataTooLong,
			"Data too long for column '%s': rows have longer values than %s, or NULL", old.Name, TypeName(d.Type))
	default:
		return condition, otherwise
	}
	if condition != nil {
		fits = &tree.Binary{Operator: tree.And, Left: condition, Right: fits}
	}
	return fits, otherwise
}
