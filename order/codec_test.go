// SPDX-License-Identifier: Apache-2.0

package order

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// codec is one kind of value in both directions, driven by text.
type codec struct {
	name    string
	parse   func(text string) (any, error)
	format  func(v any) string
	compare func(a, b any) int
	random  func(r *rand.Rand) any
	append  [2]func(dst []byte, v any) []byte
	cut     [2]func(b []byte) (any, []byte, error)
	skip    [2]func(b []byte) ([]byte, error) // nil where the size is fixed or follows from the first byte
}

const (
	ascending  = 0
	descending = 1
)

func newCodec[T any](name string, parse func(string) (T, error), format func(T) string, compare func(a, b T) int,
	random func(*rand.Rand) T, appends [2]func([]byte, T) []byte, cuts [2]func([]byte) (T, []byte, error)) codec {
	c := codec{
		name:    name,
		parse:   func(text string) (any, error) { return parse(text) },
		format:  func(v any) string { return format(v.(T)) },
		compare: func(a, b any) int { return compare(a.(T), b.(T)) },
		random:  func(r *rand.Rand) any { return random(r) },
	}
	for d := range 2 {
		c.append[d] = func(dst []byte, v any) []byte { return appends[d](dst, v.(T)) }
		c.cut[d] = func(b []byte) (any, []byte, error) { return cuts[d](b) }
	}
	return c
}

func codecs() []codec {
	parseUint := func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }
	formatUint := func(v uint64) string { return strconv.FormatUint(v, 10) }
	randomUint := func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) }
	parseInt := func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }
	formatInt := func(v int64) string { return strconv.FormatInt(v, 10) }
	randomInt := func(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) }
	parseTime := func(s string) (int64, error) {
		t, err := time.Parse(time.RFC3339, s)
		return t.UnixMilli(), err
	}
	formatTime := func(v int64) string { return time.UnixMilli(v).UTC().Format("2006-01-02T15:04:05.999Z07:00") }

	decimals := newCodec("decimal", func(s string) (Decimal, error) { return ParseDecimal([]byte(s)) }, Decimal.String,
		Decimal.Compare,
		randomDecimal, [2]func([]byte, Decimal) []byte{AppendDecimal, AppendDecimalDesc},
		[2]func([]byte) (Decimal, []byte, error){CutDecimal, CutDecimalDesc})
	decimals.skip = [2]func([]byte) ([]byte, error){SkipDecimal, SkipDecimalDesc}

	strings := newCodec("bytes", unquote, func(v []byte) string { return strconv.QuoteToASCII(string(v)) },
		bytes.Compare, randomBytes,
		[2]func([]byte, []byte) []byte{AppendBytes, AppendBytesDesc},
		[2]func([]byte) ([]byte, []byte, error){
			func(b []byte) ([]byte, []byte, error) { return CutBytes(b, nil) },
			func(b []byte) ([]byte, []byte, error) { return CutBytesDesc(b, nil) },
		})
	strings.skip = [2]func([]byte) ([]byte, error){SkipBytes, SkipBytesDesc}

	return []codec{
		newCodec("uint", parseUint, formatUint, cmp.Compare[uint64], randomUint,
			[2]func([]byte, uint64) []byte{AppendUint, AppendUintDesc},
			[2]func([]byte) (uint64, []byte, error){CutUint, CutUintDesc}),
		newCodec("uvarint", parseUint, formatUint, cmp.Compare[uint64], randomUint,
			[2]func([]byte, uint64) []byte{AppendUvarint, AppendUvarintDesc},
			[2]func([]byte) (uint64, []byte, error){CutUvarint, CutUvarintDesc}),
		newCodec("int", parseInt, formatInt, cmp.Compare[int64], randomInt,
			[2]func([]byte, int64) []byte{AppendInt, AppendIntDesc},
			[2]func([]byte) (int64, []byte, error){CutInt, CutIntDesc}),
		newCodec("timestamp", parseTime, formatTime, cmp.Compare[int64], randomInt,
			[2]func([]byte, int64) []byte{AppendTimestamp, AppendTimestampDesc},
			[2]func([]byte) (int64, []byte, error){CutTimestamp, CutTimestampDesc}),
		newCodec("float", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) },
			func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }, compareFloats, randomFloat,
			[2]func([]byte, float64) []byte{AppendFloat, AppendFloatDesc},
			[2]func([]byte) (float64, []byte, error){CutFloat, CutFloatDesc}),
		newCodec("bool", strconv.ParseBool, strconv.FormatBool, compareBools,
			func(r *rand.Rand) bool { return r.IntN(2) == 1 },
			[2]func([]byte, bool) []byte{AppendBool, AppendBoolDesc},
			[2]func([]byte) (bool, []byte, error){CutBool, CutBoolDesc}),
		decimals,
		strings,
	}
}

