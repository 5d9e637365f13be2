// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Where the engine is a kv.Loader, the entries of the rows at one snapshot are sorted and added in one step, above what
// writers have written into the index meanwhile. Afterwards only the entries of rows that have changed since may be
// wrong: a row that is as it was at the snapshot has its entries, even if it was changed and changed back, since each
// writer deletes the entries that it ends. So the table is read once more, beside the snapshot, and each row that
// differs has its entries put right in a transaction, while its writers wait.
//
// What an attempt that was cut short has added is right at no moment that is still known, so the next one begins with
// an empty index.

// sortBytesDefault is the default of Options.SortBytes.
const sortBytesDefault = 64 << 20

// loader returns the engine's way to add sorted entries; nil if there is none, or others depend on seeing each commit,
// or the job has begun with small transactions.
func (r *Runner) loader(j *Job) kv.Loader {
	loader, ok := r.Admin.(kv.Loader)
	if !ok || r.owner != nil || j.Cursor != nil || !loader.MayLoad() {
		return nil
	}
	return loader
}

// sorted is the build of an index by sorting.
type sorted struct {
	*Runner
	job    *Job
	loader kv.Loader
	at     kv.Reader // the snapshot whose rows are sorted
	sorter *query.Sorter
	writer record.Writer
	batch  []byte // of records, each behind its length
}

