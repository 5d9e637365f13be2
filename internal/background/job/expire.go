// SPDX-License-Identifier: Apache-2.0

package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

const (
	// expiryInterval is the default of Options.ExpiryInterval.
	expiryInterval = time.Second
	// expiryPauseMax is the time a fault makes the next look wait at most.
	expiryPauseMax = time.Minute
	// Most looks begin this long, in seconds, before the last one, and one in so many seconds begins at the oldest row.
	// An engine steps over what was deleted until it has compacted it, so that looks from the beginning would be slower
	// the more has expired. What is written with an expiry that was over long ago waits for the long look.
	expirySlack = 60
)

// expiry deletes expired rows.
type expiry struct {
	Options
	work  context.Context // ends when the Runner is closed
	turn  chan struct{}   // holds one token while nobody looks for expired rows
	ended chan struct{}   // closed when run has returned
	owner Owner           // of the background looks; nil: this process, always

	mu     sync.Mutex
	tables map[expiryKind]expiryProgress // all tables whose rows expire, and perhaps more
}

// expiryKind says what to look for in a table: rows that have expired, or rows with cells that have expired.
type expiryKind struct {
	table uint32
	cells bool
}

// index returns the index by which that is found, whatever its state.
func (w expiryKind) index(table *schema.Table) (*schema.Index, bool) {
	if w.cells {
		return table.CellExpiry()
	}
	return table.Expiry()
}

// expiryProgress is the progress of the search for expired rows of one table; times are seconds since the Unix epoch.
// The zero value is: not at all.
type expiryProgress struct {
	index uint32
	until int64 // all rows that expire by then have been deleted,
	whole int64 // counting those that were there at this time; of later ones those whose expiry was not far back
	told  int   // how often the table was told to be watched
}

// newExpiry finds out which tables have rows that expire.
func newExpiry(ctx context.Context, options Options) (*expiry, error) {
	options.ExpiryInterval = cmp.Or(options.ExpiryInterval, expiryInterval)
	e := &expiry{Options: options, turn: make(chan struct{}, 1), ended: make(chan struct{}),
		tables: map[expiryKind]expiryProgress{}}
	e.turn <- struct{}{}
	reader, err := options.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	prefix := keyspace.AppendTables(nil)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := reader.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	defer cursor.Close()
	for cursor.Next() {
		var table schema.Table
		if err := json.Unmarshal(cursor.Value(), &table); err != nil {
			return nil, fmt.Errorf("job: descriptor at %s: %w", keyspace.Print(cursor.Key()), err)
		}
		for _, cells := range []bool{false, true} {
			w := expiryKind{table.ID, cells}
			if _, ok := w.index(&table); ok {
				e.tables[w] = expiryProgress{}
			}
		}
	}
	return e, cursor.Close()
}

// watch makes a table be looked at. One whose rows don't expire is forgotten at the next look.
func (e *expiry) watch(table uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, cells := range []bool{false, true} {
		w := expiryKind{table, cells}
		e.tables[w] = expiryProgress{told: e.tables[w].told + 1}
	}
}

// forget ends the watch of a sweep's table, unless it was noted anew meanwhile.
func (e *expiry) forget(s *sweep) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tables[s.expiryKind] == s.before {
		delete(e.tables, s.expiryKind)
	}
}

func (e *expiry) run() {
	defer close(e.ended)
	if e.ExpiryInterval < 0 {
		return
	}
	for faults := 0; ; {
		// Not quite regular, so that processes that share a store don't look at the same moments.
		pause := e.ExpiryInterval
		if faults > 0 {
			pause = max(pause, min(time.Second<<min(faults, 6), expiryPauseMax))
		}
		if rest(e.work, pause/2+rand.N(pause)+1) != nil {
			return
		}
		if e.owner != nil && !e.owner.Owned() {
			continue
		}
		_, err := e.sweep(e.work, false)
		if faults++; err == nil || e.owner != nil && isLeft(err) {
			faults = 0
		} else if e.work.Err() == nil {
			e.Logger.Error("failed to delete expired items; will retry", "error", err)
		}
	}
}

// waitStopped returns once nobody looks for expired rows any more. The work has been cancelled.
func (e *expiry) waitStopped() {
	<-e.ended
	<-e.turn
	e.turn <- struct{}{}
}

// Expire deletes the rows of all tables that have expired by now, and returns how many they were. A table with a fault
// does not keep it from the others; all faults are returned. Errors: kv.ErrClosed, ctx's.
func (r *Runner) Expire(ctx context.Context) (deleted int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.work, cancel)()
	return r.expiry.sweep(ctx, true)
}

// sweep deletes what has expired by now, one batch of each table after the other, so that one with many expired rows
// does not hold up the rest. whole makes it begin with the oldest rows.
func (e *expiry) sweep(ctx context.Context, whole bool) (deleted int64, err error) {
	select {
	case <-e.turn:
	case <-ctx.Done():
		return 0, orClosed(e.work, ctx.Err())
	}
	defer func() { e.turn <- struct{}{} }()
	if e.work.Err() != nil {
		return 0, kv.ErrClosed
	}
	var faults []error
	for open := e.begin(whole); len(open) > 0 && ctx.Err() == nil; {
		open = slices.DeleteFunc(open, func(s *sweep) bool {
			rows, more, err := s.batch(ctx)
			if rows > 0 && e.Expired != nil {
				e.Expired(s.name, rows)
			}
			deleted += rows
			if err != nil {
				faults = append(faults, fmt.Errorf("table %d: %w", s.table, err))
			}
			return err != nil || !more
		})
	}
	if ctx.Err() != nil {
		faults = []error{orClosed(e.work, ctx.Err())} // whatever failed, failed of this
	}
	return deleted, errors.Join(faults...)
}

// orClosed returns kv.ErrClosed if the work has been cancelled, else err.
func orClosed(work context.Context, err error) error {
	if work.Err() != nil {
		return kv.ErrClosed
	}
	return err
}

// begin makes a sweep of each table.
func (e *expiry) begin(whole bool) []*sweep {
	now := e.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	guard := e.owner
	if whole {
		guard = nil
	}
	sweeps := make([]*sweep, 0, len(e.tables))
	for w, before := range e.tables {
		sweeps = append(sweeps, &sweep{expiry: e, expiryKind: w, now: now, whole: whole, before: before, guard: guard})
	}
	slices.SortFunc(sweeps, func(a, b *sweep) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(truth(a.cells), truth(b.cells)))
	})
	return sweeps
}

// done notes that a sweep has reached its end.
func (e *expiry) done(s *sweep) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := expiryProgress{index: s.index, until: s.now.Unix(), whole: s.before.whole, told: s.before.told}
	if s.whole {
		now.whole = now.until
	}
	// A table that was noted anew meanwhile begins anew.
	if e.tables[s.expiryKind] == s.before {
		e.tables[s.expiryKind] = now
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
