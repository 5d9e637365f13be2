// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// crowdMost is the number of writes of one item that are committed together at most.
const crowdMost = 64

// crowds are the writes of items that found the latches of these taken. Those of one item stand in a line, whose first
// one waits for the latch. Once it has the latch, it does the writes of all in one transaction, each on what the one
// before has left: a commit, which is what takes the time, then serves many.
type crowds struct {
	mu     sync.Mutex
	lines  map[string][]*crowdWrite // by key
	rivals record.Rivalries
}

// crowdWrite is a write that stands in a line.
type crowdWrite struct {
	ctx context.Context
	pin Pinned
	w   *Write
	r   *WriteResult
	key []byte
	err error
	// done says that it was taken out of its line to be done.
	done bool
	// turn gets one token: true where the write is the first in line, false where it was done.
	turn chan bool
}

// mayJoin reports whether a write may be committed together with others of its item.
func (p Pinned) mayJoin(ctx context.Context, w *Write) bool {
	return !w.Known && (!p.table.Journaled() || p.db.joinsChanges(ctx))
}

// listsPause is the time after which gateways are asked again whether they know lists of changes.
const listsPause = 10 * time.Second

// lists is whether several changes of an item may be made by one commit. The journal of an engine whose stamps are in
// order has one change of an item for each commit; on a cluster the outbox may have several, once all gateways know.
type lists struct {
	used    atomic.Bool
	askedMS atomic.Int64
}

// joinsChanges reports whether changes of an item in one commit stay changes of their own.
func (db *DB) joinsChanges(ctx context.Context) bool {
	if db.changes.Buckets == 1 || db.gateway == nil || db.lists.used.Load() {
		return db.lists.used.Load()
	}
	now, asked := db.nowMS(), db.lists.askedMS.Load()
	if now-asked < listsPause.Milliseconds() || !db.lists.askedMS.CompareAndSwap(asked, now) {
		return false
	}
	known, err := db.gateway.AllKnow(ctx, schema.FeatureLists)
	if known && err == nil && db.catalog.Use(ctx, schema.FeatureLists) == nil {
		db.lists.used.Store(true)
	}
	return db.lists.used.Load()
}

// writeTogether does a write whose item's latch is taken, alone or with others, or by another one.
func (p Pinned) writeTogether(ctx context.Context, key []byte, w *Write, r *WriteResult, s *scratch) error {
	one := &crowdWrite{ctx: ctx, pin: p, w: w, r: r, key: key, turn: make(chan bool, 1)}
	lines, limit, begun := &p.db.crowds, p.db.options.LockWait, time.Now()
	if !lines.join(one) {
		end := p.db.latches.Note(ctx, key)
		leads, err := lines.await(one, limit)
		if end(leads || one.done); !leads {
			return err
		}
		if limit > 0 {
			limit = max(limit-time.Since(begun), time.Nanosecond)
		}
	}
	held, err := p.db.latches.LockWithin(ctx, limit, key)
	if err != nil {
		lines.leave(one)
		return err
	}
	defer held.Unlock()
	lines.rivals.Rest(ctx, key) // more writes come to the line meanwhile
	p.db.writeAllOf(lines.take(one), s)
	return one.err
}

// join puts a write at the end of its line. first says that it is the only one.
func (c *crowds) join(one *crowdWrite) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines == nil {
		c.lines = map[string][]*crowdWrite{}
	}
	line := c.lines[string(one.key)]
	c.lines[string(one.key)] = append(line, one)
	return len(line) == 0
}

// await waits until a write is the first in its line, or has been done. Errors: that of the write; its context's;
// ErrLockWait. It is in no line then.
func (c *crowds) await(one *crowdWrite, limit time.Duration) (leads bool, err error) {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case leads = <-one.turn:
		one.done = !leads
		return leads, one.err
	case <-one.ctx.Done():
		err = one.ctx.Err()
	case <-over:
		err = record.ErrLatchWait
	}
	if c.leave(one) {
		return false, err
	}
	<-one.turn // another one is at it, and uses what belongs to this write
	one.done = true
	return false, one.err
}

// leave takes a write out of its line, unless another one has taken it.
func (c *crowds) leave(one *crowdWrite) (left bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := c.lines[string(one.key)]
	at := slices.Index(line, one)
	if at >= 0 {
		c.keep(one.key, slices.Delete(line, at, at+1), at == 0)
	}
	return at >= 0
}

// take takes the first writes of a line, which one leads.
func (c *crowds) take(one *crowdWrite) []*crowdWrite {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := c.lines[string(one.key)]
	n := min(len(line), crowdMost)
	c.keep(one.key, line[n:], true)
	return line[:n:n]
}

// keep makes line what is left of the line of a key. moved says that its first one is another one than before.
func (c *crowds) keep(key []byte, line []*crowdWrite, moved bool) {
	if len(line) == 0 {
		delete(c.lines, string(key))
		return
	}
	if c.lines[string(key)] = line; moved {
		line[0].turn <- true
	}
}

// errApart says that writes can't be committed together.
var errApart = errors.New("database: a write of several fails") // lint:invariant a sentinel

// writeAllOf does writes of one item, whose latch is held, and answers all but the first, whose goroutine it runs on.
func (db *DB) writeAllOf(list []*crowdWrite, s *scratch) {
	if len(list) == 1 {
		list[0].err = list[0].do(s)
		return
	}
	for _, one := range list {
		one.err = kv.ErrUnknownOutcome // until it is known, also after a panic
	}
	defer func() {
		for _, one := range list[1:] {
			one.turn <- false
		}
	}()
	err := db.writeAtOnce(list, s)
	apart := errors.Is(err, errApart) || errors.Is(err, kv.ErrTooLarge)
	for _, one := range list {
		if apart {
			one.err = one.do(s)
		} else if err != nil {
			one.err = err
		}
	}
}

// do does a write as a commit of its own.
func (one *crowdWrite) do(s *scratch) error {
	return one.pin.db.updateItem(one.ctx, one.key, func(txn kv.Txn) error {
		return one.pin.apply(one.ctx, txn, one.key, one.w, one.r, s)
	})
}

// writeAtOnce does writes of one item in one transaction, one on top of the other. A false condition is its write's
// own; any other error may have left something in the transaction.
func (db *DB) writeAtOnce(list []*crowdWrite, s *scratch) error {
	ctx := context.WithoutCancel(list[0].ctx) // the others go on where the first is not wanted any more
	return db.updateItem(ctx, list[0].key, func(txn kv.Txn) error {
		txn = journal.Apart(txn)
		for _, one := range list {
			one.err = one.pin.apply(one.ctx, txn, one.key, one.w, one.r, s)
			if one.err != nil && !errors.Is(one.err, ErrConditionFailed) {
				return errApart
			}
		}
		return nil
	})
}

// updateItem is kv.Update for a transaction that writes an item whose latch is held.
func (db *DB) updateItem(ctx context.Context, key []byte, fn func(kv.Txn) error) error {
	if db.gateway == nil {
		return kv.Update(ctx, db.store, fn)
	}
	var first, last time.Time
	err := kv.Update(ctx, db.store, func(txn kv.Txn) error {
		last = time.Now()
		if first.IsZero() {
			first = last
		}
		return fn(txn)
	})
	db.crowds.rivals.Note(key, last.Sub(first))
	return err
}
