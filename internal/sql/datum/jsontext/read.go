// SPDX-License-Identifier: Apache-2.0

// Package jsontext turns JSON texts into documents and back, finds paths in documents, changes and compares them.
//
// A document is a value.Value: maps, lists, strings, numbers, truth values and null. Paths are MySQL's: $.a[0], $**.b,
// $[last-1], $.*.
//
// Knows: JSON, paths.
// Never: SQL's types, syntax.
package jsontext

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// Error says why a text is no JSON, and at which byte.
type Error struct {
	What     string
	Position int
}

func (e *Error) Error() string {
	return "jsontext: invalid JSON text: " + e.What + " at position " + strconv.Itoa(e.Position)
}

// AppendValue appends a JSON text as a document. Of equal names in one object the last counts. Numbers are exact up to
// 38 digits and the range of a decimal, else floats. The error is a *Error; texts that nest deeper than
// value.NestingMax are refused.
func AppendValue(dst []byte, text string) ([]byte, error) {
	r := reader{text: text}
	if !utf8.ValidString(text) {
		return dst, &Error{"Invalid encoding in string.", 0}
	}
	r.space()
	dst, err := r.value(dst, 0)
	if err != nil {
		return dst, err
	}
	if r.space(); r.at != len(text) {
		return dst, r.fault("The document root must not be followed by other values.")
	}
	return dst, nil
}

// reader reads text from at on.
type reader struct {
	text    string
	at      int
	scratch []byte // an unescaped string
}

func (r *reader) fault(what string) error { return &Error{what, r.at} }

func (r *reader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// next returns the byte at hand, 0 at the end.
func (r *reader) next() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *reader) value(dst []byte, depth int) ([]byte, error) {
	switch c := r.next(); {
	case c == '"':
		s, err := r.string()
		return value.AppendString(dst, s), err
	case c == '{' || c == '[':
		if depth >= value.NestingMax {
			return dst, r.fault("The document nests too deep.")
		}
		if c == '[' {
			return r.list(dst, depth+1)
		}
		return r.object(dst, depth+1)
	case c == '-' || c-'0' <= 9:
		return r.number(dst)
	case r.word("null"):
		return value.AppendNull(dst), nil
	case r.word("true"):
		return value.AppendBool(dst, true), nil
	case r.word("false"):
		return value.AppendBool(dst, false), nil
	case r.at == len(r.text):
		return dst, r.fault("The document is empty.")
	}
	return dst, r.fault("Invalid value.")
}

func (r *reader) word(word string) bool {
	if !strings.HasPrefix(r.text[r.at:], word) {
		return false
	}
	r.at += len(word)
	return true
}

func (r *reader) list(dst []byte, depth int) ([]byte, error) {
	start := len(dst)
	dst = value.BeginList(dst)
	r.at++
	r.space()
	if r.next() == ']' {
		r.at++
		return value.EndList(dst, start)
	}
	for {
		var err error
		if dst, err = r.value(dst, depth); err != nil {
			return dst, err
		}
		r.space()
		switch r.next() {
		case ',':
			r.at++
			r.space()
		case ']':
			r.at++
			return value.EndList(dst, start)
		default:
			return dst, r.fault("Missing a comma or ']' after an array element.")
		}
	}
}

func (r *reader) object(dst []byte, depth int) ([]byte, error) {
	start := len(dst)
	dst = value.BeginMap(dst)
	begin := len(dst)
	r.at++
	r.space()
	for first := true; ; first = false {
		if r.next() == '}' && first {
			break
		}
		var err error
		if dst, err = r.entry(dst, depth); err != nil {
			return dst, err
		}
		r.space()
		if c := r.next(); c == '}' {
			break
		} else if c != ',' {
			return dst, r.fault("Missing a comma or '}' after an object member.")
		}
		r.at++
		r.space()
	}
	r.at++
	return endMap(dst, start, begin)
}

// entry reads a name, a colon and a value.
func (r *reader) entry(dst []byte, depth int) ([]byte, error) {
	if r.next() != '"' {
		return dst, r.fault("Missing a name for object member.")
	}
	name, err := r.string()
	if err != nil {
		return dst, err
	}
	dst = value.AppendName(dst, name)
	if r.space(); r.next() != ':' {
		return dst, r.fault("Missing a colon after a name of object member.")
	}
	r.at++
	r.space()
	return r.value(dst, depth)
}

// endMap is value.EndMap; of equal names the last stays.
func endMap(dst []byte, start, begin int) ([]byte, error) {
	if !repeats(dst[begin:]) {
		return value.EndMap(dst, start)
	}
	type entry struct{ name, value []byte }
	var entries []entry
	places := map[string]int{}
	for rest := append([]byte(nil), dst[begin:]...); len(rest) > 0; {
		var e entry
		e.name, e.value, rest = cutEntry(rest)
		if at, twice := places[string(e.name)]; twice {
			entries[at].value = e.value
			continue
		}
		places[string(e.name)] = len(entries)
		entries = append(entries, e)
	}
	dst = value.BeginMap(dst[:start])
	for _, e := range entries {
		dst = append(value.AppendName(dst, e.name), e.value...)
	}
	return value.EndMap(dst, start)
}

