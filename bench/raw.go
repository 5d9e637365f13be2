// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/weftdb/weft/bench/loadgen"
)

// raw is Pebble alone, with the options that kv/pebble gives it. It knows no rows: values are texts as long as Weft's
// rows.
type raw struct {
	db         *pebble.DB
	partitions int
	stripes    [256]sync.Mutex // for read-modify-write: the least that makes it right
}

// quiet is a logger that says nothing, but does not outlive an error that the library can't survive.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...)) // lint:invariant the disk failed under a benchmark
}

func openRaw(dir string, partitions int) (*raw, error) {
	const memTableBytes = 32 << 20
	o := &pebble.Options{
		Logger: quiet{}, CacheSize: 64<<20 + 2*memTableBytes, FormatMajorVersion: pebble.FormatValueSeparation,
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: 4, MaxOpenFiles: 1000, L0CompactionThreshold: 2, L0StopWritesThreshold: 1000,
		LBaseMaxBytes:   64 << 20,
		FlushSplitBytes: 2 << 20, CompactionConcurrencyRange: func() (lower, upper int) { return 1, 1 },
	}
	o.TargetFileSizes[0] = 2 << 20
	for i := range o.Levels {
		o.Levels[i].BlockSize, o.Levels[i].IndexBlockSize, o.Levels[i].FilterPolicy = 32<<10, 256<<10,
			bloom.FilterPolicy(10)
	}
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionBalanced })
	db, err := pebble.Open(dir, o)
	return &raw{db: db, partitions: partitions}, err
}

// rawKey has the length of Weft's keys.
func rawKey() template { return newTemplate("rows/p" + partitionMark + "/s" + sortMark) }

// rawValue has the length of Weft's rows and is as compressible.
func rawValue() template {
	return newTemplate("p" + partitionMark + "s" + sortMark + "customer " + freshMark + "customer." + freshMark +
		"@example.com 1 1234567 1 2024-05-06T07:08:09Z gold weekly city Nara zip 630-8001 country JP " + noteText)
}

// Load implements database.
func (r *raw) Load(ctx context.Context) error {
	key, value := rawKey(), rawValue()
	for partition := range r.partitions {
		batch := r.db.NewBatch()
		for sort := range partitionItems {
			key.fill(partition, sort, 0)
			value.fill(partition, sort, partition*partitionItems+sort)
			if err := batch.Set(key.text, value.text, nil); err != nil {
				return err
			}
		}
		if err := errors.Join(batch.Commit(pebble.NoSync), batch.Close()); err != nil {
			return err
		}
	}
	if err := r.db.Flush(); err != nil {
		return err
	}
	return r.db.Compact(ctx, []byte("a"), []byte("z"), false)
}

// Close implements database.
func (r *raw) Close() error { return r.db.Close() }

// Worker implements database.
func (r *raw) Worker(operation string, seed int) (loadgen.Worker, error) {
	w := &rawWorker{raw: r, picker: pickerFor(operation, r.partitions, seed), key: rawKey(), value: rawValue()}
	switch operation {
	case opGet, opHotGet:
		w.do = w.get
	case opPut, opHotPut, opOtherPut:
		w.do = w.put
	case opUpdate:
		w.do = w.update
	case opQuery:
		w.do = w.query
	case opBatch:
		w.do = w.batch
	case opScan:
		w.do = w.scan
	default:
		return nil, fmt.Errorf("pebble can't do %s", operation)
	}
	return w, nil
}

type rawWorker struct {
	*raw
	picker
	key, value template
	buffer     []byte
	do         func() error
}

// Do implements worker.
func (w *rawWorker) Do() error { return w.do() }

// Close implements worker.
func (w *rawWorker) Close() error { return nil }

func (w *rawWorker) get() error {
	w.key.fill(w.next())
	return w.read()
}

// read copies the value out, as Weft's Get does.
func (w *rawWorker) read() error {
	value, closer, err := w.db.Get(w.key.text)
	if err != nil {
		return err
	}
	w.buffer = append(w.buffer[:0], value...)
	return closer.Close()
}

func (w *rawWorker) write() error {
	batch := w.db.NewBatch()
	if err := batch.Set(w.key.text, w.value.text, nil); err != nil {
		return err
	}
	return errors.Join(batch.Commit(pebble.Sync), batch.Close())
}

func (w *rawWorker) put() error {
	partition, sort, fresh := w.next()
	w.key.fill(partition, sort, fresh)
	w.value.fill(partition, sort, fresh)
	return w.write()
}

func (w *rawWorker) update() error {
	partition, sort, fresh := w.next()
	w.key.fill(partition, sort, fresh)
	w.value.fill(partition, sort, fresh)
	stripe := &w.stripes[(partition*partitionItems+sort)%len(w.stripes)]
	stripe.Lock()
	defer stripe.Unlock()
	if err := w.read(); err != nil {
		return err
	}
	if len(w.buffer) < partitionWidth || w.buffer[0] != 'p' { // the condition
		return errors.New("an item is not what was put")
	}
	return w.write()
}

func (w *rawWorker) batch() error {
	partition, sort, fresh := w.next()
	batch := w.db.NewBatch()
	for i := range batchItems {
		w.key.fill(partition, (sort+i)%partitionItems, fresh)
		w.value.fill(partition, (sort+i)%partitionItems, fresh+i)
		if err := batch.Set(w.key.text, w.value.text, nil); err != nil {
			return err
		}
	}
	return errors.Join(batch.Commit(pebble.Sync), batch.Close())
}

func (w *rawWorker) query() error {
	partition, _, fresh := w.next()
	w.key.fill(partition, 0, fresh)
	return w.walk(partitionItems)
}

func (w *rawWorker) scan() error {
	w.key.fill(w.next())
	return w.walk(scanItems)
}

// walk reads n rows from the key on.
func (w *rawWorker) walk(n int) error {
	iter, err := w.db.NewIter(&pebble.IterOptions{LowerBound: w.key.text})
	if err != nil {
		return err
	}
	ok, bytes := iter.First(), 0
	for ; ok && n > 0; n-- {
		bytes += len(iter.Key()) + len(iter.Value())
		ok = iter.Next()
	}
	if bytes == 0 {
		err = errors.New("a scan found nothing")
	}
	return errors.Join(err, iter.Close())
}
