// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

func FuzzPosition(f *testing.F) {
	f.Add(Position{Stamp: 1 << 40, Key: []byte("row"), N: 3}.Append(nil))
	f.Add([]byte{0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePosition(b)
		if err != nil {
			if !errors.Is(err, ErrEntry) {
				t.Fatal(err)
			}
			return
		}
		again, err := ParsePosition(p.Append(nil))
		if err != nil || again.Before(p) || p.Before(again) || again.N != p.N {
			t.Fatalf("%v, %v, %v", p, again, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add((&Entry{WasThere: true, IsThere: true, Old: value.Row("old"), New: value.Row("new"), Origin: 7}).Append(nil))
	f.Add((&Entry{IsThere: true, Keys: value.Row("k")}).Append(nil))
	f.Add((&Entry{WasThere: true, sum: 5, ByExpiry: true}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Parse(b)
		if err != nil {
			if !errors.Is(err, ErrEntry) {
				t.Fatal(err)
			}
			return
		}
		again, err := Parse(e.Append(nil))
		if err != nil || !bytes.Equal(again.Old, e.Old) || !bytes.Equal(again.New, e.New) ||
			!bytes.Equal(again.Keys, e.Keys) || again.Origin != e.Origin ||
			again.WasThere != e.WasThere || again.IsThere != e.IsThere || again.ByExpiry != e.ByExpiry {
			t.Fatalf("%+v reads back as %+v, %v", e, again, err)
		}
	})
}

// TestOneChangeOfARow checks that what a transaction does to a row, however often, is one change, and none if the row
// is in the end what it was.
func TestOneChangeOfARow(t *testing.T) {
	a, b, c := value.Row("a"), value.Row("b"), value.Row("c")
	for _, test := range []struct {
		name   string
		images schema.Images
		writes []Change
		want   *Entry
	}{
		{"once", schema.NewImage, []Change{{New: a}}, &Entry{IsThere: true, New: a}},
		{"added and changed", schema.NewImage | schema.OldImage, []Change{{New: a}, {Old: a, New: b}},
			&Entry{IsThere: true, New: b}},
		{"added and deleted", schema.NewImage, []Change{{New: a}, {Old: a}}, nil},
		{"changed twice", schema.NewImage | schema.OldImage, []Change{{Old: a, New: b}, {Old: b, New: c}},
			&Entry{WasThere: true, IsThere: true, Old: a, New: c}},
		{"changed back", schema.OldImage, []Change{{Old: a, New: b}, {Old: b, New: a}}, nil},
		{"changed back, without what was", 0, []Change{{Old: a, New: b, Keys: a}, {Old: b, New: a, Keys: a}}, nil},
		{"deleted and added", schema.NewImage, []Change{{Old: a}, {New: b}},
			&Entry{WasThere: true, IsThere: true, New: b}},
		{"deleted and added as it was", schema.NewImage, []Change{{Old: a, Keys: a}, {New: a}}, nil},
		{"changed back and again", 0, []Change{{Old: a, New: b, Keys: a}, {Old: b, New: a, Keys: a},
			{Old: a, New: c, Keys: a}}, &Entry{WasThere: true, IsThere: true, Keys: a}},
	} {
		store, book := mem.Open(mem.Options{}), Book{Table: 1, Images: test.images}
		err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
			for _, change := range test.writes {
				change.Key = []byte("row")
				if err := book.Write(txn, &change); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		found := all(t, store, Bucket{Table: 1})
		switch {
		case test.want == nil && len(found) == 0:
		case test.want == nil || len(found) != 1:
			t.Errorf("%s: %d changes", test.name, len(found))
		default:
			test.want.sum = found[0].sum
			if got := found[0].Append(nil); !bytes.Equal(got, test.want.Append(nil)) {
				t.Errorf("%s: %+v, want %+v", test.name, found[0], test.want)
			}
		}
	}
}

// all are the entries of a bucket.
func all(t *testing.T, store kv.Store, b Bucket) (list []Entry) {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cursor := b.Scan(t.Context(), reader, Position{}, 0, false)
	for cursor.Next() {
		e, err := Parse(cursor.Entry().Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSequencer moves changes of several tables and rows, whose transactions began in another order than they come in,
// and checks that each is moved once, with those of a row in their order.
func TestSequencer(t *testing.T) {
	store, ctx := mem.Open(mem.Options{}), t.Context()
	now := int64(1_000_000)
	s := &Sequencer{Store: store, NowMS: func(context.Context) (int64, error) { return now, nil }}
	wait := func(table uint32, row string, stamp uint64, new string) {
		key := keyspace.AppendOutbox(nil, table, BucketOf([]byte(row)))
		key = append(append(key, 0, 0, 0, 0, 0, 0, 0, byte(stamp)), row...)
		e := Entry{IsThere: true, New: value.Row(new)}
		if err := kv.Update(ctx, store, func(txn kv.Txn) error { return txn.Set(key, e.Append(nil)) }); err != nil {
			t.Fatal(err)
		}
	}
	step := func(want int) {
		t.Helper()
		if moved, err := s.Step(ctx); err != nil || moved != want {
			t.Fatalf("%d moved, %v, want %d", moved, err, want)
		}
	}
	wait(1, "a", 9, "a1")
	wait(1, "b", 12, "b1")
	wait(2, "a", 12, "other")
	step(3)
	wait(1, "c", 5, "c1") // it began before, and was committed later
	wait(1, "a", 13, "a2")
	step(2)
	s.Guard = func(context.Context, kv.Txn) error { return errors.New("a step that finds nothing asks nobody") }
	step(0)
	s.Guard = nil
	s.Forget()
	now -= 500_000 // another process, whose clock is behind
	wait(1, "a", 14, "a3")
	step(1)
	rows := map[string]string{}
	for number := range uint8(ClusterBuckets) {
		reader, err := store.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		cursor := Bucket{1, number}.Scan(ctx, reader, Position{}, 0, false)
		for cursor.Next() {
			rows[string(cursor.At().Key)] += string(cursor.Entry().New) + " "
			if cursor.Entry().Origin == 0 || cursor.Entry().Origin > 14 {
				t.Errorf("the transaction of %s is %d", cursor.At().Key, cursor.Entry().Origin)
			}
		}
		if err := errors.Join(cursor.Close(), reader.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if rows["a"] != "a1 a2 a3 " || rows["b"] != "b1 " || rows["c"] != "c1 " {
		t.Errorf("%q", rows)
	}
}
