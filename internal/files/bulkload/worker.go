// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/ingest"
)

// decoder turns a record into a row.
type decoder interface {
	decode(record []byte, b *value.RowBuilder) error
}

// worker decodes records and derives their entries, into a chunk of its own.
type worker struct {
	load    *loader
	deriver *ingest.Deriver
	builder value.RowBuilder
	row     []byte
	chunk   chunk
	counted int64 // bytes of chunk that loader.full has
	decoder decoder
	plan    *blueprint // of decoder
	watch   watch
	records int64
	seen    atomic.Int64 // records of all rounds
	faults  []Fault
	add     func(key, value []byte, isRow bool) error
	ordinal uint64
}

// faultsMax is the number of refused records a worker remembers: with more, the load has failed anyway.
const faultsMax = 1 << 20

func newWorker(l *loader) *worker {
	w := &worker{load: l, deriver: l.table.Deriver(), watch: newWatch(l.pin)}
	w.chunk.skip = l.table.PrefixLen()
	w.add = w.keep
	return w
}

func (w *worker) keep(key, value []byte, isRow bool) error {
	if isRow || w.load.state.Ingest {
		w.chunk.add(key, value, w.ordinal, isRow)
	}
	return nil
}

// work decodes blocks until there are no more.
func (w *worker) work(ctx context.Context, blocks <-chan block) error {
	for b := range blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.block(ctx, b); err != nil {
			return err
		}
		now := w.chunk.bytes()
		w.load.full.Add(now - w.counted)
		w.counted = now
	}
	return nil
}

func (w *worker) block(ctx context.Context, b block) error {
	if err := w.prepare(b.decode); err != nil {
		return fmt.Errorf("%s:1: %w", b.source.name, err)
	}
	line := b.line
	for rest, index := b.data, uint64(0); len(rest) > 0; index++ {
		var record []byte
		var before, lines int64
		record, rest, before, lines = b.decode.cut(rest)
		w.ordinal = b.ordinal + index
		if len(record) > 0 {
			if err := w.record(ctx, record); err != nil {
				if ctx.Err() != nil || database.KindOf(err) == database.KindReadOnly {
					return err
				}
				w.faults = append(w.faults, Fault{Source: b.source.name, Line: line + before + 1, Err: err})
				if int64(len(w.faults)) > min(w.load.BadRows, faultsMax) {
					return w.faults[len(w.faults)-1]
				}
			}
		}
		line += lines
	}
	return nil
}

// prepare makes the decoder of a source.
func (w *worker) prepare(plan *blueprint) (err error) {
	if w.plan == plan {
		return nil
	}
	switch plan.format {
	case DynamoDB:
		w.decoder = &dynamoDecoder{}
		if w.load.AsStored {
			w.decoder = &storedDecoder{names: w.load.pin.Names(), types: w.load.Types}
		}
	case JSONL:
		w.decoder = &plainDecoder{types: w.load.types}
	case Ion:
		w.decoder = &ionDecoder{}
	case Parquet:
		w.decoder = frameDecoder{}
	case TSV, CSV:
		w.decoder, err = newTableDecoder(plan.comma(), w.load.Null, w.load.types, plan.header)
	default:
		err = fmt.Errorf("there is no format %q, only jsonl, dynamodb, ion, csv, tsv and parquet", plan.format)
	}
	if err == nil {
		w.plan = plan
	}
	return err
}

func (w *worker) record(ctx context.Context, record []byte) error {
	w.builder.Reset(w.load.pin.Names())
	if err := w.decoder.decode(record, &w.builder); err != nil {
		return err
	}
	w.row = w.builder.AppendTo(w.row[:0])
	if w.load.rowJudge != nil {
		if err := w.load.rowJudge(w.load.pin.Names(), w.row); err != nil {
			return err
		}
	}
	if err := w.deriver.Derive(ctx, w.row, w.add); err != nil {
		w.chunk.rewind(w.ordinal)
		return err
	}
	w.watch.see(w.row)
	w.records++
	w.seen.Add(1)
	return nil
}
