// SPDX-License-Identifier: Apache-2.0

package sortkeys

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/sortkey"
)

// random returns a source whose seed is printed and can be given as WEFT_TEST_SEED.
func random(t *testing.T) *rand.Rand {
	seed := rounds.Seed(t)
	return rand.New(rand.NewPCG(seed, 1))
}

func unknownOperation(err error) bool {
	answer, ok := errors.AsType[smithy.APIError](err)
	return ok && answer.ErrorCode() == "UnknownOperationException"
}

// comparisons are the operators of a sort key condition with what they mean for texts. :a <= :b.
var comparisons = []struct {
	condition string
	means     func(key, a, b string) bool
}{
	{"sk = :a", func(key, a, _ string) bool { return key == a }},
	{"sk < :a", func(key, a, _ string) bool { return key < a }},
	{"sk <= :a", func(key, a, _ string) bool { return key <= a }},
	{"sk > :a", func(key, a, _ string) bool { return key > a }},
	{"sk >= :a", func(key, a, _ string) bool { return key >= a }},
	{"sk BETWEEN :a AND :b", func(key, a, b string) bool { return a <= key && key <= b }},
	{"begins_with(sk, :a)", func(key, a, _ string) bool { return strings.HasPrefix(key, a) }},
}

// TestOperators compares all operators at every level of a template, in both directions and in pages, with a sorted
// list: on the table's key, on an index's, and on a computed one.
func TestOperators(t *testing.T) {
	rng, ctx := random(t), t.Context()
	const computed = "concat(country,'#',state,'#',city)"
	create(ctx, design{
		name: "Operators", hash: "pk S", sort: "sk S",
		global: []indexDesign{{name: "turned", hash: "chain S", sort: "sk S"},
			{name: "computed", hash: "chain S", sort: computed + " S"}},
	})
	words := []string{"A", "AB", "B", "USA", "USAX", "TX", "Ünye", "日本", "a b", "z\U0001F600"}
	word := func() string { return words[rng.IntN(len(words))] }
	var keys []string
	for range 120 {
		country, state, city := word(), word(), word()
		key := country + "#" + state + "#" + city
		if slices.Contains(keys, key) {
			continue
		}
		keys = append(keys, key)
		put(ctx, "Operators", "pk", "p", "sk", key, "chain", "acme", "country", country, "state", state, "city", city)
	}
	slices.Sort(keys)
	for range 150 {
		bounds := []string{bound(rng, keys), bound(rng, keys)}
		slices.Sort(bounds)
		op := comparisons[rng.IntN(len(comparisons))]
		values := attributes(":p", "p", ":a", bounds[0])
		if strings.Contains(op.condition, ":b") {
			values = attributes(":p", "p", ":a", bounds[0], ":b", bounds[1])
		}
		want := []string{}
		for _, key := range keys {
			if op.means(key, bounds[0], bounds[1]) {
				want = append(want, key)
			}
		}
		forward, limit := rng.IntN(2) == 0, int32(1+rng.IntN(40))
		if !forward {
			slices.Reverse(want)
		}
		for _, q := range threeWays(op.condition, values, computed) {
			q.ScanIndexForward, q.Limit = &forward, &limit
			found, err := query(ctx, q)
			if got := texts(found, "sk"); err != nil || !slices.Equal(got, want) {
				t.Fatalf("index %s, %s, %q, forward %v, pages of %d: %q, want %q: %v", aws.ToString(q.IndexName),
					op.condition, bounds, forward, limit, got, want, err)
			}
		}
	}
}

// bound is a key or the beginning of one, at any level or in the middle of a word.
func bound(rng *rand.Rand, keys []string) string {
	key := keys[rng.IntN(len(keys))]
	switch parts := strings.Split(key, "#"); rng.IntN(4) {
	case 0:
		return key
	case 1:
		return parts[0] + "#"
	case 2:
		return parts[0] + "#" + parts[1] + "#"
	default:
		runes := []rune(key)
		return string(runes[:1+rng.IntN(len(runes))])
	}
}

// threeWays asks the same of the table, of an index with the same sort key and of one that computes it.
func threeWays(condition string, values item, computed string) []dynamodb.QueryInput {
	acme := item{":p": value("acme")}
	for name, v := range values {
		if name != ":p" {
			acme[name] = v
		}
	}
	return []dynamodb.QueryInput{
		ask("Operators", "", "pk = :p AND "+condition, values),
		ask("Operators", "turned", "chain = :p AND "+condition, acme),
		ask("Operators", "computed", "chain = :p AND "+strings.Replace(condition, "sk", "#s", 1), acme, "#s", computed),
	}
}

