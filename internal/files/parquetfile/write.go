// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// Column is a column of a file to be written.
type Column struct {
	Name []byte
	Type string
	// Of numbers: Fraction is the number of digits they have behind the point at most, Whole that all are integers of
	// 64 bits, Long that a decimal of 38 digits does not hold them, so that they stand there as texts.
	Fraction    int
	Whole, Long bool
}

// A reader takes a group of rows at once: the bounds of its values' bytes and of its rows.
const (
	groupBytes = 32 << 20
	groupRows  = 1 << 20
)

// decimalBytes is the size of a decimal of 38 digits.
const decimalBytes = 16

// Writer writes a file. It keeps one group of rows in memory.
type Writer struct {
	columns []Column
	to      *parquet.GenericWriter[any]
	row     parquet.Row
	rows    []parquet.Row // the one
	fixed   []byte        // of the row's decimals
	buffers [][]byte      // of the row's texts
	bytes   int
	count   int
}

// root is a group whose fields are in an order of their own.
type root struct {
	parquet.Group
	order []string
}

// Fields implements parquet.Node.
func (r root) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, field := range r.Group.Fields() {
		byName[field.Name()] = field
	}
	fields := make([]parquet.Field, len(r.order))
	for i, name := range r.order {
		fields[i] = byName[name]
	}
	return fields
}

// NewWriter begins a file.
func NewWriter(to io.Writer, columns []Column) (*Writer, error) {
	w := &Writer{columns: columns, row: make(parquet.Row, len(columns)), rows: make([]parquet.Row, 1),
		buffers: make([][]byte, len(columns))}
	schema := root{Group: parquet.Group{}}
	list := make([]columnEntry, len(columns))
	for i := range columns {
		c := &columns[i]
		if list[i] = (columnEntry{Name: string(c.Name), Type: c.Type}); !utf8.Valid(c.Name) {
			list[i].Name, list[i].Bytes = "", c.Name
		}
		node, err := c.node()
		if err != nil {
			return nil, err
		}
		name := shown(c.Name)
		for _, taken := schema.Group[name]; taken; _, taken = schema.Group[name] {
			name += "_"
		}
		schema.Group[name], schema.order = parquet.Optional(node), append(schema.order, name)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	w.to = parquet.NewGenericWriter[any](to, parquet.NewSchema("weft", schema), parquet.Compression(&parquet.Snappy),
		parquet.KeyValueMetadata(metadataKey, string(text)), parquet.CreatedBy("weft", "", ""))
	return w, nil
}

// shown is the name of a column in a file: the attribute's, in UTF-8 and without zero bytes.
func shown(name []byte) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(name), "\uFFFD"), "\x00", "weft:")
	return cmp.Or(text, "_")
}

func (c *Column) node() (parquet.Node, error) {
	switch c.Type {
	case Text:
		return parquet.String(), nil
	case Number:
		switch {
		case c.Whole:
			return parquet.Int(64), nil
		case c.Long:
			return parquet.String(), nil
		}
		return parquet.Decimal(c.Fraction, 38, parquet.FixedLenByteArrayType(decimalBytes)), nil
	case Binary, Stored:
		return parquet.Leaf(parquet.ByteArrayType), nil
	case Bool:
		return parquet.Leaf(parquet.BooleanType), nil
	case Int:
		return parquet.Int(64), nil
	case Float:
		return parquet.Leaf(parquet.DoubleType), nil
	case Timestamp:
		return parquet.Timestamp(parquet.Millisecond), nil
	case Timestamp6:
		return parquet.Timestamp(parquet.Microsecond), nil
	case Date:
		return parquet.Date(), nil
	case Attribute:
		return parquet.JSON(), nil
	}
	return nil, fmt.Errorf("column %s: no column is of the type %q", c.Name, c.Type)
}

// Write writes a row: a value for each column, nil for none.
func (w *Writer) Write(values []value.Value) (bytes int, err error) {
	w.fixed = w.fixed[:0]
	for i, v := range values {
		if v == nil {
			w.row[i] = parquet.NullValue().Level(0, 0, i)
			bytes++
			continue
		}
		cell, err := w.cell(i, v)
		if err != nil {
			return 0, fmt.Errorf("column %s: %w", w.columns[i].Name, err)
		}
		w.row[i] = cell.Level(0, 1, i)
		bytes += len(v)
	}
	w.rows[0] = w.row
	if _, err := w.to.WriteRows(w.rows); err != nil {
		return 0, err
	}
	w.bytes, w.count = w.bytes+bytes, w.count+1
	if w.bytes < groupBytes && w.count < groupRows {
		return bytes, nil
	}
	w.bytes, w.count = 0, 0
	return bytes, w.to.Flush()
}

// cell is a value as its column has it.
func (w *Writer) cell(i int, v value.Value) (parquet.Value, error) {
	switch c := &w.columns[i]; c.Type {
	case Text, Binary:
		return parquet.ByteArrayValue(v.Bytes()), nil
	case Stored:
		return parquet.ByteArrayValue(v), nil
	case Bool:
		return parquet.BooleanValue(v.Bool()), nil
	case Float:
		x, _ := v.Float()
		return parquet.DoubleValue(x), nil
	case Attribute:
		w.buffers[i] = attributejson.AppendValue(w.buffers[i][:0], v)
		return parquet.ByteArrayValue(w.buffers[i]), nil
	case Number:
		if !c.Whole {
			return w.decimal(i, v)
		}
	case Date:
		n, _ := v.Int()
		return parquet.Int32Value(int32(n)), nil
	}
	n, ok := v.Int()
	if !ok {
		return parquet.Value{}, fmt.Errorf("%s is not a 64-bit integer", v)
	}
	return parquet.Int64Value(n), nil
}

// decimal is a number as an integer of so many digits behind the point, or as a text.
func (w *Writer) decimal(i int, v value.Value) (parquet.Value, error) {
	d, ok := v.Decimal()
	if !ok {
		return parquet.Value{}, fmt.Errorf("%s is not a number", v)
	}
	text := d.AppendText(w.buffers[i][:0])
	w.buffers[i] = text
	if w.columns[i].Long {
		return parquet.ByteArrayValue(text), nil
	}
	whole, fraction, _ := strings.Cut(string(text), ".")
	missing := w.columns[i].Fraction - len(fraction)
	if missing < 0 {
		return parquet.Value{}, fmt.Errorf("%s has more than %d digits behind the point", text, w.columns[i].Fraction)
	}
	n, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", missing), 10)
	if !ok || n.BitLen() >= 8*decimalBytes {
		return parquet.Value{}, fmt.Errorf("%s has more than 38 digits", text)
	}
	return parquet.FixedLenByteArrayValue(w.complement(n)), nil
}

// complement is an integer as two's complement, the highest byte first.
func (w *Writer) complement(n *big.Int) []byte {
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 8*decimalBytes))
	}
	if cap(w.fixed) < decimalBytes*len(w.columns) {
		w.fixed = make([]byte, 0, decimalBytes*len(w.columns)) // so that it never moves
	}
	start := len(w.fixed)
	w.fixed = w.fixed[:start+decimalBytes]
	return n.FillBytes(w.fixed[start:])
}

// Close ends the file.
func (w *Writer) Close() error { return w.to.Close() }
