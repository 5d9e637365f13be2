// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
)

// placed is a table whose index has another order than its key. Row n has m = places[n] and a text, which is long now
// and then.
func placed(t *testing.T, places []int) (*record.Table, kv.Reader) {
	t.Helper()
	table := byM(t)
	var rows []value.Row
	for n, m := range places {
		rows = append(rows, rowWith(t, map[string]value.Value{"n": value.AppendInt(nil, int64(n)),
			"m": value.AppendInt(nil, int64(m)), "v": value.AppendString(nil, []byte(textOf(n)))}))
	}
	return table, stored(t, table, rows)
}

func textOf(n int) string {
	if n%7 == 0 {
		return strings.Repeat("long ", 30_000)
	}
	return "short"
}

// TestFetched reads rows back through an index, in the order of the index, in reverse and in any order, and from each
// row on again: they are those that the spans hold.
func TestFetched(t *testing.T) {
	random := rounds.Random(t)
	for range rounds.Of(t, 4) {
		places := random.Perm(160)
		table, reader := placed(t, places)
		index, ok := table.IndexByID(1)
		if !ok {
			t.Fatal("the index is not there")
		}
		spans := []indexkey.Span{{End: keyOf(3)}, {Start: keyOf(10), End: keyOf(11)}, {Start: keyOf(20),
			End: keyOf(20)}, {Start: keyOf(30), End: keyOf(150)}}
		var want []int64
		for n, m := range places {
			if m < 3 || m == 10 || m >= 30 && m < 150 {
				want = append(want, int64(n))
			}
		}
		slices.SortFunc(want, func(a, b int64) int { return places[a] - places[b] })
		for _, reverse := range []bool{false, true} {
			for _, limit := range []int{0, 1, 5, 1000} {
				scan := Scan{Table: table, Index: index, Reverse: reverse, Fetch: true, First: limit,
					Path: indexkey.Scan{Spans: spans}}
				got := fetched(t, scan, reader)
				if !slices.Equal(got, want) {
					t.Fatalf("reverse %v, limit %d of %v:\n got %v\nwant %v", reverse, limit, places, got, want)
				}
				scan.AnyOrder = true
				if got = fetched(t, scan, reader); !slices.Equal(slices.Sorted(slices.Values(got)),
					slices.Sorted(slices.Values(want))) {
					t.Fatalf("in any order, reverse %v, limit %d of %v:\n got %v\nwant %v", reverse, limit, places, got, want)
				}
			}
			slices.Reverse(want)
		}
	}
}

// fetched walks a scan; one in order begins again behind every third row.
func fetched(t *testing.T, scan Scan, reader kv.Reader) (got []int64) {
	t.Helper()
	for more := true; more; {
		more = false
		c := scan.Open(t.Context(), reader)
		for !more && c.Next() {
			n, _ := one(c.Row().Get(value.NoNames, []byte("n"))).Int()
			text := one(c.Row().Get(value.NoNames, []byte("v"))).Bytes()
			if string(text) != textOf(int(n)) {
				t.Fatalf("row %d has a text of %d bytes", n, len(text))
			}
			got = append(got, n)
			more = !scan.AnyOrder && len(got)%3 == 0
		}
		scan.After = bytes.Clone(c.Last())
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

func one[T, U any](v T, _ U) T { return v }

// TestFetchedMissing finds an entry whose row is gone: the walk says so when it gets there.
func TestFetchedMissing(t *testing.T) {
	table, reader := placed(t, []int{2, 1, 0})
	index, _ := table.IndexByID(1)
	gone, err := table.AppendKey(nil, rowOf(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	scan := Scan{Table: table, Index: index, Fetch: true, Path: indexkey.Scan{Spans: []indexkey.Span{{}}}}
	c := scan.Open(t.Context(), without{reader, string(gone)})
	if !c.Next() || c.Next() {
		t.Error("want the row before the missing one, and no other")
	}
	if err := c.Close(); err == nil || !strings.Contains(err.Error(), "the index is damaged") {
		t.Errorf("the error is %v", err)
	}
}

// without hides a key from look-ups.
type without struct {
	kv.Snapshot
	key string
}

func (w without) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if string(key) == w.key {
		return dst, false, nil
	}
	return w.Snapshot.Get(ctx, key, dst)
}

func (w without) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	return w.Snapshot.GetMany(ctx, keys, func(i int, value []byte, ok bool) error {
		return found(i, value, ok && string(keys[i]) != w.key)
	})
}
