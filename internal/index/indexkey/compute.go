// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// source is the source of a key's values: a row, a look-up by column, or a look-up by part. It has no methods
// stored in interfaces and is never captured, so that it stays on the stack.
type source struct {
	row    value.Row
	names  value.Names
	column func(name string) value.Value
	part   func(p *schema.KeyPart) value.Value
	nulls  bool // the null value counts as missing
}

// get returns the value of a column, nil if there is none. Bytes that its codec can't read stay bytes, which are of no
// type that it reads.
func (s *source) get(a *schema.Argument) (v value.Value) {
	if s.column != nil {
		v = s.column(a.Column)
	} else {
		v, _ = s.row.Get(s.names, value.ReadOnly(a.Column))
	}
	if s.nulls && v.Kind() == value.Null {
		return nil
	}
	if a.Codec != value.AsIs {
		return decoded(a, v)
	}
	return v
}

// decoded returns the value of a column's bytes. It allocates.
func decoded(a *schema.Argument, v value.Value) value.Value {
	if read, ok := a.Codec.Decode(nil, v); ok {
		return read
	}
	return v
}

// argument returns the value of one argument of p. The arguments of the hidden part name visible parts: a column for a
// plain one, the part's own name for a computed one, which is then built at the end of dst.
func (s *source) argument(dst []byte, x *schema.Index, p *schema.KeyPart, a *schema.Argument) (extended []byte,
	v value.Value, err error) {
	if !p.Hidden || x == nil {
		return dst, s.get(a), nil
	}
	visible := x.Visible()
	for i := range visible {
		q := &visible[i]
		switch {
		case s.part != nil && (q.Column() == a.Column || q.Computed() && q.Name == a.Column):
			return dst, s.part(q), nil
		case s.part == nil && q.Computed() && q.Name == a.Column:
			n := len(dst)
			dst, ok, err := appendComputed(dst, nil, q, s)
			if !ok || err != nil {
				return dst[:n], nil, err
			}
			return dst, value.Value(dst[n:]), nil
		}
	}
	if s.part != nil {
		return dst, nil, nil
	}
	return dst, s.get(a), nil
}

// Compute returns the value of a key part from the values of its columns: for a computed part its function's result,
// appended to dst and aliasing it; for a plain one the column's own value. ok is false if a column has no value. A
// column of the wrong type is a *TypeError.
func Compute(p *schema.KeyPart, column func(name string) value.Value, dst []byte) (v value.Value, ok bool, err error) {
	s := source{column: column}
	if !p.Computed() {
		v = s.get(&p.Args[0])
		return v, !v.IsMissing(), nil
	}
	n := len(dst)
	dst, ok, err = appendComputed(dst, nil, p, &s)
	if !ok || err != nil {
		return nil, false, err
	}
	return value.Value(dst[n:len(dst):len(dst)]), true, nil
}

// appendComputed appends the value of a computed part. dst comes back with nothing appended if ok is false. x is needed
// for the hidden part alone.
func appendComputed(dst []byte, x *schema.Index, p *schema.KeyPart, s *source) (extended []byte, ok bool, err error) {
	n := len(dst)
	switch p.Function {
	case schema.Concat:
		dst, ok, err = appendConcat(dst, p, s)
	case schema.Reverse:
		dst, ok, err = appendReverse(dst, p, s)
	case schema.ZOrder:
		dst, ok, err = appendCurve(dst, p, s)
	case schema.Words: // are no value
	default:
		var sum uint64
		dst, sum, ok, err = computeHash(dst, x, p, s)
		if ok && err == nil {
			var room [8]byte
			binary.BigEndian.PutUint64(room[:], sum)
			dst = value.AppendBinary(dst, room[:hashWidth(p.Function)])
		}
	}
	if !ok || err != nil {
		return dst[:n], false, err
	}
	return dst, true, nil
}

// computeHash returns the 64-bit hash of p's arguments. It builds their encodings in the spare room of dst, which comes
// back as it was, perhaps with more room.
func computeHash(dst []byte, x *schema.Index, p *schema.KeyPart, s *source) (same []byte, sum uint64, ok bool,
	err error) {
	n := len(dst)
	ok = true
	for i := range p.Args {
		a := &p.Args[i]
		m := len(dst)
		var v value.Value
		if dst, v, err = s.argument(dst, x, p, a); err != nil {
			return dst[:n], 0, false, err
		}
		if v.IsMissing() {
			ok = ok && p.Hidden && s.nulls // a null adds nothing to the hidden hash
			continue                       // the others must have the right type even so
		}
		valueEnd := len(dst)
		var fits bool
		if dst, fits = appendTyped(dst, a.Type, v); !fits {
			return dst[:n], 0, false, misfit(p, a, a.Type, v)
		}
		dst = dropMiddle(dst, m, valueEnd)
	}
	sum = xxhash.Sum64(dst[n:])
	return dst[:n], sum, ok, nil
}

