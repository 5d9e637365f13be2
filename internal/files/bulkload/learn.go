// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/order"
)

// Codes of Z-order indexes are learned from the sources before anything is sorted by them: from so many records, or up
// to twice that, of up to so many bytes.
const (
	learnedRecords = 32_768
	learnedBytes   = 64 << 20
)

// learn lets the Z-order indexes of an empty table learn their codes from records that are spread evenly over the
// sources. A standard input can't be read twice, and what goes on after an interruption must go on with the codes that
// it has; there, a server learns later.
func (l *loader) learn(ctx context.Context, table *database.Table) (err error) {
	if l.AsStored {
		return nil
	}
	if known, err := readState(l.Dir); err != nil || known != nil && !l.Restart {
		return err
	}
	if l.pin, err = table.Pin(); err != nil {
		return err
	}
	defer func() { l.pin, l.table = database.Pinned{}, nil }()
	rows, err := l.sample(ctx)
	l.pin.Release() // before the change, which waits for it
	if err != nil || len(rows) == 0 {
		return err
	}
	learned, err := table.LearnFrom(ctx, rows)
	if learned > 0 {
		l.Log(fmt.Sprintf("learned the codes of %d Z-order indexes from %d records", learned, len(rows)))
	}
	return err
}

// sample returns rows of the sources; none if there is nothing to learn.
func (l *loader) sample(ctx context.Context) (rows []value.Row, err error) {
	l.table = l.pin.Loading()
	if !l.pin.CanLearn() || l.table.Able(ctx) != nil {
		return nil, nil
	}
	if l.sources, err = l.findSources(ctx); err != nil || l.hasStdin() {
		return nil, err
	}
	l.types = columnTypes(l.pin.Descriptor(), l.Types)
	s := sampler{worker: newWorker(l), stride: 1, bytesMax: min(learnedBytes, int(l.MemoryBytes/2))}
	for i := range l.sources {
		if s.source(ctx, &l.sources[i]) != nil {
			return nil, ctx.Err() // a source that can't be read is told of when it is loaded
		}
	}
	return s.rows, nil
}

// sampler takes every record at first, then every second one, every fourth and so on.
type sampler struct {
	*worker
	rows     []value.Row
	bytes    int
	bytesMax int
	stride   int
	records  int
}

func (s *sampler) source(ctx context.Context, from *source) (err error) {
	var read atomic.Int64
	c, err := newCutter(ctx, from, &s.load.Options, position{}, &read)
	if err != nil {
		return err
	}
	if err := s.load.infer(c); err != nil {
		return errors.Join(err, c.in.close())
	}
	for more := true; more && err == nil; {
		var b block
		if b, more, err = c.next(); more && err == nil {
			if err = s.block(b); err == nil {
				err = ctx.Err()
			}
			s.load.Progress(Progress{Step: "sampling", BytesRead: read.Load(), Bytes: s.load.total})
		}
	}
	return errors.Join(err, c.in.close())
}

func (s *sampler) block(b block) error {
	if err := s.prepare(b.decode); err != nil {
		return fmt.Errorf("%s:1: %w", b.source.name, err)
	}
	for rest := b.data; len(rest) > 0; {
		var record []byte
		record, rest, _, _ = b.decode.cut(rest)
		if s.records++; len(record) > 0 && s.records%s.stride == 0 {
			s.take(record)
		}
	}
	return nil
}

// take keeps the row of a record. Records that are refused are reported when they are loaded.
func (s *sampler) take(record []byte) {
	s.builder.Reset(s.load.pin.Names())
	if s.decoder.decode(record, &s.builder) != nil {
		return
	}
	row := slices.Clone(s.builder.AppendTo(s.row[:0]))
	if s.rows, s.bytes = append(s.rows, row), s.bytes+len(row); len(s.rows) < 2*learnedRecords && s.bytes < s.bytesMax {
		return
	}
	kept := s.rows[:0]
	for i := 1; i < len(s.rows); i += 2 {
		kept = append(kept, s.rows[i])
	}
	clear(s.rows[len(kept):])
	s.rows, s.bytes, s.stride = kept, s.bytes/2, 2*s.stride
}

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
