// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/internal/sql/fault"
)

// read makes a datum of its notation: null, true, 5, 5u, 1.50, 2e0, 'text', x'00ff', date'..', time'..', ts'..',
// json'..'.
func read(text string) (Datum, error) {
	kind, quoted, isQuoted := strings.Cut(text, "'")
	quoted = strings.TrimSuffix(quoted, "'")
	switch {
	case text == "null":
		return Null, nil
	case text == "true" || text == "false":
		return Bool(text == "true"), nil
	case !isQuoted:
		return readNumber(text)
	}
	switch kind {
	case "":
		return TextString(quoted), nil
	case "x":
		b, err := hex.DecodeString(quoted)
		return Binary(b), err
	case "json":
		return JSON([]byte(quoted)), nil
	}
	base, ok := map[string]Base{"date": Date, "time": Time, "ts": Timestamp}[kind]
	if !ok {
		return Null, fmt.Errorf("no kind %q", kind)
	}
	return Store(TextString(quoted), Type{Base: base})
}

func readNumber(text string) (Datum, error) {
	if digits, ok := strings.CutSuffix(text, "u"); ok {
		n, err := strconv.ParseUint(digits, 10, 64)
		return Datum{kind: KindUint, bits: n}, err
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Int(n), nil
	}
	if strings.ContainsAny(text, "eEN") {
		x, err := strconv.ParseFloat(text, 64)
		return Float64(x), err
	}
	_, fraction, _ := strings.Cut(text, ".")
	x, _, ok := textDecimal(text)
	if !ok {
		return Null, fmt.Errorf("no number: %q", text)
	}
	return DecimalOfScale(x, len(fraction)), nil
}

// readType makes a type of its notation, such as DECIMAL(10,2) or BIGINT UNSIGNED.
func readType(text string) (Type, error) {
	name, lengths, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	for b := Untyped; b <= JSONBase; b++ {
		if b.String() != name {
			continue
		}
		t := Type{Base: b}
		switch {
		case lengths == "":
		case b == DecimalBase:
			fmt.Sscanf(lengths, "%d,%d", &t.Precision, &t.Scale)
		default:
			t.Length, _ = strconv.Atoi(lengths)
		}
		return t, nil
	}
	return Type{}, fmt.Errorf("no type %q", text)
}

// shownAs is a datum with its kind.
func shownAs(d Datum) string {
	if d.IsNull() {
		return "null"
	}
	name := [...]string{"null", "bool", "int", "uint", "float", "decimal", "text", "binary", "ts", "date", "time",
		"json"}[d.Kind()]
	return name + " " + string(appendShown(nil, d))
}

func appendShown(dst []byte, d Datum) []byte {
	if d.Kind() == KindBinary {
		return append(dst, hex.EncodeToString(d.Bytes())...)
	}
	return d.AppendText(dst)
}

func failure(err error) string {
	if stored := (*StoreError)(nil); errors.As(err, &stored) {
		f := stored.Fault("c", 1)
		return fmt.Sprintf("error %d: %s", f.Code, f.Message)
	}
	if f, ok := fault.Of(err); ok {
		return fmt.Sprintf("error %d: %s", f.Code, f.Message)
	}
	return "error: " + err.Error()
}

// fields splits a line at " | ".
func fields(line string) []string { return strings.Split(line, " | ") }

// TestDatum runs testdata/*: each line is one case, its parts apart by " | ".
func TestDatum(t *testing.T) {
	commands := map[string]func(parts []string) (string, error){
		"compare": compareLine, "compute": computeLine, "cast": castLine, "store": storeLine, "fit": fitLine,
		"print": printLine, "stored": storedLine,
		"time": timeLine, "truth": truthLine, "number": numberLine,
	}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "fuzz") {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			run := commands[d.Cmd]
			if run == nil {
				t.Fatalf("no command %s", d.Cmd)
			}
			var out strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				answer, err := run(fields(line))
				if err != nil {
					answer = failure(err)
				}
				fmt.Fprintf(&out, "%-50s %s\n", line, answer)
			}
			return out.String()
		})
	})
}

