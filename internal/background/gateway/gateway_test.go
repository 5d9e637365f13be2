// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// followed is a schema that is installed as soon as it is there.
type followed struct{ store kv.Store }

func (f followed) Refresh(ctx context.Context) (uint64, []uint32, error) {
	generation, err := Generation(ctx, f.store)
	return generation, nil, err
}

// still is a gateway without a goroutine: the test makes its turns.
func still(t *testing.T, store *mem.Store, id string, edit ...func(*Options)) *Gateway {
	t.Helper()
	handle := store.Share()
	o := Options{
		Store: handle, Shared: handle, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Settings: Settings{ID: id, Lease: time.Hour, Poll: time.Millisecond},
	}
	for _, e := range edit {
		e(&o)
	}
	g := New(o, "work")
	g.schema = followed{handle}
	handle.Fence(g.until.Load)
	if err := g.join(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestOwners: work has one owner. Once its lease has passed another takes it over, and a transaction of the old owner
// is refused, even if that has a new lease by then.
func TestOwners(t *testing.T) {
	var now atomic.Int64
	now.Store(1e12)
	store := mem.Open(mem.Options{NowMS: now.Load})
	first, second := still(t, store, "first"), still(t, store, "second")
	if !first.Work("work").Owned() || second.Work("work").Owned() {
		t.Fatal("the first does not own the work alone")
	}
	batch, err := first.Leased().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Work("work").Guard(t.Context(), batch), batch.Set([]byte("x"), nil)); err != nil {
		t.Fatal(err)
	}
	now.Add(time.Hour.Milliseconds() / 2)
	second.turnAt(t)
	if second.Work("work").Owned() {
		t.Fatal("the work was taken from a gateway with a lease")
	}
	now.Add(time.Hour.Milliseconds()/2 + 1)
	second.turnAt(t)
	if !second.Work("work").Owned() {
		t.Fatal("the work of a gateway without lease was not taken over")
	}
	first.Lost(errors.New("it has passed"))
	if first.Ready() == nil || first.Joined() {
		t.Error("a gateway without lease is ready")
	}
	if err := first.join(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first.Work("work").Owned() {
		t.Error("there are two owners")
	}
	if err := batch.Commit(t.Context()); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("the old owner's batch, of its lease before, ends in %v, want ErrFenced", err)
	}
	err = kv.Update(t.Context(), first.Leased(),
		func(txn kv.Txn) error { return first.Work("work").Guard(t.Context(), txn) })
	if !errors.Is(err, ErrNotOwner) {
		t.Errorf("the old owner's next batch ends in %v, want ErrNotOwner", err)
	}
}

// TestGuardedWork: work that is done in guarded transactions alone goes to another gateway seconds after its owner's
// last renewal, though that has its lease still; the owner's transactions are refused from then on.
func TestGuardedWork(t *testing.T) {
	var now atomic.Int64
	now.Store(1e12)
	store := mem.Open(mem.Options{NowMS: now.Load})
	first, second := still(t, store, "first"), still(t, store, "second")
	for _, g := range []*Gateway{first, second} {
		g.GuardedWork("guarded")
		g.lookForWorks(t)
	}
	if err := first.renew(t.Context(), first.Record()); err != nil { // as an owner
		t.Fatal(err)
	}
	now.Add(missedMost*ownerRenewal.Milliseconds() - 1)
	second.turnAt(t)
	if second.Work("guarded").Owned() {
		t.Fatal("the work was taken from a gateway that is there")
	}
	now.Add(1)
	second.turnAt(t)
	if !second.Work("guarded").Owned() || second.Work("work").Owned() {
		t.Fatal("after a missed renewal the second owns not just the guarded work")
	}
	err := kv.Update(t.Context(), first.Leased(),
		func(txn kv.Txn) error { return first.Work("guarded").Guard(t.Context(), txn) })
	if !errors.Is(err, ErrNotOwner) || !first.Joined() {
		t.Errorf("the old owner, joined %t, ends in %v, want ErrNotOwner", first.Joined(), err)
	}
}

// TestIdleOwner: a process that does nothing by itself has what work nobody wants, until another gateway comes.
func TestIdleOwner(t *testing.T) {
	store := mem.Open(mem.Options{})
	idle := still(t, store, "idle", func(o *Options) { o.Idle = true })
	if !idle.Work("work").Owned() {
		t.Fatal("it does not own the work alone")
	}
	other := still(t, store, "other idle", func(o *Options) { o.Idle = true })
	if other.turnAt(t); other.Work("work").Owned() {
		t.Error("an idle gateway has taken the work of another one")
	}
	busy := still(t, store, "busy")
	idle.lookForWorks(t)
	if !busy.Work("work").Owned() || idle.Work("work").Owned() {
		t.Error("the work is with the idle one still")
	}
	if idle.turnAt(t); idle.Work("work").Owned() {
		t.Error("the idle one has taken it back")
	}
}

// TestAllKnow: a feature is known to all as long as no gateway has a lease that lacks it.
func TestAllKnow(t *testing.T) {
	store := mem.Open(mem.Options{})
	vanished := still(t, store, "vanished")
	vanished.Lease = -time.Hour
	if err := vanished.renew(t.Context(), vanished.Record()); err != nil {
		t.Fatal(err)
	}
	knows := func(o *Options) { o.Features = []string{"f", "g"} }
	first := still(t, store, "first", knows)
	still(t, store, "second", knows)
	all := func(feature string) bool {
		known, err := first.AllKnow(t.Context(), feature)
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	if !all("f") || all("x") {
		t.Error("the two don't know what they say")
	}
	still(t, store, "old")
	if all("f") {
		t.Error("a gateway that says nothing knows a feature")
	}
}

// TestRenewalIsTriedAgain: renewals that the store doesn't take cost no lease before its end, and each turn tries
// again.
func TestRenewalIsTriedAgain(t *testing.T) {
	store := mem.Open(mem.Options{})
	g := still(t, store, "first")
	faulty := kvwrap.Faulty(g.Store, kvwrap.FaultyOptions{})
	g.Store = faulty
	before := g.Record().UntilMS
	late := time.Now().Add(-g.Lease / 2)
	for range 3 {
		g.renewed = late
		faulty.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: 1, Err: kv.ErrUnavailable})
		if g.turn(t.Context()); !g.Joined() || g.Record().UntilMS != before || !g.lastRenewal().Equal(late) {
			t.Fatalf("after a renewal that failed: joined %t, %+v", g.Joined(), g.Record())
		}
	}
	if g.turn(t.Context()); !g.lastRenewal().After(late) {
		t.Error("the lease was not renewed when the store took it")
	}
}

