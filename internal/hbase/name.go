// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// rowBytesMax is HBase's limit on row keys, and that of Weft's keys where it is less.
const rowBytesMax = 7 << 10

// attribute is the name of a column's attribute.
func (c Column) attribute() []byte {
	return c.appendAttribute(make([]byte, 0, len(c.Family)+1+len(c.Qualifier)))
}

func (c Column) appendAttribute(dst []byte) []byte {
	return append(append(append(dst, c.Family...), ':'), c.Qualifier...)
}

// cutName takes the name of an attribute apart. Families have no colon.
func cutName(name []byte) (family, qualifier []byte, ok bool) { return bytes.Cut(name, []byte(":")) }

func checkRow(row []byte) error {
	switch {
	case len(row) == 0:
		return Illegal("Row key is empty")
	case len(row) > rowBytesMax:
		return Illegal("Row key has %d bytes: at most %d are possible", len(row), rowBytesMax)
	}
	return nil
}

// keyOf is a row key as a row of its table.
func keyOf(p database.Pinned, row []byte) (value.Row, error) {
	if err := checkRow(row); err != nil {
		return nil, err
	}
	var b value.RowBuilder
	b.Reset(p.Names())
	if err := b.Set([]byte(RowColumn), value.AppendBinary(nil, row)); err != nil {
		return nil, err
	}
	return b.AppendTo(nil), nil
}
