// SPDX-License-Identifier: Apache-2.0

package value

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"github.com/weftdb/weft/internal/sql/datum"
)

// untyped is the engine's type of columns without a type, whose values are numbers and texts side by side. To the engine it is a text, so that functions
// take it; but numbers stay numbers, and order and equality among such columns are those of Weft's own executor. The engine knows types that stand for
// another one from system variables, and asks for the other one where it makes a difference.
type untyped struct{ sql.StringType }

func newUntyped() untyped { return untyped{types.CreateLongText(TextCollation)} }

// IsUntyped says whether a type of the engine's is that of a column without a type.
func IsUntyped(t sql.Type) bool {
	_, is := t.(untyped)
	return is
}

var (
	_ sql.SystemVariableType = untyped{}
	_ sql.StringType         = untyped{}
)

// Compare implements sql.Type.
func (u untyped) Compare(ctx context.Context, a, b any) (int, error) {
	if null, order := types.CompareNulls(a, b); null {
		return order, nil
	}
	x, xIs := numberOf(a)
	y, yIs := numberOf(b)
	if xIs && yIs {
		return datum.Order(x, y), nil
	}
	if xIs != yIs { // numbers come first
		if xIs {
			return -1, nil
		}
		return 1, nil
	}
	return u.StringType.Compare(ctx, a, b)
}

// numberOf is the datum of a number; ok is false for all else.
func numberOf(v any) (d datum.Datum, ok bool) {
	switch v := v.(type) {
	case bool:
		return datum.Bool(v), true
	case uint64:
		return datum.Uint(v), true
	case float32:
		return datum.Float64(float64(v)), true
	case float64:
		return datum.Float64(v), true
	case decimal.Decimal:
		d, err := fromDecimal(v, nil)
		return d, err == nil
	}
	n, ok := integerOf(v)
	return datum.Int(n), ok
}

// Convert implements sql.Type: numbers stay numbers.
func (u untyped) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	if d, is := numberOf(v); is {
		return untypedValue(d), sql.InRange, nil
	}
	return u.StringType.Convert(ctx, v)
}

// Equals implements sql.Type.
func (u untyped) Equals(other sql.Type) bool { return IsUntyped(other) }

// Type implements sql.Type. It is no text's: what asks by it for texts takes values for strings without a look.
func (u untyped) Type() query.Type { return query.Type_EXPRESSION }

// Promote implements sql.Type.
func (u untyped) Promote() sql.Type { return u }

// UnderlyingType implements sql.SystemVariableType.
func (u untyped) UnderlyingType() sql.Type { return u.StringType }

// EncodeValue implements sql.SystemVariableType. No variable has this type.
func (u untyped) EncodeValue(v any) (string, error) {
	text, _, err := u.StringType.Convert(context.Background(), v)
	s, _ := text.(string)
	return s, err
}

// DecodeValue implements sql.SystemVariableType.
func (u untyped) DecodeValue(s string) (any, error) { return s, nil }

// untypedValue is the engine's value of a datum in a column without a type: numbers by their own kinds, integers always as such, so that equal ones are the
// same; all else as a text.
func untypedValue(d datum.Datum) any {
	switch d.Kind() {
	case datum.KindInt, datum.KindBool:
		return d.Int()
	case datum.KindUint, datum.KindDecimal, datum.KindFloat:
		x, ok := d.NumberDecimal()
		if !ok {
			return d.Float()
		}
		if n, whole := x.Int(); whole {
			return n
		}
		return Loose(d)
	}
	return UntypedText(d)
}
