// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/harness"
)

// TestWords is the example of texts cut to four bytes: candor and carton have the codes of candy and cartographer, so
// they are read, and paid for, but not found. Texts compare by their bytes, whatever they look like.
func TestWords(t *testing.T) {
	t.Parallel()
	create(t, "words", []string{"id"}, []string{"kind", "zorder(word text[4] codec=raw)"})
	for _, word := range []string{"canal", "candor", "candy", "car", "cart", "cartographer", "carton", "cat",
		"\u00e9t\u00e9", "e\u0301te\u0301", "ete"} {
		put(t, "words", item{"id": s(word), "kind": s("w"), "word": s(word)})
	}
	put(t, "words", item{"id": s("wordless"), "kind": s("w")})
	words := ask{table: "words", kind: "w", values: item{":a": s("candy"), ":b": s("cartographer")}}
	words.filter = "word BETWEEN :a AND :b"
	words.expect(t, 6, "candy", "car", "cart", "cartographer")
	words.filter = "word > :a AND word < :b"
	words.expect(t, 6, "car", "cart")
	words.filter = "word = :b OR word = :a"
	words.expect(t, 6, "candy", "cartographer") // car lies between their boxes
	words.filter, words.values = "begins_with(word, :a)", item{":a": s("cart")}
	words.expect(t, 3, "cart", "cartographer", "carton")
	words.values = item{":a": s("carto")}
	words.expect(t, 3, "cartographer", "carton")
	words.filter, words.values = "word = :a", item{":a": s("\u00e9t\u00e9")}
	words.expect(t, 1, "\u00e9t\u00e9")
	words.filter, words.values = "begins_with(word, :a)", item{":a": s("e")}
	words.expect(t, 2, "e\u0301te\u0301", "ete")
	words.filter, words.values = "word > :a", item{":a": s("\u00e9")}
	words.expect(t, 1, "\u00e9t\u00e9")
	words.filter, words.values = "word > :a", item{":a": n(1)}
	words.expect(t, 0)
	words.filter, words.values = "attribute_not_exists(word)", nil
	words.expect(t, 0)
}

// TestNumbers looks for numbers that codes can't tell apart, that are beyond all codes, and for zeros.
func TestNumbers(t *testing.T) {
	t.Parallel()
	create(t, "numbers", []string{"id"}, []string{"kind", "zorder(x u8 codec=raw, y f64 codec=raw)"})
	long := "1.0000000000000000000000000000000000001"
	for id, xy := range map[string][2]string{"low": {"-5", "0"}, "zero": {"0", "-0"}, "half": {"0.5", "1E-130"},
		"one": {"1", "1"}, "long": {"1", long}, "top": {"255", "9.9E+125"}, "over": {"1E+20", "-9.9E+125"}} {
		put(t, "numbers", item{"id": s(id), "kind": s("n"), "x": n(xy[0]), "y": n(xy[1])})
	}
	numbers := ask{table: "numbers", kind: "n"}
	for _, c := range []struct {
		filter string
		a, b   string
		ids    []string
	}{
		{"x < :a", "0", "", []string{"low"}},
		{"x > :a", "255", "", []string{"over"}},
		{"x >= :a", "256", "", []string{"over"}},
		{"x = :a", "-5", "", []string{"low"}},
		{"x BETWEEN :a AND :b", "0", "0.5", []string{"zero", "half"}},
		{"x > :a AND x < :b", "0", "1", []string{"half"}},
		{"x IN (:a, :b)", "255", "-5", []string{"top", "low"}},
		{"y = :a", "0", "", []string{"low", "zero"}},
		{"y = :a", "-0.0", "", []string{"low", "zero"}},
		{"y >= :a AND y < :b", "-0", "0.1", []string{"low", "zero", "half"}},
		{"y = :a", long, "", []string{"long"}},
		{"y > :a AND x = :a", "1", "", []string{"long"}},
		{"y < :a AND x > :b", "0", "0", []string{"over"}},
		{":a < y AND :b >= y", "1", "1E+126", nil},
	} {
		numbers.filter, numbers.values = c.filter, item{":a": n(c.a)}
		if c.b != "" {
			numbers.values[":b"] = n(c.b)
		}
		if c.b == "1E+126" {
			_, err := numbers.try(t)
			refused(t, err, "Number overflow")
			continue
		}
		numbers.expect(t, -1, c.ids...)
	}
}

