// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft"
)

type visit struct {
	Country string    `weft:"country,key"`
	At      time.Time `weft:"at,key"`
	Guests  []string  `weft:"guests,set"`
	Bill    float64   `weft:"bill,omitempty"`
	Place   struct{ Lat, Lon float64 }
}

// TestTyped: structs go in and come out, in all calls.
func TestTyped(t *testing.T) {
	db, ctx := open(t), t.Context()
	var visits weft.Typed[visit]
	for range 2 {
		var err error
		if visits, err = weft.EnsureTableOf[visit](ctx, db, weft.TableSpec{Name: "visits"}); err != nil {
			t.Fatal(err)
		}
	}
	at := time.UnixMilli(1_700_000_000_000).UTC()
	check(visits.Put(ctx, visit{Country: "JP", At: at, Guests: []string{"bob", "ann"}}))
	check(visits.PutAll(ctx, visit{Country: "JP", At: at.Add(time.Hour), Bill: 5}, visit{Country: "FR", At: at}))
	one, ok, err := visits.Get(ctx, visit{Country: "JP", At: at})
	if err != nil || !ok || len(one.Guests) != 2 || one.Bill != 0 {
		t.Errorf("%+v, %v, %v", one, ok, err)
	}
	item, _, err := visits.Table.Get(ctx, weft.Document{"country": "JP", "at": at})
	if _, there := item.Value("bill"); there || err != nil || fmt.Sprint(item.Document()["guests"]) != "[ann bob]" {
		t.Errorf("%v, %v", item.Document(), err)
	}
	if one, err = visits.Update(ctx, one, weft.Attribute("Place").Set(struct{ Lat, Lon float64 }{1, 2}),
		weft.Attribute("guests").Contains("ann")); err != nil ||
		one.Place.Lon != 2 {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err = visits.Update(ctx, one, weft.Attribute("guests").Add(weft.Set{"cho"}),
		weft.Attribute("Place").Equal(one.Place)); err != nil {
		t.Error(err)
	}
	all, err := visits.GetAll(ctx, one, visit{Country: "none"})
	if err != nil || len(all) != 2 || len(all[0].Guests) != 3 || all[1] != nil {
		t.Errorf("%+v, %v", all, err)
	}
	var bills []float64
	for v, err := range visits.Query(ctx, weft.Query{Where: weft.Attribute("country").Equal("JP")}) {
		check(err)
		bills = append(bills, v.Bill)
	}
	if fmt.Sprint(bills) != "[0 5]" {
		t.Error(bills)
	}
	check(db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
		if err := visits.In(tx).Put(ctx, visit{Country: "IT", At: at}); err != nil {
			return err
		}
		_, ok, err := weft.TableOf[visit](tx, "visits").Get(ctx, visit{Country: "IT", At: at})
		if !ok {
			t.Error("the transaction does not see its write")
		}
		return err
	}))
	check(visits.Delete(ctx, visit{Country: "IT", At: at}))
	check(visits.Table.Put(ctx, weft.Document{"country": "XX", "at": at, "bill": "much"}))
	for _, err := range visits.Query(ctx, weft.Query{Where: weft.Attribute("country").Equal("XX")}) {
		if weft.KindOf(err) != weft.KindInvalid ||
			!strings.Contains(err.Error(), "bill: a string does not go into a float64") {
			t.Error(err)
		}
	}
	if _, err := weft.EnsureTableOf[struct {
		A []any `weft:",key"`
	}](ctx, db, weft.TableSpec{Name: "bad"}); weft.KindOf(err) != weft.KindInvalid {
		t.Errorf("a list as a key: %v", err)
	}
}

// TestPages: a loop that a limit or the caller ends leaves the place where it goes on.
func TestPages(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))})
	for id := range 7 {
		check(table.Put(ctx, weft.Document{"id": id}))
	}
	var next weft.PageKey
	var pages []string
	for q := (weft.Query{Limit: 3, Next: &next}); ; q.After = next {
		if pages = append(pages, ids(table, q)); next == nil {
			break
		}
	}
	if got := strings.Join(pages, ", "); got != "0 1 2, 3 4 5, 6" {
		t.Error(got)
	}
	for range table.Query(ctx, weft.Query{Next: &next}) {
		break
	}
	if got := ids(table, weft.Query{After: next}); got != "1 2 3 4 5 6" {
		t.Error(got)
	}
	var kept []weft.Item
	for item, err := range table.Query(ctx, weft.Query{}) {
		check(err)
		kept = append(kept, item)
	}
	for id, item := range kept {
		if n, ok := item.Int("id"); int(n) != id || !ok {
			t.Errorf("item %d became %d", id, n)
		}
	}
	for _, err := range db.Table("none").Query(ctx, weft.Query{}) {
		if weft.KindOf(err) != weft.KindNotFound {
			t.Error(err)
		}
	}
}

