// SPDX-License-Identifier: Apache-2.0

package throttle

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// provisioned is a table with a global index.
func provisioned(id uint32, version uint64, reads, writes int) *schema.Table {
	settings := map[string]json.RawMessage{"dynamodb": json.RawMessage(
		fmt.Sprintf(`{"throughput":{"ReadCapacityUnits":%d,"WriteCapacityUnits":%d}}`, reads, writes))}
	return &schema.Table{ID: id, Version: version, Name: "t", Dialect: settings,
		Indexes: []schema.Index{{ID: 1, Name: "g", Dialect: settings}}}
}

// TestRate: what is admitted over any time is at most the rate of that time, what had gathered before, and one request.
// A request that is refused is admitted once the bucket has filled.
func TestRate(t *testing.T) {
	random, now := rounds.Random(t), time.Unix(0, 0)
	for range rounds.Of(t, 50) {
		rate := 1 + random.IntN(100)
		table := provisioned(1, 1, rate, rate)
		l, begun, taken, largest := New(Options{Now: func() time.Time { return now }}), now, 0.0, 0.0
		for range 300 {
			least := float64(1+random.IntN(4)) / 2
			d := Direction(random.IntN(2))
			if l.Admit(table, "g", d, least, nil) == nil && d == Read {
				cost := least * float64(1+random.IntN(rate))
				l.Take(table, "g", Read, cost)
				taken, largest = taken+cost, max(largest, cost)
			}
			now = now.Add(time.Duration(random.IntN(2000)) * time.Millisecond)
		}
		if most := float64(rate)*(now.Sub(begun)+burst).Seconds() + largest; taken > most {
			t.Fatalf("%g units of at most %g were taken at %d a second", taken, most, rate)
		}
		now = now.Add(time.Hour)
		if list := l.Admit(table, "g", Read, float64(rate*300), nil); list != nil {
			t.Fatalf("after an hour: %+v", list)
		}
	}
}

// TestVersions: a change of a table's throughput counts at once, and requests that still have the descriptor before it
// change nothing back.
func TestVersions(t *testing.T) {
	now := time.Unix(1000, 0)
	l := New(Options{Now: func() time.Time { return now }})
	before, after := provisioned(1, 1, 10, 10), provisioned(1, 2, 0, 10)
	l.Take(before, "", Read, 1e6)
	if l.Admit(before, "", Read, 1, nil) == nil {
		t.Error("a bucket that is empty")
	}
	for _, table := range []*schema.Table{after, before} {
		if list := l.Admit(table, "", Read, 1, nil); list != nil {
			t.Errorf("without a limit: %+v", list)
		}
	}
}

// TestBounds: what is remembered is bounded, however many tables and keys there are.
func TestBounds(t *testing.T) {
	now := time.Unix(1000, 0)
	l := New(Options{Now: func() time.Time { return now }, Keys: true})
	for i := range tablesMax + 10 {
		l.Admit(provisioned(uint32(i+1), 1, 5, 5), "", Read, 1, nil)
	}
	table := provisioned(1, 1, 1e6, 1e6)
	for i := range keysMax + 10 {
		l.Admit(table, "", Write, 1, binary.AppendUvarint(nil, uint64(i)))
	}
	if len(l.tables) > tablesMax || len(l.keys.buckets) > keysMax {
		t.Errorf("%d tables and %d keys are remembered", len(l.tables), len(l.keys.buckets))
	}
}
