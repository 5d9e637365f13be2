// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"
	"math"
)

// Codec encodes the values of one attribute. It is immutable and safe for use by any number of goroutines. Make one
// with New, Learn or Decode.
type Codec struct {
	attribute Attribute // without a name, and with Bits and Codec set
	version   uint32
	bits      int
	drop      uint8 // 64-bits, of codes that fit into a word
	source    source
	scale     float64 // of linear codes
	min       float64
	unit      Unit
	nulls     bool
	quantile  *quantile
}

// source is how a kind makes its full codes.
type source uint8

const (
	sourceUnsigned source = iota // the width is 64-shift bits
	sourceSigned
	sourceFloat32
	sourceFloat64
	sourceLinear
	sourceTime
	sourceBool
	sourceInstant
	sourceNumber // from here on full codes are bytes
	sourceBytes
	sourceNFC
)

// sources lists them by kind. // immutable
var sources = [kindCount]source{
	U8: sourceUnsigned, U16: sourceUnsigned, U32: sourceUnsigned, U64: sourceUnsigned,
	I8: sourceSigned, I16: sourceSigned, I32: sourceSigned, I64: sourceSigned,
	F32: sourceFloat32, F64: sourceFloat64, Decimal: sourceNumber, Boolean: sourceBool, Timestamp: sourceTime,
	Latitude: sourceLinear, Longitude: sourceLinear, Linear: sourceLinear, ISO8601: sourceInstant,
	UTF8: sourceBytes, Bytes: sourceBytes, NFC: sourceNFC, Raw: sourceBytes,
}

// edge is which end of the values that one Value stands for is wanted.
type edge uint8

const (
	edgeLow    edge = iota // the value itself; of an interval the start
	edgeHigh               // of an interval the end
	edgePrefix             // the last of all values that begin with it
)

// New returns the codec of a, which must not want codec=quantile: that is for Learn. version is the caller's number for
// this codec; it is stored with it and means nothing here. The error is an *AttributeError.
func New(a Attribute, version uint32) (*Codec, error) {
	if a.Codec == ChoiceQuantile {
		return nil, &AttributeError{Name: a.Name,
			Reason: "codec=quantile is learned from a sample; call Learn, or write codec=raw"}
	}
	a.Codec = ChoiceRaw
	if err := a.Validate(); err != nil {
		return nil, err
	}
	return build(a, version, nil), nil
}

// build takes a valid attribute.
func build(a Attribute, version uint32, q *quantile) *Codec {
	a.Name, a.Bits = "", a.width()
	c := &Codec{attribute: a, version: version, bits: a.Bits, source: sources[a.Type.Kind], unit: a.Type.Unit,
		nulls: a.Nulls == NullsFirst, quantile: q}
	if c.bits <= 64 {
		c.drop = uint8(64 - c.bits)
	}
	switch a.Type.Kind {
	case Latitude:
		c.min, c.scale = -90, linearScale/180
	case Longitude:
		c.min, c.scale = -180, linearScale/360
	case Linear:
		c.min, c.scale = a.Type.Min, linearScale/(a.Type.Max-a.Type.Min)
	}
	return c
}

// Attribute returns the declaration of c with everything stated, and without a name.
func (c *Codec) Attribute() Attribute { return c.attribute }

// Version returns the number that the codec was made with.
func (c *Codec) Version() uint32 { return c.version }

// Bits returns the width of the codes.
func (c *Codec) Bits() int { return c.bits }

// Order returns the comparison that the codes keep.
func (c *Codec) Order() Order { return c.attribute.Type.Order() }

// Code returns the code of v, below 2^Bits. The errors are ErrType, ErrNull, ErrInstant and ErrWide.
func (c *Codec) Code(v Value) (uint64, error) {
	if c.bits > 64 {
		return 0, ErrWide
	}
	return c.code(&v, edgeLow)
}

func (c *Codec) code(v *Value, e edge) (uint64, error) {
	word, err := c.word(v, e)
	code := word >> c.drop
	if !c.nulls {
		return code, err
	}
	switch {
	case v.kind == valueNull:
		return 0, nil
	case code == 0 && err == nil:
		return 1, nil
	}
	return code, err
}

// AppendCode appends the code of v, the first bit first, in (Bits+7)/8 bytes; bits left over in the last byte are 0.
// Errors as of Code, without ErrWide; dst is then returned as it came.
func (c *Codec) AppendCode(dst []byte, v Value) ([]byte, error) {
	return c.appendCode(dst, &v, edgeLow)
}

func (c *Codec) appendCode(dst []byte, v *Value, e edge) ([]byte, error) {
	if c.bits <= 64 {
		code, err := c.code(v, e)
		if err != nil {
			return dst, err
		}
		return c.appendWord(dst, code), nil
	}
	start := len(dst)
	if v.kind == valueNull && c.nulls {
		return c.appendFill(dst, 0), nil
	}
	dst, err := c.appendFull(dst, v, e)
	if err != nil {
		return dst[:start], err
	}
	dst = dst[:start+c.bytes()]
	dst[len(dst)-1] &= c.lastMask()
	if c.nulls && allZero(dst[start:]) {
		dst[len(dst)-1] = c.lastMask() & -c.lastMask()
	}
	return dst, nil
}

