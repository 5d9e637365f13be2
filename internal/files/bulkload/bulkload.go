// SPDX-License-Identifier: Apache-2.0

// Package bulkload fills a table from files or objects: DynamoDB's exports, lines of JSON, Ion, CSV and TSV. Records
// become entries of the key space by the very code that puts go through, are sorted in bounded memory with runs on
// disk, and are ingested in one step: the table is empty until everything stands in it. Where an engine or a table
// takes no ingestion, the sorted rows are put in batches. Progress is stored with the runs, so that a load that was
// killed continues.
//
// Knows: formats of files, sorting outside of memory, how far a load is.
// Never: how entries are derived, the command line, engines.
package bulkload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/ingest"
	"github.com/weftdb/weft/storage"
)

// Options say what to load. DB, Database, Table, Sources and Dir must be set.
type Options struct {
	DB              *database.DB
	Database, Table string
	// Into is the table, where it is not found by its name. Default: that of Database and Table.
	Into *database.Table
	// Sources are files, folders of exports, or "-" for Stdin; with From, names of objects.
	Sources []string
	// From is the storage that holds the sources. Default: the file system.
	From  storage.Storage
	Stdin io.Reader
	// Format of the sources. Default: Auto.
	Format Format
	// Packing says how sources are packed. Default: what their first bytes say.
	Packing Compression
	// Comma parts the fields of CSV. Default: a comma.
	Comma byte
	// Header has the names of the columns of CSV. Default: the first record of each source has them.
	Header []string
	// Texts reads columns of CSV without a given type as texts, whatever their first values are.
	Texts bool
	// Types of columns that are neither declared nor in keys. Default: a column of CSV or TSV whose first values are
	// all numbers is one of numbers, others are texts; JSON says itself what it is.
	Types map[string]Type
	// Null is the text of fields of CSV and TSV that have no value, besides the empty text. Default: none.
	Null string
	// Dir is a folder of this load's own, for runs and its state.
	Dir string
	// MemoryBytes bounds what is sorted at once. Default 256 MiB, and at least some megabytes.
	MemoryBytes int64
	// BadRows is the number of records that may be refused before the load fails. Default 0.
	BadRows int64
	// Restart forgets a load that has begun.
	Restart bool
	// Judges make the checks of rows for tables about whose rows a dialect has rules, by the dialect's name: see
	// schema.Rules. Rows of such tables are refused without one.
	Judges map[string]func(table *schema.Table) (Judge, error)
	// AsStored takes the rows as another store has them, with the history of their cells: see database.Write. Types say
	// which numbers of DynamoDB's JSON stand for SQL's types. The codes of Z-order indexes stay as the table has them.
	AsStored bool
	// RegionBytes is the size at which regions are split: as many are made beforehand as are needed. Default 8 GiB.
	RegionBytes int64
	// Log is called with what a user should know, Bad with each record that is refused, and Progress often, by one
	// goroutine. Default of all: none.
	Log      func(text string)
	Bad      func(Fault)
	Progress func(Progress)

	types map[string]Type // of columns: what is given, and what is known of the table
}

// Judge says what is wrong with a row.
type Judge func(names value.Names, row value.Row) error

// Fault is a record that was refused.
type Fault struct {
	Source string
	Line   int64
	Err    error
}

// Error names file and line.
func (f Fault) Error() string { return fmt.Sprintf("%s:%d: %v", f.Source, f.Line, f.Err) }

// Unwrap returns the cause.
func (f Fault) Unwrap() error { return f.Err }

// Progress is the progress of a load.
type Progress struct {
	Step              string // what is being done
	Records           int64  // read
	BytesRead, Bytes  int64  // of the sources as they are, packed perhaps; Bytes is 0 if unknown
	Written, Expected int64  // rows
}

// Result is the result of a load.
type Result struct {
	Records  int64 // read, without bad ones
	Rows     int64 // in the table; fewer than records where keys came more than once
	Entries  int64 // of indexes; 0 where rows were put
	Bad      int64
	Runs     int    // on disk
	Ingested bool   // in one step
	Advice   string // about the key; "" if there is none
}

// memoryBytesMin is the least that sorting is worth.
const memoryBytesMin = 4 << 20

// loader is one load under way.
type loader struct {
	Options
	pin      database.Pinned
	table    *ingest.Table // of pin
	rowJudge Judge         // nil: nobody judges rows
	sources  []source
	state    *state
	workers  []*worker
	read     atomic.Int64 // bytes of sources
	total    int64
	full     atomic.Int64 // bytes of all chunks
	result   Result
	resumed  bool
}

