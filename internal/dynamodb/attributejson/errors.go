// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// SyntaxError says that a body is not the JSON it should be.
type SyntaxError struct {
	Offset int    // of the fault in the body, in bytes
	Text   string // what is wrong there
}

// Error returns the text and the offset.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("attributejson: %s at offset %d", e.Text, e.Offset)
}

// TypeError says that a JSON value has another type than its field.
type TypeError struct {
	Offset int // of the value in the body, in bytes
	// the type of the field as Amazon's model names it: "String", "Boolean", "Long", "Double", "Blob", "List" or
	// "Structure"
	Expected string
	Actual   Token  // what the body has there
	Text     string // DynamoDB's message, where it is not the one that Expected and Actual make; see Message
}

// Error names both types, or what keeps a string from being a Blob, and the offset.
func (e *TypeError) Error() string {
	if e.Expected == "Blob" && e.Actual == TokenString {
		return fmt.Sprintf("attributejson: %s at offset %d", e.Message(), e.Offset)
	}
	return fmt.Sprintf("attributejson: %v where a %s belongs at offset %d", e.Actual, e.Expected, e.Offset)
}

// Message returns DynamoDB's message, for a SerializationException.
func (e *TypeError) Message() string {
	collection := e.Expected == "List" || e.Expected == "Structure"
	switch {
	case e.Text != "":
		return e.Text
	case e.Actual == TokenObject:
		return "Start of structure or map found where not expected"
	case e.Actual == TokenArray && e.Expected == "Blob":
		return "Unrecognized collection type class java.nio.ByteBuffer"
	case e.Actual == TokenArray && !collection:
		return "Unrecognized collection type class java.lang." + e.Expected
	case e.Actual == TokenArray: // the body as a whole; anything else has a Shape
		return "Start of list found where not expected" // from memory
	case collection:
		return "Unexpected field type"
	case e.Expected == "Blob":
		return "only base-64-encoded strings are convertible to bytes"
	case e.Expected == "Boolean" && e.Actual == TokenString:
		return "Unexpected token received from parser"
	}
	return e.Actual.String() + " cannot be converted to " + e.Expected
}

// ValueError says that an attribute value breaks a rule of DynamoDB's.
type ValueError struct {
	Offset int    // in the body, in bytes: where the reader was when it found out
	Text   string // DynamoDB's message, for a ValidationException
	Number bool   // the fault is one of a number, or a number that a set has twice
	Repeat bool   // the fault is another member that a set has twice
	older  string // see OlderText
}

// OlderText is the message that operations have whose validation AWS has not re-worded in 2026: those that write
// several items.
func (e *ValueError) OlderText() string {
	return cmp.Or(e.older, e.Text)
}

// Error returns DynamoDB's message alone.
func (e *ValueError) Error() string { return e.Text }

// DynamoDB's texts about attribute values.
const (
	invalidParameter = "One or more parameter values were invalid: "

	textEmpty        = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	textSeveral      = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	textNull         = invalidParameter + "Null attribute value types must have the value of true"
	textNesting      = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	textNumber       = "The parameter cannot be converted to a numeric value"
	textDuplicates   = "Input collection contains duplicates"
	textPrecision    = "Attempting to store more than 38 significant digits in a Number"
	textOverflow     = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	textUnderflow    = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	textEmptyStrings = invalidParameter + "An string set  may not be empty"
	textEmptyNumbers = invalidParameter + "An number set  may not be empty"
	textEmptyBinary  = invalidParameter + "Binary sets should not be empty"
	textNoName       = "Empty attribute name"
	textLongName     = invalidParameter + "Attribute name is too large, must be less than 65536 bytes" // from memory
)

// nameBytesMax is the length of the longest attribute name.
const nameBytesMax = 65535

// numberText returns DynamoDB's message for a number text that order.ParseDecimal refused with err.
func numberText(text []byte, err error) string {
	_, _, countable := exponentOf(text)
	switch {
	case !countable:
	case errors.Is(err, order.ErrDecimalPrecision):
		return textPrecision
	case errors.Is(err, order.ErrDecimalOverflow):
		return textOverflow
	case errors.Is(err, order.ErrDecimalUnderflow):
		return textUnderflow
	}
	return textNumber + ": " + string(text)
}

// AppendNumber appends the number of a text, as it stands behind the type N. fault is DynamoDB's message about one that
// is no number, or none that an attribute can have.
func AppendNumber(dst, text []byte) (number []byte, fault string) {
	d, err := parseNumber(text)
	if err != nil {
		return dst, narrowNumberText(text, err)
	}
	return value.AppendNumber(dst, d), ""
}

