// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/test/history/check"
)

// load is a round of clients that append to and read lists, and what they saw. Lists that have become long are left for
// new ones, so that the length of lists does not grow with the history.
type load struct {
	seed     uint64
	clients  int
	slots    int  // lists in use at any moment
	longest  int  // appends to a list before it is left, about
	deadline bool // clients give some requests up
	noTokens bool
	// idle is asked by a client whose request had no answer: it waits until there is a server again, and reports
	// whether to go on.
	idle func() bool

	begun    time.Time
	used     []atomic.Int32 // by slot: appends so far
	element  atomic.Int32
	left     atomic.Int64 // transactions still to do
	failures chan error
}

// client is one of them.
type client struct {
	*load
	lists   lists
	rng     *rand.Rand
	history check.History
	repeats int
}

// run does transactions and returns the history, in no order. connect gives each client its database.
func (l *load) run(t *testing.T, transactions int, connect func(client int) lists) check.History {
	t.Helper()
	return l.runUntil(t, transactions, connect, func() {})
}

// runUntil is run that calls settle before the last reads.
func (l *load) runUntil(t *testing.T, transactions int, connect func(client int) lists, settle func()) check.History {
	t.Helper()
	l.begun, l.used, l.failures = time.Now(), make([]atomic.Int32, l.slots), make(chan error, l.clients)
	l.left.Store(int64(transactions))
	var group sync.WaitGroup
	clients := make([]*client, l.clients)
	for i := range clients {
		c := &client{load: l, lists: connect(i), rng: rand.New(rand.NewPCG(l.seed, uint64(i)))}
		clients[i] = c
		group.Go(func() {
			for l.left.Add(-1) >= 0 {
				if err := c.step(t.Context()); err != nil {
					l.failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	settle()
	if err := clients[0].readAll(t.Context()); err != nil {
		t.Error(err)
	}
	close(l.failures)
	for err := range l.failures {
		t.Error(err)
	}
	var all check.History
	for _, c := range clients {
		all = append(all, c.history...)
	}
	return all
}

func (l *load) now() int64 { return int64(time.Since(l.begun)) }

// current is the list that a slot uses now; append counts use.
func (l *load) current(slot int, appends int32) int32 {
	n := l.used[slot].Add(appends)
	return int32(slot) + int32(l.slots)*(n/int32(l.longest))
}

// pick draws the lists of one transaction, all different, some slots much more often than others.
func (c *client) pick(count int, appends int32) []int32 {
	var slots []int
	for len(slots) < min(count, c.slots) {
		u := c.rng.Float64()
		if slot := int(u * u * float64(c.slots)); !slices.Contains(slots, slot) {
			slots = append(slots, slot)
		}
	}
	keys := make([]int32, len(slots))
	for i, slot := range slots {
		keys[i] = c.current(slot, appends)
	}
	return keys
}

// fresh makes one element, now and then two.
func (c *client) fresh() []int32 {
	add := []int32{c.element.Add(1)}
	if c.rng.IntN(4) == 0 {
		add = append(add, c.element.Add(1))
	}
	return add
}

// step does one or two transactions.
func (c *client) step(ctx context.Context) error {
	switch p := c.rng.IntN(100); {
	case p < 30:
		_, err := c.read(ctx, c.pick(2+c.rng.IntN(3), 0), false)
		return err
	case p < 40:
		_, err := c.read(ctx, c.pick(1, 0), true)
		return err
	case p < 70:
		w := write{}
		if !c.noTokens && c.rng.IntN(3) == 0 {
			w.token = fmt.Sprintf("%x-%x", rand.Uint64(), c.element.Add(1))
		}
		for _, key := range c.pick(1+c.rng.IntN(3), 1) {
			w.parts = append(w.parts, part{key: key, add: c.fresh()})
		}
		return c.write(ctx, w)
	case p < 80:
		return c.write(ctx, write{parts: []part{{key: c.pick(1, 1)[0], add: c.fresh(), alone: true}}})
	}
	return c.readThenWrite(ctx)
}

// readThenWrite reads some lists, and writes to some of them if all are still the same: a transaction that reads and
// writes.
func (c *client) readThenWrite(ctx context.Context) error {
	keys := c.pick(2+c.rng.IntN(2), 0)
	read, err := c.read(ctx, keys, false)
	if read == nil || err != nil {
		return err
	}
	w := write{}
	for i, key := range keys {
		p := part{key: key, held: true, was: read[i]}
		if i == 0 || c.rng.IntN(3) == 0 {
			p.add = c.fresh()
			c.used[int(key)%c.slots].Add(1)
		}
		w.parts = append(w.parts, p)
	}
	c.rng.Shuffle(len(w.parts), func(i, j int) { w.parts[i], w.parts[j] = w.parts[j], w.parts[i] })
	return c.write(ctx, w)
}

// cutEvery is the number of requests for each one that the client gives up at once or soon, where requests are given up
// at all.
const cutEvery = 40

// patience is the time the client waits for an answer: now and then not at all.
func (c *client) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.deadline && c.rng.IntN(cutEvery) == 0 {
		return context.WithTimeout(ctx, time.Duration(c.rng.IntN(400))*time.Microsecond)
	}
	return ctx, func() {}
}

// read returns no lists if there was no answer.
func (c *client) read(ctx context.Context, keys []int32, plain bool) ([][]int32, error) {
	ctx, done := c.patience(ctx)
	defer done()
	t := check.Txn{Call: c.now()}
	read, err := c.lists.read(ctx, keys, plain)
	t.Return = c.now()
	outcome, bad := outcomeOf(err)
	if bad != nil {
		return nil, bad
	}
	if outcome != check.Committed {
		c.lost(outcome)
		return nil, nil // it has changed nothing and shown nothing
	}
	for i, key := range keys {
		t.Ops = append(t.Ops, check.Op{Key: key, List: read[i]})
	}
	c.history = append(c.history, t)
	return read, nil
}

// lost waits for a server if a request had no answer.
func (c *client) lost(outcome check.Outcome) {
	if outcome == check.Unknown && c.idle != nil && !c.idle() {
		c.left.Store(0)
	}
}

func (c *client) write(ctx context.Context, w write) error {
	hurried, done := c.patience(ctx)
	defer done()
	t := check.Txn{Call: c.now()}
	before, err := c.lists.write(hurried, w)
	var bad error
	t.Outcome, bad = outcomeOf(err)
	if bad != nil {
		return bad
	}
	if w.token != "" && (t.Outcome == check.Unknown || t.Outcome == check.Committed && c.rng.IntN(4) == 0) {
		// Asked again with the same token it is done once, whether the first request took effect or not.
		c.lost(t.Outcome)
		if t.Outcome, bad = c.again(ctx, w, t.Outcome); bad != nil {
			return bad
		}
	}
	t.Return = c.now()
	if t.Outcome == check.Unknown {
		t.Return = check.Never
	}
	t.Ops = opsOf(w, before, t.Outcome)
	c.history = append(c.history, t)
	c.lost(t.Outcome)
	return nil
}

// again repeats a request that has a token. A conflict says nothing of the first request.
func (c *client) again(ctx context.Context, w write, first check.Outcome) (check.Outcome, error) {
	c.repeats++
	_, err := c.lists.write(ctx, w)
	second, bad := outcomeOf(err)
	if second != check.Committed {
		return first, bad
	}
	return check.Committed, bad
}

// opsOf is what a write did: what it is known to have read, and its appends.
func opsOf(w write, before []int32, outcome check.Outcome) (ops []check.Op) {
	for _, p := range w.parts {
		if p.held && outcome == check.Committed {
			ops = append(ops, check.Op{Key: p.key, List: p.was})
		}
		if p.alone && outcome == check.Committed {
			ops = append(ops, check.Op{Key: p.key, List: before})
		}
	}
	for _, p := range w.parts {
		for _, e := range p.add {
			ops = append(ops, check.Op{Key: p.key, Append: true, Element: e})
		}
	}
	return ops
}

// readAll reads every list of the round once all are done, many at a time. It is patient.
func (c *client) readAll(ctx context.Context) error {
	defer func(deadline bool) { c.deadline = deadline }(c.deadline)
	c.deadline = false
	var keys []int32
	for slot := range c.slots {
		for key := int32(slot); key <= c.current(slot, 0)+int32(c.slots); key += int32(c.slots) {
			keys = append(keys, key)
		}
	}
	for some := range slices.Chunk(keys, 25) {
		if read, err := c.read(ctx, some, false); err != nil || read == nil {
			return fmt.Errorf("the last reads had no answer: %w", err)
		}
	}
	return nil
}

// judge checks a history, fails the test if it has a fault, and counts what it was made of.
func judge(t *testing.T, name string, h check.History) *check.Verdict {
	t.Helper()
	v, err := check.Check(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range v.Anomalies {
		t.Errorf("%s: %s: %s", name, a.Class, a.Text)
	}
	return v
}
