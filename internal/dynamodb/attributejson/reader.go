// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"strconv"
	"strings"
)

// depthMax is how deep objects and arrays of a body may stand inside one another. Attribute values need no more than 31
// lists or maps, two levels each; but it is the rule about those that a deeper value has to break first.
const depthMax = 1000

// Reader takes a JSON body apart, one value after another, each read exactly once. It is strict: no bytes after the
// body, no invalid UTF-8, no lone surrogates, no leading zeros. After an error it is of no more use. Its []byte results
// alias the body or the reader's scratch, and is good until the next call.
type Reader struct {
	// Narrow says that numbers are read as PartiQL does: an exponent of more than 32 bits makes them none.
	Narrow bool

	body    []byte
	pos     int
	depth   int
	levels  int    // of lists and maps around the value being checked
	deepest int    // see Deepest
	fresh   bool   // an object or array was begun and nothing of it was read yet
	size    int    // of the attribute value being read, as DynamoDB counts it: added up on the way
	scratch []byte // strings with escapes are unescaped into it
}

// NewReader returns a reader of body, which it keeps and does not write to.
func NewReader(body []byte) *Reader { return &Reader{body: body} }

// Reset makes r a reader of body that keeps r's scratch.
func (r *Reader) Reset(body []byte) { *r = Reader{body: body, scratch: r.scratch[:0]} }

// Deepest returns the number of lists and maps around one another in the deepest value that was read and has a fault.
func (r *Reader) Deepest() int { return r.deepest }

// Offset returns how many bytes of the body have been read.
func (r *Reader) Offset() int { return r.pos }

// Since returns the text that was read since an offset. It aliases the body.
func (r *Reader) Since(offset int) []byte { return r.body[offset:r.pos] }

// next skips white space and returns the byte after it, without reading it; 0 at the end.
func (r *Reader) next() byte {
	for r.pos < len(r.body) {
		c := r.body[r.pos]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
		r.pos++
	}
	return 0
}

// Peek returns the sort of the value that comes next, without reading it.
func (r *Reader) Peek() Token { return tokenOf(r.next()) }

// End reports whether the body ends here, white space aside.
func (r *Reader) End() error {
	if r.next(); r.pos < len(r.body) {
		return r.syntaxError("unexpected data after the value")
	}
	return nil
}

// BeginObject reads the opening of an object. NextKey or NextMember is called next, again and again, until it says that
// the object is closed.
func (r *Reader) BeginObject() error { return r.begin('{', "Structure") }

// BeginArray reads the opening of an array. NextElement is called next, again and again, until it says that the array
// is closed.
func (r *Reader) BeginArray() error { return r.begin('[', "List") }

func (r *Reader) begin(opening byte, expected string) error {
	if r.next() != opening {
		return r.typeError(expected)
	}
	if r.depth == depthMax {
		return r.syntaxError("nested too deeply")
	}
	r.pos++
	r.depth++
	r.fresh = true
	return nil
}

// NextKey reads the next key of an object; its value is read next. ok is false if the object is closed instead.
func (r *Reader) NextKey() (key []byte, ok bool, err error) {
	if i := r.pos; i+1 < len(r.body) && r.body[i] == ',' && r.body[i+1] == '"' && !r.fresh {
		r.pos++ // compact JSON, as it comes from an SDK
	} else if ok, err = r.advance('}'); !ok || err != nil {
		return nil, false, err
	}
	if r.next() != '"' {
		return nil, false, r.syntaxError("expected a key in quotes")
	}
	if key, err = r.readString(); err != nil {
		return nil, false, err
	}
	if r.next() != ':' {
		return nil, false, r.syntaxError("expected a colon")
	}
	r.pos++
	return key, true, nil
}

// NextMember is NextKey for the fields of a request: it passes over those that are null, which means absent.
func (r *Reader) NextMember() (name []byte, ok bool, err error) {
	for {
		if name, ok, err = r.NextKey(); !ok || err != nil {
			return name, ok, err
		}
		if null, err := r.Null(); !null || err != nil {
			return name, err == nil, err
		}
	}
}

// NextElement reports whether there is another element in an array, which is read next; false means that the array is
// closed.
func (r *Reader) NextElement() (ok bool, err error) { return r.advance(']') }

// advance steps over a comma, or over the closing of an object or array, of which ok then is false.
func (r *Reader) advance(closing byte) (ok bool, err error) {
	c := r.next()
	if c == closing {
		r.pos++
		r.depth--
		r.fresh = false
		return false, nil
	}
	if r.fresh {
		r.fresh = false
		return true, nil
	}
	if c != ',' {
		return false, r.syntaxError("expected a comma or the closing bracket")
	}
	r.pos++
	if r.next() == closing {
		return false, r.syntaxError("expected a value after the comma")
	}
	return true, nil
}

// Null reads a null, if it comes next; if something else does, null is false and nothing is read.
func (r *Reader) Null() (null bool, err error) {
	if r.next() != 'n' {
		return false, nil
	}
	return true, r.literal("null")
}

// Bool reads a truth value. As DynamoDB takes it, a string may say it, too: true, yes or 1, false, no or 0, in any case
// of letters.
func (r *Reader) Bool() (bool, error) {
	switch r.next() {
	case '"':
		return r.boolText()
	case 't':
		return true, r.literal("true")
	case 'f':
		return false, r.literal("false")
	}
	return false, r.typeError("Boolean")
}

