// SPDX-License-Identifier: Apache-2.0

package attributeion

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// Reader reads items. Its memory is used again from one to the next. The zero value is ready.
type Reader struct {
	text    []byte
	at      int
	scratch []byte // of a text with escapes
	number  []byte
}

// Item reads a record, {Item:{..}} or the item alone, and builds it. Errors say what is wrong and at which byte.
func (r *Reader) Item(record []byte, b *value.RowBuilder) error {
	*r = Reader{text: record, scratch: r.scratch, number: r.number}
	if err := r.begin('{'); err != nil {
		return err
	}
	name, more, err := r.field(true)
	if err != nil {
		return err
	}
	if !more {
		return r.end()
	}
	wrapped := string(name) == "Item" && r.peek() == '{' && !bytes.HasPrefix(r.text[r.at:], []byte("{{"))
	if !wrapped {
		if err := r.attributes(b, name); err != nil {
			return err
		}
		return r.end()
	}
	r.at++
	if name, more, err = r.field(true); err == nil && more {
		err = r.attributes(b, name)
	}
	if err != nil {
		return err
	}
	_, more, err = r.field(false)
	if err == nil && more {
		err = r.fault("unexpected text after the item")
	}
	if err != nil {
		return err
	}
	return r.end()
}

// Fields calls field with the name of each field of a record and the text of its value, which is not looked at. Both
// are the caller's.
func (r *Reader) Fields(record []byte, field func(name, text []byte) error) error {
	*r = Reader{text: record, scratch: r.scratch, number: r.number}
	if err := r.begin('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		name, more, err := r.field(first)
		if err != nil {
			return err
		}
		if !more {
			return r.end()
		}
		name = bytes.Clone(name)
		start := r.at
		if err := r.pass(); err != nil {
			return err
		}
		if err := field(name, r.text[start:r.at]); err != nil {
			return err
		}
	}
}

// pass goes behind the value of a field.
func (r *Reader) pass() error {
	for depth := 0; r.at < len(r.text); {
		next, whole := step(r.text, r.at)
		if !whole {
			break
		}
		switch c := r.text[r.at]; {
		case next > r.at+1: // a text, a comment or a blob
		case c == '{' || c == '[' || c == '(':
			depth++
		case depth == 0 && (c == '}' || c == ','):
			return nil
		case c == '}' || c == ']' || c == ')':
			depth--
		}
		r.at = next
	}
	return r.fault("a struct does not end")
}

// attributes reads the values of a struct from behind the first name on, to its end.
func (r *Reader) attributes(b *value.RowBuilder, name []byte) error {
	for more := true; more; {
		b.Begin(name)
		var err error
		if b.Buf, err = r.value(b.Buf, 0); err == nil {
			err = b.End()
		}
		if err != nil {
			return r.faultOf(err)
		}
		if name, more, err = r.field(false); err != nil {
			return err
		}
	}
	return nil
}

// end wants nothing more.
func (r *Reader) end() error {
	if r.peek() != 0 {
		return r.fault("unexpected text after the struct")
	}
	return nil
}

// SyntaxError says what is wrong with a record, and where.
type SyntaxError struct {
	Offset int // bytes before it
	Err    error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %v", e.Offset+1, e.Err) }

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

func (r *Reader) fault(text string) error { return &SyntaxError{r.at, errors.New(text)} }

// faultOf is fault for an error that may have no place.
func (r *Reader) faultOf(err error) error {
	if _, ok := errors.AsType[*SyntaxError](err); ok {
		return err
	}
	return &SyntaxError{r.at, err}
}

// peek passes over blanks and comments and returns the next byte; 0 at the end.
func (r *Reader) peek() byte {
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case isBlank(c):
			r.at++
		case c == '/' && r.at+1 < len(r.text) && (r.text[r.at+1] == '/' || r.text[r.at+1] == '*'):
			r.at, _ = step(r.text, r.at)
		default:
			return c
		}
	}
	return 0
}

