// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/tree"
)

// preset sets what a column gets by itself: its DEFAULT, a constant of its type, now or an expression; and the time at
// ON UPDATE.
func (l Limits) preset(c *Column, d *tree.ColumnDefinition) (err error) {
	if d.OnUpdate != nil {
		if c.UpdateNow = isNow(d.OnUpdate) && c.Type.Base == datum.Timestamp; !c.UpdateNow {
			return fault.Message(codeOnUpdate,
				"Invalid ON UPDATE clause for '%s' column: it takes CURRENT_TIMESTAMP, and a column of DATETIME or TIMESTAMP", d.Name)
		}
	}
	if d.Default == nil {
		return nil
	}
	literal, ok := literalOf(d.Default)
	switch {
	case isNow(d.Default) && c.Type.Base == datum.Timestamp:
		c.DefaultNow = true
		return nil
	case !ok:
		c.DefaultExpression = d.Default
		return l.checkDefault(d)
	case literal.IsNull() && c.NotNull:
		return badDefault(d, "the column is NOT NULL")
	case literal.IsNull():
		return nil
	}
	value, ok := constantOf(literal, c.Type)
	if !ok {
		return badDefault(d, "it is no "+typeOr(c.Type, "constant"))
	}
	c.Default = &value
	return nil
}

// checkDefault refuses an expression that can't be computed before there is a row.
func (l Limits) checkDefault(d *tree.ColumnDefinition) error {
	if what := strange(d.Default, false); what != "" {
		return badDefault(d, "an expression of DEFAULT can't have "+what)
	}
	if err := l.compiles(nil, d.Default); err != nil {
		f, _ := fault.Of(err)
		return badDefault(d, f.Message)
	}
	return nil
}

// compiles reports whether an expression over a row of a table can be computed; without a table, it is one without a
// row.
func (l Limits) compiles(t *Table, e tree.Expression) error {
	if l.Compiles == nil {
		return nil
	}
	_, err := l.Compiles(t, e)
	return err
}

// strange names what can't stand in an expression that a table keeps; "" if there is nothing.
func strange(e tree.Expression, columns bool) (what string) {
	tree.Walk(e, func(e tree.Expression) bool {
		switch e := e.(type) {
		case *tree.Call:
			if columns && tree.SteadinessOf(e) != tree.Steady {
				what = "functions of the time, the session or chance such as " + e.Name + "()"
			}
		case *tree.Column:
			if !columns {
				what = "columns"
			}
		case *tree.Parameter:
			what = "placeholders"
		case *tree.Variable:
			what = "variables"
		case *tree.Default, *tree.ValuesOf:
			what = "DEFAULT or VALUES"
		case *tree.Subquery, *tree.Exists, *tree.InQuery, *tree.Quantified:
			what = "queries"
		}
		return what == ""
	})
	return what
}

// expressionText and expressionOf are the way of an expression to its stored form and back.
func expressionText(e tree.Expression) string {
	if e == nil {
		return ""
	}
	return string(tree.AppendExpression(nil, e))
}

// defaultText is an expression over a table's own columns as MySQL shows it: tools find the columns by their backticks.
func defaultText(e tree.Expression) string {
	return expressionText(tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		if c, ok := e.(*tree.Column); ok {
			return &tree.Column{Name: c.Name, Quoted: true}
		}
		return nil
	}))
}

func expressionOf(text string) (tree.Expression, error) {
	return parse.Dialect{}.Expression([]byte(text))
}

func badDefault(d *tree.ColumnDefinition, reason string) error {
	return fault.Message(fault.BadDefault, "Invalid default value for '%s': %s", d.Name, reason)
}

func isNow(e tree.Expression) bool {
	call, ok := e.(*tree.Call)
	if !ok {
		return false
	}
	switch call.Name {
	case "now", "current_timestamp", "localtimestamp", "localtime":
		return true
	}
	return false
}

// literalOf is the constant that an expression spells out, with its sign or its DATE, TIME or TIMESTAMP.
func literalOf(e tree.Expression) (d datum.Datum, ok bool) {
	switch e := e.(type) {
	case *tree.Literal:
		return e.Value, true
	case *tree.Cast:
		if d, ok = literalOf(e.X); ok {
			return constantOf(d, e.To)
		}
	case *tree.Unary:
		if d, ok = literalOf(e.X); ok && e.Operator == tree.Minus && d.Kind() != datum.KindText &&
			d.Kind() != datum.KindBinary {
			d, err := datum.Negate(d)
			return d, err == nil
		}
	}
	return d, false
}

// constantOf is a constant of DDL as a value of a type; ok is false if it does not fit. It aliases nothing of the
// statement's.
func constantOf(d datum.Datum, t datum.Type) (value datum.Datum, ok bool) {
	value, err := datum.Store(d, t)
	return value.Clone(), err == nil
}

// pointOf reads a text of an option as a value of a type. A whole number is milliseconds for a TIMESTAMP.
func pointOf(text string, t datum.Type) (value datum.Datum, ok bool) {
	d := datum.Text([]byte(strings.TrimSpace(text)))
	if ms, err := strconv.ParseInt(string(d.Bytes()), 10, 64); err == nil && t.Base == datum.Timestamp {
		d = datum.Int(ms)
	}
	return constantOf(d, t)
}