// repeats reports whether a name occurs twice among the entries of a map that was begun.
func repeats(entries []byte) bool {
	var few [8]string
	names := few[:0]
	var many map[string]struct{}
	for len(entries) > 0 {
		var name []byte
		name, _, entries = cutEntry(entries)
		s := unsafe.String(unsafe.SliceData(name), len(name))
		if many != nil {
			if _, found := many[s]; found {
				return true
			}
			many[s] = struct{}{}
			continue
		}
		for _, other := range names {
			if other == s {
				return true
			}
		}
		if names = append(names, s); len(names) == cap(names) {
			many = make(map[string]struct{}, 32)
			for _, other := range names {
				many[other] = struct{}{}
			}
		}
	}
	return false
}

// cutEntry takes an entry apart: uvarint length, name, value, as AppendName and the value's Append made it.
func cutEntry(b []byte) (name, val, rest []byte) {
	length, shift := 0, 0
	for {
		c := b[0]
		b = b[1:]
		length |= int(c&0x7f) << shift
		if c < 0x80 {
			break
		}
		shift += 7
	}
	name = b[:length]
	v, rest, _ := value.Cut(b[length:])
	return name, v, rest
}

func (r *reader) digits() bool {
	start := r.at
	for r.at < len(r.text) && r.text[r.at]-'0' <= 9 {
		r.at++
	}
	return r.at > start
}

func (r *reader) number(dst []byte) ([]byte, error) {
	start := r.at
	if r.next() == '-' {
		r.at++
	}
	leading := r.next() == '0'
	whole := r.at
	if !r.digits() || leading && r.at > whole+1 {
		return dst, r.fault("Invalid value.")
	}
	if r.next() == '.' {
		if r.at++; !r.digits() {
			return dst, r.fault("Missing fraction part in number.")
		}
	}
	if r.next()|0x20 == 'e' {
		if r.at++; r.next() == '+' || r.next() == '-' {
			r.at++
		}
		if !r.digits() {
			return dst, r.fault("Missing exponent in number.")
		}
	}
	return r.decimal(dst, r.text[start:r.at])
}

func (r *reader) decimal(dst []byte, text string) ([]byte, error) {
	x, err := order.ParseDecimal(value.ReadOnly(text))
	if err == nil {
		return value.AppendNumber(dst, x), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || f > 1e308*1.7 || f < -1e308*1.7 {
		return dst, r.fault("Number too big to be stored in double.")
	}
	return AppendFloatValue(dst, f), nil
}

// AppendFloatValue appends a number of a document: a Number where a decimal holds it, else a Float.
func AppendFloatValue(dst []byte, f float64) []byte {
	if x, ok := floatDecimal(f); ok {
		return value.AppendNumber(dst, x)
	}
	return value.AppendFloat(dst, f)
}

// string reads a string, which aliases the text or scratch.
func (r *reader) string() ([]byte, error) {
	r.at++
	start := r.at
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return value.ReadOnly(r.text[start : r.at-1]), nil
		case c == '\\':
			return r.escaped(start)
		case c < 0x20:
			return nil, r.fault("Invalid encoding in string.")
		}
		r.at++
	}
	return nil, r.fault("Missing a closing quotation mark in string.")
}

func (r *reader) escaped(start int) ([]byte, error) {
	r.scratch = append(r.scratch[:0], r.text[start:r.at]...)
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return r.scratch, nil
		case c == '\\':
			if !r.escape() {
				return nil, r.fault("Invalid escape character in string.")
			}
		case c < 0x20:
			return nil, r.fault("Invalid encoding in string.")
		default:
			r.scratch = append(r.scratch, c)
			r.at++
		}
	}
	return nil, r.fault("Missing a closing quotation mark in string.")
}

func (r *reader) escape() bool {
	if r.at+1 >= len(r.text) {
		return false
	}
	c := r.text[r.at+1]
	if c == 'u' {
		return r.unicode()
	}
	at := strings.IndexByte(`"\/bfnrt`, c)
	if at < 0 {
		return false
	}
	r.scratch = append(r.scratch, "\"\\/\b\f\n\r\t"[at])
	r.at += 2
	return true
}

// unicode reads \uXXXX, or two for a pair of surrogates; one alone is no character.
func (r *reader) unicode() bool {
	first, ok := r.hexadecimal()
	if !ok {
		return false
	}
	if utf16.IsSurrogate(first) {
		if !strings.HasPrefix(r.text[r.at:], `\u`) {
			return false
		}
		second, ok := r.hexadecimal()
		if first = utf16.DecodeRune(first, second); !ok || first == utf8.RuneError {
			return false
		}
	}
	r.scratch = utf8.AppendRune(r.scratch, first)
	return true
}

func (r *reader) hexadecimal() (rune, bool) {
	if r.at+6 > len(r.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(r.text[r.at+2:r.at+6], 16, 32)
	r.at += 6
	return rune(n), err == nil
}

// floatDecimal is the shortest decimal that reads back as x; ok is false outside a Decimal's range, and for NaN.
func floatDecimal(x float64) (d order.Decimal, ok bool) {
	var buffer [32]byte
	d, err := order.ParseDecimal(strconv.AppendFloat(buffer[:0], x, 'e', -1, 64))
	return d, err == nil
}
