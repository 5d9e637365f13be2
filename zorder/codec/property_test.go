// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/order"
)

// declarations are those that the properties are tested of. // immutable
var declarations = []string{
	"x u8", "x u16", "x u32", "x u64", "x i8", "x i16", "x i32", "x i64", "x u8:3", "x u64:17", "x i8:1", "x i32:5",
	"x i64:40",
	"x f32", "x f64", "x f32:11", "x f64:16", "x f64:1", "x number", "x number:64", "x number:65", "x number:20",
	"x number:135", "x bool",
	"x timestamp(s)", "x timestamp(ms)", "x timestamp(us)", "x timestamp(ns):33", "x lat", "x lat:16", "x lon:20",
	"x linear(-40,60)", "x linear(0.1,0.3):9",
	"x text[4]", "x text[4]:19", "x text[8]", "x text[9]", "x text[20]:99", "x binary[1]", "x binary[3]",
	"x binary[16]", "x nfc[3]", "x nfc[12]", "x raw[2]:13", "x raw[11]",
	"x iso8601(s)", "x iso8601(ms,+09:00)", "x iso8601(us):30", "x iso8601(ns,-05:30)",
}

// random makes values of every kind, most of them near those that matter.
type random struct{ *rand.Rand }

func newRandom(t testing.TB) random {
	seed := rounds.Seed(t)
	return random{rand.New(rand.NewPCG(seed, 0))}
}

// sample is a value together with what it is independently of the codec.
type sample struct {
	value       Value
	number      *big.Rat // of finite numbers
	side        int      // of numbers: -1 -Inf, 1 +Inf, 2 NaN
	text        []byte   // of strings, as they are compared; of a bool 0 or 1
	first, last Instant  // of dates
}

// value makes a value of a type.
func (r random) value(t Type) sample {
	switch {
	case t.Kind == Boolean:
		v := r.IntN(2)
		return sample{value: Bool(v == 1), text: []byte{byte(v)}}
	case t.Kind == ISO8601:
		return r.instant(t.Zone)
	case t.Kind.isBytes():
		return r.bytes(t.Kind)
	}
	return r.number()
}

func (r random) number() sample {
	switch r.IntN(4) {
	case 0:
		n := r.integer()
		return sample{value: Int(n), number: new(big.Rat).SetInt64(n)}
	case 1:
		n := uint64(r.integer())
		return sample{value: Uint(n), number: new(big.Rat).SetUint64(n)}
	case 2:
		return r.float()
	}
	return r.decimal()
}

func (r random) integer() int64 {
	n := int64(r.Uint64()) >> r.IntN(64)
	switch r.IntN(6) {
	case 0:
		n = int64(1) << r.IntN(64)
	case 1:
		n = []int64{0, 255, 256, 65535, math.MaxInt64, math.MinInt64, math.MinInt32, math.MaxUint32, eraSeconds,
			eraSeconds * 1e3, eraSeconds * 1e6, eraSeconds * 1e9}[r.IntN(12)]
	}
	return n + r.Int64N(5) - 2
}

func (r random) float() sample {
	var f float64
	switch r.IntN(5) {
	case 0:
		f = math.Float64frombits(r.Uint64())
	case 1:
		f = []float64{1, 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, two63, two64,
			1e126, 1e125, 1e-130, 1e-131, 5e-324, 90, 180, 60, 0.3}[r.IntN(18)]
		f = math.Nextafter(f, float64(r.IntN(3)-1)*1e300)
	case 2:
		f = float64(r.integer())
	default:
		f = (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(12)-4))
	}
	return floatSample(f)
}

func floatSample(f float64) sample {
	s := sample{value: Float(f)}
	switch {
	case f != f:
		s.side = 2
	case math.IsInf(f, 0):
		s.side = int(math.Copysign(1, f))
	default:
		s.number = new(big.Rat).SetFloat64(f)
	}
	return s
}

func (r random) decimal() sample {
	digits := make([]byte, 1+r.IntN(38))
	for i := range digits {
		digits[i] = byte('0' + r.IntN(10))
	}
	if r.IntN(3) == 0 {
		digits = []byte(strings.Repeat("9", 1+r.IntN(38)))
	}
	exponent := r.IntN(50) - 40
	if r.IntN(4) == 0 {
		exponent = r.IntN(255) - 130 - len(digits) + 1
	}
	text := fmt.Sprintf("%se%d", digits, exponent)
	if r.IntN(2) == 0 {
		text = "-" + text
	}
	d, err := order.ParseDecimal([]byte(text))
	if err != nil {
		d = order.DecimalFromInt(r.integer())
	}
	return numberSample(d)
}