// TestInstants: an index of instants takes the one form of texts whose bytes are in the order of time.
func TestInstants(t *testing.T) {
	t.Parallel()
	create(t, "instants", []string{"id"}, []string{"kind", "zorder(born iso8601(s), units u16)"})
	for _, day := range []string{"1969-12-31T23:59:59Z", "2024-02-29T00:00:00Z", "2024-02-29T00:00:01Z",
		"2025-01-01T00:00:00Z"} {
		put(t, "instants", item{"id": s(day), "kind": s("d"), "born": s(day), "units": n(1)})
	}
	for _, day := range []string{"2024-02-29", "2024-W09-4", "2024-060", "2024-02-29T00:00:00+00:00",
		"2024-02-29T00:00:00.0Z", "2024-02-29 00:00:00Z", "2023-02-29T00:00:00Z", "20240229T000000Z", ""} {
		refused(t, tryPut(t, "instants", item{"id": s(day + "x"), "kind": s("d"), "born": s(day), "units": n(1)}),
			"ValidationException: One or more parameter values were invalid")
	}
	days := ask{table: "instants", kind: "d", filter: "born BETWEEN :a AND :b AND units = :one",
		values: item{":a": s("2024-02-29T00:00:01Z"), ":b": s("2024-12-31T23:59:59Z"), ":one": n(1)}}
	days.expect(t, 1, "2024-02-29T00:00:01Z")
	days.values[":a"] = s("2024-02-29T00:00:00+00:00") // less than ..Z, as bytes
	days.expect(t, -1, "2024-02-29T00:00:00Z", "2024-02-29T00:00:01Z")
	days.values[":a"], days.values[":b"] = s("2024"), s("2025")
	days.expect(t, -1, "2024-02-29T00:00:00Z", "2024-02-29T00:00:01Z")
}

// TestNulls: with nulls=first items without the attribute are in the index, before all others.
func TestNulls(t *testing.T) {
	t.Parallel()
	create(t, "nulls", []string{"id"}, []string{"kind", "zorder(a u8 nulls=first, b u8)"})
	put(t, "nulls", item{"id": s("none"), "kind": s("n")})
	put(t, "nulls", item{"id": s("a"), "kind": s("n"), "a": n(0)})
	put(t, "nulls", item{"id": s("b"), "kind": s("n"), "b": n(0)})
	put(t, "nulls", item{"id": s("ab"), "kind": s("n"), "a": n(0), "b": n(0)})
	refused(t, tryPut(t, "nulls", item{"id": s("null"), "kind": s("n"),
		"a": &types.AttributeValueMemberNULL{Value: true}, "b": n(0)}), "Type mismatch for Index Key a")
	nulls := ask{table: "nulls", kind: "n"}
	nulls.expect(t, 2, "b", "ab")
	nulls.filter = "attribute_not_exists(a)"
	nulls.expect(t, -1, "b")
	nulls.filter = "attribute_exists(a)"
	nulls.expect(t, -1, "ab")
	nulls.filter, nulls.values = "a <= :z AND b <= :z", item{":z": n(0)}
	nulls.expect(t, 1, "ab")
	nulls.filter = "(a = :z OR attribute_not_exists(a)) AND b = :z"
	nulls.expect(t, 2, "b", "ab")
}

