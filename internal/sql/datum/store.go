// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/order"
)

// StoreError says why a value can't be stored in a column of some type. Fault completes it.
type StoreError struct {
	Code fault.Code // OutOfRange, DataTooLong, IncorrectValue, DataTruncated, TruncatedWrongValue or InvalidJSON
	What string     // what the column wants, such as "integer", or what is wrong with JSON
	Text string     // the value, shortened
	At   int        // of JSON: the byte where it goes wrong
}

func (e *StoreError) Error() string { return e.Fault("?", 1).Message }

// Fault is the error as the client sees it. Rows count from 1.
func (e *StoreError) Fault(column string, row int) *fault.Error {
	switch e.Code {
	case fault.IncorrectValue:
		return fault.New(e.Code, e.What, e.Text, column, row)
	case fault.TruncatedWrongValue:
		return &fault.Error{Code: e.Code, State: e.Code.State(),
			Message: fmt.Sprintf("Incorrect %s value: '%s' for column '%s' at row %d", e.What, e.Text, column, row)}
	case fault.InvalidJSON:
		return fault.New(e.Code, strconv.Quote(e.What), e.At, column)
	}
	return fault.New(e.Code, column, row)
}

func outOfRange() error { return &StoreError{Code: fault.OutOfRange} }

func incorrect(what string, d Datum) error {
	return &StoreError{Code: fault.IncorrectValue, What: what, Text: quoteForMessage(d)}
}

func incorrectTime(what string, d Datum) error {
	return &StoreError{Code: fault.TruncatedWrongValue, What: what, Text: quoteForMessage(d)}
}

func invalidJSON(err error) error {
	e := &StoreError{Code: fault.InvalidJSON, What: "Invalid value."}
	if found := (*jsontext.Error)(nil); errors.As(err, &found) {
		e.What, e.At = found.What, found.Position
	}
	return e
}

// quoteForMessage is a value in a message: 64 bytes at most, bytes that are no text as \xFF.
func quoteForMessage(d Datum) string {
	text := d.AppendText(nil)
	var out strings.Builder
	for len(text) > 0 && out.Len() < 64 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, `\x%02X`, text[0])
		} else {
			out.Write(text[:size])
		}
		text = text[size:]
	}
	return out.String()
}

// Store converts a value that is assigned to a column of type t, as MySQL's strict mode does: what does not fit is a
// *StoreError, with MySQL's codes 1264, 1265, 1292, 1366, 1406 and 3140. NULL stays NULL, and Untyped takes anything.
// Integers are milliseconds for a TIMESTAMP; FLOAT keeps the shortest decimal of its 32 bits; CHAR loses trailing
// spaces, BINARY(n) is filled with zeros. The result may alias d.
func Store(d Datum, t Type) (Datum, error) {
	if d.kind == KindNull {
		return Null, nil
	}
	switch t.Variety {
	case Plain:
		return storeBase(d, t)
	case Bit:
		var err error
		if d, err = bitsOf(d); err != nil {
			return Null, err
		}
	}
	stored, err := storeBase(d, t)
	if err != nil {
		return Null, err
	}
	return storeVariety(stored, d, t)
}

// bitsOf is the number that the bytes of a text are as a BIT, the highest first; another value is its own number.
func bitsOf(d Datum) (Datum, error) {
	if d.kind != KindText && d.kind != KindBinary {
		return d, nil
	}
	bits := uint64(0)
	for _, b := range d.Bytes() {
		if bits>>56 != 0 {
			return Null, &StoreError{Code: fault.DataTooLong}
		}
		bits = bits<<8 | uint64(b)
	}
	return Uint(bits), nil
}

func storeBase(d Datum, t Type) (Datum, error) {
	switch t.Base {
	case Varchar, Char:
		return storeText(d, t)
	case TinyInt, SmallInt, Integer, BigInt, BigIntUnsigned:
		return storeInteger(d, t)
	case Float, Double:
		return storeFloat(d, t)
	case DecimalBase:
		return storeDecimal(d, t)
	case Boolean:
		return storeBoolean(d)
	case Varbinary, BinaryBase:
		return storeBinary(d, t)
	case Timestamp:
		return storeTimestamp(d, t)
	case Date:
		return storeDate(d)
	case Time:
		return storeTime(d, t)
	case JSONBase:
		return storeJSON(d)
	}
	return d, nil
}

func storeText(d Datum, t Type) (Datum, error) {
	switch d.kind {
	case KindText:
	case KindBinary:
		d.kind, d.bits = KindText, 0
	case KindJSON:
		d = unquoteJSON(d)
	default:
		d = Text(d.AppendText(make([]byte, 0, 32)))
	}
	if !utf8.ValidString(d.text) {
		return Null, incorrect("string", d)
	}
	if t.Base == Char {
		d.text = strings.TrimRight(d.text, " ")
	}
	if t.Length == 0 || len(d.text) <= t.Length || utf8.RuneCountInString(d.text) <= t.Length {
		return d, nil
	}
	end := runeOffset(d.text, t.Length)
	if strings.TrimRight(d.text[end:], " ") != "" {
		return Null, &StoreError{Code: fault.DataTooLong}
	}
	d.text = d.text[:end]
	return d, nil
}