func numberSample(d order.Decimal) sample {
	number, _ := new(big.Rat).SetString(d.String())
	return sample{value: Number(d), number: number}
}

// bytes makes strings that share beginnings.
func (r random) bytes(k Kind) sample {
	alphabet := []string{"\x00", "a", "b", "\xff", "http://www.", "z"}
	if k == NFC {
		alphabet = []string{"e", "a", "\u0301", "\u0323", "\u00e9", "\u1ea1", "\uac00", "\u1100", "\u1161", "\u11a8",
			"z", "\u212b", "\xff"}
	}
	var b []byte
	for range r.IntN(7) {
		b = append(b, alphabet[r.IntN(len(alphabet))]...)
	}
	switch k {
	case UTF8:
		return sample{value: Text(b), text: b}
	case Bytes:
		return sample{value: Binary(b), text: b}
	case NFC:
		return sample{value: Text(b), text: norm.NFC.Bytes(b)}
	}
	return sample{value: Ordered(b), text: b}
}

// compare is the comparison of the values themselves; bounds that are intervals are compared by what they begin with.
func (s sample) compare(u sample) int {
	switch {
	case s.text != nil || u.text != nil:
		return bytes.Compare(s.text, u.text)
	case s.side != 0 || u.side != 0:
		return cmp.Compare(s.side, u.side)
	case s.number != nil:
		return s.number.Cmp(u.number)
	}
	return s.first.Compare(u.first)
}

// conditions are all that can be said with a and b, each with what decides it for a value.
func conditions(t Type, a, b sample) map[string]struct {
	condition Condition
	holds     func(v sample) bool
} {
	end := func(x sample) sample { x.first = x.last; return x }
	type entry = struct {
		condition Condition
		holds     func(v sample) bool
	}
	entries := map[string]entry{
		"anything": {Anything(), func(sample) bool { return true }},
		"not null": {NotNull(), func(sample) bool { return true }},
		"=":        {Equal(a.value), func(v sample) bool { return v.compare(a) >= 0 && v.compare(end(a)) <= 0 }},
		"<":        {Less(a.value), func(v sample) bool { return v.compare(end(a)) < 0 }},
		"<=":       {AtMost(a.value), func(v sample) bool { return v.compare(end(a)) <= 0 }},
		">":        {Greater(a.value), func(v sample) bool { return v.compare(a) > 0 }},
		">=":       {AtLeast(a.value), func(v sample) bool { return v.compare(a) >= 0 }},
		"between": {Between(a.value, b.value),
			func(v sample) bool { return v.compare(a) >= 0 && v.compare(end(b)) <= 0 }},
	}
	if t.Kind.isBytes() {
		entries["begins with"] = entry{BeginsWith(a.value),
			func(v sample) bool { return bytes.HasPrefix(v.text, a.text) }}
	}
	return entries
}

// TestCodecs holds every codec, plain, with nulls and learned, to the laws in the package's doc.
func TestCodecs(t *testing.T) {
	for _, declaration := range declarations {
		t.Run(declaration, func(t *testing.T) {
			r := newRandom(t)
			checkCodec(t, r, declared(t, declaration), 3000)
			a := mustParse(t, declaration)
			a.Nulls = NullsFirst
			if least, _ := a.BitsRange(); a.width() >= least {
				c, err := New(a, 1)
				if err != nil {
					t.Fatal(err)
				}
				checkCodec(t, r, c, 1000)
			}
			for _, size := range []int{1, 2, 5, 40, 1000} {
				checkCodec(t, r, learned(t, r, a, size), 600)
			}
		})
	}
}