// begin reads an opening bracket, with any annotations before it.
func (r *Reader) begin(opening byte) error {
	if _, err := r.annotation(); err != nil {
		return err
	}
	if r.peek() != opening || bytes.HasPrefix(r.text[r.at:], []byte("{{")) {
		return r.fault("a record is a struct: {..}")
	}
	r.at++
	return nil
}

// annotation reads the annotations in front of a value and returns the last one.
func (r *Reader) annotation() (last []byte, err error) {
	for {
		c := r.peek()
		start := r.at
		if c != '\'' && (!isIdentifierByte(c) || isDigit(c)) || bytes.HasPrefix(r.text[r.at:], []byte("'''")) {
			return last, nil
		}
		name, err := r.symbol()
		if err != nil {
			return nil, err
		}
		name = bytes.Clone(name)
		if r.peek(); !bytes.HasPrefix(r.text[r.at:], []byte("::")) {
			r.at = start
			return last, nil
		}
		r.at += 2
		last = name
	}
}

// symbol reads a name, in quotes or not.
func (r *Reader) symbol() ([]byte, error) {
	if r.text[r.at] == '\'' {
		return r.quoted('\'')
	}
	start := r.at
	for r.at < len(r.text) && isIdentifierByte(r.text[r.at]) {
		r.at++
	}
	return r.text[start:r.at], nil
}

// field reads the name of a struct's next field; more is false at its end. A comma may stand before the end.
func (r *Reader) field(first bool) (name []byte, more bool, err error) {
	c := r.peek()
	if !first && c == ',' {
		r.at++
		c = r.peek()
	} else if !first && c != '}' {
		return nil, false, r.fault("expected a comma, or } at the end of a struct")
	}
	switch {
	case c == '}':
		r.at++
		return nil, false, nil
	case c == '"':
		name, err = r.quoted('"')
	case bytes.HasPrefix(r.text[r.at:], []byte("'''")):
		name, err = r.long()
	case c == '\'' || isIdentifierByte(c) && !isDigit(c):
		name, err = r.symbol()
	default:
		return nil, false, r.fault("expected the name of a field")
	}
	if err == nil && len(name) == 0 {
		err = r.fault("an attribute's name is empty")
	}
	if err == nil && r.peek() != ':' {
		err = r.fault("expected a colon behind the name of a field")
	}
	r.at++
	return name, true, err
}

// kinds are the sets by their annotations. // immutable
var kinds = map[string]value.Kind{annotationStrings: value.StringSet, annotationNumbers: value.NumberSet,
	annotationBinary: value.BinarySet}

// value reads a value and appends it.
func (r *Reader) value(dst []byte, outer int) ([]byte, error) {
	if outer > value.NestingMax {
		return dst, value.ErrNesting
	}
	note, err := r.annotation()
	if err != nil {
		return dst, err
	}
	c := r.peek()
	if kind, ok := kinds[string(note)]; ok {
		if c != '[' {
			return dst, r.fault("a set is a list: " + string(note) + "::[..]")
		}
		return r.set(dst, kind, outer)
	}
	switch {
	case c == '"', c == '\'':
		return r.stringValue(dst, c)
	case bytes.HasPrefix(r.text[r.at:], []byte("{{")):
		return r.blob(dst)
	case c == '{':
		return r.fields(dst, outer)
	case c == '[':
		return r.list(dst, outer)
	case c == '-' || c == '+' || isDigit(c):
		return r.decimal(dst)
	case isIdentifierByte(c):
		return r.word(dst)
	}
	return dst, r.fault("expected a value")
}

// stringValue reads a string, short or long. A symbol is none.
func (r *Reader) stringValue(dst []byte, c byte) ([]byte, error) {
	read := func() ([]byte, error) { return r.quoted('"') }
	if c == '\'' {
		if read = r.long; !bytes.HasPrefix(r.text[r.at:], []byte("'''")) {
			return dst, r.fault("a symbol is no attribute value; write strings between double quotes")
		}
	}
	s, err := read()
	return value.AppendString(dst, s), err
}

