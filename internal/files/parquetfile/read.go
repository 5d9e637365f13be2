// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ReadOptions say how a file is read.
type ReadOptions struct {
	// Type returns the type that an attribute is to have, Natural for the one that the file gives it. Default: Natural.
	Type func(name string) string
	// Parse appends the value that a text has as a type, for types other than Text.
	Parse func(dst []byte, typed string, text []byte) ([]byte, error)
}

// Reader reads the rows of a file, in their order.
type Reader struct {
	file    *parquet.File
	meta    *format.FileMetaData
	columns []column
	check   checker
	group   int // the next one
	rows    parquet.Rows
	left    int64 // rows of the group that were not read yet
	batch   []parquet.Row
	some    []parquet.Row // of the batch, that were read and not returned yet
	values  []byte
	ends    []int
	at      []int // the column of each value
}

// column is a column of a file that is read.
type column struct {
	name   []byte // of the attribute
	append func(dst []byte, v parquet.Value) ([]byte, error)
}

// batchRows is the number of rows that are decoded at once.
const batchRows = 128

// Open reads the footer of a file. The error names the column that can't be read as its type.
func Open(from io.ReaderAt, size int64, o ReadOptions) (r *Reader, err error) {
	defer catch(&err)
	meta, err := readFooter(from, size)
	if err != nil {
		return nil, err
	}
	r = &Reader{meta: meta, check: checker{from: from, size: size}, batch: make([]parquet.Row, batchRows)}
	if r.file, err = parquet.OpenFile(from, size, parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true)); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	own := ownColumns(meta)
	names := map[string]bool{}
	for i := 1; i < len(meta.Schema); i++ {
		e := &meta.Schema[i]
		c, exact := column{name: []byte(e.Name)}, ""
		if own != nil {
			c.name, exact = own[i-1].name(), own[i-1].Type
		}
		typed := exact
		if o.Type != nil && exact != Attribute && exact != Stored {
			if asked := o.Type(string(c.name)); asked != Natural {
				typed = asked
			}
		}
		if c.append, err = converter(e, typed, &o); err != nil {
			return nil, fmt.Errorf("column %s: %w", e.Name, err)
		}
		if names[string(c.name)] || len(c.name) == 0 {
			return nil, fmt.Errorf("two columns have the name %q, or one has none", c.name)
		}
		names[string(c.name)] = true
		r.columns = append(r.columns, c)
	}
	return r, nil
}

// catch makes a panic of the library an error: it decodes what others wrote.
func catch(err *error) {
	if fault := recover(); fault != nil {
		*err = damaged("%v", fault)
	}
}

// ownColumns is the description of columns in a file of this package; nil in other files, and where it does not fit.
func ownColumns(meta *format.FileMetaData) (list []columnEntry) {
	for _, entry := range meta.KeyValueMetadata {
		if entry.Key == metadataKey && json.Unmarshal([]byte(entry.Value), &list) == nil &&
			len(list) == len(meta.Schema)-1 {
			return list
		}
	}
	return nil
}

// Rows is the number of rows the file says that it has.
func (r *Reader) Rows() int64 { return r.meta.NumRows }

// Next moves to the next row; ok is false at the end. fault is the row's error; a row with one has no values;
// err is the end of the reading.
func (r *Reader) Next() (ok bool, fault, err error) {
	defer catch(&err)
	for len(r.some) == 0 {
		if ok, err := r.more(); !ok || err != nil {
			return false, nil, err
		}
	}
	row := r.some[0]
	r.some = r.some[1:]
	r.values, r.ends, r.at = r.values[:0], r.ends[:0], r.at[:0]
	if len(row) != len(r.columns) {
		return false, nil, damaged("a row has %d values for %d columns", len(row), len(r.columns))
	}
	for i := range row {
		if row[i].IsNull() {
			continue
		}
		c := &r.columns[row[i].Column()]
		n := len(r.values)
		if r.values, err = c.append(r.values, row[i]); err != nil {
			return true, fmt.Errorf("column %s: %w", c.name, err), nil
		}
		if len(r.values) > n {
			r.ends, r.at = append(r.ends, len(r.values)), append(r.at, row[i].Column())
		}
	}
	return true, nil, nil
}

// Len is the number of attributes the row has, and Attribute returns one of them, which is valid until the next call of
// Next.
func (r *Reader) Len() int { return len(r.ends) }

// Attribute returns the name and the encoded value of an attribute.
func (r *Reader) Attribute(i int) (name, value []byte) {
	start := 0
	if i > 0 {
		start = r.ends[i-1]
	}
	return r.columns[r.at[i]].name, r.values[start:r.ends[i]]
}

// more decodes some rows.
func (r *Reader) more() (ok bool, err error) {
	for r.rows == nil || r.left == 0 {
		if err := r.closeGroup(); err != nil {
			return false, err
		}
		if r.group == len(r.meta.RowGroups) {
			return false, nil
		}
		g := &r.meta.RowGroups[r.group]
		if err := r.check.group(r.meta, g); err != nil {
			return false, err
		}
		r.group++
		if r.left = g.NumRows; r.left > 0 {
			r.rows = r.file.RowGroups()[r.group-1].Rows()
		}
	}
	n, err := r.rows.ReadRows(r.batch)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("%w: %w", errDamaged, err)
	}
	r.some, r.left = r.batch[:n], r.left-int64(n)
	if r.left < 0 || n == 0 && r.left > 0 {
		return false, damaged("a group of rows has not as many as it says")
	}
	return true, nil
}

// closeGroup ends the reading of a group, whose rows are valid until then.
func (r *Reader) closeGroup() (err error) {
	if r.rows != nil {
		err, r.rows = r.rows.Close(), nil
	}
	return err
}

// Close ends the reading.
func (r *Reader) Close() (err error) {
	defer catch(&err)
	r.check.close()
	return r.closeGroup()
}
