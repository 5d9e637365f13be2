// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Check is a condition that no row makes false.
type Check struct {
	Name        string
	Condition   tree.Expression
	NotEnforced bool // it is kept and shown alone
}

// storedCheck is its stored form.
type storedCheck struct {
	Name        string `json:"name"`
	SQL         string `json:"sql"`
	NotEnforced bool   `json:"notEnforced,omitempty"`
}

// ConditionText is the condition as DDL has it, without brackets around it.
func (c *Check) ConditionText() string { return defaultText(c.Condition) }

func (c *Check) text() string {
	text := "CONSTRAINT " + tree.Quote(c.Name) + " CHECK (" + c.ConditionText() + ")"
	if c.NotEnforced {
		text += " /*!80016 NOT ENFORCED */"
	}
	return text
}

// addCheck declares a check on a table. Errors: *fault.Error.
func (l Limits) addCheck(t *Table, d *tree.Check) error {
	c := Check{Name: d.Name, Condition: d.Condition, NotEnforced: d.NotEnforced}
	if c.Name == "" {
		c.Name = t.freeName("_chk_")
	}
	if err := l.CheckIndexName(c.Name); err != nil {
		return err
	}
	if t.hasConstraint(c.Name) {
		return fault.Message(codeCheckTwice, "Duplicate check constraint name '%s'.", c.Name)
	}
	if what := strange(c.Condition, true); what != "" {
		return fault.Message(codeCheckOdd,
			"An expression of a check constraint '%s' contains disallowed parts: it can't have %s", c.Name, what)
	}
	if err := l.compiles(t, c.Condition); err != nil {
		return err
	}
	t.Checks = append(slices.Clone(t.Checks), c)
	return nil
}

// uses reports whether an expression reads a column.
func uses(e tree.Expression, column string) (found bool) {
	if e == nil {
		return false
	}
	tree.Walk(e, func(e tree.Expression) bool {
		c, ok := e.(*tree.Column)
		found = found || ok && c.Name == column
		return !found
	})
	return found
}

// checkFree refuses to drop a column that a constraint needs.
func (t *Table) checkFree(column string) error {
	if needed := t.foreignKeyUsing(column); needed != "" {
		return fault.Message(codeForeignDrop, "Cannot drop column '%s': needed in a foreign key constraint '%s'",
			column, needed)
	}
	return t.checkUnread(column)
}

// checkUnread refuses to change a column that an expression of the table reads.
func (t *Table) checkUnread(column string) error {
	for i := range t.Columns {
		if t.Columns[i].Name == column || !uses(t.Columns[i].Generated, column) {
			continue
		}
		if t.Columns[i].IsExpression() {
			return fault.Message(codeExpressionNeeded,
				"Column '%s' has a functional index dependency and cannot be dropped or renamed.", column)
		}
		return fault.Message(codeGeneratedNeeded, "Column '%s' has a generated column dependency: '%s'.", column,
			t.Columns[i].Name)
	}
	for i := range t.Checks {
		if uses(t.Checks[i].Condition, column) {
			return fault.Message(codeCheckColumn,
				"Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", t.Checks[i].Name,
				column)
		}
	}
	return nil
}

// checkGenerated refuses a generated column that can't be computed.
func (l Limits) checkGenerated(t *Table, at int) error {
	c := &t.Columns[at]
	if c.Generated == nil {
		return nil
	}
	if c.KeyPart >= 0 {
		return refusal("generated column '%s' can't be in the primary key: an index may have it", c.Name)
	}
	if what := strange(c.Generated, true); what != "" {
		return fault.Message(codeGeneratedOdd,
			"Expression of generated column '%s' contains disallowed parts: it can't have %s", c.Name, what)
	}
	for i := at; i < len(t.Columns); i++ {
		if (i == at || t.Columns[i].Generated != nil) && uses(c.Generated, t.Columns[i].Name) {
			return fault.Message(codeGeneratedPrior,
				"Generated column '%s' can refer only to generated columns defined prior to it.", c.Name)
		}
	}
	return l.compiles(t, c.Generated)
}

// dropConstraint drops a foreign key or a check.
func (t *Table) dropConstraint(action *tree.DropConstraint) error {
	foreign, checks := len(t.ForeignKeys), len(t.Checks)
	if action.Kind != "CHECK" {
		t.ForeignKeys = slices.DeleteFunc(slices.Clone(t.ForeignKeys),
			func(f ForeignKey) bool { return f.Name == action.Name })
	}
	if action.Kind != "FOREIGN KEY" {
		t.Checks = slices.DeleteFunc(slices.Clone(t.Checks), func(c Check) bool { return c.Name == action.Name })
	}
	if len(t.ForeignKeys) < foreign || len(t.Checks) < checks || action.IfExists {
		return nil
	}
	return fault.New(fault.DropColumnUnknown, action.Name)
}

func storedChecks(checks []Check) (list []storedCheck) {
	for i := range checks {
		list = append(list, storedCheck{checks[i].Name, checks[i].ConditionText(), checks[i].NotEnforced})
	}
	return list
}

func checksOf(stored []storedCheck) (list []Check, err error) {
	for _, s := range stored {
		condition, err := expressionOf(s.SQL)
		if err != nil {
			return nil, err
		}
		list = append(list, Check{s.Name, condition, s.NotEnforced})
	}
	return list, nil
}
