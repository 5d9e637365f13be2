// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
)

// TypeName writes a type as DDL and SHOW COLUMNS do, in upper case; "" for Untyped.
func TypeName(t datum.Type) string {
	if t.Base == datum.Untyped {
		return ""
	}
	return t.String()
}

// TypeText is a type as SHOW and information_schema have it: in lower case, as MySQL writes it. "" is Untyped. A mapped
// column of an HBase table has the type of its values.
func TypeText(t datum.Type) string {
	if t.Codec() != value.AsIs {
		t.Variety = datum.Plain
	}
	if t.Base == datum.Integer && t.Variety == datum.Plain {
		return "int"
	}
	if t.Members == "" {
		return strings.ToLower(TypeName(t))
	}
	word, members, _ := strings.Cut(TypeName(t), "(")
	return strings.ToLower(word) + "(" + members
}

// TypeText is the type of a column as SHOW and information_schema have it. A truth value is MySQL's in a table of its
// kind.
func (t *Table) TypeText(typed datum.Type) string {
	if t.InsertFails && typed.Base == datum.Boolean {
		return "tinyint(1)"
	}
	return TypeText(typed)
}

// parseType reads what TypeName wrote.
func parseType(text string) (t datum.Type, ok bool) {
	word, lengths, behind := text, "", strings.LastIndexByte(text, ')')
	if before, rest, ok := strings.Cut(text, "("); ok && behind > 0 {
		word, lengths = before+strings.TrimSuffix(text[behind+1:], " ZEROFILL"), rest[:behind-len(before)-1]
	}
	if word == "" {
		return t, true
	}
	if t, ok = datum.VarietyOf(word); ok {
		return readVariety(t, lengths)
	}
	if t, ok = datum.MappedType(word); ok {
		return t, lengths == ""
	}
	for t.Base = datum.Boolean; t.Base.String() != word; t.Base++ {
		if t.Base > datum.JSONBase {
			return t, false
		}
	}
	if lengths == "" {
		return t, true
	}
	first, second, two := strings.Cut(lengths, ",")
	n, err := strconv.Atoi(first)
	if !two && t.IsTemporal() {
		if t.Scale = n; n == 0 {
			t.Length = 1
		}
		return t, err == nil
	}
	if !two {
		t.Length = n
		return t, err == nil
	}
	scale, err2 := strconv.Atoi(second)
	t.Precision, t.Scale = n, scale
	return t, err == nil && err2 == nil
}

// readVariety adds what is in brackets behind the name of a variety.
func readVariety(t datum.Type, lengths string) (datum.Type, bool) {
	if lengths == "" {
		return t, true
	}
	var err error
	switch t.Variety {
	case datum.Enum, datum.Set:
		t.Members = lengths
	case datum.DateTime:
		t.Scale, err = strconv.Atoi(lengths)
	case datum.DecimalUnsigned:
		plain, ok := parseType("DECIMAL(" + lengths + ")")
		t.Precision, t.Scale = plain.Precision, plain.Scale
		return t, ok
	default:
		t.Length, err = strconv.Atoi(lengths)
	}
	return t, err == nil
}

// KeyType is the type with which values of a SQL type stand in keys. ok is false for types that can't: JSON, and
// columns without a type.
func KeyType(t datum.Type) (key schema.Type, ok bool) {
	switch t.Base {
	case datum.Boolean:
		return schema.Bool, true
	case datum.TinyInt, datum.SmallInt, datum.Integer, datum.BigInt, datum.Date, datum.Time:
		return schema.Int, true
	case datum.BigIntUnsigned, datum.DecimalBase:
		return schema.Number, true
	case datum.Float, datum.Double:
		return schema.Float, true
	case datum.Char, datum.Varchar:
		return schema.String, true
	case datum.BinaryBase, datum.Varbinary:
		return schema.Binary, true
	case datum.Timestamp:
		return schema.Timestamp, true
	}
	return schema.AnyType, false
}

// typeOf returns SQL's type of a column that another protocol typed. DynamoDB's numbers are exact and of any scale, and
// stay as they are.
func typeOf(t schema.Type) datum.Type {
	switch t {
	case schema.String:
		return datum.Type{Base: datum.Varchar}
	case schema.Number:
		return datum.Type{Base: datum.DecimalBase}
	case schema.Binary:
		return datum.Type{Base: datum.Varbinary}
	case schema.Bool:
		return datum.Type{Base: datum.Boolean}
	case schema.Int:
		return datum.Type{Base: datum.BigInt}
	case schema.Float:
		return datum.Type{Base: datum.Double}
	case schema.Timestamp:
		return datum.Type{Base: datum.Timestamp}
	}
	return datum.Type{}
}
