// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/order"
)

// inferBytes is the number of bytes at the beginning of a file that decide the types of its columns.
const inferBytes = 256 << 10

// infer decides the types of columns without a given type: numbers if all their first values are, else texts. The
// decision of a first source counts for all, and for an import that goes on.
func (l *loader) infer(c *cutter) error {
	if !c.plan.quoted() {
		return nil
	}
	d, err := newTableDecoder(c.plan.comma(), l.Null, l.types, c.plan.header)
	if err != nil {
		return fmt.Errorf("%s:1: %w", c.source.name, err)
	}
	numeric, numbers := d.numeric(c.plan.sample), []string(nil)
	for i, name := range d.header {
		if _, known := l.types[string(name)]; known {
			continue
		}
		t := asText
		if numeric[i] && !l.Texts {
			t = asNumber
			numbers = append(numbers, string(name))
		}
		l.types[string(name)] = t
		if l.state != nil {
			l.state.infer(string(name), t)
		}
	}
	if len(numbers) > 0 && l.state != nil {
		slices.Sort(numbers)
		l.Log(fmt.Sprintf("read as numbers, since their first values are: %s; if one holds texts, say --types COLUMN:string", strings.Join(numbers, ", ")))
	}
	return nil
}

// numeric says of each column whether it has values among the first records, all of them numbers without quotes.
func (d *tableDecoder) numeric(sample []byte) []bool {
	numeric, refused := make([]bool, len(d.header)), make([]bool, len(d.header))
	for len(sample) > 0 {
		var record []byte
		record, sample, _ = cutRecord(sample, true)
		for at, more := 0, true; more && at < len(d.header); at++ {
			var field []byte
			var quoted bool
			var err error
			if field, quoted, record, more, err = d.cut(record); err != nil {
				return refusedOf(numeric, refused) // it will be told of when it is loaded
			}
			switch {
			case quoted, len(field) > 0 && string(field) != d.null && !isPlainNumber(field):
				refused[at] = true
			case len(field) > 0 && string(field) != d.null:
				numeric[at] = true
			}
		}
	}
	return refusedOf(numeric, refused)
}

func refusedOf(numeric, refused []bool) []bool {
	for i := range numeric {
		numeric[i] = numeric[i] && !refused[i]
	}
	return numeric
}

// isPlainNumber reports whether a text is a number as people write them: with zeros in front it is a code, such as one
// of the post, and with an e one of a product.
func isPlainNumber(s []byte) bool {
	digits := bytes.TrimPrefix(s, []byte("-"))
	for _, c := range digits {
		if c != '.' && (c < '0' || c > '9') {
			return false
		}
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return false
	}
	_, err := order.ParseDecimal(s)
	return err == nil
}
