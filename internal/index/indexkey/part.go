// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"encoding/binary"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// Marks before the parts of indexes that keep nulls. They are part of the stored format.
const (
	markNull  = 0x01
	markValue = 0x02
)

// Type bytes before the values of AnyType. They are part of the stored format; numbers stand before strings before
// binaries.
const (
	typeNumber = 0x10
	typeString = 0x20
	typeBinary = 0x30
)

// Limits of strings and binaries in keys, in bytes of the value: DynamoDB's.
const (
	partitionBytesMax = 2048
	sortBytesMax      = 1024
)

// hashWidth returns how many bytes a hash function has, and 0 for other functions.
func hashWidth(f schema.Function) int {
	switch f {
	case schema.Hash8:
		return 1
	case schema.Hash32:
		return 4
	case schema.Hash64:
		return 8
	}
	return 0
}

// fixedWidth returns how many bytes a part has whose encoding is a binary of a fixed length, and 0 for others.
func fixedWidth(p *schema.KeyPart) int {
	if p.Curve != nil {
		return p.Curve.Plan.Bytes()
	}
	return hashWidth(p.Function)
}

// appendValue appends the encoding of a value that is not null, without a mark. ok is false if v is not of the part's
// type.
func appendValue(dst []byte, p *schema.KeyPart, v value.Value) (key []byte, ok bool) {
	n := len(dst)
	if width := fixedWidth(p); width > 0 {
		if v.Kind() != value.Binary || len(v.Bytes()) != width {
			return dst, false
		}
		dst = append(dst, v.Bytes()...)
	} else if dst, ok = appendTyped(dst, p.Type, v); !ok {
		return dst[:n], false
	}
	if p.Descending {
		order.Complement(dst[n:])
	}
	return dst, true
}

// appendTyped appends the ascending encoding of v as a value of type t. ok is false if it is none.
func appendTyped(dst []byte, t schema.Type, v value.Value) (key []byte, ok bool) {
	switch t {
	case schema.String:
		if v.Kind() != value.String {
			return dst, false
		}
		return order.AppendBytes(dst, v.Bytes()), true
	case schema.Binary:
		if v.Kind() != value.Binary {
			return dst, false
		}
		return order.AppendBytes(dst, v.Bytes()), true
	case schema.Number:
		return appendNumber(dst, v)
	case schema.Bool:
		if v.Kind() != value.Bool {
			return dst, false
		}
		return order.AppendBool(dst, v.Bool()), true
	case schema.Int, schema.Timestamp:
		x, ok := intOf(v)
		if !ok {
			return dst, false
		}
		return order.AppendInt(dst, x), true
	case schema.Float:
		x, ok := floatOf(v)
		if !ok {
			return dst, false
		}
		return order.AppendFloat(dst, x), true
	case schema.AnyType:
		return appendAny(dst, v)
	}
	return dst, false
}

func appendNumber(dst []byte, v value.Value) ([]byte, bool) {
	if v.Kind() == value.Number {
		return append(dst, v[1:]...), true // the payload is the encoding
	}
	d, ok := v.Decimal()
	if !ok {
		return dst, false
	}
	return order.AppendDecimal(dst, d), true
}

func appendAny(dst []byte, v value.Value) ([]byte, bool) {
	switch kind := v.Kind(); {
	case kind == value.String:
		return order.AppendBytes(append(dst, typeString), v.Bytes()), true
	case kind == value.Binary:
		return order.AppendBytes(append(dst, typeBinary), v.Bytes()), true
	case kind.IsNumeric():
		return appendNumber(append(dst, typeNumber), v)
	}
	return dst, false
}

// intOf returns a number of any kind that is an integer of 64 bits.
func intOf(v value.Value) (int64, bool) {
	if kind := v.Kind(); kind == value.Int || kind == value.Timestamp {
		return v.Int()
	}
	d, ok := v.Decimal()
	if !ok {
		return 0, false
	}
	return d.Int()
}

// floatOf returns a number of any kind that a float64 holds without loss, as value.Compare sees it.
func floatOf(v value.Value) (float64, bool) {
	x, ok := v.Float()
	if !ok || v.Kind() == value.Float {
		return x, ok
	}
	var room [9]byte
	c, comparable := value.Compare(v, value.AppendFloat(room[:0], x))
	return x, comparable && c == 0
}

// skipPart returns what follows one part of a key.
func skipPart(b []byte, x *schema.Index, p *schema.KeyPart) ([]byte, error) {
	if x.KeepNulls && !p.Hidden {
		null, rest, err := cutMark(b, p)
		if null || err != nil {
			return rest, err
		}
		b = rest
	}
	if width := fixedWidth(p); width > 0 {
		return skipFixed(b, width)
	}
	t := p.Type
	if t == schema.AnyType {
		var err error
		if t, b, err = cutType(b, p.Descending); err != nil {
			return nil, err
		}
	}
	return skipTyped(b, t, p.Descending)
}

func skipTyped(b []byte, t schema.Type, descending bool) (rest []byte, err error) {
	switch t {
	case schema.String, schema.Binary:
		if descending {
			rest, err = order.SkipBytesDesc(b)
		} else {
			rest, err = order.SkipBytes(b)
		}
	case schema.Number:
		if descending {
			rest, err = order.SkipDecimalDesc(b)
		} else {
			rest, err = order.SkipDecimal(b)
		}
	case schema.Bool:
		return skipFixed(b, 1)
	default:
		return skipFixed(b, 8)
	}
	if err != nil {
		return nil, ErrMalformed
	}
	return rest, nil
}

func skipFixed(b []byte, width int) ([]byte, error) {
	if len(b) < width {
		return nil, ErrMalformed
	}
	return b[width:], nil
}