func (r *Reader) boolText() (bool, error) {
	fault := &TypeError{Offset: r.pos, Expected: "Boolean", Actual: TokenString}
	text, err := r.readString()
	if err != nil {
		return false, err
	}
	switch strings.ToLower(string(text)) {
	case "true", "yes", "1":
		return true, nil
	case "false", "no", "0":
		return false, nil
	}
	return false, fault
}

func (r *Reader) literal(text string) error {
	if end := r.pos + len(text); end > len(r.body) || string(r.body[r.pos:end]) != text {
		return r.syntaxError("expected " + text)
	}
	r.pos += len(text)
	return nil
}

// String reads a string.
func (r *Reader) String() ([]byte, error) {
	if r.next() != '"' {
		return nil, r.typeError("String")
	}
	return r.readString()
}

// Int reads an integer. As DynamoDB takes it, a fraction is cut off. A number that does not fit 64 bits is a TypeError.
func (r *Reader) Int() (int64, error) {
	if r.Peek() != TokenNumber {
		return 0, r.typeError("Long")
	}
	start, integer := r.pos, r.integerIsNext()
	text, err := r.Number()
	if err != nil {
		return 0, err
	}
	if integer {
		if x, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return x, nil
		}
	} else if x, err := strconv.ParseFloat(string(text), 64); err == nil && x > -1<<63 && x < 1<<63 {
		return int64(x), nil
	}
	r.pos = start
	return 0, r.typeError("Long")
}

// Float reads a number as a float64. One that is too large is a SyntaxError.
func (r *Reader) Float() (float64, error) {
	if r.Peek() != TokenNumber {
		return 0, r.typeError("Double")
	}
	text, err := r.Number()
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, r.syntaxError("number out of range")
	}
	return x, nil
}

// Number reads a JSON number and returns its text.
func (r *Reader) Number() ([]byte, error) {
	if r.Peek() != TokenNumber {
		return nil, r.typeError("Double")
	}
	end, _, ok := scanNumber(r.body, r.pos)
	if !ok {
		return nil, r.syntaxError("invalid number")
	}
	text := r.body[r.pos:end]
	r.pos = end
	return text, nil
}

// integerIsNext reports whether the number that comes next has neither fraction nor exponent.
func (r *Reader) integerIsNext() bool {
	_, integer, _ := scanNumber(r.body, r.pos)
	return integer
}

// Raw reads a value of any sort and returns its text, which is checked as all else is.
func (r *Reader) Raw() ([]byte, error) {
	r.next()
	start := r.pos
	err := r.Skip()
	return r.body[start:r.pos], err
}

// Skip reads a value of any sort.
func (r *Reader) Skip() error {
	switch r.Peek() {
	case TokenString:
		return r.skipString()
	case TokenObject:
		return r.skipObject()
	case TokenArray:
		return r.skipArray()
	case TokenNumber:
		_, err := r.Number()
		return err
	case TokenNull:
		return r.literal("null")
	case TokenTrue, TokenFalse:
		_, err := r.Bool()
		return err
	}
	return r.syntaxError("expected a value")
}

func (r *Reader) skipObject() error {
	if err := r.BeginObject(); err != nil {
		return err
	}
	for {
		if _, ok, err := r.NextKey(); !ok || err != nil {
			return err
		}
		if err := r.Skip(); err != nil {
			return err
		}
	}
}

func (r *Reader) skipArray() error {
	if err := r.BeginArray(); err != nil {
		return err
	}
	for {
		if ok, err := r.NextElement(); !ok || err != nil {
			return err
		}
		if err := r.Skip(); err != nil {
			return err
		}
	}
}

// Token is the sort of a JSON value, as its first byte tells.
type Token uint8

// The tokens. Peek does not tell TokenDecimal from TokenNumber; a TypeError does.
const (
	TokenNone Token = iota // no value: the end of the body, or a byte that begins none
	TokenNull
	TokenFalse
	TokenTrue
	TokenNumber
	TokenDecimal // a number with a fraction or an exponent
	TokenString
	TokenArray
	TokenObject
)

// tokenNames are AWS's words for the tokens of a body. // immutable
var tokenNames = [...]string{
	TokenNone: "NO_VALUE", TokenNull: "NULL_VALUE", TokenFalse: "FALSE_VALUE", TokenTrue: "TRUE_VALUE",
	TokenNumber:  "NUMBER_VALUE",
	TokenDecimal: "DECIMAL_VALUE", TokenString: "STRING_VALUE", TokenArray: "START_ARRAY", TokenObject: "START_OBJECT",
}

// String returns the name that Amazon's messages use, such as "NUMBER_VALUE".
func (t Token) String() string {
	if int(t) < len(tokenNames) {
		return tokenNames[t]
	}
	return tokenNames[TokenNone]
}

func tokenOf(c byte) Token {
	switch c {
	case '"':
		return TokenString
	case '{':
		return TokenObject
	case '[':
		return TokenArray
	case 'n':
		return TokenNull
	case 'f':
		return TokenFalse
	case 't':
		return TokenTrue
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return TokenNumber
	}
	return TokenNone
}

// AppendMember begins a member of the object at the end of dst, with a comma where one is due. The name must need no
// escapes.
func AppendMember(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// Members reads an object by its members, those that are null left out: read must read the value of each.
func (r *Reader) Members(read func(name []byte) error) error {
	if err := r.BeginObject(); err != nil {
		return err
	}
	for {
		name, ok, err := r.NextMember()
		if !ok || err != nil {
			return err
		}
		if err := read(name); err != nil {
			return err
		}
	}
}
