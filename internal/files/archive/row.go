// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"encoding/base64"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/files/parquetfile"
)

// Format is the format of an archive's data files.
type Format string

// The formats.
const (
	DynamoDB Format = "dynamodb" // an item a line, {"Item":{..}}, packed by gzip: as DynamoDB's exports
	CSV      Format = "csv"      // with a header, packed by gzip
	Parquet  Format = "parquet"
)

// How manifests name the formats, and how the names of their files end. // immutable
var (
	outputFormats = map[Format]string{DynamoDB: "DYNAMODB_JSON", CSV: "CSV", Parquet: "PARQUET"}
	suffixes      = map[Format]string{DynamoDB: ".json.gz", CSV: ".csv.gz", Parquet: ".parquet"}
)

// rows writes the rows of one table into data files. It is closed before the layout is.
type rows interface {
	add(ctx context.Context, row value.Row) error
	close() error
}

// lines writes rows as lines of DynamoDB's JSON.
type lines struct {
	to     *Layout
	names  value.Names
	stored map[string]bool // columns whose values stand there as the bytes that are stored
	text   []byte
	binary []byte
}

func newLines(to *Layout, names value.Names, columns []Column) *lines {
	l := &lines{to: to, names: names, stored: map[string]bool{}}
	for i := range columns {
		if columns[i].Type == "stored" {
			l.stored[columns[i].Name] = true
		}
	}
	return l
}

func (l *lines) add(ctx context.Context, row value.Row) error {
	l.text = append(l.text[:0], `{"Item":`...)
	if len(l.stored) == 0 {
		l.text = attributejson.AppendItem(l.text, row, l.names)
	} else if err := l.item(row); err != nil {
		return err
	}
	l.text = append(l.text, '}', '\n')
	return l.to.Write(ctx, l.text)
}

// item is AppendItem with stored columns.
func (l *lines) item(row value.Row) error {
	opening := byte('{')
	attributes := row.Attributes(l.names)
	for attributes.Next() {
		l.text = append(attributejson.AppendString(append(l.text, opening), attributes.Name()), ':')
		v := attributes.Value()
		if l.stored[string(attributes.Name())] {
			l.binary = value.AppendBinary(l.binary[:0], v)
			v = l.binary
		}
		l.text, opening = attributejson.AppendValue(l.text, v), ','
	}
	l.text = append(l.text, '}')
	return attributes.Err()
}

func (l *lines) close() error { return nil }

// columnOrder puts the attributes of a row into the order of columns.
type columnOrder struct {
	names  value.Names
	byID   []int          // position + 1
	byName map[string]int // of those without an id
	values []value.Value
}

func newOrdered(names value.Names, columns []Column) *columnOrder {
	o := &columnOrder{names: names, byName: map[string]int{}, values: make([]value.Value, len(columns))}
	for i := range columns {
		o.byName[columns[i].Name] = i + 1
		if id, ok := names.ID([]byte(columns[i].Name)); ok {
			for len(o.byID) <= int(id) {
				o.byID = append(o.byID, 0)
			}
			o.byID[id] = i + 1
		}
	}
	return o
}

// of returns a value for each column; missing ones are nil.
func (o *columnOrder) of(row value.Row) ([]value.Value, error) {
	clear(o.values)
	attributes := row.Attributes(o.names)
	for attributes.Next() {
		at := 0
		if id := int(attributes.ID()); id > 0 && id < len(o.byID) {
			at = o.byID[id]
		}
		if at == 0 {
			at = o.byName[string(attributes.Name())]
		}
		o.values[at-1] = attributes.Value()
	}
	return o.values, attributes.Err()
}

// columnar writes rows as Parquet.
type columnar struct {
	to      *Layout
	order   *columnOrder
	columns []parquetfile.Column
	file    *parquetfile.Writer // nil: the next row begins one
}

func newColumnar(to *Layout, order *columnOrder, columns []Column) *columnar {
	c := &columnar{to: to, order: order}
	for i := range columns {
		one := &columns[i]
		c.columns = append(c.columns, parquetfile.Column{Name: []byte(one.Name), Type: one.Type, Fraction: one.fraction,
			Whole: one.whole, Long: one.long})
	}
	return c
}

func (c *columnar) add(ctx context.Context, row value.Row) error {
	out, begun := c.to.Open(ctx)
	if begun {
		var err error
		if c.file, err = parquetfile.NewWriter(out, c.columns); err != nil {
			return err
		}
	}
	values, err := c.order.of(row)
	if err != nil {
		return err
	}
	bytes, err := c.file.Write(values)
	if err != nil || !c.to.Count(1, int64(bytes)) {
		return err
	}
	if err := c.close(); err != nil {
		return err
	}
	return c.to.Close()
}

func (c *columnar) close() (err error) {
	if c.file != nil {
		err, c.file = c.file.Close(), nil
	}
	return err
}

// table writes rows as CSV.
type table struct {
	to      *Layout
	order   *columnOrder
	columns []Column
	text    []byte
}

func (t *table) add(ctx context.Context, row value.Row) error {
	out, begun := t.to.Open(ctx)
	if begun {
		if _, err := io.WriteString(out, header(t.columns)); err != nil {
			return err
		}
	}
	values, err := t.order.of(row)
	if err != nil {
		return err
	}
	t.text = t.text[:0]
	for i, v := range values {
		if i > 0 {
			t.text = append(t.text, ',')
		}
		if v != nil {
			t.text = appendField(t.text, &t.columns[i], v)
		}
	}
	t.text = append(t.text, '\n')
	return t.to.Write(ctx, t.text)
}

func (t *table) close() error { return nil }

// header is the first line of a file of CSV.
func header(columns []Column) string {
	var b []byte
	for i := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, []byte(columns[i].Name))
	}
	return string(append(b, '\n'))
}

// appendField appends a value as a field of CSV. Texts are quoted, so that an empty one is not taken for a missing one.
func appendField(dst []byte, c *Column, v value.Value) []byte {
	switch c.Type {
	case "string":
		return appendQuoted(dst, v.Bytes())
	case "binary":
		return base64.StdEncoding.AppendEncode(dst, v.Bytes())
	case "bool":
		return strconv.AppendBool(dst, v.Bool())
	case "number":
		d, _ := v.Decimal()
		return d.AppendText(dst)
	case "float":
		x, _ := v.Float()
		return value.AppendFloatText(dst, x)
	case "stored":
		return base64.StdEncoding.AppendEncode(dst, v)
	case "attribute":
		return appendQuoted(dst, attributejson.AppendValue(nil, v))
	}
	n, _ := v.Int()
	switch {
	case c.plain:
	case c.Type == "date":
		return time.Unix(n*secondsOfDay, 0).UTC().AppendFormat(dst, time.DateOnly)
	case c.Type == "timestamp":
		return time.UnixMilli(n).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	case c.Type == "timestamp6":
		return time.UnixMicro(n).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000000Z")
	}
	return strconv.AppendInt(dst, n, 10)
}

func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(string(text), `"`, `""`)...)
	return append(dst, '"')
}