// TestIdleTurn: a turn to which nothing has happened reads once, many keys together, and writes nothing.
func TestIdleTurn(t *testing.T) {
	store := mem.Open(mem.Options{})
	first, second := still(t, store, "first"), still(t, store, "second")
	for _, g := range []*Gateway{first, second} {
		g.turn(t.Context()) // it learns who owns what
		faulty := kvwrap.Faulty(g.Store, kvwrap.FaultyOptions{})
		g.Store = faulty
		rings := g.Rings()
		g.turn(t.Context())
		for call, want := range map[kvwrap.Call]int{kvwrap.CallGetMany: 1, kvwrap.CallGet: 0, kvwrap.CallScan: 0,
			kvwrap.CallBegin: 0} {
			if n := faulty.Calls(call); n != want {
				t.Errorf("gateway %s: %d calls of %s, want %d", g.ID, n, call, want)
			}
		}
		if g.Rings() != rings {
			t.Errorf("gateway %s heard a ring", g.ID)
		}
	}
	if err := kv.Update(t.Context(), first.Leased(), Ring); err != nil {
		t.Fatal(err)
	}
	rings := second.Rings()
	if second.turn(t.Context()); second.Rings() != rings+1 {
		t.Error("the second has not heard the first's ring")
	}
}

// TestAwait: a request waits until there is a lease again, and no longer than it may.
func TestAwait(t *testing.T) {
	g := still(t, mem.Open(mem.Options{}), "first")
	g.Await(t.Context())
	g.Lost(errors.New("cut off"))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if g.Await(over); g.Joined() {
		t.Fatal("it is joined")
	}
	joined := make(chan error, 1)
	go func() { joined <- g.join(t.Context()) }()
	if g.Await(t.Context()); !g.Joined() {
		t.Error("the wait ended without a lease")
	}
	if err := <-joined; err != nil {
		t.Error(err)
	}
}

// turnAt renews the lease and looks for work now.
func (g *Gateway) turnAt(t *testing.T) {
	t.Helper()
	if err := g.renew(t.Context(), g.Record()); err != nil {
		t.Fatal(err)
	}
	g.lookForWorks(t)
}

