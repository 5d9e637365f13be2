// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/advice/heat/diagnosis"
	"github.com/weftdb/weft/internal/advice/heat/workload"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/order"
)

// minutes is for how long a load runs before it is judged: the clock is the test's.
const minutes = 20

// TestEveryLoadGetsItsFinding: each load gets the finding that it was made for, and no other, whatever the seed.
func TestEveryLoadGetsItsFinding(t *testing.T) {
	seeds := rounds.Of(t, 3)
	first := rounds.Seed(t)
	for _, l := range workload.All() {
		t.Run(l.Name, func(t *testing.T) {
			for seed := first; seed != first+uint64(seeds); seed++ {
				found := diagnosis.Diagnose(ran(t, l, seed))
				var kinds []string
				for i := range found {
					kinds = append(kinds, found[i].Kind)
				}
				if got := strings.Join(kinds, " "); got != l.Finding {
					t.Errorf("seed %d: found %q, want %q", seed, got, l.Finding)
				}
			}
		})
	}
}

// ran sends a load to a store that is counted.
func ran(t *testing.T, l workload.Load, seed uint64) *diagnosis.Object {
	t.Helper()
	m := heat.New(heat.Options{})
	s := heat.Wrap(mem.Open(mem.Options{}), m)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	run := l.Start(seed)
	for minute := range minutes {
		m.Tick(int64(minute+1) * 60_000)
		send(t, s, run.Minute(minute))
	}
	m.Tick(int64(minutes+1) * 60_000)
	histories := m.Histories()
	if len(histories) != 1 {
		t.Fatalf("%d objects", len(histories))
	}
	picture, ok := histories[0].Picture(func(heat.Object) (diagnosis.Object, func([]byte) []string, bool) {
		about := diagnosis.Object{Table: l.Name}
		for _, c := range l.Columns {
			about.Key = append(about.Key,
				diagnosis.Column{Name: c.Name, Type: map[bool]string{true: "VARCHAR", false: "BIGINT"}[c.Text]})
		}
		return about, func(key []byte) []string { return decode(t, l, key) }, true
	})
	if !ok {
		t.Fatal("nothing is known")
	}
	return &picture
}

func send(t *testing.T, s kv.Store, requests []workload.Request) {
	t.Helper()
	for len(requests) > 0 {
		n := min(50, len(requests))
		if err := kv.Update(t.Context(), s, func(x kv.Txn) error {
			for _, r := range requests[:n] {
				key := keyspace.AppendRows(nil, 1, 0)
				for _, p := range r.Key {
					if p.Text != "" {
						key = order.AppendBytes(key, []byte(p.Text))
					} else {
						key = order.AppendInt(key, p.Number)
					}
				}
				if !r.Write {
					if _, _, err := x.Get(t.Context(), key, nil); err != nil {
						return err
					}
				} else if err := x.Set(key, []byte("value")); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		requests = requests[n:]
	}
}

func decode(t *testing.T, l workload.Load, key []byte) (parts []string) {
	for _, c := range l.Columns {
		var p workload.Part
		var err error
		if c.Text {
			var text []byte
			text, key, err = order.CutBytes(key, nil)
			p.Text = string(text)
		} else {
			p.Number, key, err = order.CutInt(key)
		}
		if err != nil {
			t.Error(err)
		}
		parts = append(parts, p.String())
	}
	return parts
}
