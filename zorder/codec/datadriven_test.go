// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/order"
)

// TestText runs testdata. Each command takes one thing a line and prints one line for each.
//
//	bits DECLARATION    value → code in bits, and as a number
//	code DECLARATION    value → code in hexadecimal
//	range DECLARATION   condition → the first and the last code
//	instant [ZONE]      text → the instants that it stands for
//	parse               list of attributes → its canonical form
func TestText(t *testing.T) {
	for _, name := range []string{"article", "code", "range", "instant", "parse"} {
		t.Run(name, func(t *testing.T) {
			datadriven.RunTest(t, filepath.Join("testdata", name), func(t *testing.T, d *datadriven.TestData) string {
				var out strings.Builder
				for line := range strings.Lines(d.Input) {
					line = strings.TrimSuffix(line, "\n")
					fmt.Fprintf(&out, "%s: %s\n", line, runLine(t, d, line))
				}
				return out.String()
			})
		})
	}
}

func runLine(t *testing.T, d *datadriven.TestData, line string) string {
	var text string
	var err error
	switch d.Cmd {
	case "parse":
		var list []Attribute
		if list, err = Parse(line); err == nil {
			text = Format(list)
		}
	case "instant":
		zone := 0
		d.MaybeScanArgs(t, "zone", &zone)
		var first, last Instant
		if first, last, err = ParseInstant([]byte(line), zone); err == nil {
			text = formatInstant(first)
			if last != first {
				text += " .. " + formatInstant(last)
			}
		}
	case "bits", "code", "range":
		c := declared(t, declarationOf(d))
		text, err = runCodec(t, c, d.Cmd, line)
	default:
		t.Fatalf("%s: no such command: %s", d.Pos, d.Cmd)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

// declarationOf puts the words of the command line together again. The test language takes no parentheses there:
// timestamp{s} stands for timestamp(s).
func declarationOf(d *datadriven.TestData) string {
	words := []string{"x"}
	for _, a := range d.CmdArgs {
		words = append(words, strings.NewReplacer("{", "(", "}", ")", ";", ",").Replace(a.String()))
	}
	return strings.Join(words, " ")
}

func formatInstant(i Instant) string {
	return time.Unix(i.Seconds, int64(i.Nanos)).UTC().Format("2006-01-02T15:04:05.999999999")
}

// declared makes the codec of one attribute's declaration.
func declared(t testing.TB, declaration string) *Codec {
	t.Helper()
	list, err := Parse(declaration)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(list[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func runCodec(t *testing.T, c *Codec, command, line string) (string, error) {
	if command == "range" {
		lo, hi, none, err := c.AppendRange(nil, nil, condition(t, line))
		if err != nil {
			return "", err
		}
		if none {
			return "none", nil
		}
		return hex.EncodeToString(lo) + " .. " + hex.EncodeToString(hi), nil
	}
	code, err := c.AppendCode(nil, value(t, line))
	if err != nil {
		return "", err
	}
	if command == "code" {
		return hex.EncodeToString(code), nil
	}
	var bits []string
	for _, b := range code {
		bits = append(bits, fmt.Sprintf("%04b %04b", b>>4, b&15))
	}
	number, err := c.Code(value(t, line))
	return strings.Join(bits, " ") + fmt.Sprintf(" = %d", number), err
}

func condition(t *testing.T, line string) Condition {
	operator, rest, _ := strings.Cut(line, " ")
	switch operator {
	case "any":
		return Anything()
	case "null":
		return IsNull()
	case "notnull":
		return NotNull()
	case "=":
		return Equal(value(t, rest))
	case "<":
		return Less(value(t, rest))
	case "<=":
		return AtMost(value(t, rest))
	case ">":
		return Greater(value(t, rest))
	case ">=":
		return AtLeast(value(t, rest))
	case "begins":
		return BeginsWith(value(t, rest))
	case "between":
		low, high, _ := strings.Cut(rest, " and ")
		return Between(value(t, low), value(t, high))
	}
	t.Fatalf("no such condition: %s", line)
	return Condition{}
}

// value reads 1.5 (a decimal), float:NaN, int:-1, uint:1, true, "text", binary:00ff, ordered:00ff or null.
func value(t *testing.T, text string) Value {
	t.Helper()
	kind, rest, _ := strings.Cut(text, ":")
	var err error
	var v Value
	switch {
	case text == "null":
	case text == "true" || text == "false":
		v = Bool(text == "true")
	case strings.HasPrefix(text, `"`):
		var s string
		s, err = strconv.Unquote(text)
		v = String(s)
	case kind == "float":
		var f float64
		f, err = strconv.ParseFloat(rest, 64)
		v = Float(f)
	case kind == "int":
		var n int64
		n, err = strconv.ParseInt(rest, 10, 64)
		v = Int(n)
	case kind == "uint":
		var n uint64
		n, err = strconv.ParseUint(rest, 10, 64)
		v = Uint(n)
	case kind == "binary":
		v.bytes, err = hex.DecodeString(rest)
		v = Binary(v.bytes)
	case kind == "ordered":
		v.bytes, err = hex.DecodeString(rest)
		v = Ordered(v.bytes)
	default:
		var d order.Decimal
		d, err = order.ParseDecimal([]byte(text))
		v = Number(d)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestSignMagnitude holds the mapping of floats to the article's table, whose 8-bit integers in sign and magnitude are
// here the first bits of floats.
func TestSignMagnitude(t *testing.T) {
	for _, c := range []struct{ pattern, want uint64 }{
		{0b0000_0000, 128}, {0b0000_0001, 129}, {0b0000_0010, 130}, {0b1000_0010, 125}, {0b1000_0001, 126},
	} {
		if got := floatWord(math.Float64frombits(c.pattern<<56)) >> 56; got != c.want {
			t.Errorf("%08b: got %d, want %d", c.pattern, got, c.want)
		}
		if got := float32Word(float64(math.Float32frombits(uint32(c.pattern<<24)))) >> 56; got != c.want {
			t.Errorf("%08b as float32: got %d, want %d", c.pattern, got, c.want)
		}
	}
}