// appendConcat appends the value of a concatenation.
func appendConcat(dst []byte, p *schema.KeyPart, s *source) (extended []byte, ok bool, err error) {
	n := len(dst)
	ok = true
	for i := range p.Args {
		a := &p.Args[i]
		if a.Column == "" {
			dst = append(dst, a.Literal...)
			continue
		}
		v := s.get(a)
		if v.IsMissing() {
			ok = false
			continue
		}
		var fits bool
		if dst, fits = appendText(dst, v); !fits || !Accepts(a.Type, v.Kind()) {
			return dst, false, misfit(p, a, wantOf(a.Type, schema.String), v)
		}
	}
	m := len(dst)
	return dropMiddle(value.AppendString(dst, dst[n:m]), n, m), ok, nil
}

// Accepts reports whether an argument of type t takes values of a kind at all.
func Accepts(t schema.Type, kind value.Kind) bool {
	switch t {
	case schema.AnyType:
		return kind == value.String || kind == value.Binary || kind.IsNumeric()
	case schema.String:
		return kind == value.String
	case schema.Binary:
		return kind == value.Binary
	case schema.Bool:
		return kind == value.Bool
	}
	return kind.IsNumeric()
}

func wantOf(t, otherwise schema.Type) schema.Type {
	if t == schema.AnyType {
		return otherwise
	}
	return t
}

// appendText appends a string's bytes or a number's decimal text. ok is false for other kinds, and for a Float beyond
// all decimals.
func appendText(dst []byte, v value.Value) (extended []byte, ok bool) {
	if v.Kind() == value.String {
		return append(dst, v.Bytes()...), true
	}
	d, ok := v.Decimal()
	if !ok {
		return dst, false
	}
	return d.AppendText(dst), true
}

// appendReverse appends the reversed string or number.
func appendReverse(dst []byte, p *schema.KeyPart, s *source) (extended []byte, ok bool, err error) {
	if len(p.Args) != 1 {
		return dst, false, nil
	}
	a := &p.Args[0]
	v := s.get(a)
	if v.IsMissing() {
		return dst, false, nil
	}
	if p.Type == schema.Number {
		dst, ok = appendReverseNumber(dst, v)
	} else {
		dst, ok = appendReverseString(dst, v)
	}
	if !ok {
		return dst, false, misfit(p, a, wantOf(a.Type, p.Type), v)
	}
	return dst, true, nil
}

func appendReverseString(dst []byte, v value.Value) ([]byte, bool) {
	if v.Kind() != value.String {
		return dst, false
	}
	n := len(dst)
	text := v.Bytes()
	if !utf8.Valid(text) {
		dst = value.AppendString(dst, text)
		slices.Reverse(dst[len(dst)-len(text):])
		return dst, true
	}
	// Characters keep their lengths, so the value is as long as that of the text: write it over its own copy.
	dst = value.AppendString(dst, text)
	for at := n + len(dst[n:]) - len(text); len(text) > 0; {
		_, size := utf8.DecodeLastRune(text)
		at += copy(dst[at:], text[len(text)-size:])
		text = text[:len(text)-size]
	}
	return dst, true
}

func appendReverseNumber(dst []byte, v value.Value) ([]byte, bool) {
	d, ok := v.Decimal()
	if !ok {
		return dst, false
	}
	if _, fraction := d.Digits(); fraction > 0 {
		return dst, false
	}
	var room [192]byte
	text := d.AppendText(room[:0])
	digits := text
	if d.IsNegative() {
		digits = text[1:]
	}
	slices.Reverse(digits)
	reversed, err := order.ParseDecimal(text)
	if err != nil {
		return dst, false
	}
	return value.AppendNumber(dst, reversed), true
}

// slab holds the many short encodings of one plan in few allocations. What it hands out stays as it is. The zero value
// is ready.
type slab struct {
	free []byte // of length 0
	size int    // of the last allocation
}

const slabBytesMin = 32

// room returns an empty slice with room for n bytes, to be filled and given to keep before anything else.
func (s *slab) room(n int) []byte {
	if cap(s.free) < n {
		s.size = max(n, slabBytesMin, 2*s.size)
		s.free = make([]byte, 0, s.size)
	}
	return s.free[:0:n]
}

// keep returns what was written into room, or somewhere else where it was too small.
func (s *slab) keep(b []byte) []byte {
	if len(b) > 0 && len(b) <= cap(s.free) && &b[0] == &s.free[:1][0] {
		s.free = s.free[len(b):len(b):cap(s.free)]
	}
	return b[:len(b):len(b)]
}

// concat returns a and b behind one another, which may be one of them alone.
func (s *slab) concat(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b[:len(b):len(b)]
	case len(b) == 0:
		return a[:len(a):len(a)]
	}
	return s.keep(append(append(s.room(len(a)+len(b)), a...), b...))
}

// end returns the end of all keys that begin with prefix; nil if nothing is beyond them.
func (s *slab) end(prefix []byte) []byte {
	end, ok := order.PrefixEnd(s.room(len(prefix)), prefix)
	if !ok {
		return nil
	}
	return s.keep(end)
}