// TestChatKey stores messages under a computed key of the table itself: the same user at the same time is the same
// message.
func TestChatKey(t *testing.T) {
	ctx := t.Context()
	const computed = "concat(user_name,'#',datetime)"
	create(ctx, design{name: "ChatKey", hash: "room S", sort: computed + " S"})
	for i, m := range [][2]string{{"bob", "2018"}, {"amy", "2019"}, {"amy", "2018"}, {"bob", "2018"}} {
		put(ctx, "ChatKey", "room", "r", "user_name", m[0], "datetime", m[1], "message", fmt.Sprint("message ", i))
	}
	found, err := query(ctx, ask("ChatKey", "", "room = :r", attributes(":r", "r")))
	if got := texts(found, "message"); err != nil ||
		!slices.Equal(got, []string{"message 2", "message 1", "message 3"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, stored := found[0][computed]; stored {
		t.Error("the computed attribute is shown among the item's own")
	}
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("ChatKey"),
		Key: attributes("room", "r", "user_name", "bob", "datetime", "2018")})
	if err != nil || text(out.Item, "message") != "message 3" {
		t.Errorf("by its key: %v, %v", out, err)
	}
	// Pages go on from the attributes, which say what the computed key is.
	page, err := client.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("ChatKey"), Limit: aws.Int32(1)})
	if err != nil || text(page.LastEvaluatedKey, "user_name") != "amy" ||
		text(page.LastEvaluatedKey, "datetime") != "2018" {
		t.Errorf("LastEvaluatedKey: %v, %v", page, err)
	}
	if got := texts(scan(ctx, "ChatKey", "", 1), "message"); len(got) != 3 {
		t.Errorf("in pages of one: %q", got)
	}
}

// TestSparse moves items in and out of a sparse index by every kind of write, and compares it with the table each time.
func TestSparse(t *testing.T) {
	rng, ctx := random(t), t.Context()
	create(ctx, design{name: "Sparse", hash: "pk S", sort: "sk N",
		global: []indexDesign{{name: "open", hash: "pk S", sort: "opened S"}}})
	for step := range 300 {
		key := attributes("pk", "p", "sk", rng.IntN(25))
		update := func(expression string, values item) {
			_, err := client.UpdateItem(ctx,
				&dynamodb.UpdateItemInput{TableName: aws.String("Sparse"), Key: key, UpdateExpression: &expression,
					ExpressionAttributeValues: values})
			check(err)
		}
		opened := fmt.Sprintf("2024-07-%02d", 1+rng.IntN(30))
		switch rng.IntN(5) {
		case 0:
			update("REMOVE opened", nil)
		case 1:
			update("SET opened = :o", attributes(":o", opened))
		case 2:
			_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Sparse"), Item: key})
			check(err)
		case 3:
			_, err := client.PutItem(ctx,
				&dynamodb.PutItemInput{TableName: aws.String("Sparse"),
					Item: item{"pk": key["pk"], "sk": key["sk"], "opened": value(opened)}})
			check(err)
		case 4:
			_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String("Sparse"), Key: key})
			check(err)
		}
		if step%10 == 9 {
			checkSparse(t, ctx)
		}
	}
}

func checkSparse(t *testing.T, ctx context.Context) {
	t.Helper()
	want := slices.DeleteFunc(scan(ctx, "Sparse", "", 0), func(i item) bool { return i["opened"] == nil })
	slices.SortStableFunc(want, func(a, b item) int { return cmp.Compare(text(a, "opened"), text(b, "opened")) })
	found, err := query(ctx, ask("Sparse", "open", "pk = :p", attributes(":p", "p")))
	if err != nil || !slices.Equal(texts(found, "sk"), texts(want, "sk")) {
		t.Fatalf("%v, the table makes %v: %v", texts(found, "sk"), texts(want, "sk"), err)
	}
}

