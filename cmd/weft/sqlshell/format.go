// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// formats are the names of the formats. They are immutable.
var formats = [...]string{"table", "vertical", "csv", "tsv", "json", "jsonl"}

// printer prints the rows of one answer after the other. A cell that is nil is NULL.
type printer interface {
	begin(columns []column) error
	row(cells [][]byte) error
	end() error
}

// printerOf returns the printer of a format, which must be one of formats.
func printerOf(format string, w io.Writer) printer {
	out := bufio.NewWriterSize(w, 64<<10)
	switch format {
	case "vertical":
		return &vertical{out: out}
	case "csv":
		return &separated{out: out, comma: ","}
	case "tsv":
		return &separated{out: out, comma: "\t"}
	case "json":
		return &objects{out: out, array: true}
	case "jsonl":
		return &objects{out: out}
	}
	return &table{out: out}
}

// widthRows and widthBytes are how much of an answer decides how wide the columns of a table are. What follows is
// printed as it comes.
const (
	widthRows  = 1000
	widthBytes = 1 << 20
)

// table prints rows in aligned columns, as MySQL's client does.
type table struct {
	out     *bufio.Writer
	columns []column
	widths  []int
	held    [][][]byte // rows that came before the widths were known
	bytes   int
	known   bool
}

func (t *table) begin(columns []column) error {
	t.columns, t.widths, t.held, t.bytes, t.known = columns, make([]int, len(columns)), nil, 0, false
	for i := range columns {
		t.columns[i].name = string(flat([]byte(columns[i].name)))
		t.widths[i] = width([]byte(t.columns[i].name))
	}
	return nil
}

func (t *table) row(cells [][]byte) error {
	kept := make([][]byte, len(cells))
	for i, cell := range cells {
		kept[i] = flat(cell)
	}
	if t.known {
		return t.line(kept)
	}
	for i, cell := range kept {
		t.widths[i] = max(t.widths[i], width(cell))
		t.bytes += len(cell)
	}
	if t.held = append(t.held, kept); len(t.held) >= widthRows || t.bytes >= widthBytes {
		return t.head()
	}
	return nil
}

func (t *table) end() error {
	if !t.known {
		if err := t.head(); err != nil {
			return err
		}
	}
	t.rule()
	return t.out.Flush()
}

// head prints what was held back.
func (t *table) head() error {
	t.known = true
	names := make([][]byte, len(t.columns))
	for i, c := range t.columns {
		names[i] = []byte(c.name)
	}
	t.rule()
	if err := t.line(names); err != nil {
		return err
	}
	t.rule()
	for _, cells := range t.held {
		if err := t.line(cells); err != nil {
			return err
		}
	}
	t.held = nil
	return nil
}

func (t *table) rule() {
	for _, w := range t.widths {
		t.out.WriteString("+" + strings.Repeat("-", w+2))
	}
	t.out.WriteString("+\n")
}

func (t *table) line(cells [][]byte) error {
	for i, cell := range cells {
		space := strings.Repeat(" ", max(0, t.widths[i]-width(cell)))
		t.out.WriteString("| ")
		if t.columns[i].number {
			t.out.WriteString(space)
			t.out.Write(cell)
		} else {
			t.out.Write(cell)
			t.out.WriteString(space)
		}
		t.out.WriteString(" ")
	}
	_, err := t.out.WriteString("|\n")
	return err
}

// flat is a cell on one line: control characters, which would move the cursor, are escaped. NULL is the word.
func flat(cell []byte) []byte {
	if cell == nil {
		return []byte("NULL")
	}
	if bytes.IndexFunc(cell, unicode.IsControl) < 0 {
		return bytes.Clone(cell)
	}
	return escaped(cell)
}

// escaped writes control characters as MySQL's strings do.
func escaped(cell []byte) (out []byte) {
	for _, r := range string(cell) {
		switch {
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\t':
			out = append(out, `\t`...)
		case r == '\r':
			out = append(out, `\r`...)
		case unicode.IsControl(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// width returns the number of columns of a terminal that a text takes.
func width(text []byte) (n int) {
	for _, r := range string(text) {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case isWide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// isWide reports whether a terminal gives a character two columns: those of East Asia, and emoji.
func isWide(r rune) bool {
	return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd)
}

// vertical prints a line for each value.
type vertical struct {
	out     *bufio.Writer
	columns []column
	rows    int
	widest  int
}

func (v *vertical) begin(columns []column) error {
	v.columns, v.rows, v.widest = columns, 0, 0
	for _, c := range columns {
		v.widest = max(v.widest, width([]byte(c.name)))
	}
	return nil
}

func (v *vertical) row(cells [][]byte) error {
	v.rows++
	stars := strings.Repeat("*", 27)
	fmt.Fprintf(v.out, "%s %d. row %s\n", stars, v.rows, stars)
	for i, cell := range cells {
		space := strings.Repeat(" ", v.widest-width([]byte(v.columns[i].name)))
		if _, err := fmt.Fprintf(v.out, "%s%s: %s\n", space, v.columns[i].name, flat(cell)); err != nil {
			return err
		}
	}
	return nil
}

func (v *vertical) end() error { return v.out.Flush() }

// separated prints CSV, or TSV, as weft import reads it: a field that is empty without quotes is NULL.
type separated struct {
	out   *bufio.Writer
	comma string
}

func (s *separated) begin(columns []column) error {
	return s.line(len(columns), func(i int) []byte { return []byte(columns[i].name) })
}

func (s *separated) row(cells [][]byte) error {
	return s.line(len(cells), func(i int) []byte { return cells[i] })
}

func (s *separated) end() error { return s.out.Flush() }

func (s *separated) line(n int, cell func(int) []byte) (err error) {
	for i := range n {
		if i > 0 {
			s.out.WriteString(s.comma)
		}
		if c := cell(i); c != nil && len(c) == 0 || bytes.ContainsAny(c, s.comma+"\"\r\n") {
			s.out.WriteString(`"` + strings.ReplaceAll(string(c), `"`, `""`) + `"`)
		} else {
			s.out.Write(c)
		}
	}
	return s.out.WriteByte('\n')
}

// objects prints each row as an object of JSON on a line of its own, or all of them in one array. Numbers keep their
// digits, and columns of JSON are values.
type objects struct {
	out     *bufio.Writer
	array   bool
	columns []column
	names   [][]byte
	rows    int
}

func (o *objects) begin(columns []column) error {
	o.columns, o.names, o.rows = columns, nil, 0
	for _, c := range columns {
		o.names = append(o.names, append(text([]byte(c.name)), ':'))
	}
	if o.array {
		_, err := o.out.WriteString("[")
		return err
	}
	return nil
}

func (o *objects) row(cells [][]byte) error {
	if o.array && o.rows > 0 {
		o.out.WriteByte(',')
	}
	if o.rows++; o.array {
		o.out.WriteByte('\n')
	}
	for i, cell := range cells {
		o.out.WriteByte("{,"[min(i, 1)])
		o.out.Write(o.names[i])
		o.out.Write(o.columns[i].value(cell))
	}
	if o.out.WriteByte('}'); o.array {
		return nil
	}
	return o.out.WriteByte('\n')
}

func (o *objects) end() error {
	if o.array {
		o.out.WriteString("\n]\n")
	}
	return o.out.Flush()
}

// value is a cell in JSON.
func (c column) value(cell []byte) []byte {
	switch {
	case cell == nil:
		return []byte("null")
	case (c.number || c.json) && json.Valid(cell):
		return cell
	}
	return text(cell)
}

// text is a string of JSON.
func text(s []byte) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(s)) // texts have no error
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