func (g *Gateway) lookForWorks(t *testing.T) {
	t.Helper()
	seen, err := g.look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.notice(&seen)
	g.takeWorks(t.Context(), &seen)
}

// TestFence: beyond its lease a gateway commits nothing, by the store's clock, whatever it believes itself; and it gets
// no new lease on an older schema.
func TestFence(t *testing.T) {
	var now atomic.Int64
	now.Store(1e12)
	store := mem.Open(mem.Options{NowMS: now.Load})
	first, second := still(t, store, "first"), still(t, store, "second")
	set := func(g *Gateway) error {
		return kv.Update(t.Context(), g.Leased(), func(txn kv.Txn) error { return txn.Set([]byte("x"), nil) })
	}
	if err := set(first); err != nil {
		t.Fatal(err)
	}
	now.Add(time.Hour.Milliseconds() / 2)
	second.turnAt(t)
	now.Add(time.Hour.Milliseconds()/2 - 1)
	if err := set(first); err != nil {
		t.Errorf("a millisecond before the end: %v", err)
	}
	now.Add(1)
	if err := set(first); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("at the end: %v", err)
	}
	if err := first.renew(t.Context(), first.Record()); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("the lease was renewed at its end: %v", err)
	}
	// The second changes the schema: it waits for nobody, and removes the record.
	err := kv.Update(t.Context(), second.Leased(),
		func(txn kv.Txn) error { _, err := Raise(t.Context(), txn); return err })
	if err != nil {
		t.Fatal(err)
	}
	second.report(t)
	if err := second.Agree(t.Context(), 1, 0); err != nil {
		t.Fatal(err)
	}
	if records, err := Records(t.Context(), store); err != nil || len(records) != 1 || records[0].ID != "second" {
		t.Errorf("the records are %+v, %v", records, err)
	}
	first.Lost(kv.ErrFenced)
	first.schema = oneBehind{first.schema}
	if err := first.join(t.Context()); !errors.Is(err, errMoved) {
		t.Errorf("a lease on an older schema: %v", err)
	}
	if err := set(first); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("without lease: %v", err)
	}
	first.schema = first.schema.(oneBehind).Schema
	if err := errors.Join(first.join(t.Context()), set(first)); err != nil {
		t.Errorf("with a new lease: %v", err)
	}
}

// report reports the newest generation.
func (g *Gateway) report(t *testing.T) {
	t.Helper()
	record := g.Record()
	var err error
	if record.Generation, record.Held, err = g.schema.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := g.renew(t.Context(), record); err != nil {
		t.Fatal(err)
	}
}

// oneBehind has installed one generation less than there is.
type oneBehind struct{ Schema }

func (b oneBehind) Refresh(ctx context.Context) (uint64, []uint32, error) {
	generation, held, err := b.Schema.Refresh(ctx)
	return generation - 1, held, err
}

// meddled is a store to which something happens before each snapshot.
type meddled struct {
	kv.Store
	meddle func()
}

func (m meddled) Read(ctx context.Context) (kv.Reader, error) {
	m.meddle()
	return m.Store.Read(ctx)
}

// TestJoinMeetsChange: a gateway that takes its lease while the schema changes has none until it has installed the
// change, and conflicts with no other gateway.
func TestJoinMeetsChange(t *testing.T) {
	store := mem.Open(mem.Options{})
	changer, joiner := still(t, store, "changer"), still(t, store, "joiner")
	joiner.Lost(errors.New("cut off"))
	handle := joiner.Store
	recording := kvwrap.Recording(handle)
	joiner.Store = meddled{recording, func() {
		err := kv.Update(t.Context(), changer.Leased(), func(txn kv.Txn) error {
			_, err := Raise(t.Context(), txn)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}}
	if err := joiner.join(t.Context()); !errors.Is(err, errMoved) || joiner.Joined() {
		t.Fatalf("joined %t with %v on a schema that has changed, want errMoved", joiner.Joined(), err)
	}
	if records, err := Records(t.Context(), store); err != nil || len(records) != 2 || records[1].Generation != 0 ||
		records[1].ID != "joiner" {
		t.Errorf("the records are %+v, %v: a change must wait for the joiner", records, err)
	}
	joiner.Store = recording
	if err := joiner.join(t.Context()); err != nil || !joiner.Joined() {
		t.Fatal(err)
	}
	for _, line := range recording.Lines() {
		if strings.Contains(line, "guard") {
			t.Errorf("a gateway that joins guards what others do, too: %s", line)
		}
	}
}