// TestNewestFirst writes events of several days in random order; plain Scans of the table and of an index must give
// them newest first, whatever the size of the pages, and one day's events between two times are one Query.
func TestNewestFirst(t *testing.T) {
	rng, ctx := random(t), t.Context()
	create(ctx, design{name: "Newest", hash: "day N", sort: "id S"})
	create(ctx, design{name: "NewestIndex", hash: "event N",
		global: []indexDesign{{name: "newest", hash: "day N", sort: "id S"}}})
	zone := time.FixedZone("Nowhere", -34*360) // 3 h 24 min west
	begin := time.Date(1969, 12, 30, 0, 0, 0, 0, zone).Add(72 * time.Hour)
	var want []string
	millis := make([]int, 200)
	for i := range millis {
		millis[i] = i*2_000_000 + rng.IntN(2_000_000) // all differ
	}
	rng.Shuffle(len(millis), func(i, j int) { millis[i], millis[j] = millis[j], millis[i] })
	for event, after := range millis {
		at := begin.Add(time.Duration(after) * time.Millisecond)
		id, err := sortkey.NewUUID(at)
		check(err)
		for _, table := range []string{"Newest", "NewestIndex"} {
			put(ctx, table, "event", event, "day", sortkey.DayDescending(at, zone), "id", id.Inverse().String(), "ms",
				at.UnixMilli())
		}
	}
	slices.SortFunc(millis, func(a, b int) int { return cmp.Compare(b, a) })
	for _, after := range millis {
		want = append(want, fmt.Sprint(begin.UnixMilli()+int64(after)))
	}
	for _, limit := range []int32{0, 1, 7, 200} {
		if got := texts(scan(ctx, "Newest", "", limit), "ms"); !slices.Equal(got, want) {
			t.Errorf("the table in pages of %d: %v, want %v", limit, got, want)
		}
		if got := texts(scan(ctx, "NewestIndex", "newest", limit), "ms"); !slices.Equal(got, want) {
			t.Errorf("the index in pages of %d: %v, want %v", limit, got, want)
		}
	}
	noon := begin.Add(36 * time.Hour)
	oldest, err := sortkey.FirstUUID(noon)
	check(err)
	last, err := sortkey.LastUUID(noon.Add(6 * time.Hour))
	check(err)
	found, err := query(ctx, ask("Newest", "", "#d = :d AND id BETWEEN :a AND :b",
		attributes(":d", sortkey.DayDescending(noon, zone), ":a", last.Inverse().String(), ":b",
			oldest.Inverse().String()), "#d", "day"))
	want = slices.DeleteFunc(want, func(ms string) bool {
		n, _ := strconv.ParseInt(ms, 10, 64)
		return n < noon.UnixMilli() || n > noon.Add(6*time.Hour).UnixMilli()
	})
	if got := texts(found, "ms"); err != nil || !slices.Equal(got, want) {
		t.Errorf("six hours: %v, want %v: %v", got, want, err)
	}
}

// stream reads a Query page by page, as far as it is asked to.
func stream(ctx context.Context, q dynamodb.QueryInput, pagesRead *int) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		pages := dynamodb.NewQueryPaginator(client, &q)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			*pagesRead++
			if err != nil {
				yield(nil, err)
				return
			}
			for _, i := range page.Items {
				if !yield(i, nil) {
					return
				}
			}
		}
	}
}

// TestWriteSharding spreads a day's events over shards and merges them again, forward and backward, whole and cut
// short. The tables are ordered, so the shard's number stands in front: behind, all shards would be neighbours.
func TestWriteSharding(t *testing.T) {
	rng, ctx := random(t), t.Context()
	const shards, events = 5, 150
	create(ctx, design{name: "Sharded", hash: "shard S", sort: "at S"})
	var want []string
	for event, second := range rng.Perm(86_400)[:events] {
		at := fmt.Sprintf("%02d:%02d:%02d", second/3600, second/60%60, second%60)
		want = append(want, at)
		id := fmt.Sprint("event-", event)
		put(ctx, "Sharded", "shard", sortkey.ShardPrefixed("2024-07-12", sortkey.ShardOf(id, shards)), "at", at, "id",
			id)
		put(ctx, "Sharded", "shard", sortkey.ShardPrefixed("2024-07-13", sortkey.ShardOf(id, shards)), "at", at, "id",
			"of another day")
	}
	slices.Sort(want)
	byTime := func(a, b item) int { return cmp.Compare(text(a, "at"), text(b, "at")) }
	for _, forward := range []bool{true, false} {
		for _, count := range []int{events + 1, 10} {
			pagesRead := 0
			var sources []iter.Seq2[item, error]
			for _, name := range sortkey.ShardsPrefixed("2024-07-12", shards) {
				q := ask("Sharded", "", "#s = :s", attributes(":s", name), "#s", "shard")
				q.ScanIndexForward, q.Limit = &forward, aws.Int32(4)
				sources = append(sources, stream(ctx, q, &pagesRead))
			}
			merge := sortkey.TryMergeAscending[item]
			if !forward {
				merge = sortkey.TryMergeDescending[item]
			}
			var got []string
			for i, err := range merge(byTime, sources...) {
				check(err)
				if got = append(got, text(i, "at")); len(got) == count {
					break
				}
			}
			if !slices.Equal(got, want[:min(count, events)]) {
				t.Errorf("forward %v, %d: %v, want %v", forward, count, got, want)
			}
			if count == 10 && pagesRead > shards+3 {
				t.Errorf("the first ten of %d took %d pages of four", events, pagesRead)
			}
		}
		slices.Reverse(want)
	}
	// On an ordered table the shards of one number stand together, those of one day do not.
	var order []string
	for _, i := range scan(ctx, "Sharded", "", 0) {
		order = append(order, text(i, "shard"))
	}
	wantOrder := slices.Concat(sortkey.ShardsPrefixed("2024-07-12", shards),
		sortkey.ShardsPrefixed("2024-07-13", shards))
	slices.Sort(wantOrder)
	if order = slices.Compact(order); !slices.Equal(order, wantOrder) {
		t.Errorf("partitions in the order %v, want %v", order, wantOrder)
	}
}