// fillSorted fills an index with the entries of all rows. done is false if there is too little room to sort them; then
// the index is as it was.
func (r *Runner) fillSorted(ctx context.Context, j *Job, loader kv.Loader) (done bool, err error) {
	j.Done, j.Misfits = 0, 0
	sort := query.Sort{BytesMax: cmp.Or(r.SortBytes, sortBytesDefault)}
	if dir := loader.Scratch(); dir != "" {
		if sort.Spill, err = spill.Open(dir, 0); err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	s := &sorted{Runner: r, job: j, loader: loader, sorter: sort.Open()}
	defer func() { err = errors.Join(err, s.sorter.Close()) }()
	if s.at, err = r.Store.Read(ctx); err != nil {
		return false, err
	}
	defer s.at.Close()
	err = s.collect(ctx)
	if errors.Is(err, query.ErrSortMemory) || errors.Is(err, spill.ErrFull) {
		j.Done, j.Misfits = 0, 0
		return false, nil
	}
	if err == nil {
		err = s.load(ctx)
	}
	if err == nil {
		err = s.catchUp(ctx)
	}
	return err == nil, err
}

// empty takes out of an index what an attempt before has added.
func (r *Runner) empty(ctx context.Context, j *Job) error {
	return r.with(j, func(_ *record.Table, index *record.Index) error {
		return r.Admin.DeleteRange(ctx, index.Range())
	})
}

// with calls do with the index of a job, as it is now.
func (r *Runner) with(j *Job, do func(table *record.Table, index *record.Index) error) error {
	version, err := r.Catalog.AcquireID(j.Table)
	if err != nil {
		return err
	}
	defer version.Release()
	table := compile(version)
	index, ok := table.IndexByID(j.Index)
	if !ok || leaving(index.State) || version.Table.State == schema.Dropping {
		return catalog.ErrNotFound
	}
	return do(table, index)
}

// batchesAhead is the number of batches of entries that wait for the sorter.
const batchesAhead = 2

// collect sorts the entries of all rows: one goroutine derives them, in batches, and another one sorts.
func (s *sorted) collect(ctx context.Context) error {
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, ended := make(chan []byte, batchesAhead), make(chan error, 1)
	go func() {
		defer cancel() // nobody takes any more
		ended <- s.sortAll(batches)
	}()
	err := s.deriveAll(work, batches)
	close(batches)
	return cmp.Or(<-ended, err)
}

// sortAll hands the entries of batches to the sorter.
func (s *sorted) sortAll(batches <-chan []byte) error {
	for batch := range batches {
		for len(batch) > 0 {
			size, n := binary.Uvarint(batch)
			record := batch[n : n+int(size)]
			if err := s.sorter.Add(record); err != nil {
				return err
			}
			batch = batch[n+int(size):]
		}
	}
	return s.sorter.Finish()
}

// deriveAll sends the entries of all rows. The version of the table is held for some rows at a time, as it is in small
// transactions.
func (s *sorted) deriveAll(ctx context.Context, batches chan<- []byte) error {
	var rows kv.Cursor
	defer func() {
		if rows != nil {
			rows.Close()
		}
	}()
	for more := true; more; {
		err := s.with(s.job, func(table *record.Table, index *record.Index) (err error) {
			if rows == nil {
				rows = s.at.Scan(ctx, table.Primary.Range(), false)
			}
			more, err = s.derive(ctx, table, index, rows)
			return err
		})
		if err != nil {
			return err
		}
		select {
		case batches <- s.batch:
		case <-ctx.Done():
			return ctx.Err()
		}
		s.batch = make([]byte, 0, len(s.batch)+len(s.batch)/8)
		s.update(*s.job, false)
		if err := rest(ctx, s.Pause); err != nil {
			return err
		}
	}
	return nil
}

// derive hands on the entries of the next rows; more is false after the last one.
func (s *sorted) derive(ctx context.Context, table *record.Table, index *record.Index, rows kv.Cursor) (more bool,
	err error) {
	add := func(entry, kept []byte) error { return s.add(entry[len(index.Prefix):], kept) }
	for n, size := 0, 0; n < batchRows && size < batchBytes; n++ {
		if !rows.Next() {
			return false, rows.Close()
		}
		row, err := table.Adapt(ctx, rows.Value())
		if err != nil {
			return false, err
		}
		filled, err := s.writer.Derive(table, index, rows.Key(), row, add)
		if err != nil {
			return false, err
		}
		if !filled {
			s.job.Misfits++
		}
		s.job.Done++
		size += len(row)
	}
	return true, nil
}

// keyLenBytes is the length of a key behind its record.
const keyLenBytes = 4

// add appends an entry, whose key is relative to the index, to the batch. No key of an index begins another one, so
// records of keys and what they keep are in the order of the keys.
func (s *sorted) add(key, kept []byte) error {
	s.batch = binary.AppendUvarint(s.batch, uint64(len(key)+len(kept)+keyLenBytes))
	s.batch = append(append(s.batch, key...), kept...)
	s.batch = binary.BigEndian.AppendUint32(s.batch, uint32(len(key)))
	return nil
}

// load adds the sorted entries to the index.
func (s *sorted) load(ctx context.Context) error {
	s.job.Loaded = true // from here on the index may have them
	if err := s.transact(ctx, s.job, func(txn kv.Txn) error { return save(txn, s.job) }); err != nil {
		return err
	}
	return s.with(s.job, func(table *record.Table, index *record.Index) error {
		entry := bytes.Clone(index.Prefix)
		var unique record.Unique
		return s.loader.Load(ctx, index.Unique, func() (key, value []byte, err error) {
			if !s.sorter.Next() {
				return nil, nil, io.EOF
			}
			key, kept := cutRecord(s.sorter.Record())
			entry = append(entry[:len(index.Prefix)], key...)
			return entry, kept, unique.Check(table, index, entry, kept)
		})
	})
}

func cutRecord(r []byte) (key, kept []byte) {
	end := len(r) - keyLenBytes
	n := binary.BigEndian.Uint32(r[end:])
	return r[:n], r[n:end:end]
}

// changedRow is a row that is not what it was at the snapshot; was is nil if there was none.
type changedRow struct{ key, was []byte }

// catchUp puts the entries of all rows right that have changed since the snapshot.
func (s *sorted) catchUp(ctx context.Context) error {
	// A commit after the entries were added: whoever reads from here on sees all that was written before them.
	if err := s.transact(ctx, s.job, func(txn kv.Txn) error { return save(txn, s.job) }); err != nil {
		return err
	}
	now, err := s.Store.Read(ctx)
	if err != nil {
		return err
	}
	defer now.Close()
	var span kv.Range
	if err := s.with(s.job, func(table *record.Table, _ *record.Index) error {
		span = table.Primary.Range()
		return nil
	}); err != nil {
		return err
	}
	c := newComparison(ctx, s.at, now, span)
	defer c.close()
	for {
		rows, err := c.next(batchRows, batchBytes)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := s.settle(ctx, rows); err != nil {
			return err
		}
		if err := rest(ctx, s.Pause); err != nil {
			return err
		}
	}
}

// settle puts the entries of rows right, which are latched meanwhile.
func (s *sorted) settle(ctx context.Context, rows []changedRow) error {
	keys := make([][]byte, len(rows))
	for i := range rows {
		keys[i] = rows[i].key
	}
	held, err := s.Latches.Lock(ctx, keys...)
	if err != nil {
		return err
	}
	defer held.Unlock()
	var misfits int64
	err = s.with(s.job, func(table *record.Table, index *record.Index) error {
		return s.transact(ctx, s.job, func(txn kv.Txn) error {
			misfits = 0
			for i := range rows {
				filled, err := s.settleOne(ctx, txn, table, index, &rows[i])
				if err != nil {
					return err
				}
				if !filled {
					misfits++
				}
			}
			return nil
		})
	})
	s.job.Misfits += misfits
	return err
}

func (s *sorted) settleOne(ctx context.Context, txn kv.Txn, table *record.Table, index *record.Index,
	row *changedRow) (filled bool, err error) {
	now, ok, err := table.Get(ctx, txn, row.key, nil)
	if err != nil {
		return false, err
	}
	if err := txn.Guard(row.key); err != nil {
		return false, err
	}
	if !ok {
		now = nil
	} else if err := table.CheckFill(ctx, txn, index, row.key, now); err != nil {
		return false, err
	}
	return s.writer.Settle(txn, table, index, row.key, row.was, now)
}

// comparison finds the rows that differ between two snapshots.
type comparison struct {
	was, is kv.Cursor
	more    [2]bool // of was and is: they are at a row
}

func newComparison(ctx context.Context, was, is kv.Reader, span kv.Range) *comparison {
	c := &comparison{was: was.Scan(ctx, span, false), is: is.Scan(ctx, span, false)}
	c.more = [2]bool{c.was.Next(), c.is.Next()}
	return c
}

// next returns the next rows that differ, none at the end.
func (c *comparison) next(rowsMax, bytesMax int) (rows []changedRow, err error) {
	for size := 0; len(rows) < rowsMax && size < bytesMax && (c.more[0] || c.more[1]); {
		order := c.order()
		switch {
		case order > 0: // it is new
			rows = append(rows, changedRow{key: bytes.Clone(c.is.Key())})
		case order < 0 || !bytes.Equal(c.was.Value(), c.is.Value()):
			rows = append(rows, changedRow{bytes.Clone(c.was.Key()), append([]byte{}, c.was.Value()...)})
			size += len(c.was.Value())
		}
		if order <= 0 {
			c.more[0] = c.was.Next()
		}
		if order >= 0 {
			c.more[1] = c.is.Next()
		}
	}
	if !c.more[0] {
		err = c.was.Close()
	}
	if !c.more[1] {
		err = errors.Join(err, c.is.Close())
	}
	return rows, err
}

// order compares the keys at which the cursors are: below 0, the row of the snapshot is the next.
func (c *comparison) order() int {
	switch {
	case !c.more[0]:
		return 1
	case !c.more[1]:
		return -1
	}
	return bytes.Compare(c.was.Key(), c.is.Key())
}

func (c *comparison) close() error { return errors.Join(c.was.Close(), c.is.Close()) }
