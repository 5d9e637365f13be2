// SPDX-License-Identifier: Apache-2.0

package heat_test

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/order"
)

// TestConforms: a store that is counted keeps every promise of a store.
func TestConforms(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{
		Open:  func(t *testing.T) kv.Store { return heat.Wrap(mem.Open(mem.Options{}), heat.New(heat.Options{})) },
		Admin: func(s kv.Store) kv.Admin { return s.(kv.Unwrapper).Unwrap().(*mem.Store) },
	})
}

// minute is the first of the tests' times.
const minute = int64(60_000)

// rowKey is the key of a row of table 1, or of an entry of an index.
func rowKey(table, index uint32, id uint64) []byte {
	return order.AppendUint(keyspace.AppendRows(nil, table, index), id)
}

func open(t testing.TB) (*heat.Map, kv.Store) {
	m := heat.New(heat.Options{})
	m.Tick(minute)
	s := heat.Wrap(mem.Open(mem.Options{}), m)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, s
}

func set(t testing.TB, s kv.Store, keys ...[]byte) {
	t.Helper()
	if err := kv.Update(t.Context(), s, func(x kv.Txn) error {
		for _, key := range keys {
			if err := x.Set(key, []byte("value")); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestCounts: requests of every kind are counted, whatever becomes of the buckets meanwhile, by several goroutines.
func TestCounts(t *testing.T) {
	m, s := open(t)
	const rows = 2000
	var group sync.WaitGroup
	for w := range uint32(2) {
		group.Go(func() {
			for i := range uint64(rows) {
				set(t, s, rowKey(1+w, 0, i))
				if i%500 == 499 {
					m.Tick(minute * int64(2+i/500))
				}
			}
		})
	}
	group.Wait()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := r.Scan(t.Context(), kv.Range{}, false)
	steps := 0
	for c.Next() {
		if steps++; steps == rows {
			m.Tick(100 * minute) // new borders, in the middle of a scan
		}
	}
	if err := c.Close(); err != nil || steps != 2*rows {
		t.Fatal(steps, err)
	}
	if _, ok, err := s.Get(t.Context(), rowKey(1, 0, 1), nil); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := r.Get(t.Context(), rowKey(1, 0, rows), nil); ok || err != nil {
		t.Fatal(ok, err)
	}
	m.Tick(101 * minute)
	reads, writes := 0.0, 0.0
	for _, h := range m.Histories() {
		for _, moment := range h.Moments {
			reads, writes = reads+moment.Reads, writes+moment.Writes
		}
	}
	if math.Abs(reads-(2*rows+2)) > 1 || math.Abs(writes-2*rows) > 0.05*2*rows {
		t.Errorf("counted %v reads, %v writes; want %d, %d", reads, writes, 2*rows+2, 2*rows)
	}
}

// TestSample: samples are of keys that were found or written, in the range that is asked for, before and after a column
// ends.
func TestSample(t *testing.T) {
	m, s := open(t)
	for i := range uint64(6000) {
		set(t, s, rowKey(1, 0, 10*i))
		if _, ok, err := s.Get(t.Context(), rowKey(1, 0, 10*i+5), nil); ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	for range 2 {
		found := m.Sample(kv.Range{Start: rowKey(1, 0, 20000), End: rowKey(1, 0, 40000)})
		weight := 0.0
		for _, x := range found {
			id, _, err := order.CutUint(x.Key[len(keyspace.AppendRows(nil, 1, 0)):])
			if err != nil || id < 20000 || id >= 40000 || id%10 != 0 || !x.Write {
				t.Errorf("sampled %x", x.Key)
			}
			weight += x.Weight
		}
		if len(found) < 30 || weight < 1000 || weight > 3000 {
			t.Errorf("%d keys that stand for %v requests, of 2000", len(found), weight)
		}
		m.Tick(2 * minute)
	}
	if r := m.Rates(kv.Range{Start: rowKey(1, 0, 0), End: rowKey(1, 0, 30000)}); r.Writes < 30 || r.Writes > 70 ||
		r.Reads < 30 || r.Reads > 70 {
		t.Errorf("rates of half the keys: %+v; want about 50 each", r)
	}
}

// TestTop: the keys that are read, written, fought over and throttled most stand first, in each column.
func TestTop(t *testing.T) {
	m, s := open(t)
	hot := rowKey(1, 3, 7)
	for i := range uint64(8000) {
		set(t, s, rowKey(1, 3, 1000+i), hot)
	}
	x, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.Get(t.Context(), hot, nil); err != nil {
		t.Fatal(err)
	}
	if err := x.Set(hot, nil); err != nil {
		t.Fatal(err)
	}
	set(t, s, hot)
	if err := x.Commit(t.Context()); !errors.Is(err, kv.ErrConflict) {
		t.Fatal(err)
	}
	for range 3 {
		m.Throttle(hot)
	}
	for range 2 {
		h := m.Histories()
		if len(h) != 1 || h[0].Object != (heat.Object{Table: 1, Index: 3}) {
			t.Fatalf("objects: %+v", h)
		}
		moment := h[0].Moments[0]
		for d, want := range []float64{1, 8002, 1, 3} {
			top := moment.Tops[d]
			if len(top) == 0 || string(top[0].Key) != string(hot) || top[0].Count < want*0.7 ||
				top[0].Count > want*1.3 {
				t.Errorf("direction %d: %v; want %x, %v times", d, top, hot, want)
			}
		}
		m.Tick(2 * minute)
	}
}

func benchStore(b *testing.B) (*heat.Map, []kv.Store, [][]byte) {
	m := heat.New(heat.Options{})
	store := mem.Open(mem.Options{})
	b.Cleanup(func() { _ = store.Close() })
	heated := heat.Wrap(store, m)
	m.Tick(minute)
	keys := make([][]byte, 1024)
	for i := range keys {
		keys[i] = rowKey(uint32(1+i%20), 0, uint64(i)*0x9E3779B97F4A7C15)
	}
	for round := range 8 { // until the buckets are fine
		for range 20 {
			set(b, heated, keys...)
		}
		m.Tick(minute * int64(2+round))
	}
	return m, []kv.Store{store, heated}, keys
}

// BenchmarkOverhead shows what counting adds: each operation without (plain) and with it (heated).
func BenchmarkOverhead(b *testing.B) {
	_, stores, keys := benchStore(b)
	for i, name := range []string{"plain", "heated"} {
		s := stores[i]
		b.Run("Get/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				dst := make([]byte, 0, 64)
				for n := 0; p.Next(); n++ {
					if _, _, err := s.Get(b.Context(), keys[n%len(keys)], dst); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
		b.Run("Set/"+name, func(b *testing.B) {
			b.ReportAllocs()
			x, err := s.Begin(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer x.Rollback()
			for n := 0; b.Loop(); n++ {
				if err := x.Set(keys[n%len(keys)], nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("Next/"+name, func(b *testing.B) {
			b.ReportAllocs()
			r, err := s.Read(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			c := r.Scan(b.Context(), kv.Range{}, false)
			defer c.Close()
			for b.Loop() {
				if !c.Next() {
					c.Seek(keys[0])
				}
			}
		})
	}
}