// compareLine compares both ways, and reports whether keys agree.
func compareLine(parts []string) (string, error) {
	a, err := read(parts[0])
	if err != nil {
		return "", err
	}
	b, err := read(parts[1])
	if err != nil {
		return "", err
	}
	order, null := Compare(a, b)
	back, nullToo := Compare(b, a)
	if order != -back || null != nullToo {
		return fmt.Sprintf("%d %v, but the other way round %d %v", order, null, back, nullToo), nil
	}
	if null {
		return "null", nil
	}
	note := ""
	if same := string(a.AppendKey(nil)) == string(b.AppendKey(nil)); same != (Order(a, b) == 0) {
		note = " BUT GROUP BY DIFFERS"
	}
	return string("<=>"[order+1]) + note, nil
}

func computeLine(parts []string) (string, error) {
	a, err := read(parts[0])
	if err != nil {
		return "", err
	}
	if len(parts) == 2 {
		d, err := Negate(a)
		return shownAs(d), err
	}
	b, err := read(parts[2])
	if err != nil {
		return "", err
	}
	operation := map[string]func(a, b Datum) (Datum, error){"+": Add, "-": Subtract, "*": Multiply, "/": Divide,
		"DIV": IntegerDivide, "%": Modulo}[parts[1]]
	d, err := operation(a, b)
	if err != nil {
		return "", err
	}
	return shownAs(d), nil
}

func castLine(parts []string) (string, error)  { return convertLine(parts, Cast) }
func storeLine(parts []string) (string, error) { return convertLine(parts, Store) }

func fitLine(parts []string) (string, error) {
	return convertLine(parts, func(d Datum, t Type) (Datum, error) {
		stored, ok := Fit(d, t)
		if !ok {
			return Null, errors.New("nothing fits")
		}
		return stored, nil
	})
}

func convertLine(parts []string, convert func(Datum, Type) (Datum, error)) (string, error) {
	a, err := read(parts[0])
	if err != nil {
		return "", err
	}
	t, err := readType(parts[1])
	if err != nil {
		return "", err
	}
	d, err := convert(a, t)
	if err != nil {
		return "", err
	}
	return shownAs(d), nil
}

func printLine(parts []string) (string, error) {
	a, err := read(parts[0])
	return string(a.AppendText(nil)), err
}

// storedLine stores a value in a column of a type, shows it as stored, and reads it back.
func storedLine(parts []string) (string, error) {
	a, err := read(parts[0])
	if err != nil {
		return "", err
	}
	t, err := readType(parts[1])
	if err != nil {
		return "", err
	}
	if a, err = Store(a, t); err != nil {
		return "", err
	}
	v, err := AppendValue(nil, a, t)
	if err != nil {
		return "", err
	}
	back, ok := FromValue(v, t)
	again := TextString("what was there before")
	if again.SetStored(v, &t); shownAs(again) != shownAs(back) {
		return "", fmt.Errorf("SetStored reads %s", shownAs(again))
	}
	return fmt.Sprintf("%s %s -> %s %v", value.Value(v).Kind(), value.Value(v), shownAs(back), ok), nil
}

func timeLine(parts []string) (string, error) {
	show := func(d Datum, ok bool) string {
		if !ok {
			return "-"
		}
		return string(d.AppendText(nil))
	}
	text := strings.Trim(parts[0], "'")
	ms, isTimestamp := ParseTimestamp(text)
	days, isDate := ParseDate(text)
	clock, isTime := ParseTime(text)
	return show(TimestampUS(ms), isTimestamp) + " | " + show(DateDays(days), isDate) + " | " +
		show(TimeUS(clock), isTime), nil
}

func truthLine(parts []string) (string, error) {
	a, err := read(parts[0])
	truth, null := a.Truth()
	if null {
		return "null", err
	}
	return fmt.Sprint(truth), err
}

func numberLine(parts []string) (string, error) {
	a, err := read(parts[0])
	if err != nil {
		return "", err
	}
	x, ok := a.NumberDecimal()
	return fmt.Sprintf("%s | float %v | decimal %s %v | int %d | bits %#x", shownAs(a.Number()), a.NumberFloat(), x, ok,
		a.NumberInt(), a.Bits()), nil
}

// TestJSONOf holds that a document's text reads back as the document.
func TestJSONOf(t *testing.T) {
	for _, text := range []string{`null`, `true`, `[1, 2.5, "a\u0000"]`, `{"a": {"b": []}, "c": "é"}`, `1e300`, `-0`,
		`[{}]`} {
		v, err := jsontext.AppendValue(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		printed := jsontext.Append(nil, v)
		again, err := jsontext.AppendValue(nil, string(printed))
		if err != nil || string(again) != string(v) {
			t.Errorf("%s printed as %s reads back as %x, was %x: %v", text, printed, again, v, err)
		}
	}
}