// TestOwnKey: where the Z-order is the table's own key, its attributes and the other key attributes are what an item is
// known by. Items whose codes are all alike stay apart.
func TestOwnKey(t *testing.T) {
	t.Parallel()
	key := "zorder(x u8, y u8)"
	create(t, "owned", []string{"kind", key}, nil)
	place := func(x, y any, id string) item { return item{"kind": s("k"), "x": n(x), "y": n(y), "id": s(id)} }
	put(t, "owned", place(1, 2, "first"))
	put(t, "owned", place(3, 4, "other"))
	put(t, "owned", place("1.5", 2, "second")) // u8 rounds down: the same address
	refused(t, tryPut(t, "owned", item{"kind": s("k"), "x": n(1), "id": s("without y")}),
		"Missing the key y in the item")
	owned := ask{table: "owned", own: true, kind: "k"}
	owned.expect(t, 3, "first", "second", "other")
	owned.filter, owned.values = "x = :x AND y <= :y", item{":x": n("1.5"), ":y": n(9)}
	owned.expect(t, -1, "second")
	owned.filter, owned.limit = "y > :y", 3 // the code of y is that of 2, too
	owned.values = item{":y": n(2)}
	page := owned.page(t)
	if len(page.items) != 1 || text(page.items[0], "id") != "other" || page.last == nil {
		t.Fatalf("%+v", page)
	}
	got, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("owned"), Key: page.last})
	if err != nil || text(got.Item, "id") != "other" {
		t.Fatalf("%+v, %v", got, err)
	}
	change := func(expression string, values item) error {
		_, err := client.UpdateItem(t.Context(),
			&dynamodb.UpdateItemInput{TableName: aws.String("owned"), Key: page.last, UpdateExpression: &expression,
				ExpressionAttributeValues: values})
		return err
	}
	if err := change("SET id = :id", item{":id": s("renamed")}); err != nil {
		t.Error(err)
	}
	refused(t, change("SET x = :x", item{":x": n(9)}), "key")
	owned.limit = 0
	owned.expect(t, 3, "renamed")
	if _, err := client.DeleteItem(t.Context(),
		&dynamodb.DeleteItemInput{TableName: aws.String("owned"), Key: page.last}); err != nil {
		t.Error(err)
	}
	owned.expect(t, -1)
}

// TestPages asks for pages of every size, in both directions, and goes on from every entry, found or not.
func TestPages(t *testing.T) {
	t.Parallel()
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	create(t, "paged", []string{"id"}, []string{"kind", "zorder(x u8 codec=raw, y u8 codec=raw)"})
	for i := range 60 { // many have the same address
		put(t, "paged", item{"id": s(fmt.Sprint(i)), "kind": s("k"), "x": n(random.IntN(6)), "y": n(random.IntN(6))})
	}
	boxed := ask{table: "paged", kind: "k", filter: "x BETWEEN :a AND :b AND y > :a AND id <> :id",
		values: item{":a": n(1), ":b": n(3), ":id": s("7")}}
	whole, _ := boxed.all(t)
	want := whole.ids()
	if whole.count == 0 || whole.scanned <= whole.count || whole.scanned >= 60 {
		t.Fatalf("%d found in %d", whole.count, whole.scanned)
	}
	for limit := range int32(62) {
		for _, backward := range []bool{false, true} {
			boxed.limit, boxed.backward = limit, backward
			got, _ := boxed.all(t)
			ids := got.ids()
			if backward {
				slices.Reverse(ids)
			}
			if !slices.Equal(ids, want) {
				t.Errorf("limit %d, backward %v: %v, want %v", limit, backward, ids, want)
			}
		}
	}
	resumeEverywhere(t, boxed, want)
}

// resumeEverywhere takes the key behind each entry of the partition and goes on from there with a filter, both ways.
func resumeEverywhere(t *testing.T, boxed ask, want []string) {
	t.Helper()
	boxed.limit, boxed.backward = 0, false
	every := ask{table: boxed.table, kind: boxed.kind, limit: 1}
	passed := 0 // of those wanted
	for {
		page := every.page(t)
		if page.last == nil {
			return
		}
		at := passed
		if at < len(want) && text(page.items[0], "id") == want[at] {
			passed++
		}
		boxed.start, boxed.backward = page.last, false
		ahead, _ := boxed.all(t)
		boxed.backward = true
		behind, _ := boxed.all(t)
		back := behind.ids()
		slices.Reverse(back)
		if !slices.Equal(ahead.ids(), want[passed:]) || !slices.Equal(back, want[:at]) {
			t.Errorf("from %s: ahead %v, behind %v, want %v", text(page.items[0], "id"), ahead.ids(), back, want)
		}
		every.start = page.last
	}
}

