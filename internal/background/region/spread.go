// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/order"
)

// CountMax is the number of regions an index may begin with.
const CountMax = 4096

// Errors of Points.
var (
	ErrSpec   = errors.New("regions") // wrapped by the others
	ErrCount  = fmt.Errorf("%w: an index begins with 1 to %d of them", ErrSpec, CountMax)
	ErrSpread = fmt.Errorf("%w: the key begins with a hash or a Z-order, whose values are spread evenly: give the number alone", ErrSpec)
	ErrEnds   = fmt.Errorf("%w: both ends of the range that is split are needed, the smaller one first", ErrSpec)
)

// Spec says with which regions an index begins. The zero value asks for one.
type Spec struct {
	// Count is the number of regions. Default: as many as Keys ask for.
	Count int
	// From and To are values of the first part of the key, between which the regions are spread evenly. Default: all of
	// a hash, Z-order or binary; digits and small letters for texts; from 0 to the greatest for numbers.
	From, To value.Value
	// Keys are values of the first part of the key at which regions begin, in place of Count, From and To.
	Keys []value.Value
}

// IsZero reports whether nothing is asked for.
func (s *Spec) IsZero() bool { return s == nil || s.Count <= 1 && len(s.Keys) == 0 }

// Points returns the keys, relative to the index and ascending, at which all regions but the first begin. There are
// fewer than Count-1 where the values between the ends are too few. Errors: ErrCount, ErrSpread, ErrEnds,
// *indexkey.TypeError.
func Points(x *schema.Index, s *Spec) ([][]byte, error) {
	if s.IsZero() {
		return nil, nil
	}
	if s.Count < 0 || s.Count > CountMax || len(s.Keys) >= CountMax {
		return nil, ErrCount
	}
	var values []value.Value
	var err error
	width := indexkey.LeadingWidth(x)
	switch {
	case width > 0 && (len(s.Keys) > 0 || s.From != nil || s.To != nil):
		return nil, ErrSpread
	case len(s.Keys) > 0:
		values = s.Keys
	case width > 0:
		values = binaries(width, s.Count)
	default:
		values, err = spread(x.Key[0].Type, s)
	}
	if err != nil {
		return nil, err
	}
	keys := make([][]byte, 0, len(values))
	for _, v := range values {
		key, err := indexkey.AppendLeading(nil, x, v)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	slices.SortFunc(keys, bytes.Compare) // descending parts turn the order round
	return slices.CompactFunc(keys, bytes.Equal), nil
}

// binaries cuts all binaries of a width into parts of equal size.
func binaries(width, count int) []value.Value {
	whole := new(big.Int).Lsh(big.NewInt(1), uint(8*width))
	values := make([]value.Value, 0, count-1)
	for i := 1; i < count; i++ {
		at := new(big.Int).Mul(whole, big.NewInt(int64(i)))
		at.Div(at, big.NewInt(int64(count)))
		if at.Sign() > 0 {
			values = append(values, value.AppendBinary(nil, at.FillBytes(make([]byte, width))))
		}
	}
	return values
}

// spread makes values of a type that cut the range between two ends, or that of a type, into parts of equal size.
func spread(t schema.Type, s *Spec) ([]value.Value, error) {
	from, to := s.From, s.To
	if (from == nil) != (to == nil) {
		return nil, ErrEnds
	}
	if from == nil {
		switch t {
		case schema.Bool:
			return []value.Value{value.AppendBool(nil, true)}, nil
		case schema.Binary:
			return binaries(4, s.Count), nil
		case schema.String, schema.AnyType:
			return words(s.Count), nil
		}
		from, to = value.AppendInt(nil, 0), value.AppendInt(nil, rangeOf(t))
	}
	if order, comparable := value.Compare(from, to); !comparable || order >= 0 {
		return nil, ErrEnds
	}
	switch kind := from.Kind(); {
	case kind == value.String || kind == value.Binary:
		return texts(kind, from.Bytes(), to.Bytes(), s.Count), nil
	case kind.IsNumeric():
		return numbers(t, from, to, s.Count)
	}
	return nil, ErrEnds
}

// rangeOf is the greatest number that a table of unknown numbers is expected to hold: times of the years from 1970 to
// 2070, floating-point numbers of 32 bits, integers of 63.
func rangeOf(t schema.Type) int64 {
	switch t {
	case schema.Timestamp:
		return 100 * 365 * 24 * 3600 * 1000
	case schema.Float:
		return 1 << 31
	}
	return 1<<63 - 1
}

// alphabet are the first characters that texts are expected to have.
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// words cuts the texts of digits and small letters into parts of equal size.
func words(count int) []value.Value {
	const letters = 3
	whole := len(alphabet) * len(alphabet) * len(alphabet)
	values := make([]value.Value, 0, count-1)
	for i := 1; i < count; i++ {
		var word [letters]byte
		at := i * whole / count
		for j := letters - 1; j >= 0; j-- {
			word[j] = alphabet[at%len(alphabet)]
			at /= len(alphabet)
		}
		values = append(values, value.AppendString(nil, bytes.TrimRight(word[:], alphabet[:1])))
	}
	return values
}

// digits are the characters of a kind of texts as digits of a number.
type digits struct {
	low  rune // the character that is 0
	base int64
}

// digitsOf returns the digits of two texts: printable ones, all there are, or bytes.
func digitsOf(kind value.Kind, from, to []byte) digits {
	switch {
	case kind == value.Binary:
		return digits{0, 256}
	case isPrintable(from) && isPrintable(to):
		return digits{' ', '~' - ' ' + 1}
	}
	return digits{0, utf8.MaxRune + 1}
}

func isPrintable(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c < ' ' || c > '~' })
}

