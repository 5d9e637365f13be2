// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// numberOf is an item's attribute as an int; ok is false if it is missing.
func numberOf(item Item, name string) (int, bool) {
	v, err := strconv.Atoi(text(item[name]))
	return v, err == nil
}

// test is a random condition and the same as a function.
type test struct {
	condition Condition
	holds     func(v int, ok bool) bool
}

func randomTest(r *rand.Rand, depth int) test {
	a, b := r.IntN(40)-20, r.IntN(40)-20
	some := func(holds func(v int) bool) func(int, bool) bool {
		return func(v int, ok bool) bool { return ok && holds(v) }
	}
	kind := r.IntN(12)
	if depth > 2 {
		kind = r.IntN(8)
	}
	switch kind {
	case 0:
		return test{Equal(a), some(func(v int) bool { return v == a })}
	case 1:
		return test{Less(float64(a) + 0.5), some(func(v int) bool { return v <= a })}
	case 2:
		return test{AtMost(a), some(func(v int) bool { return v <= a })}
	case 3:
		return test{Greater(int64(a)), some(func(v int) bool { return v > a })}
	case 4:
		return test{AtLeast(n(a)), some(func(v int) bool { return v >= a })}
	case 5:
		return test{In(a, b), some(func(v int) bool { return v == a || v == b })}
	case 6:
		return test{Missing(), func(_ int, ok bool) bool { return !ok }}
	case 7:
		return test{Present(), func(_ int, ok bool) bool { return ok }}
	case 8:
		return test{Condition{}, func(int, bool) bool { return true }}
	case 9:
		one, two := randomTest(r, depth+1), randomTest(r, depth+1)
		return test{Any(one.condition, two.condition),
			func(v int, ok bool) bool { return one.holds(v, ok) || two.holds(v, ok) }}
	case 10:
		one, two := randomTest(r, depth+1), randomTest(r, depth+1)
		return test{All(one.condition, two.condition),
			func(v int, ok bool) bool { return one.holds(v, ok) && two.holds(v, ok) }}
	}
	return test{Between(min(a, b), max(a, b)), some(func(v int) bool { return v >= min(a, b) && v <= max(a, b) })}
}

// randomWhere is a random Where and the same as a function.
func randomWhere(r *rand.Rand) (Where, func(Item) bool) {
	where, tests := Where{}, map[string]test{}
	for _, name := range []string{"x", "y", "w"} {
		if r.IntN(3) > 0 {
			tests[name] = randomTest(r, 0)
			where[name] = tests[name].condition
		}
	}
	return where, func(item Item) bool {
		for name, one := range tests {
			if !one.holds(numberOf(item, name)) {
				return false
			}
		}
		return true
	}
}

// TestRandom compares pages of random queries, of all sizes, in both directions, with a scan.
func TestRandom(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	// w is coded so coarsely that only the exact check tells its values apart; y and w may be missing.
	x := index(t, "x i8, y i16 nulls=first, w i8:3 nulls=first")
	f := &fake{t: t, pageMax: 1000}
	for i := range 600 {
		item := Item{"p": s("p"), "id": s(fmt.Sprintf("%04d", i)), "x": n(r.IntN(40) - 20)}
		for _, name := range []string{"y", "w"} {
			if r.IntN(10) > 0 {
				item[name] = n(r.IntN(40) - 20)
			}
		}
		f.add(x, item)
	}
	for range 120 {
		where, holds := randomWhere(r)
		q := Query{Partition: "p", Where: where, Backward: r.IntN(2) == 0, Limit: r.IntN(30), JunkMax: r.IntN(5),
			RequestItemsMax: r.IntN(50), RequestsMax: r.IntN(4)}
		if r.IntN(3) == 0 {
			other, also := randomWhere(r)
			q.Or = []Where{other}
			first := holds
			holds = func(item Item) bool { return first(item) || also(item) }
		}
		f.pageMax = 1 + r.IntN(60)
		var want []string
		for _, item := range f.items {
			if holds(item) {
				want = append(want, text(item["id"]))
			}
		}
		if q.Backward {
			slices.Reverse(want)
		}
		got := pages(t, x, f, q)
		if !slices.Equal(got, want) {
			t.Fatalf("%+v\n got %v\nwant %v", q, got, want)
		}
	}
}