// Run loads. It may be called again after an error, a crash or a kill, with the same Options, and goes on. Nobody else
// may write to the table meanwhile. Errors that are about a record are a Fault.
func Run(ctx context.Context, o Options) (Result, error) {
	l := &loader{Options: o.withDefaults()}
	table := o.Into
	if table == nil {
		var err error
		if table, err = o.DB.TableIn(o.Database, o.Table); err != nil {
			return l.result, err
		}
	}
	if err := o.DB.WaitJobs(ctx); err != nil { // none changes the table's schema while it is pinned
		return l.result, err
	}
	if err := l.learn(ctx, table); err != nil {
		return l.result, err
	}
	pin, err := table.Pin()
	if err != nil {
		return l.result, err
	}
	l.pin = pin
	defer l.pin.Release()
	l.table = l.pin.Loading()
	l.table.AsStored = l.AsStored
	if judge, ok := l.Judges[l.pin.Descriptor().Rules.Dialect]; ok {
		if l.rowJudge, err = judge(l.pin.Descriptor()); err != nil {
			return l.result, err
		}
		l.table.Judged = true
	}
	if err := l.begin(ctx); err != nil {
		return l.result, err
	}
	if l.state.Phase == sorting {
		if err := l.sort(ctx); err != nil {
			return l.result, err
		}
	}
	l.result.Advice = l.advice()
	if err := l.write(ctx); err != nil {
		return l.result, err
	}
	l.result.Records, l.result.Bad = l.state.Read, l.state.Bad
	return l.result, discard(l.Dir)
}

