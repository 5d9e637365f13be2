// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"bytes"
	"math"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
)

// NullText is NULL in a row of the text protocol.
const NullText = 0xfb

// AppendTextRow appends a row in the text protocol's form. The row is as long as wires.
func AppendTextRow(dst []byte, wires []Wire, row []datum.Datum) []byte {
	for i := range row {
		dst = appendTextValue(dst, &wires[i], &row[i])
	}
	return dst
}

// appendTextValue appends a value's text after the text's length.
func appendTextValue(dst []byte, w *Wire, d *datum.Datum) []byte {
	kind := d.Kind()
	if w.numbers != numbersNone && kind > datum.KindInt && !w.fits(kind) {
		return appendForeignNumber(dst, w, d)
	}
	switch {
	case kind == datum.KindNull:
		return append(dst, NullText)
	case w.kind == typeBit:
		return appendBits(dst, w, d)
	}
	switch kind {
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		return AppendText(dst, d.Bytes())
	}
	// Everything else is shorter than the shortest length that needs more than a byte.
	start := len(dst)
	dst = append(dst, 0)
	if w.base == datum.Float && d.Kind() == datum.KindFloat {
		dst = appendFloat(dst, float32(d.Float()))
	} else {
		dst = d.AppendText(dst)
	}
	dst[start] = byte(len(dst) - start - 1)
	return dst
}

// appendBits appends the bytes of a BIT, the highest first, after their length.
func appendBits(dst []byte, w *Wire, d *datum.Datum) []byte {
	n := (w.length + 7) / 8
	dst = append(dst, byte(n))
	bits := unsignedOf(d)
	for shift := 8 * int(n-1); shift >= 0; shift -= 8 {
		dst = append(dst, byte(bits>>shift))
	}
	return dst
}

// fits reports whether a value's text is one that clients read as the type of its column of numbers: they fail on
// anything else.
func (w *Wire) fits(kind datum.Kind) bool {
	switch kind {
	case datum.KindUint: // above BIGINT's: better a client's complaint than another number
		return true
	case datum.KindFloat, datum.KindDecimal:
		return w.numbers == numbersFloat
	}
	return false
}

// appendForeignNumber appends a value of another kind than its column of numbers as what the binary protocol would
// bring.
func appendForeignNumber(dst []byte, w *Wire, d *datum.Datum) []byte {
	start := len(dst)
	dst = append(dst, 0)
	switch {
	case w.numbers == numbersFloat:
		double := datum.Float64(d.NumberFloat())
		dst = double.AppendText(dst)
	case w.flags&flagUnsigned != 0:
		dst = strconv.AppendUint(dst, unsignedOf(d), 10)
	default:
		dst = strconv.AppendInt(dst, integerOf(d, math.MinInt64, math.MaxInt64), 10)
	}
	dst[start] = byte(len(dst) - start - 1)
	return dst
}

// appendFloat appends the shortest text that reads back as a FLOAT, which is shorter than that of the same number as a
// DOUBLE.
func appendFloat(dst []byte, x float32) []byte {
	if magnitude := math.Abs(float64(x)); magnitude == 0 || (magnitude >= 1e-15 && magnitude < 1e15) {
		return strconv.AppendFloat(dst, float64(x), 'f', -1, 32)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, float64(x), 'e', -1, 32)
	if i := bytes.IndexByte(dst[start:], '+'); i > 0 {
		dst = append(dst[:start+i], dst[start+i+1:]...)
	}
	return dst
}