func unquote(s string) ([]byte, error) {
	text, err := strconv.Unquote(s)
	return []byte(text), err
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareFloats is the order that AppendFloat promises, said without bits: NaN last, -0 equal to 0.
func compareFloats(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b), a == b:
		return 0
	case math.IsNaN(b), a < b:
		return -1
	}
	return 1
}

func randomFloat(r *rand.Rand) float64 {
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64,
		-math.MaxFloat64}
	if r.IntN(3) == 0 {
		return special[r.IntN(len(special))]
	}
	return math.Float64frombits(r.Uint64())
}

func randomBytes(r *rand.Rand) []byte {
	alphabet := []byte{0x00, 0x00, 0x01, 'a', 0xFE, 0xFF, 0xFF}
	v := make([]byte, r.IntN(5))
	for i := range v {
		v[i] = alphabet[r.IntN(len(alphabet))]
	}
	return v
}

// randomDecimal favours numbers close to one another, carries, and both ends of the range.
func randomDecimal(r *rand.Rand) Decimal {
	for {
		digits := 1 + r.IntN(DecimalDigitsMax)
		if r.IntN(2) == 0 {
			digits = 1 + r.IntN(3)
		}
		exponent := r.IntN(5) - 2 - r.IntN(digits)
		if r.IntN(3) == 0 {
			exponent = r.IntN(DecimalExponentMax-DecimalExponentMin+1) + DecimalExponentMin
		}
		text := make([]byte, 0, 64)
		if r.IntN(2) == 0 {
			text = append(text, '-')
		}
		for range digits {
			text = append(text, "0019"[r.IntN(4)]+byte(r.IntN(2)*r.IntN(2)))
			if last := &text[len(text)-1]; *last > '9' {
				*last = '9'
			}
		}
		text = strconv.AppendInt(append(text, 'e'), int64(exponent), 10)
		if d, err := ParseDecimal(text); err == nil {
			return d
		}
	}
}

// newRandom prints its seed so that a failure can be run again.
func newRandom(t testing.TB) *rand.Rand {
	seed := rounds.Seed(t)
	return rand.New(rand.NewPCG(seed, 0))
}

func codecNamed(t testing.TB, name string) codec {
	for _, c := range codecs() {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("no codec %q", name)
	return codec{}
}

// TestCodecs runs testdata/codec: `encode` takes one value a line, in ascending order, and shows both forms; `cut`
// takes hexadecimal bytes and shows the value and what follows it.
func TestCodecs(t *testing.T) {
	datadriven.Walk(t, "testdata/codec", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var kind string
			d.ScanArgs(t, "kind", &kind)
			c := codecNamed(t, kind)
			direction := ascending
			if d.HasArg("desc") {
				direction = descending
			}
			var out strings.Builder
			var previous [2][]byte
			for _, line := range strings.Split(d.Input, "\n") {
				switch d.Cmd {
				case "encode":
					showEncoded(&out, c, line, &previous)
				case "cut":
					showCut(&out, c, line, direction)
				default:
					d.Fatalf(t, "unknown command %s", d.Cmd)
				}
			}
			return out.String()
		})
	})
}

