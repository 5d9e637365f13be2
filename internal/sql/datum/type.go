// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"strconv"

	"github.com/weftdb/weft/order"
)

// Base is a SQL type without its lengths.
type Base uint8

// The types. Untyped is the type of NULL and of columns whose values may be of any type, each its own.
const (
	Untyped Base = iota
	Boolean
	TinyInt
	SmallInt
	Integer
	BigInt
	BigIntUnsigned
	Float
	Double
	DecimalBase
	Char
	Varchar
	BinaryBase
	Varbinary
	Date
	Time
	Timestamp
	JSONBase
)

// names are the types as SQL writes them. // immutable
var names = [...]string{"UNTYPED", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "BIGINT UNSIGNED", "FLOAT",
	"DOUBLE", "DECIMAL", "CHAR",
	"VARCHAR", "BINARY", "VARBINARY", "DATE", "TIME", "TIMESTAMP", "JSON"}

// Type is a SQL type with its lengths.
type Type struct {
	Base Base `json:"base"`
	// Length is n of VARCHAR(n), CHAR(n) and BINARY(n), 0 where none was given; 1 of TINYINT(1), which clients take for
	// a truth value; and the width of integers with ZEROFILL, which are UNSIGNED; and 1 of TIME(0) and TIMESTAMP(0),
	// which have whole seconds, while they have milliseconds without a length.
	Length int `json:"length,omitempty"`
	// Precision and Scale belong to DECIMAL(p,s), and of FLOAT(p,s) and DOUBLE(p,s), which round to s digits; 0,0
	// where none were given: any 38 digits. Scale is n of TIMESTAMP(n) and TIME(n), too.
	Precision int `json:"precision,omitempty"`
	Scale     int `json:"scale,omitempty"`
	// Variety is a type of MySQL that holds a part of the base; Members are the members of ENUM and SET, as DDL writes
	// them: 'a','b'.
	Variety Variety `json:"variety,omitempty"`
	Members string  `json:"members,omitempty"`
}

// String is the base as SQL writes it, without lengths.
func (b Base) String() string {
	if int(b) < len(names) {
		return names[b]
	}
	return "UNKNOWN"
}

// String is the type as SQL writes it, such as VARCHAR(20) or DECIMAL(10,2).
func (t Type) String() string {
	switch {
	case t.IsInteger() && t.Variety != Bit && t.Length > 0:
		return t.width()
	case t.Variety != Plain:
		return t.variety()
	case (t.Base == DecimalBase || t.IsFloat()) && t.Precision > 0:
		return t.Base.String() + "(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")"
	case t.IsTemporal() && t.Length > 0:
		return t.Base.String() + "(0)"
	case t.Length > 0:
		return t.Base.String() + "(" + strconv.Itoa(t.Length) + ")"
	case (t.Base == Timestamp || t.Base == Time) && t.Scale > 0:
		return t.Base.String() + "(" + strconv.Itoa(t.Scale) + ")"
	}
	return t.Base.String()
}

// IsInteger reports whether values are integers; BOOLEAN's are not.
func (t Type) IsInteger() bool { return t.Base >= TinyInt && t.Base <= BigIntUnsigned }

// IsUnsigned reports whether values are integers that have no sign, which differences may not fall below.
func (t Type) IsUnsigned() bool {
	switch t.Variety {
	case TinyIntUnsigned, SmallIntUnsigned, MediumIntUnsigned, IntUnsigned, Year:
		return true
	}
	return t.Base == BigIntUnsigned
}

// IsNumeric reports whether values are numbers.
func (t Type) IsNumeric() bool { return t.Base >= TinyInt && t.Base <= DecimalBase }

// IsFloat reports whether values are FLOAT or DOUBLE.
func (t Type) IsFloat() bool { return t.Base == Float || t.Base == Double }

// IsText reports whether values are CHAR or VARCHAR.
func (t Type) IsText() bool { return t.Base == Char || t.Base == Varchar }

// IsBinary reports whether values are BINARY or VARBINARY.
func (t Type) IsBinary() bool { return t.Base == BinaryBase || t.Base == Varbinary }

// IsTemporal reports whether values are DATE, TIME or TIMESTAMP.
func (t Type) IsTemporal() bool { return t.Base >= Date && t.Base <= Timestamp }

// TypeOf returns the type that a value by itself has: Untyped for NULL.
func TypeOf(d Datum) Type {
	switch d.kind {
	case KindBool:
		return Type{Base: Boolean}
	case KindInt:
		return Type{Base: BigInt}
	case KindUint:
		return Type{Base: BigIntUnsigned}
	case KindFloat:
		return Type{Base: Double}
	case KindDecimal:
		return Type{Base: DecimalBase, Precision: order.DecimalDigitsMax, Scale: int(d.scale)}
	case KindText:
		return Type{Base: Varchar}
	case KindBinary:
		return Type{Base: Varbinary}
	case KindTimestamp:
		return Type{Base: Timestamp, Scale: int(d.scale)}
	case KindDate:
		return Type{Base: Date}
	case KindTime:
		return Type{Base: Time, Scale: int(d.scale)}
	case KindJSON:
		return Type{Base: JSONBase}
	}
	return Type{}
}

// Unify returns the type that holds the values of several: of CASE, IF, COALESCE and GREATEST. Untyped ones do not
// count. mixed says that some values are to be converted to it.
func Unify(types []Type) (t Type, mixed bool) {
	for _, next := range types {
		switch {
		case next.Base == Untyped:
		case t.Base == Untyped:
			t = next
		case t.Base != next.Base:
			mixed = true
			t = unifyTwo(t, next)
		default:
			mixed = mixed || t.Base == DecimalBase && t.Scale != next.Scale || t.IsList() || next.IsList()
			mixed = mixed || t.IsTemporal() && t.FractionDigits() != next.FractionDigits()
			if t.Variety != next.Variety || t.IsList() { // as in MySQL, even values of one ENUM are texts together
				t.Variety, t.Members = Plain, ""
			}
			t.Length, t.Scale = longer(t.Length, next.Length), max(t.Scale, next.Scale)
			t.Precision = longer(t.Precision, next.Precision)
		}
	}
	return t, mixed
}

// longer is the larger of two lengths, where 0 is no limit.
func longer(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

func unifyTwo(a, b Type) Type {
	number := func(t Type) bool { return t.IsNumeric() || t.Base == Boolean }
	switch {
	case number(a) && number(b):
		if a.IsFloat() || b.IsFloat() {
			return Type{Base: Double}
		} else if a.Base == DecimalBase || b.Base == DecimalBase || a.Base == BigIntUnsigned ||
			b.Base == BigIntUnsigned {
			return Type{Base: DecimalBase, Precision: order.DecimalDigitsMax, Scale: max(a.Scale, b.Scale)}
		}
		return Type{Base: BigInt}
	case a.IsTemporal() && b.IsTemporal() && a.Base != Time && b.Base != Time:
		return Type{Base: Timestamp, Scale: max(a.Scale, b.Scale)}
	case a.IsBinary() && (b.IsBinary() || b.IsText()) || b.IsBinary() && a.IsText():
		return Type{Base: Varbinary}
	}
	return Type{Base: Varchar}
}
