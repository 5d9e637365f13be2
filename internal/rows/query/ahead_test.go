// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
)

// indexed is a table of n rows with an index that lacks all columns but its own.
func indexed(t *testing.T, rng *rand.Rand, n int) (*record.Table, kv.Reader) {
	t.Helper()
	table := byM(t)
	var rows []value.Row
	for i := range n {
		rows = append(rows, rowWith(t, map[string]value.Value{"n": value.AppendInt(nil, int64(i)),
			"m": value.AppendInt(nil, rng.Int64N(50)), "x": value.AppendInt(nil, rng.Int64N(4))}))
	}
	return table, stored(t, table, rows)
}

// TestReadAhead walks random pages of an index and reads rows back, one by one and many together: after each row, both
// stand at the same entry and have counted the same.
func TestReadAhead(t *testing.T) {
	rng := rand.New(rand.NewPCG(rounds.Seed(t), 1))
	table, reader := indexed(t, rng, 700)
	index, _ := table.Index("by_m")
	for round := range 60 {
		scan := Scan{Table: table, Index: index, Fetch: true, Reverse: rng.IntN(2) == 0, First: rng.IntN(3) * 9,
			Path: indexkey.Scan{Spans: []indexkey.Span{{End: keyOf(10)}, {Start: keyOf(12), End: keyOf(13)},
				{Start: keyOf(20)}}}}
		if rng.IntN(2) == 0 {
			scan.ExaminedMax = 1 + rng.IntN(90)
		}
		if rng.IntN(2) == 0 {
			scan.BytesMax = 1 + rng.IntN(3000)
		}
		if rng.IntN(2) == 0 {
			scan.Filter = &expr.Compare{A: &expr.Path{Name: "x"}, B: &expr.Literal{Value: value.AppendInt(nil, 1)}}
		}
		for page := 0; ; page++ {
			last, more := samePage(t, scan, reader, fmt.Sprintf("round %d, page %d", round, page))
			if !more {
				break
			}
			scan.After = last
		}
	}
}

// TestReadAheadOfKeys walks spans that are whole keys, some of which are not there, and others.
func TestReadAheadOfKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(rounds.Seed(t), 2))
	held := randomNumbers(rng)
	table, reader := numbers(t, held)
	for round := range 60 {
		var spans []indexkey.Span
		for n := rng.Int64N(30); n < 3000 && len(spans) < 1+rng.IntN(400); n += 1 + rng.Int64N(20) {
			span := indexkey.Span{Start: keyOf(n)}
			if rng.IntN(50) == 0 {
				n += 3
			}
			span.End = keyOf(n + 1)
			spans = append(spans, span)
		}
		scan := Scan{Table: table, Index: table.Primary, Keys: true, Reverse: rng.IntN(2) == 0,
			ExaminedMax: rng.IntN(3) * 40, Path: indexkey.Scan{Spans: spans}}
		for more := true; more; {
			scan.After, more = samePage(t, scan, reader, fmt.Sprintf("round %d", round))
		}
	}
}

// TestReadAheadOfCells walks an index of a table with rules of cells, whose entries may lead to no row, or to one that
// has left them.
func TestReadAheadOfCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(rounds.Seed(t), 3))
	table := byM(t)
	table.Cells = &cell.Rules{Versions: 2}
	index, _ := table.Index("by_m")
	bare := record.Compile(&schema.Table{ID: 1, Primary: schema.Index{Key: intKey(t, "n"), PartitionParts: 1}},
		value.NoNames)
	reader := storedBy(t, func(txn kv.Txn) error {
		var before, after []value.Row
		for i := range 700 {
			n, m := value.AppendInt(nil, int64(i)), rng.Int64N(50)
			before = append(before, rowWith(t, map[string]value.Value{"n": n, "m": value.AppendInt(nil, m)}))
			if rng.IntN(8) > 0 {
				after = append(after, rowWith(t, map[string]value.Value{"n": n,
					"m": value.AppendInt(nil, m+rng.Int64N(5)/4)}))
			}
		}
		if err := writeRows(txn, table, before); err != nil {
			return err
		}
		for _, row := range before {
			key, err := table.AppendKey(nil, row)
			if err = errors.Join(err, txn.Delete(key)); err != nil {
				return err
			}
		}
		return writeRows(txn, bare, after)
	})
	for round := range 60 {
		scan := Scan{Table: table, Index: index, NowMS: 1, Fetch: rng.IntN(2) == 0, Reverse: rng.IntN(2) == 0,
			ExaminedMax: rng.IntN(3) * 40, BytesMax: rng.IntN(2) * 2000,
			Path: indexkey.Scan{Spans: []indexkey.Span{{End: keyOf(20)}, {Start: keyOf(22)}}}}
		if rng.IntN(2) == 0 {
			scan.Path.Skip, scan.Path.SkipBack = multiples(1 + rng.Int64N(20))
		}
		for more := true; more; {
			scan.After, more = samePage(t, scan, reader, fmt.Sprintf("round %d", round))
		}
	}
}

// samePage reads a page in both ways, and returns where it ends.
func samePage(t *testing.T, scan Scan, reader kv.Reader, where string) (last []byte, more bool) {
	t.Helper()
	one := scan.Open(t.Context(), reader)
	scan.ReadAhead = true
	many := scan.Open(t.Context(), reader)
	for one.Next() {
		if !many.Next() || !bytes.Equal(one.Row(), many.Row()) || !bytes.Equal(one.Last(), many.Last()) ||
			one.Counts != many.Counts {
			t.Fatalf("%s: read ahead, the row is %x at %x, %+v; want %x at %x, %+v", where, many.Row(), many.Last(),
				many.Counts, one.Row(), one.Last(), one.Counts)
		}
	}
	if many.Next() || one.More() != many.More() || !bytes.Equal(one.Last(), many.Last()) || one.Counts != many.Counts {
		t.Fatalf("%s: read ahead, it ends at %x, %t, %+v; want %x, %t, %+v", where, many.Last(), many.More(),
			many.Counts, one.Last(), one.More(), one.Counts)
	}
	last, more = slices.Clone(one.Last()), one.More()
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if err := many.Close(); err != nil {
		t.Fatal(err)
	}
	return last, more
}