func showEncoded(out *strings.Builder, c codec, text string, previous *[2][]byte) {
	v, err := c.parse(text)
	if err != nil {
		fmt.Fprintf(out, "%s: %s\n", text, errorName(err))
		return
	}
	up, down := c.append[ascending](nil, v), c.append[descending](nil, v)
	relation := ""
	if previous[0] != nil {
		relation = [3]string{"out of order: ", "= ", "> "}[bytes.Compare(up, previous[0])+1]
		if bytes.Compare(up, previous[0]) != -bytes.Compare(down, previous[1]) {
			relation = "directions disagree: "
		}
	}
	*previous = [2][]byte{up, down}
	fmt.Fprintf(out, "%s%s: %x desc %x\n", relation, c.format(v), up, down)
}

func showCut(out *strings.Builder, c codec, text string, direction int) {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		fmt.Fprintf(out, "bad hexadecimal: %v\n", err)
		return
	}
	v, rest, err := c.cut[direction](b)
	if err != nil {
		fmt.Fprintf(out, "%s: %s\n", text, errorName(err))
		return
	}
	fmt.Fprintf(out, "%s: %s", text, c.format(v))
	if len(rest) > 0 {
		fmt.Fprintf(out, ", rest %x", rest)
	}
	out.WriteByte('\n')
}

// errorName keeps error texts out of the test data.
func errorName(err error) string {
	for name, sentinel := range map[string]error{
		"truncated": ErrTruncated, "malformed": ErrMalformed, "syntax": ErrDecimalSyntax,
		"precision": ErrDecimalPrecision,
		"overflow":  ErrDecimalOverflow, "underflow": ErrDecimalUnderflow,
	} {
		if errors.Is(err, sentinel) {
			return name
		}
	}
	return err.Error()
}

// TestTuples writes several random values of random kinds and directions after one another: the bytes must compare as
// the tuples do, no tuple may be a prefix of another, and cutting must return the values and end exactly where the
// tuple does.
func TestTuples(t *testing.T) {
	r := newRandom(t)
	all := codecs()
	for range rounds.Of(t, 20_000) {
		size := 1 + r.IntN(4)
		var a, b []byte
		var values []any
		kinds, directions := make([]codec, size), make([]int, size)
		want := 0
		for i := range size {
			c, d := all[r.IntN(len(all))], r.IntN(2)
			kinds[i], directions[i] = c, d
			va := c.random(r)
			vb := va
			if r.IntN(2) == 0 {
				vb = c.random(r)
			}
			a, b = c.append[d](a, va), c.append[d](b, vb)
			if want == 0 {
				want = c.compare(va, vb)
				if d == descending {
					want = -want
				}
			}
			values = append(values, va)
		}
		if got := bytes.Compare(a, b); got != want {
			t.Fatalf("%x against %x: bytes say %d, values say %d", a, b, got, want)
		}
		if want != 0 && (bytes.HasPrefix(a, b) || bytes.HasPrefix(b, a)) {
			t.Fatalf("%x and %x: one is a prefix of the other", a, b)
		}
		rest := a
		for i, c := range kinds {
			checkCut(t, c, directions[i], values[i], &rest)
		}
		if len(rest) != 0 {
			t.Fatalf("%x: %x left over", a, rest)
		}
	}
}

// checkCut cuts one value off *rest, compares it, and checks that Skip ends at the same place.
func checkCut(t *testing.T, c codec, direction int, want any, rest *[]byte) {
	t.Helper()
	got, after, err := c.cut[direction](*rest)
	if err != nil {
		t.Fatalf("%s: cut %x: %v", c.name, *rest, err)
	}
	if c.compare(got, want) != 0 {
		t.Fatalf("%s: cut %s, want %s", c.name, c.format(got), c.format(want))
	}
	if skip := c.skip[direction]; skip != nil {
		skipped, err := skip(*rest)
		if err != nil || len(skipped) != len(after) {
			t.Fatalf("%s: skip leaves %x, %v; cut leaves %x", c.name, skipped, err, after)
		}
	}
	*rest = after
}