func mustParse(t *testing.T, declaration string) Attribute {
	t.Helper()
	list, err := Parse(declaration)
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// learned makes a quantile codec from random values, some of them frequent.
func learned(t *testing.T, r random, a Attribute, size int) *Codec {
	t.Helper()
	if a.Bits = 2 + r.IntN(63); r.IntN(3) == 0 && a.Type.Kind.isBytes() {
		a.Type.Bytes = 0
	}
	values := make([]Value, size)
	for i := range values {
		if values[i] = r.value(a.Type).value; i > 0 && r.IntN(2) == 0 {
			values[i] = values[r.IntN(i)]
		}
	}
	c, err := Learn(a, 1, values, LearnOptions{Buckets: 1 + r.IntN(100), Spare: r.IntN(12) - 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func checkCodec(t *testing.T, r random, c *Codec, rounds int) {
	t.Helper()
	for range rounds {
		a, b, v := r.value(c.attribute.Type), r.value(c.attribute.Type), r.value(c.attribute.Type)
		checkOrder(t, c, a, b)
		codeV, err := c.AppendCode([]byte("before"), v.value)
		if err != nil {
			t.Fatal(err)
		}
		codeV = codeV[len("before"):]
		checkShape(t, c, v, codeV)
		for name, entry := range conditions(c.attribute.Type, a, b) {
			lo, hi, none, err := c.AppendRange([]byte("l"), []byte("h"), entry.condition)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			inside := !none && bytes.Compare(lo[1:], codeV) <= 0 && bytes.Compare(codeV, hi[1:]) <= 0
			if entry.holds(v) && !inside {
				t.Fatalf("%v: %s %s %s excludes %s: %x is not in %x..%x", c.attribute, name, show(a), show(b), show(v),
					codeV, lo[1:], hi[1:])
			}
			checkRange(t, c, entry.condition, lo, hi, none)
		}
	}
}

func show(s sample) string {
	switch {
	case s.value.kind >= valueText:
		return fmt.Sprintf("%q", s.value.bytes)
	case s.number != nil:
		return s.number.RatString()
	}
	return fmt.Sprint(s.side)
}

// checkOrder compares two values and their codes.
func checkOrder(t *testing.T, c *Codec, a, b sample) {
	t.Helper()
	codeA, errA := c.AppendCode(nil, a.value)
	codeB, errB := c.AppendCode(nil, b.value)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	want, got := a.compare(b), bytes.Compare(codeA, codeB)
	if got != 0 && got != want {
		t.Fatalf("%v: %s and %s compare as %d, their codes %x and %x as %d", c.attribute, show(a), show(b), want, codeA,
			codeB, got)
	}
}

// checkShape holds the two forms of a code to each other and to its width, and null's code to be no value's.
func checkShape(t *testing.T, c *Codec, v sample, code []byte) {
	t.Helper()
	if len(code) != (c.Bits()+7)/8 {
		t.Fatalf("%v: %d bytes", c.attribute, len(code))
	}
	n := new(big.Int).SetBytes(code)
	if unused := uint(8*len(code) - c.Bits()); n.TrailingZeroBits() < unused && n.Sign() != 0 {
		t.Fatalf("%v: the unused bits of %x are not 0", c.attribute, code)
	} else {
		n.Rsh(n, unused)
	}
	if c.nulls && n.Sign() == 0 {
		t.Fatalf("%v: %s has the code of null", c.attribute, show(v))
	}
	word, err := c.Code(v.value)
	if c.Bits() > 64 {
		if !errors.Is(err, ErrWide) {
			t.Fatalf("%v: Code: %v", c.attribute, err)
		}
		return
	}
	if err != nil || n.Cmp(new(big.Int).SetUint64(word)) != 0 {
		t.Fatalf("%v: Code is %x, %v; AppendCode %x", c.attribute, word, err, code)
	}
}

// checkRange holds Range to AppendRange.
func checkRange(t *testing.T, c *Codec, condition Condition, lo, hi []byte, none bool) {
	t.Helper()
	if c.Bits() > 64 {
		return
	}
	got, err := c.Range(condition)
	if err != nil || got.None != none {
		t.Fatalf("%v: Range %v, %v; AppendRange none is %v", c.attribute, got, err, none)
	}
	if !none && (!bytes.Equal(c.appendWord([]byte("l"), got.Lo), lo) ||
		!bytes.Equal(c.appendWord([]byte("h"), got.Hi), hi)) {
		t.Fatalf("%v: Range %x..%x, AppendRange %x..%x", c.attribute, got.Lo, got.Hi, lo, hi)
	}
}

// TestClamping holds values beyond a codec's range to its last codes: none starts again from the other end.
func TestClamping(t *testing.T) {
	for _, c := range []struct{ declaration, least, most string }{
		{"x u8", "-1e30", "1e30"}, {"x u64:9", "-1e30", "1e30"}, {"x i16", "-1e30", "1e30"}, {"x i64", "-1e30", "1e30"},
		{"x timestamp(s)", "-1e30", "1e30"},
		{"x lat", "-1e30", "1e30"}, {"x linear(1,2):5", "-1e30", "1e30"},
	} {
		codec := declared(t, c.declaration)
		low, errLow := codec.Code(value(t, c.least))
		high, errHigh := codec.Code(value(t, c.most))
		last := uint64(math.MaxUint64) >> (64 - codec.Bits())
		if low != 0 || errLow != nil || errHigh != nil || high < last-last>>30 {
			t.Errorf("%s: %x..%x, %v, %v", c.declaration, low, high, errLow, errHigh)
		}
	}
}
