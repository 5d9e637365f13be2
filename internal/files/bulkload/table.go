// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
)

// tableDecoder reads the fields of CSV (RFC 4180) or TSV, whose names a header gives.
type tableDecoder struct {
	comma  byte
	null   string // the text, without quotes, of a field that has no value, besides the empty text
	header [][]byte
	types  []Type
	field  []byte // unquoted
}

// newTableDecoder reads the header, the first record of a source.
func newTableDecoder(comma byte, null string, types map[string]Type, header []byte) (*tableDecoder, error) {
	d := &tableDecoder{comma: comma, null: null}
	rest := bytes.TrimPrefix(header, []byte("\xef\xbb\xbf"))
	for more := true; more; {
		var name []byte
		var err error
		if name, _, rest, more, err = d.cut(rest); err != nil {
			return nil, err
		}
		if len(name) == 0 {
			return nil, errors.New("a column of the header has no name")
		}
		d.header = append(d.header, bytes.Clone(name))
		t := types[string(name)]
		t = cmp.Or(t, asText)
		d.types = append(d.types, t)
	}
	return d, nil
}

// appendHeader appends names as the header of a source has them.
func appendHeader(dst []byte, names []string, comma byte) []byte {
	for i, name := range names {
		if i > 0 {
			dst = append(dst, comma)
		}
		dst = append(dst, '"')
		dst = append(dst, strings.ReplaceAll(name, `"`, `""`)...)
		dst = append(dst, '"')
	}
	return dst
}

func (d *tableDecoder) decode(record []byte, b *value.RowBuilder) error {
	at, more := 0, true
	for ; more; at++ {
		if at == len(d.header) {
			return fmt.Errorf("more fields than the %d of the header", len(d.header))
		}
		var field []byte
		var quoted bool
		var err error
		if field, quoted, record, more, err = d.cut(record); err != nil {
			return fmt.Errorf("column %s: %w", d.header[at], err)
		}
		if !quoted && (len(field) == 0 || d.null != "" && string(field) == d.null) ||
			len(field) == 0 && d.types[at] != asText {
			continue
		}
		b.Begin(d.header[at])
		if b.Buf, err = appendTyped(b.Buf, d.types[at], field); err == nil {
			err = b.End()
		} else if d.types[at] == asNumber {
			err = fmt.Errorf("%w; if the column holds texts, add --types %s:string", err, d.header[at])
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", d.header[at], err)
		}
	}
	if at < len(d.header) {
		return fmt.Errorf("%d fields; the header has %d", at, len(d.header))
	}
	return nil
}

// cut takes the first field of a record; more says that a comma followed it. The field is good until the next cut.
func (d *tableDecoder) cut(record []byte) (field []byte, quoted bool, rest []byte, more bool, err error) {
	if len(record) > 0 && record[0] == '"' {
		return d.cutQuoted(record[1:])
	}
	end := bytes.IndexByte(record, d.comma)
	if end >= 0 {
		field, rest, more = record[:end], record[end+1:], true
	} else {
		field = record
	}
	if bytes.IndexByte(field, '"') >= 0 {
		return nil, false, nil, false, errors.New("a quote inside a field that does not begin with one")
	}
	return field, false, rest, more, nil
}

func (d *tableDecoder) cutQuoted(record []byte) (field []byte, quoted bool, rest []byte, more bool, err error) {
	d.field = d.field[:0]
	for {
		end := bytes.IndexByte(record, '"')
		if end < 0 {
			return nil, true, nil, false, errors.New("a quote is not closed")
		}
		d.field = append(d.field, record[:end]...)
		record = record[end+1:]
		switch {
		case len(record) == 0:
			return d.field, true, nil, false, nil
		case record[0] == d.comma:
			return d.field, true, record[1:], true, nil
		case record[0] != '"':
			return nil, true, nil, false, errors.New("a quote inside a quoted field is not doubled")
		}
		d.field = append(d.field, '"')
		record = record[1:]
	}
}