// texts cuts the texts or binaries between two into parts of equal size, as fractions.
func texts(kind value.Kind, from, to []byte, count int) []value.Value {
	d := digitsOf(kind, from, to)
	a, b := symbols(kind, from), symbols(kind, to)
	length := 1
	for length <= len(a) && length <= len(b) && a[length-1] == b[length-1] {
		length++
	}
	for room := int64(1); room < 4*int64(count); room *= d.base {
		length++
	}
	low, high := d.number(a, length), d.number(b, length)
	values := make([]value.Value, 0, count-1)
	for i := 1; i < count; i++ {
		text := d.text(kind, interpolate(low, high, i, count), length)
		if bytes.Compare(text, from) <= 0 || bytes.Compare(text, to) > 0 {
			continue
		}
		if kind == value.Binary {
			values = append(values, value.AppendBinary(nil, text))
		} else {
			values = append(values, value.AppendString(nil, text))
		}
	}
	return values
}

func symbols(kind value.Kind, text []byte) []rune {
	if kind != value.Binary {
		return bytes.Runes(text)
	}
	list := make([]rune, len(text))
	for i, c := range text {
		list[i] = rune(c)
	}
	return list
}

// number reads characters as a number of so many digits, the first of which counts most.
func (d digits) number(text []rune, length int) *big.Int {
	x := new(big.Int)
	for i := range length {
		digit := int64(0)
		if i < len(text) {
			digit = int64(text[i] - d.low)
		}
		x.Mul(x, big.NewInt(d.base)).Add(x, big.NewInt(digit))
	}
	return x
}

// text is number's inverse, without zeros behind.
func (d digits) text(kind value.Kind, x *big.Int, length int) []byte {
	list := make([]rune, length)
	for j := length - 1; j >= 0; j-- {
		var digit big.Int
		x.DivMod(x, big.NewInt(d.base), &digit)
		list[j] = d.low + rune(digit.Int64())
	}
	for len(list) > 0 && list[len(list)-1] == d.low {
		list = list[:len(list)-1]
	}
	var text []byte
	for _, c := range list {
		switch {
		case kind == value.Binary:
			text = append(text, byte(c))
		case !utf8.ValidRune(c):
			text = utf8.AppendRune(text, 0xd7ff) // the last one before the surrogates
		default:
			text = utf8.AppendRune(text, c)
		}
	}
	return text
}

// interpolate is a + (b-a)*i/count.
func interpolate(a, b *big.Int, i, count int) *big.Int {
	x := new(big.Int).Sub(b, a)
	x.Mul(x, big.NewInt(int64(i))).Div(x, big.NewInt(int64(count)))
	return x.Add(x, a)
}

// numbers cuts the numbers between two into parts of equal size.
func numbers(t schema.Type, from, to value.Value, count int) ([]value.Value, error) {
	a, okFrom := rational(from)
	b, okTo := rational(to)
	if !okFrom || !okTo {
		return nil, ErrEnds
	}
	isWhole := a.IsInt() && b.IsInt()
	step := new(big.Rat).Sub(b, a)
	step.Quo(step, new(big.Rat).SetInt64(int64(count)))
	values := make([]value.Value, 0, count-1)
	for i := 1; i < count; i++ {
		at := new(big.Rat).Mul(step, new(big.Rat).SetInt64(int64(i)))
		v, err := number(t, at.Add(at, a), isWhole)
		if err != nil {
			return nil, err
		}
		if o, _ := value.Compare(v, from); o > 0 {
			values = append(values, v)
		}
	}
	return values, nil
}

func rational(v value.Value) (*big.Rat, bool) {
	if x, ok := v.Int(); ok {
		return new(big.Rat).SetInt64(x), true
	}
	if d, ok := v.Decimal(); ok {
		return new(big.Rat).SetString(d.String())
	}
	f, ok := v.Float()
	x := new(big.Rat).SetFloat64(f)
	return x, ok && x != nil
}

// fractionDigits are the digits behind the point of a number between two.
const fractionDigits = 6

// number is a value of a type; one between whole numbers is whole.
func number(t schema.Type, x *big.Rat, isWhole bool) (value.Value, error) {
	whole := new(big.Int).Div(x.Num(), x.Denom())
	switch t {
	case schema.Int:
		return value.AppendInt(nil, whole.Int64()), nil
	case schema.Timestamp:
		return value.AppendTimestamp(nil, whole.Int64()), nil
	case schema.Float:
		f, _ := x.Float64()
		return value.AppendFloat(nil, f), nil
	}
	text := whole.String()
	if !isWhole {
		text = x.FloatString(fractionDigits)
	}
	d, err := order.ParseDecimal([]byte(text))
	return value.AppendNumber(nil, d), err
}