// bytes returns the length of a code.
func (c *Codec) bytes() int { return (c.bits + 7) / 8 }

// lastMask covers the bits of the last byte that belong to the code.
func (c *Codec) lastMask() byte { return 0xFF << (uint(-c.bits) & 7) }

// appendWord appends a code of at most 64 bits.
func (c *Codec) appendWord(dst []byte, code uint64) []byte {
	var word [8]byte
	binary.BigEndian.PutUint64(word[:], code<<c.drop)
	return append(dst, word[:c.bytes()]...)
}

// appendFill appends a code of which every byte is fill.
func (c *Codec) appendFill(dst []byte, fill byte) []byte {
	for range c.bytes() {
		dst = append(dst, fill)
	}
	dst[len(dst)-1] &= c.lastMask()
	return dst
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// word returns the first 64 bits of v's full code, zeros behind what it has.
func (c *Codec) word(v *Value, e edge) (uint64, error) {
	if v.kind == valueNull {
		return 0, ErrNull
	}
	if c.quantile != nil {
		return c.quantileWord(v, e)
	}
	if c.source >= sourceNumber {
		return c.bytesWord(v, e)
	}
	word, _, err := c.scalar(v, e)
	return word, err
}

// scalar is word for the kinds whose full code fits into one. side is -1 or 1 if v was clamped.
func (c *Codec) scalar(v *Value, e edge) (word uint64, side int, err error) {
	ok := false
	switch c.source {
	case sourceUnsigned:
		word, side, ok = c.unsignedWord(v)
	case sourceSigned:
		word, side, ok = c.signedWord(v)
	case sourceFloat32, sourceFloat64, sourceLinear:
		word, side, ok = c.float(v)
	case sourceTime:
		var count int64
		count, side, ok = floorInt(v)
		word = timeWord(count, c.unit)
	case sourceBool:
		word, ok = c.boolean(v)
	case sourceInstant:
		return c.instant(v, e)
	}
	if !ok {
		return 0, 0, typeError(v)
	}
	return word, side, nil
}

func typeError(v *Value) error {
	if v.kind == valueNull {
		return ErrNull
	}
	return ErrType
}

func (c *Codec) unsignedWord(v *Value) (word uint64, side int, ok bool) {
	n, side, ok := floorUint(v)
	width := uint(kinds[c.attribute.Type.Kind].bits)
	if last := uint64(math.MaxUint64) >> (64 - width); n > last {
		n, side = last, 1
	}
	return n << (64 - width), side, ok
}

func (c *Codec) signedWord(v *Value) (word uint64, side int, ok bool) {
	n, side, ok := floorInt(v)
	width := uint(kinds[c.attribute.Type.Kind].bits)
	last := int64(math.MaxInt64) >> (64 - width)
	switch {
	case n > last:
		n, side = last, 1
	case n < -last-1:
		n, side = -last-1, -1
	}
	return uint64(n)<<(64-width) ^ signBit, side, ok
}

func (c *Codec) float(v *Value) (word uint64, side int, ok bool) {
	f, ok := toFloat(v)
	switch {
	case c.source == sourceFloat64:
		return floatWord(f), 0, ok
	case c.source == sourceFloat32:
		return float32Word(f), float32Side(f), ok
	case f < c.min:
		side = -1
	case !((f-c.min)*c.scale <= linearScale): // the upper limit itself has the last code, and is not out of place
		side = 1
	}
	return linearWord(f, c.min, c.scale), side, ok
}

// float32Side reports whether a finite f is beyond the largest float32.
func float32Side(f float64) int {
	switch {
	case f > math.MaxFloat32 && !math.IsInf(f, 0) && math.IsInf(float64(float32(f)), 0):
		return 1
	case f < -math.MaxFloat32 && !math.IsInf(f, 0) && math.IsInf(float64(float32(f)), 0):
		return -1
	}
	return 0
}

// boolean has two bits where 0 is kept for nulls: 01 and 11.
func (c *Codec) boolean(v *Value) (word uint64, ok bool) {
	word = v.word << 63
	if c.nulls {
		word |= 1 << 62
	}
	return word, v.kind == valueBool
}

func (c *Codec) instant(v *Value, e edge) (word uint64, side int, err error) {
	if v.kind != valueText {
		return 0, 0, typeError(v)
	}
	first, last, err := ParseInstant(v.bytes, c.attribute.Type.Zone)
	if err != nil {
		return 0, 0, err
	}
	if e == edgeHigh {
		first = last
	}
	count, side := first.count(c.unit)
	return timeWord(count, c.unit), side, nil
}