// narrowNumberText is numberText for numbers that PartiQL reads, as Java's BigDecimal does: the exponent, and the
// digits behind the point less that, must have 32 bits; how large the number is follows from a sum of 32 bits, too,
// which may wrap.
func narrowNumberText(text []byte, err error) string {
	if !errors.Is(err, order.ErrDecimalOverflow) && !errors.Is(err, order.ErrDecimalUnderflow) {
		return numberText(text, err)
	}
	mantissa, exponent, countable := exponentOf(text)
	digits := bytes.TrimLeft(mantissa, "+-0.")
	scale := int64(0)
	if point := bytes.IndexByte(mantissa, '.'); point >= 0 {
		scale = int64(len(mantissa) - point - 1)
	}
	scale -= exponent
	precision := int64(len(digits) - bytes.Count(digits, []byte(".")))
	switch {
	case !countable || exponent != int64(int32(exponent)) || scale != int64(int32(scale)):
		return textNumber + ": " + string(text)
	case int32(precision-scale) < 0:
		return textUnderflow
	}
	return textOverflow
}

func parseNumber(text []byte) (order.Decimal, error) {
	d, err := order.ParseDecimal(text)
	if err == nil && d.IsZero() && len(text) > 1 {
		err = zeroFault(text)
	}
	return d, err
}

// numberError reports a text that is no number.
func (r *Reader) numberError(text []byte, err error) error {
	fault := &ValueError{Offset: r.pos, Text: numberText(text, err), Number: true}
	if r.Narrow {
		fault.Text = narrowNumberText(text, err)
	}
	if len(text) == 0 {
		fault.older = textNumber
	}
	return fault
}

// zeroFault judges a zero, which order.ParseDecimal takes with any exponent: like other numbers it has a place for its
// last digit, which must be in DynamoDB's range.
func zeroFault(text []byte) error {
	mantissa, exponent, countable := exponentOf(text)
	if !countable {
		return order.ErrDecimalSyntax
	}
	if point := bytes.IndexByte(mantissa, '.'); point >= 0 {
		exponent -= int64(len(mantissa) - point - 1)
	}
	switch {
	case exponent > order.DecimalExponentMax:
		return order.ErrDecimalOverflow
	case exponent < order.DecimalExponentMin:
		return order.ErrDecimalUnderflow
	}
	return nil
}

// exponentOf splits a number's text. countable is false if the exponent has more than 64 bits, which AWS can't read.
// Those of texts that are no numbers mean nothing.
func exponentOf(text []byte) (mantissa []byte, exponent int64, countable bool) {
	at := bytes.IndexAny(text, "eE")
	if at < 0 {
		return text, 0, true
	}
	exponent, err := strconv.ParseInt(string(text[at+1:]), 10, 64)
	return text[:at], max(-exponentClamp, min(exponent, exponentClamp)), !errors.Is(err, strconv.ErrRange)
}

// exponentClamp keeps sums with an exponent from overflowing.
const exponentClamp = 1 << 62

func emptySetText(kind value.Kind) string {
	switch kind {
	case value.StringSet:
		return textEmptyStrings
	case value.NumberSet:
		return textEmptyNumbers
	}
	return textEmptyBinary
}

func (r *Reader) syntaxError(text string) error {
	return &SyntaxError{Offset: r.pos, Text: text}
}

func (r *Reader) valueError(text string) error {
	return &ValueError{Offset: r.pos, Text: text}
}

// typeError reports that what comes next is no value of the expected type; if it is nothing at all, that is a syntax
// error.
func (r *Reader) typeError(expected string) error {
	actual := r.Peek()
	switch actual {
	case TokenNone:
		return r.syntaxError("expected a value")
	case TokenNumber:
		_, integer, ok := scanNumber(r.body, r.pos)
		if !ok {
			return r.syntaxError("invalid number")
		}
		if !integer {
			actual = TokenDecimal
		}
	}
	return &TypeError{Offset: r.pos, Expected: expected, Actual: actual}
}

// blobError reports a string that is no base64.
func (r *Reader) blobError(text string) error {
	return &TypeError{Offset: r.pos, Expected: "Blob", Actual: TokenString, Text: text}
}

// NameFault returns DynamoDB's message about a name that no attribute can have, or "".
func NameFault(name []byte) string {
	switch {
	case len(name) == 0:
		return textNoName
	case len(name) > nameBytesMax:
		return textLongName
	}
	return ""
}
