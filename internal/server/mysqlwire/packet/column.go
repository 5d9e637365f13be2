// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"encoding/binary"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
)

// Wire is how a column's values travel.
type Wire struct {
	kind     byte // the protocol's type
	base     datum.Base
	flags    uint16
	charset  uint16
	length   uint32 // of the longest value's text, in bytes
	decimals byte   // digits after the point, or 31 if that differs
	numbers  numbers
}

// numbers is the type as which clients parse the texts of a column.
type numbers uint8

const (
	numbersNone numbers = iota // they don't
	numbersInteger
	numbersFloat
)

const (
	decimalsVary    = 31
	textLengthAny   = 65_535 // of texts whose type names no length, in characters
	bytesPerRune    = 4
	decimalLengthOf = 67 // 65 digits, sign and point
)

// WireOf translates a type.
func WireOf(t datum.Type) Wire {
	w := numberWire(t)
	if w.kind == typeNull {
		w = otherWire(t)
	}
	w.base = t.Base
	w.vary(t.Variety)
	if t.Variety == datum.Bit {
		w.kind, w.length, w.numbers = typeBit, uint32(max(t.Length, 1)), numbersNone
	}
	if t.IsUnsigned() {
		w.flags |= flagUnsigned
	}
	return w
}

// vary gives the type that MySQL has for a variety, which clients choose their own types by.
func (w *Wire) vary(v datum.Variety) {
	switch v {
	case datum.TinyIntUnsigned:
		w.kind, w.length = typeTiny, 3
	case datum.SmallIntUnsigned:
		w.kind, w.length = typeShort, 5
	case datum.MediumInt:
		w.kind, w.length = typeInt24, 9
	case datum.MediumIntUnsigned:
		w.kind, w.length = typeInt24, 8
	case datum.IntUnsigned:
		w.kind, w.length = typeLong, 10
	case datum.Year:
		w.kind, w.length = typeYear, 4
	case datum.Enum:
		w.kind, w.flags = typeString, w.flags|flagEnum
	case datum.Set:
		w.kind, w.flags = typeString, w.flags|flagSet
	case datum.TinyText, datum.PlainText, datum.MediumText, datum.LongText, datum.TinyBlob, datum.Blob,
		datum.MediumBlob, datum.LongBlob:
		w.kind, w.flags = typeBlob, w.flags|flagBlob
	}
}

func numberWire(t datum.Type) Wire {
	w := Wire{flags: flagBinary, charset: charsetBinary}
	switch t.Base {
	case datum.Boolean:
		w.kind, w.length = typeTiny, 1
	case datum.TinyInt:
		w.kind, w.length = typeTiny, 4
		if t.Length == 1 { // which clients take for a truth value
			w.length = 1
		}
	case datum.SmallInt:
		w.kind, w.length = typeShort, 6
	case datum.Integer:
		w.kind, w.length = typeLong, 11
	case datum.BigInt, datum.BigIntUnsigned:
		w.kind, w.length = typeLongLong, 20
	case datum.Float:
		w.kind, w.length, w.decimals = typeFloat, 12, decimalsVary
	case datum.Double:
		w.kind, w.length, w.decimals = typeDouble, 22, decimalsVary
	case datum.DecimalBase:
		w.kind, w.length, w.decimals = typeNewDecimal, decimalLengthOf, decimalsVary
		if t.Precision > 0 {
			w.length, w.decimals = uint32(t.Precision)+2, byte(t.Scale)
		}
	default:
		w.kind = typeNull
	}
	switch w.kind {
	case typeTiny, typeShort, typeLong, typeLongLong:
		w.numbers = numbersInteger
	case typeFloat, typeDouble:
		w.numbers = numbersFloat
	}
	return w
}

func otherWire(t datum.Type) Wire {
	w := Wire{flags: flagBinary, charset: charsetBinary}
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
		w.kind, w.length, w.decimals = typeTime, 11+uint32(t.FractionDigits()), byte(t.FractionDigits())
	case datum.Timestamp:
		w.kind, w.length, w.decimals = typeTimestamp, 20+uint32(t.FractionDigits()), byte(t.FractionDigits())
		if t.Variety == datum.DateTime {
			w.kind = typeDatetime
		}
	case datum.JSONBase:
		w.kind, w.length = typeJSON, 1<<32-1
		w.flags |= flagBlob
	case datum.Char:
		w = Wire{kind: typeString, charset: charsetText, length: bytesPerRune * length}
	default:
		w = Wire{kind: typeVarString, charset: charsetText, length: bytesPerRune * length, decimals: decimalsVary}
	}
	return w
}

// WiresOf appends the wires of columns to the reusable part of dst.
func WiresOf(dst []Wire, columns []result.Column) []Wire {
	dst = dst[:0]
	for i := range columns {
		dst = append(dst, WireOf(columns[i].Type))
	}
	return dst
}

// AppendColumn appends a column definition. Names that HBase's clients made may be no text, which drivers can't read:
// what is none of it is replaced.
func AppendColumn(dst []byte, column *result.Column, w *Wire) []byte {
	dst = AppendText(dst, "def")
	dst = AppendText(dst, column.Database)
	dst = AppendText(dst, column.Table)
	dst = AppendText(dst, column.OriginalTable)
	dst = AppendText(dst, strings.ToValidUTF8(column.Name, "\uFFFD"))
	dst = AppendText(dst, strings.ToValidUTF8(column.OriginalName, "\uFFFD"))
	flags := w.flags
	if column.NotNull {
		flags |= flagNotNull
	}
	if column.PrimaryKey {
		flags |= flagPrimaryKey | flagPartKey
	}
	dst = append(dst, 0x0c)
	dst = binary.LittleEndian.AppendUint16(dst, w.charset)
	dst = binary.LittleEndian.AppendUint32(dst, w.length)
	dst = append(dst, w.kind)
	dst = binary.LittleEndian.AppendUint16(dst, flags)
	return append(dst, w.decimals, 0, 0)
}

// ParameterWire is the declared type of a placeholder: clients send any type.
func ParameterWire() Wire {
	return Wire{kind: typeVarString, charset: charsetBinary, flags: flagBinary}
}
