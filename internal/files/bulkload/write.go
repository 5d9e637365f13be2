// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/ingest"
	"github.com/weftdb/weft/storage"
)

// write brings everything into the table.
func (l *loader) write(ctx context.Context) error {
	if err := l.reduce(); err != nil {
		return err
	}
	if len(l.state.FirstKey) > 0 {
		done, err := l.table.Has(ctx, l.state.FirstKey, l.state.FirstValue)
		if err != nil || done {
			l.result.Ingested = done
			return err
		}
	}
	why := l.table.Able(ctx)
	if why != nil && !errors.Is(why, ingest.ErrUnable) {
		return why
	}
	if err := l.table.SplitAt(ctx, l.splits()); err != nil {
		return err
	}
	if l.state.Ingest && why == nil {
		return l.ingest(ctx)
	}
	if why != nil {
		l.Log(why.Error() + ": rows are put in batches, each with all its index entries, and are seen as they come")
	}
	return l.put(ctx)
}

// reduce merges runs into fewer until they can be merged at once.
func (l *loader) reduce() error {
	for len(l.state.Runs) > fanIn {
		some := l.state.Runs[:fanIn]
		from, err := l.openAll(some)
		if err != nil {
			return err
		}
		merged, err := writeRun(l.Dir, fmt.Sprintf("%06d.run", l.state.NextRun), from)
		if err := errors.Join(err, from.close()); err != nil {
			return err
		}
		l.state.NextRun++
		l.state.Runs = append(slices.Clone(l.state.Runs[fanIn:]), merged)
		if err := errors.Join(storage.SyncDir(l.Dir), l.state.save(l.Dir)); err != nil {
			return err
		}
		for _, r := range some {
			if err := os.Remove(filepath.Join(l.Dir, r.File)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loader) openAll(runs []run) (*merge, error) {
	var all []stream
	for _, r := range runs {
		s, err := openRun(l.Dir, r)
		if err != nil {
			for _, open := range all {
				err = errors.Join(err, open.close())
			}
			return nil, err
		}
		all = append(all, s)
	}
	return newMerge(all)
}

// sorted is everything in order: runs and what is still in memory.
func (l *loader) sorted() (*winners, error) {
	m, err := l.openAll(l.state.Runs)
	if err != nil {
		return nil, err
	}
	all := m.all
	if len(l.workers) > 0 && len(l.state.Runs) == 0 {
		for _, w := range l.workers {
			all = append(all, &chunkStream{chunk: &w.chunk})
		}
		if m, err = newMerge(all); err != nil {
			return nil, err
		}
	}
	return newWinners(m), nil
}

// ingest adds all entries in one step.
func (l *loader) ingest(ctx context.Context) (err error) {
	from, err := l.sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	ahead := readAhead(from)
	defer ahead.close()
	var e entry
	var n int64
	next := func() (key, value []byte, err error) {
		ok, err := ahead.read(&e)
		if err == nil && !ok {
			err = io.EOF
		}
		if err == nil && l.state.FirstKey == nil {
			err = l.remember(&e)
		}
		if n++; n%(1<<14) == 1 && ok {
			l.Progress(Progress{Step: "ingesting", Records: l.state.Read, BytesRead: l.total, Bytes: l.total,
				Written: ahead.page.rows, Expected: l.state.Read})
		}
		return e.key, e.value, err
	}
	if err := l.table.Ingest(ctx, next); err != nil {
		return err
	}
	l.result.Rows, l.result.Entries, l.result.Ingested = from.rows, from.entries, true // the reading is over
	return nil
}

// remember makes durable what tells, after a crash, whether the ingestion was done.
func (l *loader) remember(first *entry) error {
	l.state.FirstKey, l.state.FirstValue = bytes.Clone(first.key), bytes.Clone(first.value)
	return l.state.save(l.Dir)
}

// Sizes of the batches in which rows are put.
const (
	batchRows  = 500
	batchBytes = 512 << 10
	batchesMax = 4 // under way at once
)

// batch is some rows on their way.
type batch struct {
	rows [][]byte
	last []byte // the key of the last one
	size int
}

// put puts rows in the order of their keys, so that neighbours go to one region, and remembers how far it is.
func (l *loader) put(ctx context.Context) (err error) {
	from, err := l.sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	for more := true; more; {
		var batches []batch
		if batches, more, err = l.gather(from); err != nil || len(batches) == 0 {
			return err
		}
		errs := make(chan error, len(batches))
		for i := range batches {
			go func() { errs <- l.commit(ctx, &batches[i]) }()
		}
		for range batches {
			err = errors.Join(err, <-errs)
		}
		if err != nil {
			return err
		}
		for i := range batches {
			l.result.Rows += int64(len(batches[i].rows))
		}
		l.state.Done = batches[len(batches)-1].last
		if l.state.Phase == writing { // else reading begins anew after a crash, and so does this
			if err := l.state.save(l.Dir); err != nil {
				return err
			}
		}
		l.Progress(Progress{Step: "writing", Records: l.state.Read, BytesRead: l.total, Bytes: l.total,
			Written: from.rows, Expected: l.state.Read})
	}
	return nil
}

// gather takes the next rows that are not there yet.
func (l *loader) gather(from *winners) (batches []batch, more bool, err error) {
	var e entry
	for len(batches) < batchesMax || batches[len(batches)-1].size < batchBytes &&
		len(batches[len(batches)-1].rows) < batchRows {
		ok, err := from.read(&e)
		if err != nil || !ok {
			return batches, false, err
		}
		if !e.isRow {
			return batches, false, nil // entries of indexes are the puts' own business
		}
		if bytes.Compare(e.key, l.state.Done) <= 0 {
			l.result.Rows++
			continue
		}
		if n := len(batches); n == 0 || batches[n-1].size >= batchBytes || len(batches[n-1].rows) >= batchRows {
			batches = append(batches, batch{})
		}
		b := &batches[len(batches)-1]
		b.rows, b.last = append(b.rows, bytes.Clone(e.value)), bytes.Clone(e.key)
		b.size += len(e.value)
	}
	return batches, true, nil
}

func (l *loader) commit(ctx context.Context, b *batch) error {
	writes := make([]database.TableWrite, len(b.rows))
	for i, row := range b.rows {
		writes[i] = database.TableWrite{Table: l.pin,
			Write: database.Write{Op: database.OpPut, Row: row, Judged: l.rowJudge != nil, AsStored: l.AsStored}}
		if !l.AsStored {
			writes[i].Row = cell.Stripped(nil, row, l.pin.Names())
		}
	}
	_, err := l.DB.WriteAll(ctx, writes)
	return err
}

// cutBytes is the distance in a run between the keys that propose splits of the table.
func (l *loader) cutBytes() int64 { return min(max(l.RegionBytes/8, 1), 16<<20) }

// splits returns the keys at which the table is to be split so that no region of it outgrows RegionBytes: at half of
// that, since they are no more exact.
func (l *loader) splits() (keys [][]byte) {
	cuts := slices.Clone(l.state.Cuts)
	if len(l.state.Runs) == 0 {
		for _, w := range l.workers {
			cuts = append(cuts, w.chunk.cuts(l.cutBytes())...)
		}
	}
	slices.SortFunc(cuts, bytes.Compare)
	every := int(max(l.RegionBytes/2/l.cutBytes(), 1))
	for i := every; i < len(cuts)-1; i += every {
		keys = append(keys, cuts[i])
	}
	return slices.CompactFunc(keys, bytes.Equal)
}