// unquoteJSON is the text that a JSON string holds, or the JSON's own text.
func unquoteJSON(d Datum) Datum {
	if text, ok := jsonString(d.text); ok {
		return TextString(text)
	}
	d.kind = KindText
	return d
}

// runeOffset returns the beginning of character number n, the end if there are fewer.
func runeOffset(text string, n int) int {
	for at := range text {
		if n == 0 {
			return at
		}
		n--
	}
	return len(text)
}

func storeInteger(d Datum, t Type) (Datum, error) {
	if d.kind != KindInt {
		var err error
		if d, err = wholeNumber(d); err != nil {
			return Null, err
		}
	}
	if t.Base == BigIntUnsigned {
		if d.kind == KindInt && d.Int() < 0 {
			return Null, outOfRange()
		}
		return d, nil
	}
	low, high := integerRangeOf(t.Base)
	if d.kind != KindInt || d.Int() < low || d.Int() > high {
		return Null, outOfRange()
	}
	return d, nil
}

// scalarOf is the string that a JSON value is; a number or a truth value stays as it is, all else is error 1366.
func scalarOf(d Datum, what string) (Datum, error) {
	if d.kind != KindJSON {
		return d.plain(), nil
	}
	var buffer [64]byte
	switch v := jsonValue(buffer[:0], d.text); v.Kind() {
	case value.String:
		return Text(v.Bytes()), nil
	case value.Number, value.Float, value.Bool:
		return d, nil
	}
	return Null, incorrect(what, d)
}

// wholeNumber rounds to an Int or a Uint.
func wholeNumber(d Datum) (Datum, error) {
	d, err := scalarOf(d, "integer")
	if err != nil {
		return Null, err
	}
	if d.kind == KindText || d.kind == KindBinary {
		x, err := strictDecimal(d, "integer")
		if err != nil {
			return Null, err
		}
		d = Decimal(x)
	}
	switch n := d.Number(); n.kind {
	case KindInt, KindUint:
		return n, nil
	case KindFloat:
		return wholeFloat(math.RoundToEven(n.Float()))
	case KindDecimal:
		x := RoundDecimal(n.Decimal(), 0, false)
		if i, exact := x.Int(); exact {
			return Int(i), nil
		}
		if u, ok := unsignedOf(x); ok {
			return Uint(u), nil
		}
		return Null, outOfRange()
	}
	return Null, incorrect("integer", d)
}

func wholeFloat(x float64) (Datum, error) {
	switch {
	case x >= math.MinInt64 && x < 1<<63:
		return Int(int64(x)), nil
	case x >= 1<<63 && x < 1<<64:
		return Uint(uint64(x)), nil
	}
	return Null, outOfRange()
}

// strictDecimal reads a text that must be one number and nothing else.
func strictDecimal(d Datum, what string) (order.Decimal, error) {
	x, whole, ok := textDecimal(d.text)
	if prefix, _ := numberPrefix(d.text); prefix == "" {
		return x, incorrect(what, d)
	}
	switch {
	case !ok:
		return x, outOfRange()
	case !whole:
		return x, &StoreError{Code: fault.DataTruncated}
	}
	return x, nil
}

func storeFloat(d Datum, t Type) (Datum, error) {
	d, err := scalarOf(d, strings.ToLower(t.Base.String()))
	if err != nil {
		return Null, err
	}
	if d.kind == KindText || d.kind == KindBinary {
		prefix, whole := numberPrefix(d.text)
		if prefix == "" {
			return Null, incorrect(strings.ToLower(t.Base.String()), d)
		} else if !whole {
			return Null, &StoreError{Code: fault.DataTruncated}
		}
		if x, err := strconv.ParseFloat(prefix, 64); err != nil && math.IsInf(x, 0) {
			return Null, outOfRange()
		}
	}
	if d = d.Number(); d.kind == KindNull {
		return Null, incorrect(strings.ToLower(t.Base.String()), d)
	}
	x := d.NumberFloat()
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return Null, outOfRange()
	}
	if exact, ok := floatDecimal(x); ok && t.Precision > 0 {
		if exact = RoundDecimal(exact, t.Scale, false); !fitsDecimal(exact, t) {
			return Null, outOfRange()
		}
		x = exact.Float()
	}
	if t.Base == Float {
		if x = shortFloat(x); math.IsInf(x, 0) {
			return Null, outOfRange()
		}
	}
	return Float64(x), nil
}

