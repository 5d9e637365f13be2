// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// evaluate is the value of an operand, or nil if it has none. A computed value is appended to buf; the value aliases
// that, the row or the tree.
func evaluate(o Operand, s Source, buf []byte) (v value.Value, rest []byte, err error) {
	switch o := o.(type) {
	case *Path:
		v, _ = o.Lookup(s)
		return v, buf, nil
	case *Literal:
		return o.Value, buf, nil
	case *Size:
		v, buf = o.evaluate(s, buf)
		return v, buf, nil
	case *IfNotExists:
		if v, ok := o.Path.Lookup(s); ok {
			return v, buf, nil
		}
		return evaluate(o.Default, s, buf)
	case *ListAppend:
		return o.evaluate(s, buf)
	case *Arithmetic:
		return o.evaluate(s, buf)
	}
	return nil, buf, nil
}

// require is evaluate for an operand that must have a value.
func require(o Operand, s Source, buf []byte) (v value.Value, rest []byte, err error) {
	v, buf, err = evaluate(o, s, buf)
	if err == nil && v.IsMissing() {
		err = fault(FaultMissingAttribute)
	}
	return v, buf, err
}

// SizeOf is the size of a value as conditions measure it: UTF-16 units of a string, bytes of a binary, elements of a
// list, map or set. Other values have none. It is not the size that counts toward an item's.
func SizeOf(v value.Value) (size int, ok bool) {
	switch kind := v.Kind(); {
	case kind == value.String:
		return utf16Units(v.Bytes()), true
	case kind == value.Binary:
		return len(v.Bytes()), true
	case kind.IsDocument() || kind.IsSet():
		return v.Len(), true
	}
	return 0, false
}

// utf16Units is the number of units of UTF-16 a text in UTF-8 takes: one for each character, and two for one outside of
// the basic plane, which UTF-8 has in four bytes. ASCII is counted eight bytes at a time.
func utf16Units(text []byte) (units int) {
	const highBits = 0x8080808080808080
	for len(text) > 0 {
		if len(text) >= 8 && binary.LittleEndian.Uint64(text)&highBits == 0 {
			units, text = units+8, text[8:]
			continue
		}
		switch c := text[0]; {
		case c >= 0xf0:
			units += 2
		case c&0xc0 != 0x80: // not one that goes on with a character
			units++
		}
		text = text[1:]
	}
	return units
}

func (o *Size) evaluate(s Source, buf []byte) (v value.Value, rest []byte) {
	v, _ = o.Path.Lookup(s)
	size, ok := SizeOf(v)
	if !ok {
		return nil, buf
	}
	start := len(buf)
	buf = value.AppendInt(buf, int64(size))
	return buf[start:], buf
}

func (o *ListAppend) evaluate(s Source, buf []byte) (value.Value, []byte, error) {
	a, buf, err := require(o.A, s, buf)
	if err == nil && a.Kind() != value.List {
		err = fault(FaultOperandType)
	}
	if err != nil {
		return nil, buf, err
	}
	b, buf, err := require(o.B, s, buf)
	if err == nil && b.Kind() != value.List {
		err = fault(FaultOperandType)
	}
	if err != nil {
		return nil, buf, err
	}
	start := len(buf)
	buf = value.BeginList(buf)
	for _, list := range [...]value.Value{a, b} {
		for e := list.Elements(); e.Next(); {
			buf = append(buf, e.Value()...)
		}
	}
	buf, err = value.EndList(buf, start)
	return buf[start:], buf, err
}

func (o *Arithmetic) evaluate(s Source, buf []byte) (value.Value, []byte, error) {
	a, buf, err := require(o.A, s, buf)
	if err == nil && !a.Kind().IsNumeric() {
		err = fault(FaultOperandType)
	}
	if err != nil {
		return nil, buf, err
	}
	b, buf, err := require(o.B, s, buf)
	if err != nil {
		return nil, buf, err
	}
	start := len(buf)
	buf, err = appendArithmetic(buf, o.Sign, a, b)
	if e, ok := err.(*Error); ok && e.Fault == FaultNumberPrecision {
		err = fault(FaultNumberOverflow) // what AWS says of SET, though not of ADD
	}
	return buf[start:], buf, err
}

// appendArithmetic appends the exact sum or difference of two numbers.
func appendArithmetic(dst []byte, sign Sign, a, b value.Value) ([]byte, error) {
	x, okX := a.Decimal()
	y, okY := b.Decimal()
	if !okX || !okY {
		return dst, fault(FaultOperandType)
	}
	if sign == Minus {
		y = y.Neg()
	}
	sum, err := x.Add(y)
	if err != nil {
		return dst, arithmeticFault(err)
	}
	return value.AppendNumber(dst, sum), nil
}

func arithmeticFault(err error) error {
	switch {
	case errors.Is(err, order.ErrDecimalUnderflow):
		return fault(FaultNumberUnderflow)
	case errors.Is(err, order.ErrDecimalPrecision):
		return fault(FaultNumberPrecision)
	}
	return fault(FaultNumberOverflow)
}
