// SPDX-License-Identifier: Apache-2.0

package order

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestDecimal runs testdata/decimal: one case a line.
//
//	parse    text in double quotes → plain text, digits left and right of the point
//	add, sub, compare   two numbers
//	int, float          one number
func TestDecimal(t *testing.T) {
	datadriven.RunTest(t, "testdata/decimal", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			result, err := decimalCase(d.Cmd, line)
			if err != nil {
				result = errorName(err)
			}
			fmt.Fprintf(&out, "%s: %s\n", line, result)
		}
		return out.String()
	})
}

func decimalCase(command, line string) (string, error) {
	if command == "parse" {
		text, err := strconv.Unquote(line)
		if err != nil {
			return "", err
		}
		d, err := ParseDecimal([]byte(text))
		if err != nil {
			return "", err
		}
		integer, fraction := d.Digits()
		return fmt.Sprintf("%s (%d.%d digits)", shorten(d.String()), integer, fraction), nil
	}
	var operands []Decimal
	for _, text := range strings.Fields(line) {
		d, err := ParseDecimal([]byte(text))
		if err != nil {
			return "", err
		}
		operands = append(operands, d)
	}
	switch command {
	case "add":
		sum, err := operands[0].Add(operands[1])
		return shorten(sum.String()), err
	case "sub":
		difference, err := operands[0].Sub(operands[1])
		return shorten(difference.String()), err
	case "compare":
		return strconv.Itoa(operands[0].Compare(operands[1])), nil
	case "int":
		v, exact := operands[0].Int()
		return fmt.Sprintf("%d exact %v", v, exact), nil
	case "float":
		return strconv.FormatFloat(operands[0].Float(), 'g', -1, 64), nil
	}
	return "", fmt.Errorf("unknown command %s", command)
}

// shorten writes long runs of zeros as {count}, for a reader of the test data.
func shorten(text string) string {
	return regexp.MustCompile(`0{20,}`).ReplaceAllStringFunc(text, func(zeros string) string {
		return fmt.Sprintf("0{%d}", len(zeros))
	})
}

var numberSyntax = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// ratOf reads what ParseDecimal accepts with math/big. ok is false where the exponent would be too costly.
func ratOf(text string) (r *big.Rat, ok bool) {
	mantissa, exponent, found := strings.Cut(strings.ToLower(text), "e")
	if found {
		if e, err := strconv.Atoi(exponent); err != nil || e > 2_000 || e < -2_000 {
			return nil, false
		}
	}
	if len(mantissa) > 2_000 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// checkRat returns the error that a number must give as a Decimal, computed by math/big.
func checkRat(r *big.Rat) error {
	if r.Sign() == 0 {
		return nil
	}
	ten := big.NewRat(10, 1)
	power := func(n int) *big.Rat {
		p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
		if n < 0 {
			p.Inv(p)
		}
		return p
	}
	magnitude := new(big.Rat).Abs(r)
	// The magnitude is told before the digits, as DynamoDB tells it.
	if magnitude.Cmp(power(DecimalExponentMax+1)) >= 0 {
		return ErrDecimalOverflow
	}
	if magnitude.Cmp(power(DecimalExponentMin)) < 0 {
		return ErrDecimalUnderflow
	}
	// Scale by a power of ten until the number is an integer without trailing zeros: its digits are the significant
	// ones.
	scaled := new(big.Rat).Set(magnitude)
	for !scaled.IsInt() {
		scaled.Mul(scaled, ten)
	}
	digits := strings.TrimRight(scaled.Num().String(), "0")
	if len(digits) > DecimalDigitsMax {
		return ErrDecimalPrecision
	}
	return nil
}

// FuzzParseDecimal compares every text with a regular expression for the syntax and math/big for the value.
func FuzzParseDecimal(f *testing.F) {
	for _, text := range []string{
		"0", "-0", "+5", ".5", "5.", "1.e5", "1E125", "0042.1200", "", " 1", "1+2", "1.2.3", "+e2", ".", "e", "1e",
		"1e+", "--1",
		"1E126", "1E-130", "1E-131", "1E99999999999999999999", "0E99999999999999999999",
		"123456789012345678901234567890123456789",
		"12345678901234567890123456789012345678000", "10000000000000000000.0000000000000000001E147",
		"0.00000000000000000000000000000000000000000000001E47", "1_000", "0x10", "inf", "NaN",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDecimal([]byte(text))
		if valid := numberSyntax.MatchString(text); valid != !errors.Is(err, ErrDecimalSyntax) {
			t.Fatalf("%q: a number: %v, but error %v", text, valid, err)
		}
		if err == nil {
			checkText(t, d)
		}
		if errors.Is(err, ErrDecimalSyntax) {
			return
		}
		r, ok := ratOf(text)
		if !ok {
			return
		}
		if want := checkRat(r); want != err {
			t.Fatalf("%q: error %v, want %v", text, err, want)
		}
		if err != nil {
			return
		}
		if got, _ := new(big.Rat).SetString(d.String()); got.Cmp(r) != 0 {
			t.Fatalf("%q: read as %s", text, d)
		}
		checkNumbers(t, d, r)
	})
}

// checkText holds that the plain form reads back as the same value and is in normal form.
func checkText(t *testing.T, d Decimal) {
	t.Helper()
	text := d.AppendText(nil)
	again, err := ParseDecimal(text)
	if err != nil || again != d {
		t.Fatalf("%s reads back as %s, %v", text, again, err)
	}
	if !regexp.MustCompile(`^(0|-?([1-9][0-9]*|0\.[0-9]*[1-9]|[1-9][0-9]*\.[0-9]*[1-9]))$`).Match(text) {
		t.Fatalf("%s is not in normal form", text)
	}
	if len(text) > 171 {
		t.Fatalf("%s is longer than promised", text)
	}
}

