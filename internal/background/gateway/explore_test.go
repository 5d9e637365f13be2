// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/explore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// Faults that are planted in the world of leases.
const (
	noFence     = "the store has no fence"
	holdsUntold = "a gateway does not tell which tables it holds"
	earlyTold   = "a gateway tells of a schema that it has not installed"
)

// leaseMS is the lease in the world, and ticksMax the number of times that half of it can pass.
const (
	leaseMS  = 1000
	ticksMax = 4
)

// leases is two gateways over one store: one changes the schema and waits until all have followed, the other writes by
// the schema that it has installed. The clock of the store moves by steps of its own. The writer's never does: it can't
// know that its lease has passed.
type leases struct {
	planted         string
	nowMS           int64
	store           *mem.Store
	changer, writer *Gateway
	changed, agreed bool
	installed       uint64 // by the writer
	txn             kv.Txn // the writer's, under the schema of the generation uses; nil: none
	uses            uint64
	ticks           int
	fault           string
}

// tableHeld is the table that the writer writes to.
const tableHeld = 1

// Refresh installs the newest schema at the writer, which goes on using the one before where it has begun to.
func (w *leases) Refresh(ctx context.Context) (generation uint64, held []uint32, err error) {
	generation, err = Generation(ctx, w.store)
	if err == nil && w.planted != earlyTold {
		w.installed = generation
	}
	if w.txn != nil && w.uses < generation && w.planted != holdsUntold {
		held = []uint32{tableHeld}
	}
	return generation, held, err
}

func newLeases(t *testing.T, planted string) *leases {
	w := &leases{planted: planted, nowMS: 1e12}
	w.store = mem.Open(mem.Options{NowMS: func() int64 { return w.nowMS }})
	open := func(id string, schema func(kv.Store) Schema) *Gateway {
		handle := w.store.Share()
		g := New(Options{Store: handle, Shared: handle, Logger: slog.New(slog.DiscardHandler),
			Settings: Settings{ID: id, Lease: leaseMS * time.Millisecond, Poll: time.Millisecond}})
		g.schema = schema(handle)
		handle.Fence(g.until.Load)
		w.join(t, g)
		if id == "writer" && planted == noFence {
			handle.Fence(nil)
		}
		return g
	}
	w.changer = open("changer", func(store kv.Store) Schema { return followed{store} })
	w.writer = open("writer", func(kv.Store) Schema { return w })
	return w
}

// join takes a lease that this machine's clock does not end.
func (w *leases) join(t *testing.T, g *Gateway) {
	if err := g.join(t.Context()); err != nil && g.joined.Load() {
		t.Fatal(err)
	}
	w.endless(g)
}

func (w *leases) endless(g *Gateway) {
	g.deadline.Store(int64(24 * time.Hour))
	g.mu.Lock()
	g.renewed = time.Now().Add(time.Hour) // renewals are steps of their own
	g.mu.Unlock()
}

// leasesIn returns worlds of one test.
type leasesIn struct {
	*leases
	t *testing.T
}

func (w leasesIn) Steps() []explore.Step {
	steps := []explore.Step{
		{Name: "the changer follows", Do: func() { w.turn(w.changer) }},
		{Name: "the changer renews", Do: func() { w.renew(w.changer) }},
		{Name: "the writer follows", Do: func() { w.turn(w.writer) }},
		{Name: "the writer renews", Do: func() { w.renew(w.writer) }},
	}
	if w.ticks < ticksMax {
		steps = append(steps, explore.Step{Name: "half a lease passes", Do: func() { w.nowMS += leaseMS / 2; w.ticks++ }})
	}
	if !w.changed {
		steps = append(steps, explore.Step{Name: "the schema changes", Do: w.change})
	} else if !w.agreed {
		steps = append(steps, explore.Step{Name: "the changer looks who has followed", Do: w.agree})
	}
	if w.txn == nil {
		return append(steps, explore.Step{Name: "a write begins", Do: w.begin})
	}
	return append(steps, explore.Step{Name: "the write commits", Do: w.commit})
}

func (w leasesIn) turn(g *Gateway) {
	g.turn(w.t.Context())
	w.endless(g)
}

func (w leasesIn) renew(g *Gateway) {
	if !g.joined.Load() {
		return
	}
	if err := g.renew(w.t.Context(), g.Record()); err != nil {
		g.Lost(err)
	}
	w.endless(g)
}

func (w leasesIn) change() {
	err := kv.Update(w.t.Context(), w.changer.Leased(), func(txn kv.Txn) error {
		_, err := Raise(w.t.Context(), txn)
		return err
	})
	w.changed = err == nil
}

func (w leasesIn) agree() {
	behind, err := w.changer.behind(w.t.Context(), 1, tableHeld)
	w.agreed = err == nil && behind == ""
}

func (w leasesIn) begin() {
	txn, err := w.writer.Leased().Begin(w.t.Context())
	if err != nil || !w.writer.joined.Load() {
		return
	}
	w.txn, w.uses = txn, w.installed
}

func (w leasesIn) commit() {
	err := w.txn.Set([]byte("row"), nil)
	if err == nil {
		err = w.txn.Commit(w.t.Context())
	}
	if err == nil && w.agreed && w.uses == 0 {
		w.fault = "a write by the old schema was committed after all had followed the new one"
	}
	w.txn = nil
}

// State tells worlds apart.
func (w leasesIn) State() string {
	text := fmt.Sprint(w.changed, w.agreed, w.installed, w.txn != nil, w.uses, w.ticks)
	for _, g := range []*Gateway{w.changer, w.writer} {
		text += fmt.Sprint(" ", g.joined.Load(), g.until.Load()-w.nowMS, g.Record())
	}
	records, err := Records(w.t.Context(), w.store)
	return fmt.Sprint(text, records, err)
}

func (w leasesIn) Fault() string { return w.fault }

// TestLeaseInAllOrders changes the schema while another gateway writes, in all orders of ten steps: nothing is
// committed by the old schema once all have followed, whatever its clock tells the writer. Each planted fault is found.
func TestLeaseInAllOrders(t *testing.T) {
	for _, planted := range []string{"", noFence, holdsUntold, earlyTold} {
		t.Run(cmp.Or(planted, "as it is"), func(t *testing.T) {
			explore.Expect(t, func() explore.World { return leasesIn{newLeases(t, planted), t} }, 10, planted)
		})
	}
}
