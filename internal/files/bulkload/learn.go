// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
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