// checkNumbers compares the conversions with math/big.
func checkNumbers(t *testing.T, d Decimal, r *big.Rat) {
	t.Helper()
	if d.IsNegative() != (r.Sign() < 0) || d.IsZero() != (r.Sign() == 0) {
		t.Fatalf("%s: negative %v, zero %v", d, d.IsNegative(), d.IsZero())
	}
	if f, _ := r.Float64(); f != d.Float() {
		t.Fatalf("%s: Float %v, want %v", d, d.Float(), f)
	}
	whole := new(big.Int).Quo(r.Num(), r.Denom())
	want, exact := whole.Int64(), whole.IsInt64() && r.IsInt()
	if !whole.IsInt64() {
		want = math.MaxInt64
		if r.Sign() < 0 {
			want = math.MinInt64
		}
	}
	if got, gotExact := d.Int(); got != want || gotExact != exact {
		t.Fatalf("%s: Int %d exact %v, want %d exact %v", d, got, gotExact, want, exact)
	}
	significant := strings.Trim(strings.Replace(strings.TrimPrefix(d.String(), "-"), ".", "", 1), "0")
	integer, fraction := d.Digits()
	if integer+fraction != len(significant) {
		t.Fatalf("%s: Digits %d and %d, want %d together", d, integer, fraction, len(significant))
	}
	if left, right, found := strings.Cut(d.String(), "."); found && fraction != len(right) &&
		strings.Trim(left, "-0") != "" {
		t.Fatalf("%s: Digits say %d after the point", d, fraction)
	}
}

// checkPair compares order, keys and arithmetic of two numbers with math/big.
func checkPair(t *testing.T, a, b Decimal) {
	t.Helper()
	ra, _ := new(big.Rat).SetString(a.String())
	rb, _ := new(big.Rat).SetString(b.String())
	want := ra.Cmp(rb)
	if got := a.Compare(b); got != want || (a == b) != (want == 0) {
		t.Fatalf("%s against %s: %d, want %d", a, b, got, want)
	}
	ka, kb := AppendDecimal(nil, a), AppendDecimal(nil, b)
	if got := bytes.Compare(ka, kb); got != want {
		t.Fatalf("%s against %s: bytes %x and %x say %d, want %d", a, b, ka, kb, got, want)
	}
	if bytes.IndexByte(ka, 0x00) >= 0 || bytes.IndexByte(ka, 0xFF) >= 0 || len(ka) > 22 || ka[0] < 0x22 ||
		ka[0] > 0xDD {
		t.Fatalf("%s: %x breaks the promises of its doc", a, ka)
	}
	for name, result := range map[string]struct {
		of   func(Decimal) (Decimal, error)
		want *big.Rat
	}{
		"+": {a.Add, new(big.Rat).Add(ra, rb)},
		"-": {a.Sub, new(big.Rat).Sub(ra, rb)},
	} {
		got, err := result.of(b)
		if !errors.Is(err, checkRat(result.want)) {
			t.Fatalf("%s %s %s: error %v, want %v", a, name, b, err, checkRat(result.want))
		}
		if err != nil {
			continue
		}
		if r, _ := new(big.Rat).SetString(got.String()); r.Cmp(result.want) != 0 {
			t.Fatalf("%s %s %s = %s", a, name, b, got)
		}
		checkText(t, got)
	}
}

// FuzzDecimalPair checks order and arithmetic of any two numbers.
func FuzzDecimalPair(f *testing.F) {
	f.Add("1", "-1")
	f.Add("1E38", "-1")
	f.Add("9.9999999999999999999999999999999999999E+125", "1E88")
	f.Add("99999999999999999999999999999999999999", "1")
	f.Add("1.1E-130", "-1E-130")
	f.Add("340282366920938463463374607431768211455", "1")
	f.Fuzz(func(t *testing.T, x, y string) {
		a, err := ParseDecimal([]byte(x))
		if err != nil {
			return
		}
		b, err := ParseDecimal([]byte(y))
		if err != nil {
			return
		}
		checkPair(t, a, b)
	})
}

// TestDecimalPairs is FuzzDecimalPair over numbers that lie close together.
func TestDecimalPairs(t *testing.T) {
	r := newRandom(t)
	for range rounds.Of(t, 20_000) {
		a, b := randomDecimal(r), randomDecimal(r)
		checkPair(t, a, b)
		checkText(t, a)
		want, _ := new(big.Rat).SetString(a.String())
		checkNumbers(t, a, want)
	}
}

func TestDecimalFromIntegers(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 10, 100, -100, 1234567890, math.MaxInt64, math.MinInt64,
		1_000_000_000_000_000_000} {
		d := DecimalFromInt(v)
		if got, exact := d.Int(); got != v || !exact {
			t.Fatalf("%d comes back as %d, exact %v", v, got, exact)
		}
		if parsed, err := ParseDecimal(strconv.AppendInt(nil, v, 10)); err != nil || parsed != d {
			t.Fatalf("%d is %s from text, %s from the integer, %v", v, parsed, d, err)
		}
	}
	if got := DecimalFromUint(math.MaxUint64).String(); got != "18446744073709551615" {
		t.Fatalf("got %s", got)
	}
}

// TestDecimalNoAllocation holds the package doc's promise for the calls on hot paths.
func TestDecimalNoAllocation(t *testing.T) {
	text := []byte("-12345678901234567890.123456789012345678")
	buffer := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() {
		d, _ := ParseDecimal(text)
		sum, _ := d.Add(DecimalFromInt(1))
		key := AppendDecimal(buffer, sum)
		d, _, _ = CutDecimal(key)
		d.AppendText(buffer)
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
