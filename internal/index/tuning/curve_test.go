// SPDX-License-Identifier: Apache-2.0

package tuning

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/zorder/codec"
)

// rowsOf is a table keyed by the integer n, with rows that also hold x, except where make gives none.
func rowsOf(t *testing.T, count int, make func(n int) value.Value) (*record.Table, kv.Reader) {
	t.Helper()
	part, _, err := keytext.Parse("n", schema.Int)
	if err != nil {
		t.Fatal(err)
	}
	table := record.Compile(&schema.Table{ID: 1, Primary: schema.Index{Key: []schema.KeyPart{part}, PartitionParts: 1}},
		value.NoNames)
	store := teststore.Store(t)
	err = kv.Update(t.Context(), store, func(txn kv.Txn) error {
		var writer record.Writer
		for n := range count {
			var b value.RowBuilder
			if err := b.Set([]byte("n"), value.AppendInt(nil, int64(n))); err != nil {
				return err
			}
			if v := make(n); v != nil {
				if err := b.Set([]byte("x"), v); err != nil {
					return err
				}
			}
			row := b.AppendTo(nil)
			key, err := table.AppendKey(nil, row)
			if err != nil {
				return err
			}
			if err := writer.Write(txn, table, key, nil, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close(); store.Close() })
	return table, reader
}

func partOf(t *testing.T, name string) *schema.KeyPart {
	t.Helper()
	part, _, err := keytext.Parse(name, schema.Binary)
	if err != nil {
		t.Fatal(err)
	}
	return &part
}

// TestSample samples tables below, at and far above the size that is walked through: samples are as large as they
// should be, and even.
func TestSample(t *testing.T) {
	for _, rows := range []int{0, 1, 99, 100, 101, 799, 801, 20_000} {
		table, reader := rowsOf(t, rows, func(n int) value.Value {
			if n%10 == 0 {
				return nil
			}
			return value.AppendInt(nil, int64(n))
		})
		for _, sizeOf := range []func(kv.Range) int64{nil, func(r kv.Range) int64 { return entries(t, reader, r) }} {
			sample, err := TakeSample(t.Context(), reader, table, table.Primary, partOf(t, "zorder(x u32)"), 100,
				sizeOf)
			if err != nil {
				t.Fatal(err)
			}
			if has := rows - (rows+9)/10; len(sample) > 200 || len(sample) < min(has, 80) {
				t.Errorf("%d of %d rows", len(sample), rows)
			}
			c, err := codec.Learn(codec.Attribute{Type: codec.Type{Kind: codec.U32}}, 1, sample.columnIf(0),
				codec.LearnOptions{})
			if rows < 100 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			middle, err := c.Code(codec.Int(int64(rows / 2)))
			if err != nil || middle < 1<<14 || middle > 3<<14 {
				t.Errorf("of %d rows the one in the middle has the code %d, %v", rows, middle, err)
			}
		}
	}
}

// columnIf is column, which needs a row.
func (s Sample) columnIf(i int) []codec.Value {
	if len(s) == 0 {
		return nil
	}
	return s.column(i)
}

func entries(t *testing.T, reader kv.Reader, r kv.Range) (n int64) {
	walk := reader.Scan(t.Context(), r, false)
	for walk.Next() {
		n++
	}
	if err := walk.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLongSeparators learns from texts that differ only late: what is stored stays small, and still parts them.
func TestLongSeparators(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var values []codec.Value
	for range rounds.Of(t, 5000) {
		values = append(values, codec.String(fmt.Sprint(strings.Repeat(string(rune('a'+rng.IntN(26))), 900),
			rng.Uint64())))
	}
	a := codec.Attribute{Name: "x", Type: codec.Type{Kind: codec.UTF8}, Codec: codec.ChoiceQuantile}
	c, err := learnCodec(a, 2, values)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := c.MarshalText()
	if err != nil || len(stored) > storedMost {
		t.Errorf("%d bytes, %v", len(stored), err)
	}
	codes := map[uint64]bool{}
	for i := range values {
		code, err := c.Code(values[i])
		if err != nil {
			t.Fatal(err)
		}
		codes[code] = true
	}
	if len(codes) < min(100, len(values)/10) {
		t.Errorf("%d codes", len(codes))
	}
}

// TestDue tells rows that a codec suits from those that it does not, and those that no codec would suit better.
func TestDue(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	sampleOf := func(n int, draw func() int64) (s Sample) {
		for range n {
			s = append(s, []codec.Value{codec.Int(draw())})
		}
		return s
	}
	even := func() int64 { return rng.Int64N(1000) }
	raw := partOf(t, "zorder(x u32)")
	learned, err := learnPart(raw, sampleOf(10_000, even))
	if err != nil {
		t.Fatal(err)
	}
	few, err := learnPart(raw, sampleOf(learnedValues-1, even))
	if err != nil || few.Curve.IsLearned() {
		t.Errorf("learned from too few, %v", err)
	}
	for _, c := range []struct {
		name   string
		part   *schema.KeyPart
		sample Sample
		want   bool
	}{
		{"raw", raw, sampleOf(1000, even), true},
		{"raw with few values", raw, sampleOf(100, even), false},
		{"declared raw", partOf(t, "zorder(x u32 codec=raw)"), sampleOf(1000, even), false},
		{"the same", &learned, sampleOf(4000, even), false},
		{"beyond", &learned, sampleOf(4000, func() int64 { return 5000 + even() }), true},
		{"narrow", &learned, sampleOf(4000, func() int64 { return rng.Int64N(50) }), true},
		{"truth", partOf(t, "zorder(x bool, y u32 codec=raw)"), truths(1000), false},
	} {
		if due, err := partDue(c.part, c.sample); due != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, due, err)
		}
	}
}

func truths(n int) (s Sample) {
	for i := range n {
		s = append(s, []codec.Value{codec.Bool(i%3 == 0), codec.Int(int64(i))})
	}
	return s
}