// pages reads a query to its end and returns the ids.
func pages(t *testing.T, x *Index, f *fake, q Query) []string {
	t.Helper()
	var ids []string
	for pages := 0; ; pages++ {
		if pages > 10_000 {
			t.Fatal("the pages never end")
		}
		page, err := x.Query(t.Context(), f, q)
		if err != nil {
			t.Fatal(err)
		}
		if q.Limit > 0 && len(page.Items) > q.Limit {
			t.Fatalf("%d items in a page of %d", len(page.Items), q.Limit)
		}
		if page.Counts.Returned != int64(len(page.Items)) || page.Counts.Read < page.Counts.Returned ||
			page.Counts.Jumps > page.Counts.Requests {
			t.Fatalf("%+v", page.Counts)
		}
		for _, item := range page.Items {
			ids = append(ids, text(item["id"]))
		}
		if q.Token = page.Token; q.Token == "" {
			return ids
		}
	}
}

// TestJumps shows that a box on a large grid is read with few items in vain, where the span of its addresses is long.
func TestJumps(t *testing.T) {
	x := index(t, "x u8, y u8")
	f := &fake{t: t, pageMax: 1000}
	for i := range 128 * 128 {
		item := Item{"p": s("p"), "id": s(fmt.Sprintf("%05d", i)), "x": n(i % 128), "y": n(i / 128)}
		if err := x.Stamp(item); err != nil {
			t.Fatal(err)
		}
		f.items = append(f.items, item)
	}
	slices.SortFunc(f.items, compare)
	page, err := x.Query(t.Context(), f,
		Query{Partition: "p", Where: Where{"x": Between(60, 67), "y": Between(60, 67)}, JunkMax: 3})
	if err != nil || len(page.Items) != 64 || page.Token != "" {
		t.Fatal(len(page.Items), page.Token, err)
	}
	// The box lies across the middle of the curve: its addresses span three quarters of all items. Its four quarters
	// are runs of 16.
	if c := page.Counts; c.Read > 300 || c.Jumps < 3 || c.Requests > 20 || c.Capacity != 0.5*float64(c.Requests) {
		t.Fatalf("%+v", c)
	}
}

// TestFaults goes on from a page that ended with an error of the server.
func TestFaults(t *testing.T) {
	x := index(t, "x u8")
	f := &fake{t: t, pageMax: 2}
	for i := range 10 {
		f.add(x, Item{"p": s("p"), "id": s(fmt.Sprint(i)), "x": n(i)})
	}
	fault := errors.New("slow down")
	f.fail = fault
	if page, err := x.Query(t.Context(), f, Query{Partition: "p"}); !errors.Is(err, fault) || page.Token == "" {
		t.Fatal(page, err)
	}
	var ids []string
	q := Query{Partition: "p", Limit: 5}
	for range 3 {
		page, err := x.Query(t.Context(), &failing{f, 2, fault}, q)
		for _, item := range page.Items {
			ids = append(ids, text(item["id"]))
		}
		if q.Token = page.Token; err != nil && !errors.Is(err, fault) || q.Token == "" {
			break
		}
	}
	if want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; !slices.Equal(ids, want) {
		t.Fatal(ids)
	}
	var last error
	for _, err := range x.All(t.Context(), &failing{f, 1, fault}, Query{Partition: "p"}) {
		last = err
	}
	if !errors.Is(last, fault) {
		t.Fatal(last)
	}
	// An index that does not project a bounded attribute is told apart from one without matches.
	for _, item := range f.items {
		delete(item, "x")
	}
	if _, err := x.Query(t.Context(), f, Query{Partition: "p", Where: Where{"x": Less(5)}}); !errors.Is(err, ErrItem) {
		t.Fatal(err)
	}
	f.items[0]["z"] = s("stranger")
	if _, err := x.Query(t.Context(), f, Query{Partition: "p"}); !errors.Is(err, ErrItem) {
		t.Fatal(err)
	}
}

