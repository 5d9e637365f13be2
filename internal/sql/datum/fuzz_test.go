// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/order"
)

// FuzzTime holds that times print as they read.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{"2024-01-31 10:11:12.5", "20240131101112", "-838:59:59.5", "10:11",
		"24-1-3T1:2:3+02:00", "2 10:00:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if ms, ok := ParseTimestamp(text); ok {
			printed := string(TimestampUS(ms).AppendText(nil))
			if again, ok := ParseTimestamp(printed); !ok || again != ms {
				t.Fatalf("%q is %d, printed as %s it is %d %v", text, ms, printed, again, ok)
			}
		}
		if ms, ok := ParseTime(text); ok {
			printed := string(TimeUS(ms).AppendText(nil))
			if again, ok := ParseTime(printed); !ok || again != ms {
				t.Fatalf("%q is %d, printed as %s it is %d %v", text, ms, printed, again, ok)
			}
		}
	})
}

// FuzzNumber holds that the ways to read a text as a number agree.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"12.5x", " -1e5 ", "123456789012345678901234567890123456789012",
		"0.00000000000000000000000000000000000000000000015", "1e400", ".", "-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := TextString(text)
		float := d.NumberFloat()
		if math.IsNaN(float) || math.IsInf(float, 0) {
			t.Fatalf("%q is %v", text, float)
		}
		x, ok := d.NumberDecimal()
		prefix, _ := numberPrefix(text)
		if ok && prefix != "" && math.Abs(float) < 1e120 && math.Abs(float) > 1e-120 {
			if difference := math.Abs(x.Float() - float); difference > math.Abs(float)*1e-14 {
				t.Fatalf("%q is %v, and exactly %s", text, float, x)
			}
		}
		for b := Untyped; b <= JSONBase; b++ {
			stored, err := Store(d, Type{Base: b})
			if err != nil {
				continue
			}
			if _, err := AppendValue(nil, stored, Type{Base: b}); err != nil {
				t.Fatalf("%q as %s: %v", text, b, err)
			}
		}
		if _, err := Cast(d, Type{Base: DecimalBase, Precision: 10, Scale: 2}); err != nil {
			t.Fatal(err)
		}
		d.Bits()
		castSigned(d, Type{Base: BigInt})
		castUnsigned(d)
	})
}

// TestCalendar compares dates with the standard library's.
func TestCalendar(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range rounds.Of(t, 10_000) {
		us := TimestampMin + r.Int64N(TimestampMax-TimestampMin+1)
		want := time.UnixMicro(us).UTC()
		m := MomentOf(us)
		if m != (Moment{want.Year(), int(want.Month()), want.Day(), want.Hour(), want.Minute(), want.Second(),
			want.Nanosecond() / 1e3}) || m.US() != us {
			t.Fatalf("%d: %v, want %s", us, m, want)
		}
		if printed := string(TimestampUS(us / 1e6 * 1e6).AppendText(nil)); us > 0 &&
			printed != want.Format("2006-01-02 15:04:05") {
			t.Fatalf("%d: %s, want %s", us, printed, want)
		}
	}
}

// ratOf is a decimal as a fraction.
func ratOf(x order.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(string(x.AppendText(nil)))
	return r
}

// TestDecimalArithmetic compares sums, products, quotients and remainders with those of fractions, to 38 digits.
func TestDecimalArithmetic(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	random := func() order.Decimal {
		n := new(big.Int).SetUint64(r.Uint64() >> r.IntN(64))
		if r.IntN(3) == 0 {
			n.Mul(n, new(big.Int).SetUint64(r.Uint64()>>(r.IntN(40)+2)))
		}
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		x, err := order.ParseDecimal([]byte(n.String() + "e-" + strconv.Itoa(r.IntN(12))))
		if err != nil {
			return order.Decimal{}
		}
		return x
	}
	for range rounds.Of(t, 10_000) {
		a, b := random(), random()
		x, y := ratOf(a), ratOf(b)
		check := func(name string, got order.Decimal, err error, want *big.Rat, scale int) {
			t.Helper()
			if err != nil {
				return // out of range
			}
			difference := new(big.Rat).Sub(ratOf(got), want)
			most := new(big.Rat).Abs(want)
			most.Mul(most, big.NewRat(1, 1e18)).Mul(most, big.NewRat(1, 1e18)) // 36 digits
			if scale >= 0 {
				most.Add(most, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Mul(big.NewInt(2), powerOfTen(scale))))
			}
			if difference.Abs(difference).Cmp(most) > 0 {
				t.Fatalf("%s %s %s = %s", a, name, b, got)
			}
		}
		sum, err := addDecimal(a, b)
		check("+", sum, err, new(big.Rat).Add(x, y), -1)
		product, err := multiplyDecimal(a, b)
		check("*", product, err, new(big.Rat).Mul(x, y), -1)
		if b.IsZero() {
			continue
		}
		scale := r.IntN(10)
		quotient, err := divideDecimal(a, b, scale, false)
		check("/", quotient, err, new(big.Rat).Quo(x, y), scale)
		rest, err := remainderDecimal(a, b)
		if err == nil && ratOf(rest).Sign() != 0 &&
			(ratOf(rest).Sign() != x.Sign() || new(big.Rat).Abs(ratOf(rest)).Cmp(new(big.Rat).Abs(y)) >= 0) {
			t.Fatalf("%s %% %s = %s", a, b, rest)
		}
	}
}
