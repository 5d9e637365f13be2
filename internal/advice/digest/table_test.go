// SPDX-License-Identifier: Apache-2.0

package digest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"
)

// add counts a statement as sessions do.
func add(t *Table, fingerprint, text string, c Cost) {
	id, now := t.ID(SQL, "d", []byte(fingerprint)), time.Unix(100, 0)
	e := t.Find(id)
	if e == nil {
		e = t.Note(id, SQL, "d", []byte(text), now)
	}
	e.Add(&c, now)
}

func TestDigests(t *testing.T) {
	table := New()
	add(table, "a1", "a", Cost{Took: 2, Waited: 1, Examined: 10, Failed: true})
	add(table, "a2", "a", Cost{Took: 3, Returned: 4})
	add(table, "b", "b", Cost{Took: 9})
	list := table.Digests()
	if len(list) != 2 || list[0].Text != "b" || list[1].Text != "a" {
		t.Fatalf("%+v", list)
	}
	if a := list[1]; a.Count != 2 || a.Failed != 1 || a.Took != 5 || a.Max != 3 || a.Waited != 1 || a.Examined != 10 ||
		a.Returned != 4 || a.Database != "d" {
		t.Errorf("%+v", a)
	}
}

// TestAdd: statements of one text in two languages are two, and of a long text the beginning counts.
func TestAdd(t *testing.T) {
	table, text := New(), []byte("Scan t")
	for range 2 {
		table.Add(DynamoDB, "d", text, &Cost{Took: 5}, time.Unix(100, 0))
	}
	table.Add(HBase, "d", text, &Cost{Took: 4}, time.Unix(100, 0))
	for i := range 3 {
		table.Add(HBase, "d", fmt.Appendf(bytes.Repeat([]byte("é"), TextMax/2), "%d", i), &Cost{Took: 1},
			time.Unix(100, 0))
	}
	text[0] = 's'
	list := table.Digests()
	if len(list) != 3 || list[0].API != DynamoDB || list[0].Text != "Scan t" || list[0].Count != 2 ||
		list[1].API != HBase || list[2].Count != 3 {
		t.Errorf("%+v", list)
	}
}

// TestBounds: the dear ones stay, whatever else comes, and no more than the bounds are kept.
func TestBounds(t *testing.T) {
	table := New()
	add(table, "dear", "dear", Cost{Took: time.Hour})
	for i := range 3 * knownMax {
		one := fmt.Sprint(i)
		add(table, one, one, Cost{Took: time.Duration(i)})
	}
	if list := table.Digests(); len(list) != entriesMax || list[0].Text != "dear" {
		t.Errorf("%d entries, the first is %+v", len(list), list[0])
	}
	for i := range slowMax + 5 {
		table.KeepSlow(&Statement{Session: uint32(i)})
	}
	if list := table.Slow(); len(list) != slowMax || list[0].Session != slowMax+4 || list[slowMax-1].Session != 5 {
		t.Errorf("%d slow ones, from %d to %d", len(list), list[0].Session, list[len(list)-1].Session)
	}
}

func TestConcurrently(t *testing.T) {
	table := New()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 2 * entriesMax {
				add(table, fmt.Sprint(i), fmt.Sprint(i%7), Cost{Took: 1})
				if i%100 == 0 {
					table.Digests()
				}
			}
		})
	}
	group.Wait()
	sum := int64(0)
	for _, d := range table.Digests() {
		sum += d.Count
	}
	if sum != 4*2*entriesMax {
		t.Errorf("%d were counted", sum)
	}
}

// TestFind: fingerprints are found without their texts, all but a few of them, and one that is not found is noted
// again.
func TestFind(t *testing.T) {
	table, missing := New(), 0
	for i := range entriesMax {
		add(table, fmt.Sprint(i), fmt.Sprint(i), Cost{Took: 1})
	}
	for i := range entriesMax {
		if table.Find(table.ID(SQL, "d", fmt.Append(nil, i))) == nil {
			missing++
		}
	}
	if missing > entriesMax/50 {
		t.Errorf("%d of %d are not found", missing, entriesMax)
	}
	if a, b := table.ID(SQL, "d", []byte("x")), table.ID(HBase, "d", []byte("x")); a == b ||
		a == table.ID(SQL, "x", []byte("d")) {
		t.Error("statements of two languages, or of two databases, have one fingerprint")
	}
}

func BenchmarkAdd(b *testing.B) {
	table, text, now := New(), []byte("GetItem users"), time.Now()
	b.ReportAllocs()
	for b.Loop() {
		table.Add(DynamoDB, "default", text, &Cost{Took: 1}, now)
	}
}