// cutMark takes the mark of an index that keeps nulls off b.
func cutMark(b []byte, p *schema.KeyPart) (null bool, rest []byte, err error) {
	if len(b) == 0 {
		return false, nil, ErrMalformed
	}
	switch b[0] ^ maskOf(p.Descending) {
	case markNull:
		return true, b[1:], nil
	case markValue:
		return false, b[1:], nil
	}
	return false, nil, ErrMalformed
}

// cutType takes the type byte of a value of AnyType off b.
func cutType(b []byte, descending bool) (t schema.Type, rest []byte, err error) {
	if len(b) == 0 {
		return 0, nil, ErrMalformed
	}
	switch b[0] ^ maskOf(descending) {
	case typeNumber:
		return schema.Number, b[1:], nil
	case typeString:
		return schema.String, b[1:], nil
	case typeBinary:
		return schema.Binary, b[1:], nil
	}
	return 0, nil, ErrMalformed
}

func maskOf(descending bool) byte {
	if descending {
		return 0xFF
	}
	return 0
}

// cutPart takes one part off b and appends its value to dst. v is the appended value; it is nil for a null and for the
// hidden part.
func cutPart(dst, b []byte, x *schema.Index, p *schema.KeyPart) (extended []byte, v value.Value, rest []byte,
	err error) {
	n := len(dst)
	if p.Hidden {
		rest, err = skipPart(b, x, p)
		return dst, nil, rest, err
	}
	if x.KeepNulls {
		null, after, err := cutMark(b, p)
		if null || err != nil {
			return dst, nil, after, err
		}
		b = after
	}
	if width := fixedWidth(p); width > 0 {
		dst, rest, err = cutHash(dst, b, width, p.Descending)
	} else {
		dst, rest, err = cutTyped(dst, b, p.Type, p.Descending)
	}
	if err != nil {
		return dst[:n], nil, nil, err
	}
	return dst, value.Value(dst[n:len(dst):len(dst)]), rest, nil
}

func cutHash(dst, b []byte, width int, descending bool) (extended, rest []byte, err error) {
	if len(b) < width {
		return dst, nil, ErrMalformed
	}
	if !descending {
		return value.AppendBinary(dst, b[:width]), b[width:], nil
	}
	var room [8]byte
	copy(room[:], b[:width])
	if descending {
		order.Complement(room[:width])
	}
	return value.AppendBinary(dst, room[:width]), b[width:], nil
}

func cutTyped(dst, b []byte, t schema.Type, descending bool) (extended, rest []byte, err error) {
	if t == schema.AnyType {
		if t, b, err = cutType(b, descending); err != nil {
			return dst, nil, err
		}
	}
	switch t {
	case schema.String, schema.Binary:
		dst, rest, err = cutString(dst, b, t, descending)
	case schema.Number:
		dst, rest, err = cutNumber(dst, b, descending)
	case schema.Bool:
		dst, rest, err = cutBool(dst, b, descending)
	default:
		dst, rest, err = cutWord(dst, b, t, descending)
	}
	if err != nil {
		return dst, nil, ErrMalformed
	}
	return dst, rest, nil
}

func cutString(dst, b []byte, t schema.Type, descending bool) (extended, rest []byte, err error) {
	n := len(dst)
	var text []byte
	if descending {
		text, rest, err = order.CutBytesDesc(b, dst)
	} else {
		text, rest, err = order.CutBytes(b, dst)
	}
	if err != nil {
		return dst, nil, err
	}
	// The text may stand in dst's spare room already, just where the value goes: write the value behind it, then move
	// it down.
	behind := dst[:n]
	if len(text) > 0 {
		behind = append(behind, text...)
	}
	m := len(behind)
	if t == schema.String {
		behind = value.AppendString(behind, behind[n:m])
	} else {
		behind = value.AppendBinary(behind, behind[n:m])
	}
	return dropMiddle(behind, n, m), rest, nil
}

// dropMiddle removes b[from:to] in place.
func dropMiddle(b []byte, from, to int) []byte {
	return b[:from+copy(b[from:], b[to:])]
}

func cutNumber(dst, b []byte, descending bool) (extended, rest []byte, err error) {
	var d order.Decimal
	if descending {
		d, rest, err = order.CutDecimalDesc(b)
	} else {
		d, rest, err = order.CutDecimal(b)
	}
	if err != nil {
		return dst, nil, err
	}
	return value.AppendNumber(dst, d), rest, nil
}

func cutBool(dst, b []byte, descending bool) (extended, rest []byte, err error) {
	var x bool
	if descending {
		x, rest, err = order.CutBoolDesc(b)
	} else {
		x, rest, err = order.CutBool(b)
	}
	if err != nil {
		return dst, nil, err
	}
	return value.AppendBool(dst, x), rest, nil
}

func cutWord(dst, b []byte, t schema.Type, descending bool) (extended, rest []byte, err error) {
	if len(b) < 8 {
		return dst, nil, ErrMalformed
	}
	var room [8]byte
	binary.BigEndian.PutUint64(room[:], binary.BigEndian.Uint64(b))
	if descending {
		order.Complement(room[:])
	}
	if t == schema.Float {
		f, _, err := order.CutFloat(room[:])
		if err != nil {
			return dst, nil, err
		}
		return value.AppendFloat(dst, f), b[8:], nil
	}
	i, _, err := order.CutInt(room[:])
	if err != nil {
		return dst, nil, err
	}
	if t == schema.Timestamp {
		return value.AppendTimestamp(dst, i), b[8:], nil
	}
	return value.AppendInt(dst, i), b[8:], nil
}
