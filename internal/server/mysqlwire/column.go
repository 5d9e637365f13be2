// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"encoding/binary"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
)

// wire is how a column's values travel.
type wire struct {
	kind     byte // the protocol's type
	base     datum.Base
	flags    uint16
	charset  uint16
	length   uint32 // of the longest value's text, in bytes
	decimals byte   // digits after the point, or 31 if that differs
	scale    int    // of a DECIMAL, and of a TIMESTAMP or TIME if given: the digits after the point that texts have
}

const (
	decimalsVary    = 31
	textLengthAny   = 65_535 // of texts whose type names no length, in characters
	bytesPerRune    = 4
	decimalLengthOf = 67 // 65 digits, sign and point
)

// wireOf translates a type.
func wireOf(t datum.Type) wire {
	w := numberWire(t)
	if w.kind == typeNull {
		w = otherWire(t)
	}
	w.base = t.Base
	return w
}

func numberWire(t datum.Type) wire {
	w := wire{flags: flagBinary, charset: charsetBinary}
	switch t.Base {
	case datum.Boolean:
		w.kind, w.length = typeTiny, 1
	case datum.TinyInt:
		w.kind, w.length = typeTiny, 4
	case datum.SmallInt:
		w.kind, w.length = typeShort, 6
	case datum.Integer:
		w.kind, w.length = typeLong, 11
	case datum.BigInt:
		w.kind, w.length = typeLongLong, 20
	case datum.BigIntUnsigned:
		w.kind, w.length = typeLongLong, 20
		w.flags |= flagUnsigned
	case datum.Float:
		w.kind, w.length, w.decimals = typeFloat, 12, decimalsVary
	case datum.Double:
		w.kind, w.length, w.decimals = typeDouble, 22, decimalsVary
	case datum.DecimalBase:
		w.kind, w.length, w.decimals, w.scale = typeNewDecimal, decimalLengthOf, decimalsVary, t.Scale
		if t.Precision > 0 {
			w.length, w.decimals = uint32(t.Precision)+2, byte(t.Scale)
		}
	default:
		w.kind = typeNull
	}
	return w
}

func otherWire(t datum.Type) wire {
	w := wire{flags: flagBinary, charset: charsetBinary}
	length := uint32(textLengthAny)
	if t.Length > 0 {
		length = uint32(min(t.Length, 1<<28))
	}
	switch t.Base {
	case datum.BinaryBase:
		w.kind, w.length = typeString, length
	case datum.Varbinary:
		w.kind, w.length = typeVarString, length
	case datum.Date:
		w.kind, w.length = typeDate, 10
	case datum.Time:
		w.kind, w.length, w.decimals, w.scale = typeTime, 14, 3, t.Scale
	case datum.Timestamp:
		w.kind, w.length, w.decimals, w.scale = typeTimestamp, 23, 3, t.Scale
	case datum.JSONBase:
		w.kind, w.length = typeJSON, 1<<32-1
		w.flags |= flagBlob
	case datum.Char:
		w = wire{kind: typeString, charset: charsetText, length: bytesPerRune * length}
	default:
		w = wire{kind: typeVarString, charset: charsetText, length: bytesPerRune * length, decimals: decimalsVary}
	}
	return w
}

// appendColumn appends a column definition.
func appendColumn(dst []byte, column *result.Column, w *wire) []byte {
	dst = appendText(dst, "def")
	dst = appendText(dst, column.Database)
	dst = appendText(dst, column.Table)
	dst = appendText(dst, column.OriginalTable)
	dst = appendText(dst, column.Name)
	dst = appendText(dst, column.OriginalName)
	flags := w.flags
	if column.NotNull {
		flags |= flagNotNull
	}
	if column.PrimaryKey {
		flags |= flagPrimaryKey | flagPartKey
	}
	if column.Unsigned {
		flags |= flagUnsigned
	}
	dst = append(dst, 0x0c)
	dst = binary.LittleEndian.AppendUint16(dst, w.charset)
	dst = binary.LittleEndian.AppendUint32(dst, w.length)
	dst = append(dst, w.kind)
	dst = binary.LittleEndian.AppendUint16(dst, flags)
	return append(dst, w.decimals, 0, 0)
}

// parameterWire is what a placeholder is declared as: clients send any type.
func parameterWire() wire {
	return wire{kind: typeVarString, charset: charsetBinary, flags: flagBinary}
}
