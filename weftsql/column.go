// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"database/sql"
	"math"
	"reflect"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
)

// Columns returns the names of the result set's columns.
func (r *rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i := range r.columns {
		names[i] = r.columns[i].Name
	}
	return names
}

// ColumnTypeDatabaseTypeName returns the type without its length, as go-sql-driver words it: VARCHAR, INT, UNSIGNED
// BIGINT, ..
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	t := r.columns[i].Type
	switch {
	case t.Base == datum.Untyped:
		return ""
	case t.Base == datum.Integer && t.Variety == datum.Plain:
		return "INT"
	}
	t.Length, t.Precision, t.Scale, t.Members = 0, 0, 0, ""
	name, _, _ := strings.Cut(t.String(), "(")
	if plain, ok := strings.CutSuffix(name, " UNSIGNED"); ok {
		return "UNSIGNED " + plain
	}
	return name
}

// ColumnTypeNullable reports whether the column may be NULL.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) { return !r.columns[i].NotNull, true }

// ColumnTypeLength returns how many characters or bytes a text or binary may have; where its type has no limit,
// math.MaxInt64.
func (r *rows) ColumnTypeLength(i int) (length int64, ok bool) {
	t := r.columns[i].Type
	if !t.IsText() && !t.IsBinary() {
		return 0, false
	}
	if characters, _ := t.Sizes(); characters > 0 {
		return int64(characters), true
	}
	return math.MaxInt64, true
}

// ColumnTypePrecisionScale returns the size of a DECIMAL, and the digits of the seconds of times.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	t := r.columns[i].Type
	switch {
	case t.Base == datum.DecimalBase && t.Precision > 0:
		return int64(t.Precision), int64(t.Scale), true
	case t.Base == datum.Timestamp, t.Base == datum.Time:
		return int64(t.FractionDigits()), int64(t.FractionDigits()), true
	}
	return 0, 0, false
}

// ColumnTypeScanType returns a type that holds all of the column's values: one with NULL where there may be some.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	t, nullable := r.columns[i].Type, !r.columns[i].NotNull
	switch {
	case t.Base == datum.Untyped:
		return reflect.TypeFor[any]()
	case t.Variety == datum.Bit, t.IsBinary():
		return reflect.TypeFor[[]byte]()
	case t.Base == datum.BigIntUnsigned:
		return typeOf[uint64, sql.Null[uint64]](nullable)
	case t.IsInteger(), t.Base == datum.Boolean:
		return typeOf[int64, sql.NullInt64](nullable)
	case t.IsFloat():
		return typeOf[float64, sql.NullFloat64](nullable)
	case t.Base == datum.Date, t.Base == datum.Timestamp:
		return typeOf[sql.NullTime, sql.NullTime](nullable)
	}
	return typeOf[string, sql.NullString](nullable)
}

func typeOf[Value, Null any](nullable bool) reflect.Type {
	if nullable {
		return reflect.TypeFor[Null]()
	}
	return reflect.TypeFor[Value]()
}
