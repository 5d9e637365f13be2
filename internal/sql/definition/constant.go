// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// defaultOf is the DEFAULT of a column: a constant of its type, or now.
func defaultOf(d *tree.ColumnDefinition, t datum.Type) (constant *datum.Datum, now bool, err error) {
	if d.Default == nil {
		return nil, false, nil
	}
	if call, ok := d.Default.(*tree.Call); ok {
		if t.Base != datum.Timestamp || !isNow(call) {
			return nil, false, badDefault(d, "a function must be NOW() or CURRENT_TIMESTAMP, and the column a TIMESTAMP")
		}
		return nil, true, nil
	}
	literal, ok := literalOf(d.Default)
	switch {
	case !ok:
		return nil, false, badDefault(d, "write a constant or NOW()")
	case literal.IsNull() && (d.NotNull || d.PrimaryKey):
		return nil, false, badDefault(d, "the column is NOT NULL")
	case literal.IsNull():
		return nil, false, nil
	}
	value, ok := constantOf(literal, t)
	if !ok {
		return nil, false, badDefault(d, "it is no "+typeOr(t, "constant"))
	}
	return &value, false, nil
}

func badDefault(d *tree.ColumnDefinition, reason string) error {
	return worded(fault.BadDefault, "Invalid default value for '%s': %s", d.Name, reason)
}

func isNow(call *tree.Call) bool {
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
		if d, ok = literalOf(e.X); ok && e.Operator == tree.Minus && d.Kind() != datum.KindText && d.Kind() != datum.KindBinary {
			d, err := datum.Negate(d)
			return d, err == nil
		}
	}
	return d, false
}

// constantOf is a constant of DDL as a value of a type; ok is false if it does not fit. It aliases nothing of the statement's.
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