// TestDescendingIsComplement holds the doc's promise for random values of every kind.
func TestDescendingIsComplement(t *testing.T) {
	r := newRandom(t)
	for _, c := range codecs() {
		for range 1_000 {
			v := c.random(r)
			up, down := c.append[ascending](nil, v), c.append[descending](nil, v)
			Complement(up)
			if !bytes.Equal(up, down) {
				t.Fatalf("%s %s: complement %x, descending %x", c.name, c.format(v), up, down)
			}
		}
	}
}

// FuzzCut hands any bytes to every Cut and Skip. What is cut must be what Append writes, byte for byte: one spelling a
// value. Whatever is cut off whole is refused when its last byte is missing.
func FuzzCut(f *testing.F) {
	r := newRandom(f)
	for _, c := range codecs() {
		for range 20 {
			v := c.random(r)
			f.Add(c.append[ascending](nil, v))
			f.Add(c.append[descending](nil, v))
		}
	}
	all := codecs()
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, c := range all {
			for d := range 2 {
				fuzzCut(t, c, d, b)
			}
		}
	})
}

func fuzzCut(t *testing.T, c codec, d int, b []byte) {
	before := bytes.Clone(b)
	v, rest, err := c.cut[d](b)
	if !bytes.Equal(b, before) {
		t.Fatalf("%s: cut changed its input %x to %x", c.name, before, b)
	}
	if skip := c.skip[d]; skip != nil {
		skipped, skipErr := skip(b)
		if err == nil && (skipErr != nil || len(skipped) != len(rest)) {
			t.Fatalf("%s: %x: skip leaves %x, %v; cut leaves %x", c.name, b, skipped, skipErr, rest)
		}
	}
	if err != nil {
		if !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrMalformed) {
			t.Fatalf("%s: %x: unexpected error %v", c.name, b, err)
		}
		return
	}
	used := b[:len(b)-len(rest)]
	if again := c.append[d](nil, v); !bytes.Equal(again, used) {
		t.Fatalf("%s: %x was cut as %s, which is written %x", c.name, used, c.format(v), again)
	}
	if _, _, err := c.cut[d](used[:len(used)-1]); !errors.Is(err, ErrTruncated) {
		t.Fatalf("%s: %x without its last byte: error %v", c.name, used, err)
	}
}

// FuzzOrderFixed compares two values of every kind that has a fixed or length-prefixed form.
func FuzzOrderFixed(f *testing.F) {
	f.Add(uint64(0), uint64(1))
	f.Add(uint64(1)<<63, uint64(1)<<63-1)
	f.Add(math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1)))
	f.Add(uint64(255), uint64(256))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		fuzzOrder(t, "uint", a, b)
		fuzzOrder(t, "uvarint", a, b)
		fuzzOrder(t, "int", int64(a), int64(b))
		fuzzOrder(t, "timestamp", int64(a), int64(b))
		fuzzOrder(t, "float", math.Float64frombits(a), math.Float64frombits(b))
		fuzzOrder(t, "bool", a&1 == 1, b&1 == 1)
	})
}

