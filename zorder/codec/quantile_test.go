// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/order"
)

// names makes strings as skewed as those of places: some beginnings are common, some names frequent.
func (r random) names(count int, prefix string) []Value {
	syllables := []string{"san", "new", "ville", "burg", "st", "le", "ma", "ra", "to", "ki", "ba", "do", "ness", "ham",
		"wick", "ow", "ing", "ton", "zh", "x"}
	values := make([]Value, count)
	for i := range values {
		var name strings.Builder
		name.WriteString(prefix)
		for range 2 + r.IntN(5) {
			name.WriteString(syllables[min(r.IntN(len(syllables)), r.IntN(len(syllables)))])
		}
		values[i] = String(name.String())
	}
	return values
}

// sharing returns how many rows share a row's code, on average over rows.
func sharing(t *testing.T, c *Codec, values []Value) float64 {
	t.Helper()
	counts := map[uint64]int{}
	for _, v := range values {
		code, err := c.Code(v)
		if err != nil {
			t.Fatal(err)
		}
		counts[code]++
	}
	total := 0
	for _, n := range counts {
		total += n * n
	}
	return float64(total) / float64(len(values))
}

// TestCommonPrefix: strings that all begin alike, such as http://www., have codes as good as without that.
func TestCommonPrefix(t *testing.T) {
	r := newRandom(t)
	plain := r.names(40_000, "")
	prefixed := make([]Value, len(plain))
	for i, v := range plain {
		prefixed[i] = String("http://www." + string(v.bytes))
	}
	for _, bits := range []int{8, 10, 12, 16, 32} {
		learn := func(values []Value) *Codec {
			c, err := Learn(Attribute{Type: Type{Kind: UTF8}, Bits: bits}, 1, values, LearnOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		without, with := sharing(t, learn(plain), plain), sharing(t, learn(prefixed), prefixed)
		if with > 1.1*without {
			t.Errorf("%d bits: %.1f rows share a code, %.1f without the prefix", bits, with, without)
		}
	}
	// The article's codec gives them all one code.
	if got := sharing(t, declared(t, "x text[8]"), prefixed); got != float64(len(prefixed)) {
		t.Errorf("text[8]: %.1f rows share a code", got)
	}
}

// TestTwoPrefixes: two long beginnings, each shared by half of the strings, do no more harm than one.
func TestTwoPrefixes(t *testing.T) {
	r := newRandom(t)
	plain := r.names(40_000, "")
	prefixed := make([]Value, len(plain))
	for i, v := range plain {
		prefixed[i] = String([]string{"https://shop.example.com/", "https://shop.example.org/"}[i%2] + string(v.bytes))
	}
	var shares [2]float64
	for i, values := range [][]Value{plain, prefixed} {
		c, err := Learn(Attribute{Type: Type{Kind: UTF8}, Bits: 12}, 1, values, LearnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		shares[i] = sharing(t, c, values)
	}
	if shares[1] > 1.1*shares[0] {
		t.Errorf("%.1f rows share a code, %.1f without the prefixes", shares[1], shares[0])
	}
}

// TestEvenBits: each of the leading bits of a quantile code halves the rows, whatever the distribution, and the bits
// behind the rank tell rows of a bucket apart.
func TestEvenBits(t *testing.T) {
	r := newRandom(t)
	values := make([]Value, 50_000)
	for i := range values {
		values[i] = Float(math.Exp(r.NormFloat64() * 20))
	}
	for _, declaration := range []string{"x f64:4", "x number:4", "x f64:32"} {
		a := mustParse(t, declaration)
		c, err := Learn(a, 1, values[:20_000], LearnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var cells [16]int
		codes := map[uint64]bool{}
		for _, v := range values {
			code, err := c.Code(v)
			if err != nil {
				t.Fatal(err)
			}
			cells[code>>(c.Bits()-4)]++
			codes[code] = true
		}
		for i, n := range cells {
			even := 3125
			if i == 0 || i == 15 { // a quarter of their codes are spare
				even = 2420
			}
			if n < even-400 || n > even+400 {
				t.Errorf("%s: %d rows in cell %d, where %d would be even", declaration, n, i, even)
			}
		}
		if c.Bits() == 32 && len(codes) < len(values)*95/100 {
			t.Errorf("%s: %d codes", declaration, len(codes))
		}
	}
}

// TestEqualValues: equal values have one code, and frequent ones as large a share of the codes as of the rows.
func TestEqualValues(t *testing.T) {
	r := newRandom(t)
	var values []Value
	for i := range 10_000 {
		values = append(values, Int(int64(r.IntN(1000))-500))
		if i%2 == 0 {
			values = append(values, Int(0), Float(0), Number(order.Decimal{}))
		}
	}
	c, err := Learn(mustParse(t, "x number:16"), 1, values, LearnOptions{Buckets: 256})
	if err != nil {
		t.Fatal(err)
	}
	zero, err := c.Code(Float(math.Copysign(0, -1)))
	one, errOne := c.Code(Int(1))
	if err != nil || errOne != nil {
		t.Fatal(err, errOne)
	}
	if share := float64(one-zero) / (1 << 16); share < 0.56 || share > 0.60 {
		t.Errorf("zeros have %.2f of the codes", share)
	}
	s, err := c.Skew(values, SkewOptions{})
	if err != nil || s.Due || s.Ratio > 1.5 || s.ClampedShare != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestSkew: a codec notices that its data have moved away, and one learned anew is even again.
func TestSkew(t *testing.T) {
	r := newRandom(t)
	draw := func(count int, mean, deviation float64) []Value {
		values := make([]Value, count)
		for i := range values {
			values[i] = Float(mean + deviation*r.NormFloat64())
		}
		return append(values, Null())
	}
	a := mustParse(t, "x f64:16 nulls=first")
	old := draw(20_000, 0, 1)
	c, err := Learn(a, 1, old, LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		now  []Value
		due  bool
	}{
		{"same sample", old, false},
		{"same distribution", draw(20_000, 0, 1), false},
		{"few rows", draw(200, 0, 1), false},
		{"grown beyond", draw(20_000, 3, 1), true},
		{"grown narrow", draw(20_000, 0.5, 0.01), true},
		{"one value", []Value{Float(0.25), Float(0.25), Float(0.25), Float(0.25)}, false},
		{"nothing", nil, false},
	} {
		s, err := c.Skew(step.now, SkewOptions{})
		if err != nil || s.Due != step.due {
			t.Errorf("%s: %+v, %v", step.name, s, err)
		}
		if !step.due || len(step.now) == 0 {
			continue
		}
		again, err := Learn(a, 2, step.now, LearnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s, err := again.Skew(step.now, SkewOptions{}); err != nil || s.Due || s.Ratio > 1.5 {
			t.Errorf("%s, learned anew: %+v, %v", step.name, s, err)
		}
	}
	s, err := c.Skew(draw(20_000, 0, 1), SkewOptions{RatioMax: 1.01, ClampedShareMax: 1})
	if err != nil || !s.Due {
		t.Errorf("with another limit: %+v, %v", s, err)
	}
}

// TestSkewRaw: a raw codec is due when its codes do not tell different values apart, but not for values that are the
// same.
func TestSkewRaw(t *testing.T) {
	r := newRandom(t)
	urls := r.names(5000, "http://www.")
	var flags, degrees, large []Value
	for range rounds.Of(t, 2000) {
		flags = append(flags, Bool(r.IntN(10) == 0))
		degrees = append(degrees, Int(int64(r.IntN(256)-128)))
		large = append(large, Int(int64(r.IntN(300))))
	}
	for _, c := range []struct {
		declaration string
		values      []Value
		due         bool
	}{
		{"x text[8]", urls, true}, {"x bool", flags, false}, {"x i8", degrees, false}, {"x u8", large, true},
		{"x text[11]", slices.Repeat(urls[:1], 5000), false},
	} {
		s, err := declared(t, c.declaration).Skew(c.values, SkewOptions{})
		if err != nil || s.Due != c.due {
			t.Errorf("%s: %+v, %v", c.declaration, s, err)
		}
	}
}

// TestLearnErrors: what cannot be learned is an error.
func TestLearnErrors(t *testing.T) {
	a := mustParse(t, "x f64 nulls=first")
	if _, err := Learn(a, 1, []Value{Null()}, LearnOptions{}); !errors.Is(err, ErrSample) {
		t.Error(err)
	}
	if _, err := Learn(a, 1, []Value{String("a")}, LearnOptions{}); !errors.Is(err, ErrType) {
		t.Error(err)
	}
	a.Bits = 1
	var fault *AttributeError
	if _, err := Learn(a, 1, []Value{Int(1)}, LearnOptions{}); !errors.As(err, &fault) {
		t.Error(err)
	}
	a = mustParse(t, "x f64 codec=quantile")
	if _, err := New(a, 1); !errors.As(err, &fault) {
		t.Error(err)
	}
}

// TestLongStrings: strings that differ behind the longest separator still keep their order.
func TestLongStrings(t *testing.T) {
	var values []Value
	long := strings.Repeat("x", 5000)
	for i := range 1000 {
		values = append(values, String(long[:i*5]+fmt.Sprint(i%7)))
	}
	c, err := Learn(Attribute{Type: Type{Kind: UTF8}, Bits: 32}, 1, values, LearnOptions{Buckets: 500})
	if err != nil {
		t.Fatal(err)
	}
	r := newRandom(t)
	for range rounds.Of(t, 5000) {
		a, b := values[r.IntN(len(values))], values[r.IntN(len(values))]
		checkOrder(t, c, sample{value: a, text: a.bytes}, sample{value: b, text: b.bytes})
	}
	stored, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(stored); err != nil {
		t.Fatal(err)
	}
}

// TestBeyond: values beyond the sample have codes of their own, which keep their order; with no spare codes they share
// one.
func TestBeyond(t *testing.T) {
	var values []Value
	const start, day = 1_700_000_000, 86_400
	for i := range 5000 {
		values = append(values, Int(start+int64(i)*7*day/5000)) // a week
	}
	for _, c := range []struct {
		spare    int
		distinct bool
	}{{0, true}, {2, true}, {-1, false}} {
		codec, err := Learn(mustParse(t, "x timestamp(s):32"), 1, values, LearnOptions{Spare: c.spare})
		if err != nil {
			t.Fatal(err)
		}
		for _, direction := range []int64{-1, 1} {
			codes := map[uint64]bool{}
			for days := int64(8); days < 4000; days += 10 {
				code, err := codec.Code(Int(start + direction*days*day))
				if err != nil {
					t.Fatal(err)
				}
				codes[code] = true
			}
			if distinct := len(codes) == 400; distinct != c.distinct || !distinct && len(codes) != 1 {
				t.Errorf("spare %d, direction %d: %d codes", c.spare, direction, len(codes))
			}
		}
	}
}
