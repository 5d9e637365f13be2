// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/binary"
	"slices"

	"github.com/weftdb/weft/order"
)

// AppendNull appends the null value.
func AppendNull(dst []byte) []byte { return append(dst, tagNull) }

// AppendBool appends a truth value.
func AppendBool(dst []byte, x bool) []byte {
	if x {
		return append(dst, tagTrue)
	}
	return append(dst, tagFalse)
}

// AppendNumber appends a Number.
func AppendNumber(dst []byte, d order.Decimal) []byte {
	return order.AppendDecimal(append(dst, tagNumber), d)
}

// AppendString appends a String. s is UTF-8; that is the caller's to see to.
func AppendString(dst, s []byte) []byte {
	return appendCounted(append(dst, tagString), s)
}

// AppendBinary appends a Binary.
func AppendBinary(dst, b []byte) []byte {
	return appendCounted(append(dst, tagBinary), b)
}

// BeginBinary appends what stands in front of the bytes of a Binary. Those, size of them, are appended next.
func BeginBinary(dst []byte, size int) []byte {
	return binary.AppendUvarint(append(dst, tagBinary), uint64(size))
}

// AppendInt appends an Int.
func AppendInt(dst []byte, x int64) []byte {
	return order.AppendInt(append(slices.Grow(dst, 9), tagInt), x)
}

// AppendFloat appends a Float. There is one zero and one NaN.
func AppendFloat(dst []byte, x float64) []byte {
	return order.AppendFloat(append(slices.Grow(dst, 9), tagFloat), x)
}

// AppendTimestamp appends a Timestamp, in milliseconds since 1970-01-01 UTC.
func AppendTimestamp(dst []byte, ms int64) []byte {
	return order.AppendTimestamp(append(slices.Grow(dst, 9), tagTimestamp), ms)
}

// AppendName appends the name of a map entry; the entry's value is appended next. See BeginMap.
func AppendName(dst, name []byte) []byte { return appendCounted(dst, name) }

func appendCounted(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