// word reads null, true and false.
func (r *Reader) word(dst []byte) ([]byte, error) {
	start := r.at
	for r.at < len(r.text) && (isIdentifierByte(r.text[r.at]) || r.text[r.at] == '.') {
		r.at++
	}
	switch word := string(r.text[start:r.at]); word {
	case "true", "false":
		return value.AppendBool(dst, word == "true"), nil
	case "null", "null.null", "null.string", "null.decimal", "null.int", "null.float", "null.blob", "null.bool",
		"null.list", "null.struct":
		return value.AppendNull(dst), nil
	default:
		r.at = start
		return dst, r.fault(fmt.Sprintf(
			"%.40q is no attribute value; those are strings, decimals, blobs, booleans, null, lists and structs", word))
	}
}

// decimal reads a number: an integer, a decimal such as 1.5d3, or a float such as 1.5e3.
func (r *Reader) decimal(dst []byte) ([]byte, error) {
	start := r.at
	r.number = r.number[:0]
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case isDigit(c), c == '.', c == '-', c == '+', c == 'e', c == 'E':
			r.number = append(r.number, c)
		case c == 'd', c == 'D':
			r.number = append(r.number, 'e')
		case c == '_':
		default:
			if isIdentifierByte(c) || c == ':' {
				return dst, r.fault(fmt.Sprintf(
					"%.40q is no decimal; timestamps and integers to the base of 2 or 16 are no attribute values",
					r.text[start:r.at+1]))
			}
			return r.finishNumber(dst)
		}
		r.at++
	}
	return r.finishNumber(dst)
}

func (r *Reader) finishNumber(dst []byte) ([]byte, error) {
	d, err := order.ParseDecimal(r.number)
	if err != nil {
		return dst, fmt.Errorf("%.60s is not a valid number: %w", r.number, err)
	}
	return value.AppendNumber(dst, d), nil
}

// blob reads base64 between double braces.
func (r *Reader) blob(dst []byte) ([]byte, error) {
	start := r.at + 2
	end, whole := after(r.text, start, "}}")
	if !whole {
		return dst, r.fault("a blob is not closed")
	}
	packed := r.text[start : end-2]
	if bytes.ContainsAny(packed, " \t\r\n") {
		packed = bytes.Join(bytes.Fields(packed), nil)
	}
	size := len(packed)
	plain, err := base64.StdEncoding.AppendDecode(make([]byte, 0, size/4*3+3), packed)
	if err != nil {
		return dst, r.fault("a blob is not in base64, or it is a clob, which is no attribute value")
	}
	r.at = end
	return value.AppendBinary(dst, plain), nil
}

func (r *Reader) list(dst []byte, outer int) ([]byte, error) {
	start := len(dst)
	dst = value.BeginList(dst)
	dst, err := r.elements(dst, func(dst []byte) ([]byte, error) { return r.value(dst, outer+1) })
	if err != nil {
		return dst, err
	}
	return value.EndList(dst, start)
}

func (r *Reader) set(dst []byte, kind value.Kind, outer int) ([]byte, error) {
	start := len(dst)
	dst = value.BeginSet(dst, kind)
	empty := true
	dst, err := r.elements(dst, func(dst []byte) ([]byte, error) {
		at := len(dst)
		dst, err := r.value(dst, outer+1)
		if empty = false; err == nil && value.Value(dst[at:]).Kind() != kind.MemberKind() {
			err = r.fault("a set holds values of its own type only")
		}
		return dst, err
	})
	switch {
	case err != nil:
		return dst, err
	case empty:
		return dst, r.fault("a set is empty")
	}
	return value.EndSet(dst, start)
}

// elements reads a list to its end. A comma may stand before the end.
func (r *Reader) elements(dst []byte, one func([]byte) ([]byte, error)) (_ []byte, err error) {
	r.at++
	for first := true; ; first = false {
		c := r.peek()
		if !first && c == ',' {
			r.at++
			c = r.peek()
		} else if !first && c != ']' {
			return dst, r.fault("expected a comma, or ] at the end of a list")
		}
		if c == ']' {
			r.at++
			return dst, nil
		}
		if dst, err = one(dst); err != nil {
			return dst, err
		}
	}
}