func (o Options) withDefaults() Options {
	o.MemoryBytes = cmp.Or(o.MemoryBytes, 256<<20)
	o.MemoryBytes = max(o.MemoryBytes, memoryBytesMin)
	o.RegionBytes = cmp.Or(o.RegionBytes, 8<<30)
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Bad == nil {
		o.Bad = func(Fault) {}
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// begin finds the sources and the state of a load that has begun.
func (l *loader) begin(ctx context.Context) (err error) {
	if l.Restart {
		if err := discard(l.Dir); err != nil {
			return err
		}
	}
	if l.sources, err = l.findSources(ctx); err != nil {
		return err
	}
	l.types = columnTypes(l.pin.Descriptor(), l.Types)
	fresh := &state{Table: l.pin.Descriptor().UUID, Version: l.pin.Descriptor().Version, Phase: sorting,
		Options: fmt.Sprint(l.Format, "/", l.Null, "/", l.Types, l.Packing, l.Comma, l.Header, l.Texts, l.AsStored)}
	for i := range l.sources {
		l.total += l.sources[i].size
		fresh.Sources = append(fresh.Sources, l.sources[i].identity())
	}
	if l.state, err = readState(l.Dir); err != nil {
		return err
	}
	if l.state != nil {
		if err := l.state.fits(fresh); err != nil {
			return fmt.Errorf("%s: %w", l.Dir, err)
		}
		l.resumed = true
		maps.Copy(l.types, l.state.Inferred)
		l.Log(fmt.Sprintf("going on after %d records of an import that was interrupted", l.state.Read))
		return nil
	}
	l.state = fresh
	why := l.table.Able(ctx)
	if why != nil && !errors.Is(why, ingest.ErrUnable) {
		return why
	}
	l.state.Ingest = why == nil
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return err
	}
	if err := l.state.save(l.Dir); err != nil {
		return err
	}
	for i := range l.sources {
		if err := l.sources[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// sort reads all sources. Rows that did not fit memory are in runs afterwards, the rest in the workers' chunks.
func (l *loader) sort(ctx context.Context) error {
	for range max(1, min(runtime.GOMAXPROCS(0), 8)) {
		l.workers = append(l.workers, newWorker(l))
	}
	for l.state.At.Source < len(l.sources) {
		if err := l.sortSource(ctx); err != nil {
			return err
		}
		l.state.At = position{Source: l.state.At.Source + 1, Ordinal: l.state.At.Ordinal}
	}
	return l.finishSorting()
}

// sortSource reads one source to its end, and spills whenever memory is full.
func (l *loader) sortSource(ctx context.Context) error {
	s := &l.sources[l.state.At.Source]
	c, err := newCutter(ctx, s, &l.Options, l.state.At, &l.read)
	if err != nil {
		return err
	}
	if err := l.infer(c); err != nil {
		return errors.Join(err, c.in.close())
	}
	for more := true; more; {
		if more, err = l.round(ctx, c); err != nil {
			return errors.Join(err, c.in.close())
		}
		l.state.At = position{Source: l.state.At.Source, Offset: c.at.Offset, Line: c.at.Line, Ordinal: c.at.Ordinal}
		if l.full.Load() >= l.MemoryBytes {
			if err := l.spill(); err != nil {
				return errors.Join(err, c.in.close())
			}
		}
	}
	return c.in.close()
}

// round decodes blocks until memory is full or the source ends. Everything before c.at is in the chunks when it
// returns.
func (l *loader) round(ctx context.Context, c *cutter) (more bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	blocks, done := make(chan block, len(l.workers)), make(chan error, len(l.workers))
	for _, w := range l.workers {
		go func() {
			err := w.work(ctx, blocks)
			if err != nil {
				cancel(err)
			}
			done <- err
		}()
	}
	more, err = l.feed(ctx, c, blocks)
	close(blocks)
	for range l.workers {
		err = errors.Join(err, <-done)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	for _, w := range l.workers {
		l.state.Read += w.records
		w.records = 0
	}
	if err == nil {
		err = l.judge()
	}
	return more, err
}

func (l *loader) feed(ctx context.Context, c *cutter, blocks chan<- block) (more bool, err error) {
	for l.full.Load() < l.MemoryBytes {
		b, ok, err := c.next()
		if !ok || err != nil {
			return false, err
		}
		select {
		case blocks <- b:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		var records int64
		for _, w := range l.workers {
			records += w.seen.Load()
		}
		l.Progress(Progress{Step: "reading", Records: records, BytesRead: l.read.Load(), Bytes: l.total})
	}
	return true, nil
}

// judge reports what was refused, in the order of the source, and fails if it was too much.
func (l *loader) judge() error {
	var faults []Fault
	for _, w := range l.workers {
		faults = append(faults, w.faults...)
		w.faults = nil
	}
	slices.SortFunc(faults, func(a, b Fault) int { return int(a.Line - b.Line) })
	for _, fault := range faults {
		if l.state.Bad++; l.state.Bad > l.BadRows {
			if l.BadRows > 0 {
				return fmt.Errorf("%w (--bad-rows allows %d)", fault, l.BadRows)
			}
			return fault
		}
		l.Bad(fault)
	}
	return nil
}

// spill writes each chunk to a run and makes the position durable.
func (l *loader) spill() error {
	l.Progress(Progress{Step: "sorting", Records: l.state.Read, BytesRead: l.read.Load(), Bytes: l.total})
	runs, errs := make([]run, len(l.workers)), make(chan error, len(l.workers))
	for i, w := range l.workers {
		name := fmt.Sprintf("%06d.run", l.state.NextRun+i)
		go func() {
			w.chunk.sort()
			var err error
			runs[i], err = writeRun(l.Dir, name, &chunkStream{chunk: &w.chunk})
			errs <- err
		}()
	}
	var err error
	for range l.workers {
		err = errors.Join(err, <-errs)
	}
	if err != nil {
		return err
	}
	for _, w := range l.workers {
		l.state.Cuts = append(l.state.Cuts, w.chunk.cuts(l.cutBytes())...)
		w.chunk.reset()
		w.counted = 0
	}
	l.full.Store(0)
	l.state.NextRun += len(runs)
	l.state.Runs = append(l.state.Runs, slices.DeleteFunc(runs, func(r run) bool { return r.Size == 0 })...)
	if err := storage.SyncDir(l.Dir); err != nil {
		return err
	}
	return l.state.save(l.Dir)
}

// finishSorting sorts what is in memory. It goes to disk only if anything before did: else reading it again costs no
// more.
func (l *loader) finishSorting() error {
	l.result.Runs = len(l.state.Runs)
	if len(l.state.Runs) == 0 && !l.hasStdin() {
		errs := make(chan struct{}, len(l.workers))
		for _, w := range l.workers {
			go func() { w.chunk.sort(); errs <- struct{}{} }()
		}
		for range l.workers {
			<-errs
		}
		return nil
	}
	l.state.Phase = writing
	if err := l.spill(); err != nil {
		return err
	}
	l.result.Runs = len(l.state.Runs)
	for _, w := range l.workers {
		w.chunk = chunk{}
	}
	return nil
}

func (l *loader) hasStdin() bool {
	return slices.ContainsFunc(l.sources, func(s source) bool { return s.stdin != nil })
}
