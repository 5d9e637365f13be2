// SPDX-License-Identifier: Apache-2.0

// Package gateway lets several processes serve one store at once. Each is a gateway with a record in the store: a
// lease, which says until when it may commit by the cluster's clock, and how far it is with changes of the schema. Who
// changes the schema waits until every gateway has followed, or its lease has passed; work that one gateway does for
// all has an owner, which others follow when its lease has passed.
//
// A gateway whose lease has passed can't commit: the store refuses it. Nor does it read, as far as its own clock can
// tell. It takes a new lease only after it has installed the newest schema and nobody in its process uses an older one.
//
// Knows: gateways' records, leases, owners of work.
// Never: tables, what a change of the schema is, which work there is.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Defaults of Options.
const (
	// what the lease is kept in has failed over by then, and the renewal that met it got through
	leaseDefault = 45 * time.Second
	pollDefault  = 300 * time.Millisecond
)

// A lease is renewed renewals times while it lasts. A renewal that is stuck is given up after an attempts-th of it, and
// tried again at once.
const (
	renewals = 6
	attempts = 4
)

// An owner of work renews its lease more often. A gateway that has missed missedMost renewals is absent: others take
// over what it does in guarded transactions.
const (
	ownerRenewal = 4 * time.Second
	missedMost   = 2
)

// awaitMax is the longest time that a request waits for a lease.
const awaitMax = 20 * time.Second

// Errors of gateways.
var (
	// ErrNoLease: this gateway answers no requests. See Ready.
	ErrNoLease = errors.New("gateway: the lease is lost; the gateway answers no requests until it has a new one")
	// ErrNotOwner: the work belongs to another gateway. Nothing was written.
	ErrNotOwner = errors.New("gateway: the work belongs to another gateway by now")
	// errMoved: the schema was changed meanwhile.
	errMoved = errors.New("gateway: the schema was changed meanwhile")
	// errRemoved: another gateway has removed this one's record, since its lease had passed.
	errRemoved = errors.New("gateway: the lease has passed and the record was removed")
)

// Options configures a Gateway. Store, Shared and Logger are required.
type Options struct {
	Store  kv.Store
	Shared kv.Shared // of Store
	Logger *slog.Logger
	// Idle says that the process does nothing by itself: others take over what work it has. Optional.
	Idle bool
	// Features are the names of those that are used only once all gateways know them; see AllKnow. Optional.
	Features []string
	Settings
}

// Settings are an operator's settings. The zero value works.
type Settings struct {
	// ID names this gateway in records and logs. Default: a new UUID.
	ID string
	// Lease is the time for which the gateway may commit after its last renewal: changes of the schema wait so long for
	// one that vanishes. It is renewed six times as often, and should be longer than the store takes to fail over, or
	// a failure of a part stops the whole. Default: 45 seconds.
	Lease time.Duration
	// Poll is the interval at which the store is asked for changes of the schema and for jobs while there are some, and
	// for half a minute after; otherwise it's a seventh as often. Default: 300 milliseconds.
	Poll time.Duration
}

// Schema is the part of the schema that a gateway has installed.
type Schema interface {
	// Refresh installs what other gateways have changed, and returns the generation that is installed then and the
	// tables of which somebody in this process still uses an older version.
	Refresh(ctx context.Context) (generation uint64, held []uint32, err error)
}

// Gateway is this process among those that share a store. It is safe for concurrent use.
type Gateway struct {
	Options
	schema Schema
	told   time.Time // when the log was last told that there is no lease
	began  time.Time // what local times are measured from, by the monotonic clock
	// stirred is when a change was last seen or made here; it is the goroutine's.
	stirred time.Time

	until    atomic.Int64 // cluster's Unix milliseconds: commits must be stamped before
	deadline atomic.Int64 // nanoseconds after began: reads must have ended before
	ahead    atomic.Int64 // milliseconds that the cluster's clock is ahead of this machine's
	joined   atomic.Bool
	rings    atomic.Uint64
	leases   atomic.Uint64 // that were taken, renewals aside
	underway underway
	// commits is held by each commit while it looks at joined and is under way, so that none of before a new lease goes
	// by that lease.
	commits sync.RWMutex

	mu      sync.Mutex
	record  Record // as last written
	renewed time.Time
	fault   error    // why the lease was lost; nil while there is one
	lost    int64    // how often a lease was lost
	owners  []string // of work, other than this gateway
	heard   look
	works   []*Work

	nudge  chan struct{}
	cancel context.CancelFunc
	ended  chan struct{}
}

// New makes a gateway that has yet to join. It takes the works of these names that nobody else has.
func New(o Options, works ...string) *Gateway {
	o.ID = cmp.Or(o.ID, uuid.NewString())
	o.Lease, o.Poll = cmp.Or(o.Lease, leaseDefault), cmp.Or(o.Poll, pollDefault)
	// lint:clock leases need a real one
	g := &Gateway{Options: o, began: time.Now(), nudge: make(chan struct{}, 1), ended: make(chan struct{})}
	for _, name := range works {
		g.Work(name)
	}
	return g
}

