// SPDX-License-Identifier: Apache-2.0

package value

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/weftdb/weft/internal/sql/datum"
)

const (
	// charactersMax is the length of a VARCHAR column of which none was declared: the longest that a type of the engine may have.
	charactersMax = 16383
	bytesMax      = 65535
	// TextCollation compares texts bytewise.
	TextCollation = sql.Collation_utf8mb4_0900_bin
	// timestampDigits is the precision of TIMESTAMP: milliseconds.
	timestampDigits = 3
)

// EngineType is the engine's type for one of ours. A column that is written to may hold texts of any length, which LONGTEXT says.
func EngineType(t datum.Type, writes bool) sql.Type {
	switch t.Base {
	case datum.Boolean:
		return types.Boolean
	case datum.TinyInt:
		return types.Int8
	case datum.SmallInt:
		return types.Int16
	case datum.Integer:
		return types.Int32
	case datum.BigInt:
		return types.Int64
	case datum.BigIntUnsigned:
		return types.Uint64
	case datum.Float:
		return types.Float32
	case datum.Double:
		return types.Float64
	case datum.Date:
		return types.Date
	case datum.Time:
		return types.Time
	case datum.Timestamp:
		return types.MustCreateDatetimeType(sqltypes.Datetime, timestampDigits)
	case datum.JSONBase:
		return types.JSON
	case datum.DecimalBase:
		return decimalType(t)
	case datum.Untyped:
		return newUntyped()
	}
	return stringType(t, writes)
}

func decimalType(t datum.Type) sql.Type {
	precision, scale := t.Precision, t.Scale
	if precision <= 0 {
		precision, scale = 38, 10
	}
	created, err := types.CreateColumnDecimalType(uint8(min(precision, 65)), uint8(min(scale, 30)))
	if err != nil {
		return types.InternalDecimalType
	}
	return created
}

func stringType(t datum.Type, writes bool) sql.Type {
	base, length, longest, collation := sqltypes.VarChar, int64(t.Length), int64(charactersMax), TextCollation
	switch t.Base {
	case datum.Varchar:
	case datum.Char:
		base, longest = sqltypes.Char, 255
	case datum.Varbinary:
		base, longest, collation = sqltypes.VarBinary, bytesMax, sql.Collation_binary
	case datum.BinaryBase: // not padded here, so not the engine's BINARY
		base, longest, collation = sqltypes.VarBinary, bytesMax, sql.Collation_binary
	default:
		return types.CreateLongText(TextCollation)
	}
	if length <= 0 || length > longest {
		if writes && collation == sql.Collation_binary {
			return types.LongBlob
		}
		if writes {
			return types.CreateLongText(TextCollation)
		}
		length = longest
		if base == sqltypes.Char {
			base, length = sqltypes.VarChar, charactersMax
		}
	}
	created, err := types.CreateString(base, length, collation)
	if err != nil {
		return types.CreateLongText(TextCollation)
	}
	return created
}

// ResultType is our type for one of the engine's, as a result's column has it.
func ResultType(t sql.Type) datum.Type {
	if t == types.Boolean {
		return datum.Type{Base: datum.Boolean}
	}
	if IsUntyped(t) {
		return datum.Type{Base: datum.Untyped}
	}
	if d, ok := t.(sql.DecimalType); ok {
		return datum.Type{Base: datum.DecimalBase, Precision: int(d.Precision()), Scale: int(d.Scale())}
	}
	return datum.Type{Base: BaseOf(t.Type()), Length: lengthOf(t)}
}

func lengthOf(t sql.Type) int {
	s, ok := t.(sql.StringType)
	if !ok || (t.Type() != query.Type_VARCHAR && t.Type() != query.Type_CHAR && t.Type() != query.Type_VARBINARY && t.Type() != query.Type_BINARY) {
		return 0
	}
	if s.MaxCharacterLength() >= charactersMax {
		return 0
	}
	return int(s.MaxCharacterLength())
}

// BaseOf is our base type for one of the engine's, Varchar for what has no other.
func BaseOf(t query.Type) datum.Base {
	switch t {
	case query.Type_INT8:
		return datum.TinyInt
	case query.Type_INT16, query.Type_UINT8, query.Type_YEAR:
		return datum.SmallInt
	case query.Type_INT32, query.Type_INT24, query.Type_UINT16, query.Type_UINT24:
		return datum.Integer
	case query.Type_INT64, query.Type_UINT32:
		return datum.BigInt
	case query.Type_UINT64, query.Type_BIT:
		return datum.BigIntUnsigned
	case query.Type_FLOAT32:
		return datum.Float
	case query.Type_FLOAT64:
		return datum.Double
	case query.Type_DECIMAL:
		return datum.DecimalBase
	case query.Type_DATE:
		return datum.Date
	case query.Type_TIME:
		return datum.Time
	case query.Type_DATETIME, query.Type_TIMESTAMP:
		return datum.Timestamp
	case query.Type_JSON:
		return datum.JSONBase
	case query.Type_BLOB, query.Type_VARBINARY, query.Type_BINARY, query.Type_GEOMETRY:
		return datum.Varbinary
	case query.Type_CHAR:
		return datum.Char
	case query.Type_NULL_TYPE:
		return datum.Untyped
	}
	return datum.Varchar
}