// TestHashDistribution: the tag spreads days that grow over the whole table. A Scan is in no order of days, a Query of
// one day is in order, and every item is read once, by one Scan and by parallel ones.
func TestHashDistribution(t *testing.T) {
	rng, ctx := random(t), t.Context()
	create(ctx, design{
		name: "Hashed", hash: "day S", sort: "n N", tags: map[string]string{"weft:distribution": "hash"},
		global: []indexDesign{{name: "by_color", hash: "color S", sort: "n N"}},
	})
	create(ctx, design{name: "Ordered", hash: "day S", sort: "n N"})
	var want []string
	for day := range 30 {
		for _, n := range rng.Perm(8) {
			for _, table := range []string{"Hashed", "Ordered"} {
				put(ctx, table, "day", fmt.Sprintf("2024-07-%02d", day+1), "n", n, "color",
					[]string{"red", "blue"}[n%2])
			}
		}
		for n := range 8 {
			want = append(want, fmt.Sprintf("2024-07-%02d %d", day+1, n))
		}
	}
	lines := func(items []item) (all []string) {
		for _, i := range items {
			all = append(all, text(i, "day")+" "+text(i, "n"))
		}
		return all
	}
	if got := lines(scan(ctx, "Ordered", "", 17)); !slices.Equal(got, want) {
		t.Errorf("an ordered table's Scan: %v", got)
	}
	hashed := lines(scan(ctx, "Hashed", "", 17))
	if slices.IsSorted(hashed) {
		t.Error("a hashed table's Scan is in the order of its partition keys")
	}
	if slices.Sort(hashed); !slices.Equal(hashed, want) {
		t.Errorf("a hashed table's Scan: %v", hashed)
	}
	for _, forward := range []bool{true, false} {
		q := ask("Hashed", "", "#d = :d AND n BETWEEN :a AND :b", attributes(":d", "2024-07-12", ":a", 2, ":b", 5),
			"#d", "day")
		q.ScanIndexForward = &forward
		one := []string{"2", "3", "4", "5"}
		if !forward {
			slices.Reverse(one)
		}
		if found, err := query(ctx, q); err != nil || !slices.Equal(texts(found, "n"), one) {
			t.Errorf("a Query of one day, forward %v: %v, %v", forward, texts(found, "n"), err)
		}
	}
	found, err := query(ctx, ask("Hashed", "by_color", "color = :c AND n < :n", attributes(":c", "red", ":n", 5)))
	if got := texts(found, "n"); err != nil || len(got) != 3*30 || !slices.IsSorted(got) {
		t.Errorf("a Query of an index: %v, %v", got, err)
	}
	checkSegments(t, ctx, "Hashed", lines, want)
	checkSegments(t, ctx, "Ordered", lines, want)
}

func checkSegments(t *testing.T, ctx context.Context, table string, lines func([]item) []string, want []string) {
	t.Helper()
	const segments = 4
	var all []string
	for segment := range int32(segments) {
		pages := dynamodb.NewScanPaginator(client,
			&dynamodb.ScanInput{TableName: &table, Segment: &segment, TotalSegments: aws.Int32(segments),
				Limit: aws.Int32(9)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			check(err)
			all = append(all, lines(page.Items)...)
		}
	}
	if slices.Sort(all); !slices.Equal(all, want) {
		t.Errorf("%s by %d segments: %d items, want %d: %v", table, segments, len(all), len(want), all)
	}
}
