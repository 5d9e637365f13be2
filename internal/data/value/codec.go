// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Codec is the encoding by which a Binary holds a value of another kind. Java's codecs write the bytes of HBase's
// Bytes.toBytes, which keeps no types: whoever reads has to know. Its stored form is its name.
type Codec uint8

// The codecs. AsIs is the codec of values that are stored unchanged.
const (
	AsIs        Codec = iota
	JavaLong          // 8 bytes, the highest first
	JavaInteger       // 4 bytes
	JavaShort         // 2 bytes
	JavaFloat         // the 4 bytes of a float32; it reads as the shortest decimal that is this float32
	JavaDouble        // the 8 bytes of a float64
	JavaString        // UTF-8
	JavaBoolean       // 1 byte: 0 is false, and true is written as 0xFF
)

var codecNames = [...]string{"", "hlong", "hinteger", "hshort", "hfloat", "hdouble", "hstring", "hboolean"} // immutable

// String is the stored name.
func (c Codec) String() string {
	if int(c) < len(codecNames) {
		return codecNames[c]
	}
	return strconv.Itoa(int(c))
}

// MarshalText writes the name.
func (c Codec) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name.
func (c *Codec) UnmarshalText(b []byte) error {
	at := slices.Index(codecNames[:], string(b))
	if at < 0 {
		return fmt.Errorf("value: unknown codec %q: it was written by a newer version of Weft", b)
	}
	*c = Codec(at)
	return nil
}

// Decode returns what v stands for: v itself if it is no Binary, else the value that its bytes hold, appended to dst.
// ok is false for bytes that hold none: those of another length, texts that are not UTF-8, and floats that are no
// numbers or infinite.
func (c Codec) Decode(dst []byte, v Value) (decoded Value, ok bool) {
	if c == AsIs || v.Kind() != Binary {
		return v, true
	}
	b, n := v.Bytes(), len(dst)
	switch {
	case c == JavaLong && len(b) == 8:
		dst = AppendInt(dst, int64(binary.BigEndian.Uint64(b)))
	case c == JavaInteger && len(b) == 4:
		dst = AppendInt(dst, int64(int32(binary.BigEndian.Uint32(b))))
	case c == JavaShort && len(b) == 2:
		dst = AppendInt(dst, int64(int16(binary.BigEndian.Uint16(b))))
	case c == JavaFloat && len(b) == 4:
		f := widen(math.Float32frombits(binary.BigEndian.Uint32(b)))
		return AppendFloat(dst, f)[n:], isFinite(f)
	case c == JavaDouble && len(b) == 8:
		f := math.Float64frombits(binary.BigEndian.Uint64(b))
		return AppendFloat(dst, f)[n:], isFinite(f)
	case c == JavaString && utf8.Valid(b):
		dst = AppendString(dst, b)
	case c == JavaBoolean && len(b) == 1:
		dst = AppendBool(dst, b[0] != 0)
	default:
		return nil, false
	}
	return dst[n:], true
}

// Append appends v as the Binary that Decode reads as v. ok is false, and dst as it was, for a value that has none.
func (c Codec) Append(dst []byte, v Value) (encoded []byte, ok bool) {
	var room [8]byte
	x, isInt := v.Int()
	f, isFloat := v.Float()
	switch {
	case c == AsIs:
		return append(dst, v...), true
	case c == JavaLong && isInt:
		binary.BigEndian.PutUint64(room[:], uint64(x))
		return AppendBinary(dst, room[:]), true
	case c == JavaInteger && isInt && x == int64(int32(x)):
		binary.BigEndian.PutUint32(room[:], uint32(x))
		return AppendBinary(dst, room[:4]), true
	case c == JavaShort && isInt && x == int64(int16(x)):
		binary.BigEndian.PutUint16(room[:], uint16(x))
		return AppendBinary(dst, room[:2]), true
	case c == JavaFloat && isFloat && isFinite(float64(float32(f))):
		binary.BigEndian.PutUint32(room[:], math.Float32bits(float32(f)+0)) // there is one zero
		return AppendBinary(dst, room[:4]), true
	case c == JavaDouble && isFloat && isFinite(f):
		binary.BigEndian.PutUint64(room[:], math.Float64bits(f+0))
		return AppendBinary(dst, room[:]), true
	case c == JavaString && v.Kind() == String:
		return AppendBinary(dst, v.Bytes()), true
	case c == JavaBoolean && v.Kind() == Bool && v.Bool():
		return AppendBinary(dst, []byte{0xFF}), true
	case c == JavaBoolean && v.Kind() == Bool:
		return AppendBinary(dst, []byte{0}), true
	}
	return dst, false
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// widen is the shortest decimal that is a float32, as a float64: 0.1 and not 0.10000000149.
func widen(f float32) float64 {
	var room [32]byte
	wide, err := strconv.ParseFloat(string(strconv.AppendFloat(room[:0], float64(f), 'g', -1, 32)), 64)
	if err != nil {
		return float64(f)
	}
	return wide
}
