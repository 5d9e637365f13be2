// SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

// Literal returns the value of a literal token. Texts without escapes alias the statement, others are memory of their
// own.
func Literal(text []byte, t Token, negative bool) datum.Datum {
	source := text[t.Start:t.End]
	switch t.Kind {
	case Text:
		if t.Plain {
			return datum.Text(source[1 : len(source)-1])
		}
		return datum.Text(unescape(source, t.Raw))
	case Integer:
		return integerOf(source, negative)
	case Decimal:
		return decimalOf(source, negative)
	case Float:
		return floatOf(source, negative)
	case Hex:
		return datum.Hexadecimal(hexOf(source))
	case Bits:
		return datum.Hexadecimal(bitsOf(source))
	}
	return datum.Null
}

func integerOf(digits []byte, negative bool) datum.Datum {
	var x uint64
	if len(digits) > 19 { // 19 nines are less than 1<<64
		return longInteger(digits, negative)
	}
	for _, c := range digits {
		x = x*10 + uint64(c-'0')
	}
	return signedInteger(digits, x, negative)
}

// longInteger is integerOf where the digits may say more than a uint64 holds.
func longInteger(digits []byte, negative bool) datum.Datum {
	var x uint64
	for _, c := range digits {
		d := uint64(c - '0')
		if x > (math.MaxUint64-d)/10 {
			return decimalOf(digits, negative)
		}
		x = x*10 + d
	}
	return signedInteger(digits, x, negative)
}

func signedInteger(digits []byte, x uint64, negative bool) datum.Datum {
	switch {
	case !negative:
		return datum.Uint(x)
	case x <= 1<<63:
		return datum.Int(-int64(x)) // -int64(1<<63) is 1<<63 negated: it wraps to itself
	}
	return decimalOf(digits, negative)
}

// decimalOf makes a number with more digits than a decimal holds a float.
func decimalOf(text []byte, negative bool) datum.Datum {
	d, err := order.ParseDecimal(text)
	if err != nil {
		return floatOf(text, negative)
	}
	if negative {
		d = d.Neg()
	}
	scale := 0
	if point := bytes.IndexByte(text, '.'); point >= 0 {
		scale = len(text) - point - 1
	}
	return datum.DecimalOfScale(d, scale)
}

// floatOf makes what exceeds a float64 the largest float64, as MySQL does.
func floatOf(text []byte, negative bool) datum.Datum {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil && math.IsInf(x, 0) {
		x = math.MaxFloat64
	}
	if negative {
		x = -x
	}
	return datum.Float64(x)
}

// hexOf decodes x'41' and 0x41; the latter's first digit may be alone.
func hexOf(source []byte) []byte {
	digits := source[2:]
	if digits[len(digits)-1] == '\'' {
		digits = digits[:len(digits)-1]
	}
	if len(digits)%2 != 0 {
		digits = append([]byte{'0'}, digits...)
	}
	value := make([]byte, len(digits)/2)
	hex.Decode(value, digits) // the lexer has seen digits only
	return value
}

// bitsOf decodes b'01' and 0b01, right-aligned.
func bitsOf(source []byte) []byte {
	digits := source[2:]
	if len(digits) > 0 && digits[len(digits)-1] == '\'' {
		digits = digits[:len(digits)-1]
	}
	value := make([]byte, (len(digits)+7)/8)
	for i, c := range digits {
		if c == '1' {
			bit := len(digits) - 1 - i
			value[len(value)-1-bit/8] |= 1 << (bit % 8)
		}
	}
	return value
}

// unescape returns the value of one or more strings as they stand in the statement, n'..' among them. Backslashes of
// raw ones stay.
func unescape(source []byte, raw bool) []byte {
	value := make([]byte, 0, len(source))
	for i := 0; i < len(source); i++ {
		quote := source[i]
		if quote != '\'' && quote != '"' {
			continue // white space between two strings, or n
		}
		for i++; ; i++ {
			c := source[i]
			if c == quote {
				if i+1 >= len(source) || source[i+1] != quote {
					break
				}
				i++
			} else if c == '\\' && !raw {
				i++
				value = appendEscape(value, source[i])
				continue
			}
			value = append(value, c)
		}
	}
	return value
}

// appendEscape appends what \c stands for. \% and \_ stay as they are: they are LIKE's.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '0':
		return append(dst, 0)
	case 'b':
		return append(dst, '\b')
	case 'n':
		return append(dst, '\n')
	case 'r':
		return append(dst, '\r')
	case 't':
		return append(dst, '\t')
	case 'Z':
		return append(dst, 0x1A)
	case '%', '_':
		return append(dst, '\\', c)
	}
	return append(dst, c)
}
