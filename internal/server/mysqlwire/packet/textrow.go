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
	switch d.Kind() {
	case datum.KindNull:
		return append(dst, NullText)
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

// appendFloat appends the shortest text that reads back as a FLOAT, which is shorter than that of the same number as a DOUBLE.
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