// TestMistakes are queries and schemas that are refused.
func TestMistakes(t *testing.T) {
	x := index(t, "x u8, name text[4]")
	for name, q := range map[string]Query{
		"another attribute": {Partition: "p", Where: Where{"other": Equal(1)}},
		"another type":      {Partition: "p", Where: Where{"x": Equal("one")}},
		"no prefix":         {Partition: "p", Where: Where{"x": BeginsWith(1)}},
		"no value":          {Partition: "p", Where: Where{"x": Equal(struct{}{})}},
		"no number":         {Partition: "p", Where: Where{"x": Equal(n("1e"))}},
		"a set": {Partition: "p",
			Where: Where{"x": Equal(&types.AttributeValueMemberNS{Value: []string{"1"}})}},
		"null":             {Partition: "p", Where: Where{"x": Equal(&types.AttributeValueMemberNULL{Value: true})}},
		"no partition":     {},
		"a negative limit": {Partition: "p", Limit: -1},
		"our name":         {Partition: "p", Names: map[string]string{"#zdp": "x"}},
		"our value":        {Partition: "p", Values: Item{":zdp": n(1)}},
	} {
		if _, err := x.Query(t.Context(), &fake{t: t}, q); !errors.Is(err, ErrQuery) {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := Equal(1)
	for range depthMax + 2 {
		deep = All(deep)
	}
	if _, err := x.Query(t.Context(), &fake{t: t}, Query{Partition: "p", Where: Where{"x": deep}}); !errors.Is(err,
		ErrQuery) {
		t.Error(err)
	}
	good := x.Schema()
	for name, spoil := range map[string]func(*Schema){
		"no table":      func(s *Schema) { s.Table = "" },
		"no keys":       func(s *Schema) { s.TableKey = nil },
		"one attribute": func(s *Schema) { s.Address = s.Partition },
		"a name twice":  func(s *Schema) { s.Attributes = append(s.Attributes, s.Attributes[0]) },
		"no codec":      func(s *Schema) { s.Attributes = []Attribute{{Name: "x"}} },
		"another plan":  func(s *Schema) { s.Attributes = s.Attributes[:1] },
		"no attribute":  func(s *Schema) { s.Attributes, s.Plan = nil, nil },
	} {
		bad := good
		spoil(&bad)
		if _, err := New(bad); !errors.Is(err, ErrSchema) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTokens refuses tokens of other queries.
func TestTokens(t *testing.T) {
	x := index(t, "x u8")
	f := &fake{t: t, pageMax: 2}
	for i := range 10 {
		f.add(x, Item{"p": s("p"), "id": s(fmt.Sprint(i)), "x": n(i)})
	}
	q := Query{Partition: "p", Limit: 3, Where: Where{"x": AtLeast(1)}}
	page, err := x.Query(t.Context(), f, q)
	if err != nil || page.Token == "" {
		t.Fatal(page, err)
	}
	for name, change := range map[string]func(*Query){
		"partition": func(q *Query) { q.Partition = "q" },
		"bounds":    func(q *Query) { q.Where = Where{"x": AtLeast(2)} },
		"direction": func(q *Query) { q.Backward = true },
		"filter":    func(q *Query) { q.Filter = "a = b" },
		"cut":       func(q *Query) { q.Token = q.Token[:20] },
		"nonsense":  func(q *Query) { q.Token = "?" },
	} {
		other := q
		other.Token = page.Token
		change(&other)
		if _, err := x.Query(t.Context(), f, other); !errors.Is(err, ErrToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := index(t, "x u8:7")
	q.Token = page.Token
	if _, err := other.Query(t.Context(), f, q); !errors.Is(err, ErrToken) {
		t.Error("another codec:", err)
	}
}

// FuzzToken reads any token without panic.
func FuzzToken(f *testing.F) {
	x := index(f, "x u8")
	q := Query{Partition: "p"}
	w, err := x.walk(&q)
	if err != nil {
		f.Fatal(err)
	}
	w.at = position{key: Item{"p": s("p"), "id": n(1), "z": &types.AttributeValueMemberB{Value: []byte{7}}}}
	page, err := w.page(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(page.Token)
	w.at = position{from: []byte{7}}
	if page, err = w.page(nil); err != nil {
		f.Fatal(err)
	}
	f.Add(page.Token)
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := x.walk(&Query{Partition: "p", Token: token}); err != nil && !errors.Is(err, ErrToken) {
			t.Fatal(err)
		}
	})
}
