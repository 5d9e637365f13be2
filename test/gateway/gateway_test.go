// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// gatewayCount is the number of gateways at a time.
const gatewayCount = 3

// engine makes handles of one shared store, whose clock jump puts forward.
type engine struct {
	name  string
	open  func(t *testing.T) (handle func() kv.Store, jump func(time.Duration))
	lease time.Duration
}

func engines() []engine {
	return []engine{
		{"mem", func(t *testing.T) (func() kv.Store, func(time.Duration)) {
			var ahead atomic.Int64
			store := mem.Open(mem.Options{NowMS: func() int64 { return time.Now().UnixMilli() + ahead.Load() }})
			t.Cleanup(func() { store.Close() })
			return func() kv.Store { return store.Share() }, func(by time.Duration) { ahead.Add(by.Milliseconds()) }
		}, 250 * time.Millisecond},
		{"tikv", func(t *testing.T) (func() kv.Store, func(time.Duration)) {
			cluster, err := tikvtest.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cluster.Close() })
			return handlesOf(cluster, tikv.Options{}).open(t)
		}, time.Second},
	}
}

// gateway is one of them.
type gateway struct {
	*process
	db *database.DB
}

func openGateway(t *testing.T, e engine, store kv.Store) *gateway {
	t.Helper()
	return openGatewayWith(t, e, store, func(*database.Options) {})
}

// openGatewayWith is openGateway with other options.
func openGatewayWith(t *testing.T, e engine, store kv.Store, edit func(*database.Options)) *gateway {
	t.Helper()
	g := &gateway{process: newProcess(store)}
	options := database.Options{
		Logger: logger(), ExpiryInterval: 20 * time.Millisecond, RebuildInterval: -1,
		Gateway: database.GatewayOptions{Lease: e.lease, Poll: e.lease / 50},
	}
	if admin, ok := store.(kv.Admin); ok {
		options.Admin = admin
	}
	edit(&options)
	var err error
	for range 10 { // faults of a cluster may take longer than a lease
		if g.db, err = database.Open(t.Context(), g.process, options); err == nil || !expected(err) {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.resume()
		g.db.Close()
	})
	return g
}

func logger() *slog.Logger {
	if os.Getenv("WEFT_GATEWAY_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.NewTextHandler(io.Discard, nil))
}

// length is how long a history runs.
const length = 1500 * time.Millisecond

func TestMain(m *testing.M) {
	restore := tikvtest.Quiet()
	code := m.Run()
	restore()
	os.Exit(code)
}

// TestRandom has everything change on all gateways at once while gateways vanish, stand still and join; see run.
func TestRandom(t *testing.T) {
	first := rounds.Seed(t)
	for _, e := range engines() {
		for i := range rounds.Of(t, 1) {
			seed := first + uint64(i)
			t.Run(fmt.Sprint(e.name, "/", seed), func(t *testing.T) {
				t.Logf("WEFT_TEST_SEED=%d", seed)
				begin(t, e, seed).run(length)
			})
		}
	}
}

// scene is one history.
type scene struct {
	t       *testing.T
	engine  engine
	handle  func() kv.Store
	jump    func(time.Duration)
	seed    uint64
	keys    int // of the items that are written
	stop    chan struct{}
	working sync.WaitGroup

	mu       sync.Mutex
	gateways [gatewayCount]*gateway
	counts   map[string]int
}

func begin(t *testing.T, e engine, seed uint64) *scene {
	s := &scene{t: t, engine: e, seed: seed, keys: 300, stop: make(chan struct{}), counts: map[string]int{}}
	s.handle, s.jump = e.open(t)
	for i := range s.gateways {
		s.gateways[i] = openGateway(t, e, s.handle())
	}
	if _, err := s.gateways[0].db.CreateTable(t.Context(), spec()); err != nil {
		t.Fatal(err)
	}
	return s
}

func spec() database.TableSpec {
	return database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number)}
}

// run lets things happen for a while. Then all indexes have the entries of all rows and no other, and nothing is left
// of what was dropped.
func (s *scene) run(d time.Duration) {
	for i := range gatewayCount {
		s.start(10+i, "writes", s.write)
		s.start(20+i, "checks", s.check)
	}
	s.start(30, "changes of the schema", s.change)
	s.start(31, "changes of the schema", s.change)
	s.start(40, "", s.disturb)
	time.Sleep(d)
	close(s.stop)
	s.working.Wait()
	s.finish()
}