// shortFloat rounds to 32 bits and returns the float64 that prints like them: 1.1, not 1.100000023841858.
func shortFloat(x float64) float64 {
	narrow := float32(x)
	if float64(narrow) == math.Trunc(float64(narrow)) && math.Abs(x) < 1<<24 || math.IsInf(float64(narrow), 0) {
		return float64(narrow)
	}
	var buffer [32]byte
	wide, _ := strconv.ParseFloat(string(strconv.AppendFloat(buffer[:0], float64(narrow), 'g', -1, 32)), 64)
	return wide
}

func storeDecimal(d Datum, t Type) (Datum, error) {
	var x order.Decimal
	d, err := scalarOf(d, "decimal")
	if err != nil {
		return Null, err
	}
	if d.kind == KindText || d.kind == KindBinary {
		if x, err = strictDecimal(d, "decimal"); err != nil {
			return Null, err
		}
	} else {
		n := d.Number().Shown()
		if n.kind == KindNull {
			return Null, incorrect("decimal", d)
		}
		var ok bool
		if x, ok = n.NumberDecimal(); !ok {
			return Null, outOfRange()
		}
	}
	if t.Precision == 0 {
		return Decimal(x), nil
	}
	x = RoundDecimal(x, t.Scale, false)
	if !fitsDecimal(x, t) {
		return Null, outOfRange()
	}
	return DecimalOfScale(x, t.Scale), nil
}

// fitsDecimal reports whether the integer part of x, rounded already, has at most precision-scale digits.
func fitsDecimal(x order.Decimal, t Type) bool {
	integer, fraction := x.Digits()
	p := partsOf(x)
	return x.IsZero() || integer+fraction+p.exponent <= t.Precision-t.Scale
}

func storeBoolean(d Datum) (Datum, error) {
	if d = d.plain(); d.kind == KindText || d.kind == KindBinary {
		switch {
		case strings.EqualFold(d.text, "true"):
			return Bool(true), nil
		case strings.EqualFold(d.text, "false"):
			return Bool(false), nil
		}
		if _, err := strictDecimal(d, "integer"); err != nil {
			return Null, err
		}
	}
	truth, null := d.Truth()
	if null {
		return Null, nil
	}
	return Bool(truth), nil
}

func storeBinary(d Datum, t Type) (Datum, error) {
	switch d.kind {
	case KindBinary:
		d.bits = 0
	case KindText, KindJSON:
		d.kind = KindBinary
	default:
		d = Binary(d.AppendText(make([]byte, 0, 32)))
	}
	if t.Length > 0 && len(d.text) > t.Length {
		return Null, &StoreError{Code: fault.DataTooLong}
	}
	if t.Base == BinaryBase && len(d.text) < t.Length {
		padded := make([]byte, t.Length)
		copy(padded, d.text)
		return Binary(padded), nil
	}
	return d, nil
}

func storeTimestamp(d Datum, t Type) (Datum, error) {
	us, ok := d.InstantAs(t)
	if us = t.roundFraction(us); !ok || us < ZeroUS || us > TimestampMax {
		return Null, incorrectTime("datetime", d)
	}
	return TimestampUS(us).WithFraction(t.Scale), nil
}

func storeDate(d Datum) (Datum, error) {
	switch d.kind {
	case KindDate:
		return d, nil
	case KindInt, KindUint, KindFloat, KindDecimal:
		if us, ok := numberInstant(d); ok {
			return DateDays(floorDivide(us, dayUS)), nil
		}
	default:
		if us, ok := d.Instant(); ok {
			return DateDays(floorDivide(us, dayUS)), nil
		}
	}
	return Null, incorrectTime("date", d)
}

func storeTime(d Datum, t Type) (Datum, error) {
	us, ok := int64(0), true
	switch d.kind {
	case KindTime:
		us = d.Int()
	case KindTimestamp:
		us = d.Int() - floorDivide(d.Int(), dayUS)*dayUS
	case KindDate:
	case KindInt, KindFloat, KindDecimal, KindText, KindBinary:
		us, ok = ParseTime(string(d.AppendText(nil)))
	default:
		ok = false
	}
	if !ok {
		return Null, incorrectTime("time", d)
	}
	return TimeUS(min(max(t.roundFraction(us), -TimeMax), TimeMax)).WithFraction(t.Scale), nil
}

// storeJSON takes texts as JSON and other scalars as themselves. The result is printed as MySQL prints it.
func storeJSON(d Datum) (Datum, error) {
	if d.kind == KindText || d.kind == KindBinary {
		d.kind = KindJSON
	}
	v, err := AppendJSONOf(nil, d)
	if err != nil {
		return Null, invalidJSON(err)
	}
	return JSON(jsontext.Append(nil, v)), nil
}
