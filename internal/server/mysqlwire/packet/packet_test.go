// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/order"
)

func TestPackets(t *testing.T) {
	datadriven.RunTest(t, "testdata/packets.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "greeting":
			return dump(AppendGreeting(nil, "8.0.36-weft-0.1", 77, Nonce([]byte("abcdefghijklmnopqrst")), Offered))
		case "switch":
			return dump(AppendSwitch(nil, PluginNative, Nonce([]byte("abcdefghijklmnopqrst"))))
		case "login":
			q, ok := CutLogin(parseBytes(t, d.Input), Offered|ClientSSL)
			return showRequest(q, ok)
		case "change-user":
			q, ok := CutChangeUser(parseBytes(t, d.Input), Offered)
			return showRequest(q, ok)
		case "ok":
			return dump(runOK(d))
		case "error":
			var capabilities uint32 = ClientProtocol41
			if d.HasArg("old") {
				capabilities = 0
			}
			return dump(AppendError(nil, &fault.Error{Code: 1064, State: argument(d, "state"), Message: d.Input},
				capabilities))
		case "column":
			w := WireOf(parseType(t, d.Input))
			return dump(AppendColumn(nil,
				&result.Column{Database: "d", Table: "a", OriginalTable: "t", Name: "n", OriginalName: "o",
					NotNull: d.HasArg("not-null"), PrimaryKey: d.HasArg("key")}, &w))
		case "rows":
			return rows(t, d.Input)
		case "parameters":
			return parameters(t, d.Input)
		case "lengths":
			return lengths(d.Input)
		}
		t.Fatal("unknown command ", d.Cmd)
		return ""
	})
}

func argument(d *datadriven.TestData, name string) (text string) {
	if d.HasArg(name) {
		for _, a := range d.CmdArgs {
			if a.Key == name {
				text = strings.Join(a.Vals, " ")
			}
		}
	}
	return text
}

func runOK(d *datadriven.TestData) []byte {
	var done result.Done
	number := func(name string) uint64 {
		n, _ := strconv.ParseUint(argument(d, name), 10, 64)
		return n
	}
	done.Affected, done.LastInsertID, done.Info = number("affected"), number("id"), d.Input
	flags := Status(result.State{InTransaction: d.HasArg("transaction"), ReadOnly: d.HasArg("read-only"),
		Autocommit: d.HasArg("autocommit")})
	return AppendOK(nil, byte(number("header")), done, flags, int(number("warnings")), d.HasArg("schema"),
		argument(d, "schema"))
}

// parseBytes reads lines of hexadecimal digits and of texts in quotes.
func parseBytes(t *testing.T, input string) []byte {
	t.Helper()
	var b []byte
	for _, line := range strings.Split(input, "\n") {
		line, _, _ = strings.Cut(line, "  #")
		if line = strings.TrimSpace(line); strings.HasPrefix(line, `"`) {
			text, err := strconv.Unquote(line)
			if err != nil {
				t.Fatal(line, err)
			}
			b = append(b, text...)
			continue
		}
		part, err := hex.DecodeString(strings.ReplaceAll(line, " ", ""))
		if err != nil {
			t.Fatal(line, err)
		}
		b = append(b, part...)
	}
	return b
}

// dump shows bytes, 16 a line, with their letters.
func dump(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		line := b[:min(16, len(b))]
		letters := bytes.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '.'
			}
			return r
		}, bytes.ToValidUTF8(line, []byte(".")))
		fmt.Fprintf(&out, "%-48s%s\n", fmt.Sprintf("% x", line), letters)
		b = b[len(line):]
	}
	return out.String()
}

func showRequest(q Request, ok bool) string {
	if !ok {
		return "malformed\n"
	}
	return fmt.Sprintf("capabilities=%08x charset=%d user=%q response=%x database=%q plugin=%q attributes=%v\n",
		q.Capabilities, q.Charset, q.User, q.Response, q.Database, q.Plugin, q.Attributes)
}

// bases are the names of types in the scripts.
var bases = map[string]datum.Base{"untyped": datum.Untyped, "boolean": datum.Boolean, "tinyint": datum.TinyInt,
	"smallint": datum.SmallInt, "integer": datum.Integer,
	"bigint": datum.BigInt, "unsigned": datum.BigIntUnsigned, "float": datum.Float, "double": datum.Double,
	"decimal": datum.DecimalBase, "char": datum.Char,
	"varchar": datum.Varchar, "binary": datum.BinaryBase, "varbinary": datum.Varbinary, "date": datum.Date,
	"time": datum.Time, "timestamp": datum.Timestamp,
	"json": datum.JSONBase}

func parseType(t *testing.T, text string) datum.Type {
	t.Helper()
	if variety, ok := datum.VarietyOf(strings.ToUpper(strings.ReplaceAll(text, "_", " "))); ok {
		return variety
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" (),", r) })
	base, ok := bases[fields[0]]
	if !ok {
		t.Fatal("unknown type ", text)
	}
	number := func(i int) int {
		if i >= len(fields) {
			return 0
		}
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			t.Fatal(text, err)
		}
		return n
	}
	if base == datum.DecimalBase {
		return datum.Type{Base: base, Precision: number(1), Scale: number(2)}
	}
	return datum.Type{Base: base, Length: number(1)}
}