// Join takes the first lease and keeps it renewed until Close. Until then the store commits under a lease alone.
func (g *Gateway) Join(ctx context.Context, schema Schema) error {
	g.schema = schema
	g.Shared.Fence(g.until.Load)
	for {
		err := g.join(ctx)
		if err == nil {
			break
		}
		if !errors.Is(err, errMoved) && !errors.Is(err, kv.ErrConflict) {
			return err
		}
		if err := rest(ctx, g.step()); err != nil {
			return err
		}
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	g.cancel = cancel
	go g.run(life)
	return nil
}

// Close gives the lease back, and all work, so that others need not wait. Nothing is committed later. A nil Gateway has
// nothing to give.
func (g *Gateway) Close() {
	if g == nil || g.cancel == nil {
		return
	}
	g.cancel()
	<-g.ended
	joined := g.joined.Swap(false)
	g.barrier()
	defer g.Shared.Fence(nil) // what goes by this gateway is refused without it
	if !joined {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(g.Lease, 5*time.Second))
	defer cancel()
	if err := kv.Update(ctx, g.Store, func(txn kv.Txn) error { return g.giveBack(ctx, txn) }); err != nil {
		g.Logger.Warn("failed to release the gateway's lease; other gateways wait until it expires", "gateway", g.ID,
			"error", err)
	}
}

func (g *Gateway) giveBack(ctx context.Context, txn kv.Txn) error {
	for _, w := range g.allWorks() {
		if owner, _, err := txn.Get(ctx, w.key, nil); err != nil || string(owner) != g.ID {
			if err != nil {
				return err
			}
			continue
		}
		if err := txn.Delete(w.key); err != nil {
			return err
		}
	}
	return txn.Delete(keyspace.AppendGateway(nil, g.ID))
}

// barrier returns when no commit is under way that began while there was a lease.
func (g *Gateway) barrier() {
	g.commits.Lock()
	defer g.commits.Unlock()
}

// Joined reports whether there is a lease, as far as is known here.
func (g *Gateway) Joined() bool { return g.joined.Load() && !g.late() }

// Ready returns nil if there is a lease, else why not. Errors: ErrNoLease.
func (g *Gateway) Ready() error {
	if g.Joined() {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault != nil {
		return fmt.Errorf("%w: %w", ErrNoLease, g.fault)
	}
	return ErrNoLease
}

// Await returns once there is a lease, or ctx ends, or it is not to be expected soon. Where there is one, as a rule, it
// costs nothing.
func (g *Gateway) Await(ctx context.Context) {
	if g.Joined() {
		return
	}
	within, cancel := context.WithTimeout(ctx, awaitMax)
	defer cancel()
	for !g.Joined() && rest(within, g.step()) == nil {
	}
}

// late reports whether the lease has passed by this machine's clock, which began to measure before the cluster's did.
func (g *Gateway) late() bool { return int64(time.Since(g.began)) >= g.deadline.Load() }

// Now is the cluster's time, as far as it is known without a request.
func (g *Gateway) Now() time.Time {
	return time.Now().Add(time.Duration(g.ahead.Load()) * time.Millisecond) // lint:clock corrected by the cluster's
}

// Nudge makes the gateway look for changes of the schema now, and tell others how far it is.
func (g *Gateway) Nudge() {
	select {
	case g.nudge <- struct{}{}:
	default:
	}
}

func (g *Gateway) run(life context.Context) {
	defer close(g.ended)
	for life.Err() == nil {
		select {
		case <-g.nudge:
			g.stirred = time.Now() // lint:clock pauses are of real time
		case <-time.After(g.pause()):
		case <-life.Done():
			return
		}
		g.turn(life)
	}
}

// turn renews the lease if it is time to, follows the schema, and says so.
func (g *Gateway) turn(life context.Context) {
	ctx, cancel := context.WithTimeout(life, g.Lease/attempts)
	defer cancel()
	if !g.joined.Load() {
		if err := g.join(ctx); err != nil && life.Err() == nil && time.Since(g.told) > g.Lease {
			g.told = time.Now() // lint:clock for the log
			g.Logger.Warn("the gateway has no lease and answers no requests; it keeps trying", "gateway", g.ID, "error",
				err)
		}
		return
	}
	seen, err := g.look(ctx)
	record, err := g.follow(ctx, &seen, err)
	if due := time.Since(g.lastRenewal()) >= g.interval(); !errors.Is(err, errRemoved) &&
		(due || !record.equal(g.Record())) {
		err = g.renew(ctx, record)
	}
	if err == nil {
		g.takeWorks(ctx, &seen)
	}
	if err != nil && life.Err() == nil && (g.late() || errors.Is(err, kv.ErrFenced) || errors.Is(err, errRemoved)) {
		g.Lost(err)
	}
}

// follow installs what others have changed, if a look came to something, and returns the record to write.
func (g *Gateway) follow(ctx context.Context, seen *look, err error) (Record, error) {
	record := g.Record()
	switch {
	case err != nil:
		return record, err
	case !seen.there:
		return record, errRemoved
	}
	if g.notice(seen) {
		g.stirred = time.Now() // lint:clock pauses are of real time
	}
	if seen.generation == record.Generation && len(record.Held) == 0 {
		return record, nil
	}
	generation, held, err := g.schema.Refresh(ctx)
	if err == nil {
		record.Generation, record.Held = generation, held
	}
	return record, err
}

// interval is the time between two renewals.
func (g *Gateway) interval() time.Duration {
	most := g.Lease / renewals
	if slices.ContainsFunc(g.allWorks(), (*Work).Owned) {
		return min(most, max(ownerRenewal, 2*g.idlePause()))
	}
	return most
}

// step is a short pause.
func (g *Gateway) step() time.Duration { return max(g.Poll/8, time.Millisecond) }

// renew writes the record with a lease that begins now. It needs no look at the record that is there: others remove one
// whose lease has passed, and after that the fence lets nothing be committed by it.
func (g *Gateway) renew(ctx context.Context, record Record) error {
	return g.lease(ctx, record, false)
}

// join takes a lease on the newest schema.
func (g *Gateway) join(ctx context.Context) error {
	g.barrier()
	generation, held, err := g.schema.Refresh(ctx)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		return errMoved // requests of the lease before still use it: they end soon, since they are refused everything
	}
	if err := g.lease(ctx, Record{ID: g.ID, Generation: generation}, true); err != nil {
		return err
	}
	// A change of the schema sees the record, or this look sees the change. Many gateways that start at once don't
	// conflict, as they would if each guarded the generation.
	seen, err := g.look(ctx)
	if err == nil && seen.generation != generation {
		err = errMoved
	}
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.fault = nil
	g.mu.Unlock()
	g.leases.Add(1)
	g.joined.Store(true)
	g.notice(&seen)
	g.takeWorks(ctx, &seen)
	g.Logger.Info("the gateway has its lease", "gateway", g.ID, "lease", g.Lease, "generation", generation)
	return nil
}

// lease writes the record. early lets it commit by the new lease, since there is none: all other commits are refused
// meanwhile.
func (g *Gateway) lease(ctx context.Context, record Record, early bool) error {
	began := time.Now() // lint:clock the lease is measured from before the cluster's clock is read
	now, err := g.Shared.NowMS(ctx)
	if err != nil {
		return err
	}
	g.ahead.Store(now - began.UnixMilli())
	record.UntilMS = now + g.Lease.Milliseconds()
	record.AbsentMS, record.Idle = now+missedMost*g.interval().Milliseconds(), g.Idle
	record.OldestMS = g.underway.see(now)
	record.Features = g.Features
	before := g.until.Load()
	if early {
		g.until.Store(record.UntilMS)
	}
	key := keyspace.AppendGateway(nil, g.ID)
	err = kv.Update(ctx, g.Store, func(txn kv.Txn) error { return txn.Set(key, record.encode()) })
	if err != nil {
		if early {
			g.until.Store(before)
		}
		return err
	}
	g.until.Store(record.UntilMS)
	g.deadline.Store(int64(began.Add(g.Lease).Sub(g.began)))
	g.mu.Lock()
	g.record, g.renewed = record, began
	g.mu.Unlock()
	return nil
}

// Lost gives up the lease: the gateway answers nothing until it has a new one.
func (g *Gateway) Lost(err error) {
	if !g.joined.Swap(false) {
		return
	}
	g.mu.Lock()
	g.fault = err
	g.lost++
	works := g.works
	g.mu.Unlock()
	for _, w := range works {
		w.owned.Store(false)
	}
	g.Logger.Error("the gateway lost its lease: it answers no requests until it has a new one", "gateway", g.ID,
		"error", err)
	g.Nudge()
}

// Record returns the record as last written.
func (g *Gateway) Record() Record {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.record
}

func (g *Gateway) lastRenewal() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.renewed
}

// generationWord is the entry of the map that counts changes of the schema.
const generationWord = "generation"

// getter is a store or a snapshot of one.
type getter interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

// Generation reads how often the schema was changed.
func Generation(ctx context.Context, from getter) (uint64, error) {
	stored, ok, err := from.Get(ctx, keyspace.AppendMeta(nil, generationWord), nil)
	if err != nil || !ok {
		return 0, err
	}
	generation, _, err := order.CutUvarint(stored)
	return generation, err
}

// Raise counts a change of the schema within the transaction that makes it. It conflicts with all other changes.
func Raise(ctx context.Context, txn kv.Txn) (generation uint64, err error) {
	if generation, err = Generation(ctx, txn); err != nil {
		return 0, err
	}
	return generation + 1, txn.Set(keyspace.AppendMeta(nil, generationWord), order.AppendUvarint(nil, generation+1))
}

func rest(ctx context.Context, pause time.Duration) error {
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