func (r *Reader) fields(dst []byte, outer int) ([]byte, error) {
	r.at++
	start := len(dst)
	dst = value.BeginMap(dst)
	for first := true; ; first = false {
		name, more, err := r.field(first)
		if err != nil {
			return dst, err
		}
		if !more {
			return value.EndMap(dst, start)
		}
		if dst, err = r.value(value.AppendName(dst, name), outer+1); err != nil {
			return dst, err
		}
	}
}

// quoted reads a short string or a symbol in quotes. The result is good until the next one.
func (r *Reader) quoted(quote byte) ([]byte, error) {
	start := r.at + 1
	end, whole := endOfQuoted(r.text, start, quote)
	if !whole {
		return nil, r.fault("a quote is not closed")
	}
	raw := r.text[start : end-1]
	if bytes.IndexByte(raw, '\n') >= 0 {
		return nil, r.fault("a line ends inside of quotes; write \\n")
	}
	s, err := r.unescape(r.scratch[:0], raw)
	r.at = end
	return s, err
}

// long reads the parts of a long string: ”'..”' ”'..”'.
func (r *Reader) long() ([]byte, error) {
	all := r.scratch[:0]
	for bytes.HasPrefix(r.text[r.at:], []byte("'''")) {
		end, whole := endOfLong(r.text, r.at+3)
		if !whole {
			return nil, r.fault("a long string is not closed")
		}
		var err error
		if all, err = r.unescape(all, r.text[r.at+3:end-3]); err != nil {
			return nil, err
		}
		r.at = end
		r.peek()
	}
	return all, nil
}

// unescape appends what raw stands for to scratch.
func (r *Reader) unescape(dst, raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, r.fault("a text is not UTF-8")
	}
	for len(raw) > 0 {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 {
			dst = append(dst, raw...)
			break
		}
		dst = append(dst, raw[:at]...)
		var ok bool
		if dst, raw, ok = appendEscape(dst, raw[at+1:]); !ok {
			return nil, r.fault("an escape that Ion does not have, or half of a character")
		}
	}
	r.scratch = dst
	return dst, nil
}

// simpleEscapes maps the letters behind a backslash to their characters. // immutable
var simpleEscapes = map[byte]byte{'0': 0, 'a': 7, 'b': 8, 't': 9, 'n': 10, 'f': 12, 'r': 13, 'v': 11, '?': '?',
	'/': '/', '\\': '\\', '"': '"', '\'': '\''}

// appendEscape takes an escape from behind its backslash.
func appendEscape(dst, rest []byte) (_, after []byte, ok bool) {
	if len(rest) == 0 {
		return dst, nil, false
	}
	c, rest := rest[0], rest[1:]
	if plain, ok := simpleEscapes[c]; ok {
		return append(dst, plain), rest, true
	}
	switch c {
	case '\n': // a line goes on
		return dst, rest, true
	case 'x':
		code, rest, ok := hexCode(rest, 2)
		return utf8.AppendRune(dst, code), rest, ok
	case 'U':
		code, rest, ok := hexCode(rest, 8)
		return utf8.AppendRune(dst, code), rest, ok && utf8.ValidRune(code)
	case 'u':
		code, rest, ok := hexCode(rest, 4)
		if code >= 0xd800 && code < 0xdc00 && len(rest) >= 2 && rest[0] == '\\' && rest[1] == 'u' {
			low, after, ok := hexCode(rest[2:], 4)
			ok = ok && low >= 0xdc00 && low < 0xe000
			return utf8.AppendRune(dst, 0x10000+(code-0xd800)<<10+(low-0xdc00)), after, ok
		}
		return utf8.AppendRune(dst, code), rest, ok && utf8.ValidRune(code)
	}
	return dst, rest, false
}

func hexCode(text []byte, digits int) (code rune, rest []byte, ok bool) {
	if len(text) < digits {
		return 0, nil, false
	}
	var n uint32
	for _, c := range text[:digits] {
		switch {
		case isDigit(c):
			n = n<<4 | uint32(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | uint32(c|0x20-'a'+10)
		default:
			return 0, nil, false
		}
	}
	return rune(n), text[digits:], true
}
