// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/sql/datum"
)

// TypeName writes a type as DDL and SHOW COLUMNS do, in upper case; "" for Untyped.
func TypeName(t datum.Type) string {
	name := typeWord(t.Base)
	switch {
	case t.Base == datum.DecimalBase && t.Precision > 0:
		return name + "(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")"
	case t.Length > 0:
		return name + "(" + strconv.Itoa(t.Length) + ")"
	}
	return name
}

// typeWords is immutable
var typeWords = [...]string{
	datum.Untyped: "", datum.Boolean: "BOOLEAN", datum.TinyInt: "TINYINT", datum.SmallInt: "SMALLINT", datum.Integer: "INT", datum.BigInt: "BIGINT",
	datum.BigIntUnsigned: "BIGINT UNSIGNED", datum.Float: "FLOAT", datum.Double: "DOUBLE", datum.DecimalBase: "DECIMAL", datum.Char: "CHAR",
	datum.Varchar: "VARCHAR", datum.BinaryBase: "BINARY", datum.Varbinary: "VARBINARY", datum.Date: "DATE", datum.Time: "TIME",
	datum.Timestamp: "TIMESTAMP", datum.JSONBase: "JSON",
}

func typeWord(base datum.Base) string {
	if int(base) < len(typeWords) {
		return typeWords[base]
	}
	return ""
}

// parseType reads what TypeName wrote.
func parseType(text string) (t datum.Type, ok bool) {
	word, lengths, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	at := slices.Index(typeWords[:], word)
	if at < 0 {
		return t, false
	}
	t.Base = datum.Base(at)
	if lengths == "" {
		return t, true
	}
	first, second, two := strings.Cut(lengths, ",")
	n, err := strconv.Atoi(first)
	if !two {
		t.Length = n
		return t, err == nil
	}
	scale, err2 := strconv.Atoi(second)
	t.Precision, t.Scale = n, scale
	return t, err == nil && err2 == nil
}

// KeyType is the type with which values of a SQL type stand in keys. ok is false for types that can't: JSON, and columns without a type.
func KeyType(t datum.Type) (key weft.Type, ok bool) {
	switch t.Base {
	case datum.Boolean:
		return weft.Bool, true
	case datum.TinyInt, datum.SmallInt, datum.Integer, datum.BigInt, datum.Date, datum.Time:
		return weft.Int, true
	case datum.BigIntUnsigned, datum.DecimalBase:
		return weft.Number, true
	case datum.Float, datum.Double:
		return weft.Float, true
	case datum.Char, datum.Varchar:
		return weft.String, true
	case datum.BinaryBase, datum.Varbinary:
		return weft.Binary, true
	case datum.Timestamp:
		return weft.Timestamp, true
	}
	return schema.AnyType, false
}

// typeOf is how SQL sees a column that another door typed. A number over DynamoDB is an exact one of any scale, which stays as it is.
func typeOf(t weft.Type) datum.Type {
	switch t {
	case weft.String:
		return datum.Type{Base: datum.Varchar}
	case weft.Number:
		return datum.Type{Base: datum.DecimalBase}
	case weft.Binary:
		return datum.Type{Base: datum.Varbinary}
	case weft.Bool:
		return datum.Type{Base: datum.Boolean}
	case weft.Int:
		return datum.Type{Base: datum.BigInt}
	case weft.Float:
		return datum.Type{Base: datum.Double}
	case weft.Timestamp:
		return datum.Type{Base: datum.Timestamp}
	}
	return datum.Type{}
}