// parseDatum reads kind:text.
func parseDatum(t *testing.T, text string) datum.Datum {
	t.Helper()
	kind, rest, _ := strings.Cut(text, ":")
	integer, _ := strconv.ParseInt(rest, 10, 64)
	switch kind {
	case "null":
		return datum.Null
	case "bool":
		return datum.Bool(rest == "true")
	case "int":
		return datum.Int(integer)
	case "uint":
		n, _ := strconv.ParseUint(rest, 10, 64)
		return datum.Uint(n)
	case "float":
		x, _ := strconv.ParseFloat(rest, 64)
		return datum.Float64(x)
	case "decimal":
		x, scale, err := cutDecimal([]byte(rest))
		if err != nil {
			t.Fatal(text, err)
		}
		return datum.DecimalOfScale(x, scale)
	case "text":
		return datum.TextString(rest)
	case "binary":
		return datum.Binary([]byte(rest))
	case "json":
		return datum.JSON([]byte(rest))
	case "timestamp":
		return datum.TimestampUS(integer * 1000)
	case "instant":
		return datum.TimestampUS(integer)
	case "clock":
		return datum.TimeUS(integer)
	case "date":
		return datum.DateDays(integer)
	case "time":
		return datum.TimeUS(integer * 1000)
	}
	t.Fatal("unknown kind ", text)
	return datum.Null
}

// rows encodes lines of "type kind:value" as rows of one column, in both forms.
func rows(t *testing.T, input string) string {
	t.Helper()
	var out strings.Builder
	for _, line := range strings.Split(input, "\n") {
		kind, value, _ := strings.Cut(line, " ")
		wires := WiresOf(nil, []result.Column{{Type: parseType(t, kind)}})
		row := []datum.Datum{parseDatum(t, value)}
		fmt.Fprintf(&out, "%-40s %-40q % x\n", line, AppendTextRow(nil, wires, row), AppendBinaryRow(nil, wires, row))
	}
	return out.String()
}

// parameters decodes lines of a type's two bytes and a value's bytes.
func parameters(t *testing.T, input string) string {
	t.Helper()
	var out strings.Builder
	for _, line := range strings.Split(input, "\n") {
		b := parseBytes(t, line)
		c := Cutter{Rest: b}
		types := make([]ParameterType, 1)
		if !CutTypes(&c, types) {
			fmt.Fprintf(&out, "%-60s unknown type\n", line)
			continue
		}
		d := CutParameter(&c, types[0])
		shown := fmt.Sprintf("%s kind=%d rest=%d", d, d.Kind(), len(c.Rest))
		if c.Failed {
			shown = "malformed"
		}
		fmt.Fprintf(&out, "%-60s %s\n", line, shown)
	}
	return out.String()
}

func lengths(input string) string {
	var out strings.Builder
	for _, line := range strings.Split(input, "\n") {
		n, _ := strconv.ParseUint(line, 10, 64)
		b := AppendLength(nil, n)
		c := Cutter{Rest: b}
		fmt.Fprintf(&out, "%d = % x = %d\n", n, b, c.Length())
	}
	return out.String()
}

func TestEncodingRowsAllocatesNothing(t *testing.T) {
	wires, row := benchmarkRow()
	dst := make([]byte, 0, 4096)
	for name, encode := range map[string]func([]byte, []Wire, []datum.Datum) []byte{"text": AppendTextRow,
		"binary": AppendBinaryRow} {
		if n := testing.AllocsPerRun(100, func() { dst = encode(dst[:0], wires, row) }); n != 0 {
			t.Errorf("a %s row costs %v allocations", name, n)
		}
	}
}

func benchmarkRow() ([]Wire, []datum.Datum) {
	price, _ := order.ParseDecimal([]byte("1234.56"))
	row := []datum.Datum{datum.Int(1234567), datum.TextString("a channel of some name"), datum.Float64(36.6),
		datum.TimestampUS(1_700_000_000_123_456), datum.DecimalOfScale(price, 2),
		datum.DateDays(19_000), datum.TimeUS(3_661_000_000), datum.Bool(true), datum.Null}
	var columns []result.Column
	for _, base := range []datum.Base{datum.BigInt, datum.Varchar, datum.Double, datum.Timestamp, datum.DecimalBase,
		datum.Date, datum.Time, datum.Boolean, datum.Varchar} {
		columns = append(columns, result.Column{Type: datum.Type{Base: base}})
	}
	return WiresOf(nil, columns), row
}

func BenchmarkTextRow(b *testing.B) { benchmarkRows(b, AppendTextRow) }

func BenchmarkBinaryRow(b *testing.B) { benchmarkRows(b, AppendBinaryRow) }

func benchmarkRows(b *testing.B, encode func([]byte, []Wire, []datum.Datum) []byte) {
	wires, row := benchmarkRow()
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = encode(dst[:0], wires, row)
	}
	b.SetBytes(int64(len(dst)))
}

// TestNamesOfColumns: a name that is no text goes to clients as one.
func TestNamesOfColumns(t *testing.T) {
	w := WireOf(datum.Type{Base: datum.Varbinary})
	if p := AppendColumn(nil, &result.Column{Name: "f:\xff\xfea", OriginalName: "f:\xffé"}, &w); !bytes.Contains(p,
		[]byte("f:\uFFFDa")) || !bytes.Contains(p, []byte("f:\uFFFDé")) {
		t.Errorf("%q", p)
	}
}

// TestBits: a BIT travels as its bytes in both protocols.
func TestBits(t *testing.T) {
	wires := []Wire{WireOf(datum.Type{Base: datum.BigIntUnsigned, Variety: datum.Bit, Length: 12}),
		WireOf(datum.Type{Base: datum.BigIntUnsigned, Variety: datum.Bit})}
	row := []datum.Datum{datum.Int(0x305), datum.Bool(true)}
	if got := AppendTextRow(nil, wires, row); !bytes.Equal(got, []byte{2, 3, 5, 1, 1}) {
		t.Errorf("as a text %x", got)
	}
	if got := AppendBinaryRow(nil, wires, row); !bytes.Equal(got, []byte{0, 0, 2, 3, 5, 1, 1}) {
		t.Errorf("in binary %x", got)
	}
}