// TestScan: parallel readers read each item once, and the first error ends them.
func TestScan(t *testing.T) {
	ctx := t.Context()
	db, err := weft.Open(ctx, t.TempDir(), weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))})
	const items = 3000
	for id := 0; id < items; id += 100 {
		batch := make([]any, 100)
		for i := range batch {
			batch[i] = weft.Document{"id": id + i, "text": strings.Repeat("x", 2000)}
		}
		check(table.PutAll(ctx, batch...))
	}
	var seen [items]atomic.Int32
	check(table.Scan(ctx, weft.Query{Where: weft.Attribute("id").AtLeast(10)}, 4, func(item weft.Item) error {
		id, _ := item.Int("id")
		seen[id].Add(1)
		return nil
	}))
	for id := range seen {
		if want := min(id/10, 1); int(seen[id].Load()) != want {
			t.Fatalf("item %d was read %d times", id, seen[id].Load())
		}
	}
	own := errors.New("own")
	if err := table.Scan(ctx, weft.Query{}, 0, func(weft.Item) error { return own }); err != own {
		t.Error(err)
	}
	for _, q := range []weft.Query{{Limit: 1}, {Order: []weft.Ordering{{Attribute: "id"}}}, {Segments: 2}} {
		if err := table.Scan(ctx, q, 2, func(weft.Item) error { return nil }); weft.KindOf(err) != weft.KindInvalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
	check(table.DeleteAll(ctx, weft.Document{"id": 1}, weft.Document{"id": 2}))
	found, err := table.GetAll(ctx, weft.Document{"id": 0}, weft.Document{"id": 1}, weft.Document{"id": 3})
	if err != nil || !found[0].Exists() || found[1].Exists() || !found[2].Exists() {
		t.Error(found, err)
	}
}

// TestItems: what an item says of its attributes, and one that was read goes back.
func TestItems(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"))})
	at := time.UnixMilli(5).UTC()
	check(table.Put(ctx, weft.Document{"k": "a", "b": []byte{1}, "t": at, "f": 1.5, "s": weft.Set{1, 2}}))
	item, _, err := table.Get(ctx, weft.Document{"k": "a"})
	check(err)
	if f, ok := item.Float("f"); f != 1.5 || !ok {
		t.Error(f, ok)
	}
	if got, ok := item.Time("t"); got != at || !ok || item.Bytes("b")[0] != 1 || item.Bytes("k") != nil {
		t.Error(got, ok)
	}
	if _, ok := item.Time("k"); ok {
		t.Error("a text is a time")
	}
	check(makeTable(t, db, weft.TableSpec{Name: "other", Key: weft.Key(weft.String("k"))}).Put(ctx, item))
	copied, ok, err := db.Table("other").Get(ctx, item)
	if err != nil || !ok || fmt.Sprint(copied.Document()) != fmt.Sprint(item.Document()) {
		t.Errorf("%v, %v, %v", copied.Document(), ok, err)
	}
	var none weft.Item
	if none.Exists() || none.Text("k") != "" || len(none.Document()) != 0 || none.Decode(nil) != nil {
		t.Error("the zero Item has attributes")
	}
	odd := weft.Document{"k": "a", "other": func() {}}
	if _, ok, err := table.Get(ctx, odd); !ok || err != nil {
		t.Errorf("what is not of the key is looked at: %v", err)
	}
	if item, err := table.Update(ctx, odd, weft.Attribute("f").Set(2)); err != nil || item.Text("k") != "a" {
		t.Error(err)
	}
	if err := table.Put(ctx, 5); weft.KindOf(err) != weft.KindInvalid {
		t.Error(err)
	}
}

// TestTypedGetAliases: what a get has returned stays as it is when the next one reads into the same buffer, and a key
// that is an Item does, too.
func TestTypedGetAliases(t *testing.T) {
	type row struct {
		ID    string         `weft:"id,key"`
		Bytes []byte         `weft:"bytes"`
		Any   any            `weft:"any"`
		Map   map[string]any `weft:"map"`
		Texts []string       `weft:"texts"`
		Exact json.Number    `weft:"exact"`
	}
	db, ctx := open(t), t.Context()
	rows, err := weft.EnsureTableOf[row](ctx, db, weft.TableSpec{Name: "rows"})
	check(err)
	made := func(id string) row {
		return row{id, []byte(id), []any{[]byte(id), id}, map[string]any{id: []byte(id)}, []string{id, id}, "1.5"}
	}
	check(rows.PutAll(ctx, made("aaaa"), made("bbbb")))
	key, _, err := rows.Table.Get(ctx, weft.Document{"id": "aaaa"})
	check(err)
	var found []row
	for range 2 {
		for _, by := range []any{key, row{ID: "bbbb"}, weft.Document{"id": "aaaa"}, weft.Document{"id": "none"}} {
			x, ok, err := rows.Get(ctx, by)
			if check(err); ok {
				found = append(found, x)
			}
		}
	}
	want := []row{made("aaaa"), made("bbbb"), made("aaaa"), made("aaaa"), made("bbbb"), made("aaaa")}
	if !reflect.DeepEqual(found, want) || key.Text("id") != "aaaa" {
		t.Errorf("%+v, %q", found, key.Text("id"))
	}
}