// start does something again and again, counting what succeeded.
func (s *scene) start(stream int, name string, do func(context.Context, *rand.Rand) error) {
	rng := rand.New(rand.NewPCG(s.seed, uint64(stream)))
	s.working.Go(func() {
		for {
			select {
			case <-s.stop:
				return
			default:
			}
			ctx, cancel := context.WithTimeout(s.t.Context(), 10*s.engine.lease)
			err := do(ctx, rng)
			cancel()
			if err != nil && !expected(err) {
				s.t.Errorf("%s: %v", name, err)
			}
			s.mu.Lock()
			if err == nil {
				s.counts[name]++
			} else {
				s.counts[name+": "+database.KindOf(err).String()]++
			}
			s.mu.Unlock()
		}
	})
}

// expected reports whether an error is one that happens where gateways vanish and schemas change.
func expected(err error) bool {
	if errors.Is(err, errDead) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	switch database.KindOf(err) {
	case database.KindNotFound, database.KindExists, database.KindBusy, database.KindUnavailable, database.KindClosed,
		database.KindCanceled, database.KindUnknownOutcome, database.KindConflict:
		return true
	}
	return false
}

func (s *scene) gateway(rng *rand.Rand) *gateway {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gateways[rng.IntN(gatewayCount)]
}

func (s *scene) write(ctx context.Context, rng *rand.Rand) error {
	table, err := s.gateway(rng).db.Table("t")
	if err != nil {
		return err
	}
	key := testdoc.Document{"pk": rng.IntN(s.keys)}
	switch rng.IntN(5) {
	case 0:
		return testdoc.Delete(ctx, table, key)
	case 1:
		_, err := testdoc.Update(ctx, table, key, govalue.Attribute(attribute(rng)).Set(fmt.Sprint("c", rng.IntN(7))))
		return err
	case 2:
		_, err := testdoc.Update(ctx, table, key, govalue.Attribute(attribute(rng)).Remove())
		return err
	}
	for range 1 + rng.IntN(4) {
		key[attribute(rng)] = fmt.Sprint("c", rng.IntN(7))
	}
	if rng.IntN(3) == 0 {
		key["at"] = time.Now().Unix() + int64(rng.IntN(4)) - 1
	}
	return testdoc.Put(ctx, table, key)
}

// attribute is one of those with indexes, or one that was perhaps never seen.
func attribute(rng *rand.Rand) string {
	if rng.IntN(6) == 0 {
		return fmt.Sprint("new", rng.IntN(500))
	}
	return fmt.Sprint("a", rng.IntN(4))
}

func (s *scene) change(ctx context.Context, rng *rand.Rand) error {
	db := s.gateway(rng).db
	action := rng.IntN(40)
	if action == 0 {
		return db.TruncateTable(ctx, "", "t", nil)
	}
	if action == 1 {
		return db.DropTable(ctx, "", "t")
	}
	table, err := db.Table("t")
	if database.KindOf(err) == database.KindNotFound && err != nil {
		_, err := db.CreateTable(ctx, spec())
		return err
	}
	if err != nil {
		return err
	}
	name := fmt.Sprint("by", rng.IntN(4))
	switch action {
	case 2, 3, 4, 5, 6, 7, 8, 9, 10, 11:
		return table.DropIndex(ctx, name)
	case 12, 13:
		return table.SetExpiry(ctx, "at")
	case 14, 15:
		return table.SetExpiry(ctx, "")
	}
	return table.AddIndex(ctx, database.IndexSpec{Name: name, Key: database.Columns("a"+name[2:], schema.String)})
}