// TestCapacity: what is looked at is paid for, and counted as scanned, whether it is found or not.
func TestCapacity(t *testing.T) {
	t.Parallel()
	create(t, "capacity", []string{"id"}, []string{"kind", "zorder(x u16 codec=raw, y u16 codec=raw)"})
	const itemBytes = 1000
	for i := range 400 {
		// numbers of 3 digits take 3 bytes
		one := item{"id": s(fmt.Sprintf("%03d", i)), "kind": s("k"), "x": n(100 + i%20), "y": n(100 + i/20)}
		size := len("id") + 3 + len("kind") + 1 + len("x") + 3 + len("y") + 3 + len("pad")
		one["pad"] = s(string(make([]byte, itemBytes-size)))
		put(t, "capacity", one)
	}
	for _, c := range []struct{ a, b int }{{100, 119}, {103, 110}, {101, 118}, {112, 113}, {119, 130}} {
		boxed := ask{table: "capacity", kind: "k", filter: "x BETWEEN :a AND :b AND y BETWEEN :a AND :b",
			values: item{":a": n(c.a), ":b": n(c.b)}}
		page := boxed.page(t)
		side := min(c.b, 119) - c.a + 1
		units := math.Ceil(float64(page.scanned*itemBytes)/4096) / 2
		if page.count != side*side || page.scanned < page.count || page.scanned > 3*page.count+20 ||
			page.units != units || page.last != nil {
			t.Errorf("%d to %d: %d of %d for %v, want %d for %v", c.a, c.b, page.count, page.scanned, page.units,
				side*side, units)
		}
	}
}

// TestWritesMeanwhile pages through boxes while items move in and out of them: those that stay are found once and only
// once, and whatever is found lies in the box.
func TestWritesMeanwhile(t *testing.T) {
	t.Parallel()
	seed := rounds.Seed(t)
	create(t, "moving", []string{"id"}, []string{"kind", "zorder(x u16, y u16)"})
	const still, moving = 150, 60
	set := func(id string, random *rand.Rand) error {
		return tryPut(t, "moving", item{"id": s(id), "kind": s("k"), "x": n(random.IntN(1000)),
			"y": n(random.IntN(1000))})
	}
	random := rand.New(rand.NewPCG(seed, 0))
	stays := map[string][2]int{}
	for i := range still + moving {
		id := fmt.Sprint("moving", i)
		if i < still {
			id = fmt.Sprint("still", i)
		}
		x, y := random.IntN(1000), random.IntN(1000)
		put(t, "moving", item{"id": s(id), "kind": s("k"), "x": n(x), "y": n(y)})
		if i < still {
			stays[id] = [2]int{x, y}
		}
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	defer writers.Wait()
	defer close(stop)
	for w := range 2 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(w+1)))
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := set(fmt.Sprint("moving", still+random.IntN(moving)), random); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range rounds.Of(t, 60) {
		low, high := random.IntN(600), 600+random.IntN(400)
		boxed := ask{table: "moving", kind: "k", filter: "x BETWEEN :a AND :b AND y < :b",
			values: item{":a": n(low), ":b": n(high)}, limit: 1 + random.Int32N(12), backward: i%2 == 0}
		checkMeanwhile(t, boxed, stays, low, high)
	}
}

func checkMeanwhile(t *testing.T, boxed ask, stays map[string][2]int, low, high int) {
	t.Helper()
	inside := func(x, y int) bool { return x >= low && x <= high && y < high }
	found := map[string]int{}
	whole, _ := boxed.all(t)
	for _, one := range whole.items {
		found[text(one, "id")]++
		x, _ := strconv.Atoi(text(one, "x"))
		y, _ := strconv.Atoi(text(one, "y"))
		if !inside(x, y) {
			t.Errorf("%+v found %v", boxed, one)
		}
	}
	for id, at := range stays {
		if wanted := inside(at[0], at[1]); wanted && found[id] != 1 || !wanted && found[id] != 0 {
			t.Errorf("%+v found %s at %v %d times", boxed, id, at, found[id])
		}
	}
}