// FuzzOrderBytes compares two byte strings, and their spans of begins_with.
func FuzzOrderBytes(f *testing.F) {
	f.Add([]byte(""), []byte("\x00"))
	f.Add([]byte("a"), []byte("a\x00"))
	f.Add([]byte("a\xff\xff"), []byte("a\xff"))
	f.Add([]byte("a\x00\xff"), []byte("a\x00\x00"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		fuzzOrder(t, "bytes", a, b)
		want := bytes.HasPrefix(a, b)
		if got := bytes.HasPrefix(AppendBytes(nil, a), AppendBytesPrefix(nil, b)); got != want {
			t.Fatalf("%x begins with %x: %v, encoded: %v", a, b, want, got)
		}
		if got := bytes.HasPrefix(AppendBytesDesc(nil, a), AppendBytesPrefixDesc(nil, b)); got != want {
			t.Fatalf("%x begins with %x: %v, encoded descending: %v", a, b, want, got)
		}
		end, ok := PrefixEnd(nil, b)
		inside := bytes.Compare(a, b) >= 0 && (!ok || bytes.Compare(a, end) < 0)
		if inside != want {
			t.Fatalf("%x begins with %x: %v, in its span up to %x: %v", a, b, want, end, inside)
		}
	})
}

func fuzzOrder(t *testing.T, kind string, a, b any) {
	t.Helper()
	c := codecNamed(t, kind)
	for d := range 2 {
		ea, eb := c.append[d](nil, a), c.append[d](nil, b)
		want := c.compare(a, b) * (1 - 2*d)
		if got := bytes.Compare(ea, eb); got != want {
			t.Fatalf("%s %s against %s: bytes say %d, want %d", kind, c.format(a), c.format(b), got, want)
		}
		rest := ea
		checkCut(t, c, d, a, &rest)
		if len(rest) != 0 {
			t.Fatalf("%s %s: %x left over", kind, c.format(a), rest)
		}
	}
}

// TestCutBytesOwnership holds what CutBytes says about b, dst and the value.
func TestCutBytesOwnership(t *testing.T) {
	plain := AppendBytes(nil, []byte("plain"))
	dst := append(make([]byte, 0, 64), "kept"...)
	value, _, err := CutBytes(plain, dst)
	if err != nil || &value[0] != &plain[0] || cap(value) != len(value) {
		t.Fatalf("a value without zeros should be a capped part of b: %q, %v", value, err)
	}
	for name, cut := range map[string]func() ([]byte, []byte, error){
		"ascending": func() ([]byte, []byte, error) { return CutBytes(AppendBytes(nil, []byte("a\x00b")), dst) },
		"descending": func() ([]byte, []byte,
			error) {
			return CutBytesDesc(AppendBytesDesc(nil, []byte("a\x00b")), dst)
		},
	} {
		value, rest, err := cut()
		if err != nil || string(value) != "a\x00b" || len(rest) != 0 || cap(value) != len(value) {
			t.Fatalf("%s: %q, rest %x, %v", name, value, rest, err)
		}
		if &value[0] != &dst[:5][4] || string(dst) != "kept" {
			t.Fatalf("%s: the value should stand after dst's length, and dst stay %q", name, dst)
		}
	}
}

// TestSpans runs testdata/span: `end` shows PrefixEnd, `complement` flips bytes.
func TestSpans(t *testing.T) {
	datadriven.RunTest(t, "testdata/span", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			b, err := hex.DecodeString(strings.TrimSuffix(line, "-"))
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			switch d.Cmd {
			case "end":
				if end, ok := PrefixEnd(nil, b); ok {
					fmt.Fprintf(&out, "%s: %x\n", line, end)
				} else {
					fmt.Fprintf(&out, "%s: no end\n", line)
				}
			case "complement":
				Complement(b)
				fmt.Fprintf(&out, "%s: %x\n", line, b)
			default:
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
		}
		return out.String()
	})
}

func TestPrefixEndInPlace(t *testing.T) {
	prefix := []byte("ab\xff")
	if end, ok := PrefixEnd(prefix[:0], prefix); !ok || string(end) != "ac" {
		t.Fatalf("got %q, %v", end, ok)
	}
	if end, ok := PrefixEnd([]byte("x"), []byte{0xFF}); ok || string(end) != "x" {
		t.Fatalf("got %q, %v", end, ok)
	}
}