// check compares all that an index says with the rows, as one gateway sees both.
func (s *scene) check(ctx context.Context, rng *rand.Rand) error {
	g := s.gateway(rng)
	table, err := g.db.Table("t")
	if err != nil {
		return err
	}
	report, err := table.Verify(ctx)
	if err != nil {
		return err
	}
	if len(report.Faults) > 0 {
		s.t.Errorf("on a gateway, while everything goes on: %s", strings.Join(report.Faults, "\n"))
	}
	view, err := g.db.View(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	pinned, err := table.Pin()
	if err != nil {
		return err
	}
	defer pinned.Release()
	i := rng.IntN(4)
	byIndex, err := keys(ctx, view, pinned, database.Query{Index: fmt.Sprint("by", i)})
	if err != nil {
		return err
	}
	byRow, err := keys(ctx, view, pinned, database.Query{Filter: govalue.Attribute(fmt.Sprint("a", i)).Exists()})
	if err == nil && !slices.Equal(byIndex, byRow) {
		s.t.Errorf("the index has %v, the rows are %v", byIndex, byRow)
	}
	return err
}

// keys are those of all items of a query, in order.
func keys(ctx context.Context, view *database.View, p database.Pinned, q database.Query) (found []int64, err error) {
	c, err := view.Query(ctx, p, q)
	if err != nil {
		return nil, err
	}
	for c.Next() {
		key, _ := c.Item().Int("pk")
		found = append(found, key)
	}
	slices.Sort(found)
	return found, c.Close()
}

// disturb lets a gateway vanish or stand still, and another join, or the store's clock run ahead of the gateways', so
// that leases pass of which they believe that they have them.
func (s *scene) disturb(_ context.Context, rng *rand.Rand) error {
	lease := s.engine.lease
	if !s.wait(lease/2 + time.Duration(rng.Int64N(int64(lease)))) {
		return nil
	}
	slot := rng.IntN(gatewayCount)
	g := s.gateways[slot]
	switch rng.IntN(4) {
	case 3:
		s.jump(time.Duration(rng.Int64N(2 * int64(lease))))
	case 0:
		g.kill()
		next := openGateway(s.t, s.engine, s.handle())
		s.mu.Lock()
		s.gateways[slot] = next
		s.mu.Unlock()
	case 1: // beyond its lease
		g.pause()
		s.wait(lease + time.Duration(rng.Int64N(int64(lease))))
		g.resume()
	case 2:
		g.pause()
		s.wait(time.Duration(rng.Int64N(int64(lease))))
		g.resume()
	}
	return nil
}

// wait returns false if the history ends meanwhile.
func (s *scene) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-s.stop:
		return false
	}
}

func (s *scene) finish() {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	s.t.Logf("%v", s.counts)
	for _, g := range s.gateways {
		for g.db.Ready() != nil && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		if err := g.db.WaitJobs(ctx); err != nil {
			s.t.Fatalf("%v; left: %+v", err, g.db.Jobs().List())
		}
	}
	for _, g := range s.gateways {
		table, err := g.db.Table("t")
		if database.KindOf(err) == database.KindNotFound && err != nil {
			continue
		}
		if err != nil {
			s.t.Fatal(err)
		}
		report, err := table.Verify(ctx)
		if err != nil || len(report.Faults) > 0 {
			s.t.Errorf("in the end: %v, %v", report.Faults, err)
		}
	}
	s.leftovers(ctx)
}

// leftovers reports entries of tables and indexes that are no more.
func (s *scene) leftovers(ctx context.Context) {
	db, known := s.gateways[0].db, map[string]bool{}
	if p, err := db.PinIn("", "t"); err == nil {
		id := p.Descriptor().ID
		known[string(keyspace.AppendRows(nil, id, 0))] = true
		for _, x := range p.Descriptor().Indexes {
			known[string(keyspace.AppendRows(nil, id, x.ID))] = true
		}
		p.Release()
	}
	reader, err := s.handle().Read(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reader.Close()
	c := reader.Scan(ctx, kv.Range{Start: []byte{0x20}}, false)
	defer c.Close()
	lost := map[string]int{}
	for c.Next() {
		_, parts, err := keyspace.Parse(c.Key())
		if err != nil {
			s.t.Fatal(err)
		}
		prefix := keyspace.AppendRows(nil, uint32(parts[0].Number), uint32(parts[1].Number))
		if !known[string(prefix)] {
			lost[keyspace.Print(prefix)]++
		}
	}
	if err := c.Close(); err != nil || len(lost) > 0 {
		s.t.Errorf("entries of nothing: %v, %v", lost, err)
	}
}