// TestAddedLater makes the index by UpdateTable on a table in use, while it is written to.
func TestAddedLater(t *testing.T) {
	t.Parallel()
	seed := rounds.Seed(t)
	create(t, "later", []string{"id"}, nil)
	write := func(random *rand.Rand, from, to int) {
		for i := from; i < to; i++ {
			one := item{"id": s(fmt.Sprint(i)), "kind": s("k"), "x": n(random.IntN(50)), "y": n(random.IntN(50))}
			if i%7 == 0 {
				delete(one, "y")
			}
			if err := tryPut(t, "later", one); err != nil {
				t.Error(err)
			}
		}
	}
	write(rand.New(rand.NewPCG(seed, 0)), 0, 300)
	key, definitions := []string{"kind", "zorder(x i16, y number)"}, map[string]types.ScalarAttributeType{}
	schema := keyOf(key, definitions)
	var writers sync.WaitGroup
	defer writers.Wait()
	writers.Go(func() { write(rand.New(rand.NewPCG(seed, 1)), 150, 450) })
	_, err := client.UpdateTable(t.Context(),
		&dynamodb.UpdateTableInput{TableName: aws.String("later"), AttributeDefinitions: listed(definitions),
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
				{Create: &types.CreateGlobalSecondaryIndexAction{
					IndexName: aws.String("box"), KeySchema: schema,
					Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}}}})
	if err != nil {
		t.Fatal(err)
	}
	harness.WaitTable(t, client, "later", func(d *types.TableDescription) bool {
		return len(d.GlobalSecondaryIndexes) == 1 && d.GlobalSecondaryIndexes[0].IndexStatus == types.IndexStatusActive
	})
	writers.Wait()
	boxed := ask{table: "later", kind: "k", filter: "x BETWEEN :a AND :b AND y >= :a",
		values: item{":a": n(10), ":b": n(30)}}
	plain := boxed
	plain.own, plain.kind = true, ""
	want, _ := plain.all(t)
	boxed.expect(t, -1, want.ids()...)
	if got, _ := boxed.all(t); got.count == 0 || got.scanned >= 400 {
		t.Errorf("%d found in %d", got.count, got.scanned)
	}
}

// TestManyBoxes asks for more boxes than a walk looks for: they are covered by fewer.
func TestManyBoxes(t *testing.T) {
	t.Parallel()
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	create(t, "many", []string{"id"}, []string{"kind", "zorder(x u16, y u16, z u16)"})
	for i := range 300 {
		put(t, "many", item{"id": s(fmt.Sprint(i)), "kind": s("k"), "x": n(random.IntN(200)), "y": n(random.IntN(200)),
			"z": n(random.IntN(3))})
	}
	list, alternatives, values := "", "", item{}
	for i := range 99 {
		values[fmt.Sprint(":", i)] = n(random.IntN(200))
		list += fmt.Sprint(":", i, ", ")
		if i < 60 {
			alternatives += fmt.Sprintf("x = :%d AND y > :%d OR ", i, (i*7)%99)
		}
	}
	list += ":0"
	for _, filter := range []string{"x IN (" + list + ") AND y IN (" + list + ")", alternatives + "x IN (" + list + ")",
		"(" + alternatives + "y IN (:1, :2, :3)) AND z < :98"} {
		boxed := ask{table: "many", kind: "k", filter: filter, values: item{}}
		for name, value := range values {
			if regexp.MustCompile(name + `\b`).MatchString(filter) {
				boxed.values[name] = value
			}
		}
		plain := boxed
		plain.own, plain.kind = true, ""
		begun := time.Now()
		want, _ := plain.all(t)
		scanned := time.Since(begun)
		boxed.expect(t, -1, want.ids()...)
		t.Logf("%d found; the table in %v, the index in %v", want.count, scanned, time.Since(begun)-scanned)
	}
}
