// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// must runs an operation that must work.
func must(t testing.TB, api *API, operation, body string) []byte {
	t.Helper()
	answer, err := api.Do(t.Context(), operation, []byte(body), nil)
	if err != nil {
		t.Fatalf("%s %s: %v", operation, body, err)
	}
	return answer
}

// entry is an item of the model: x and y are the keys of an index, -1 if the item lacks the attribute.
type entry struct{ pk, sk, x, y int }

func (e entry) json() string {
	text := fmt.Sprintf(`"pk":{"S":"p%d"},"sk":{"N":"%d"}`, e.pk, e.sk)
	if e.x >= 0 {
		text += fmt.Sprintf(`,"x":{"S":"x%d"}`, e.x)
	}
	if e.y >= 0 {
		text += fmt.Sprintf(`,"y":{"N":"%d"}`, e.y)
	}
	return "{" + text + "}"
}

func (e entry) key() string { return fmt.Sprintf(`{"pk":{"S":"p%d"},"sk":{"N":"%d"}}`, e.pk, e.sk) }

// walkCase is one way to walk: over the table, a local or a global index.
type walkCase struct {
	index, hash, sorted string
	of                  func(e entry) (hash, sorted int, in bool)
}

// walkCases are the three. // immutable
var walkCases = []walkCase{
	{"", "pk", "sk", func(e entry) (int, int, bool) { return e.pk, e.sk, true }},
	{"l", "pk", "y", func(e entry) (int, int, bool) { return e.pk, e.y, e.y >= 0 }},
	{"g", "x", "y", func(e entry) (int, int, bool) { return e.x, e.y, e.x >= 0 && e.y >= 0 }},
}

// TestPages writes, changes and deletes items at random, and then walks partitions of the table and of both indexes in
// pages of every size and in both directions: the pages together must be what a sorted slice says.
func TestPages(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		seed := rounds.Seed(t)
		rng := rand.New(rand.NewPCG(seed, 0))
		api := &API{DB: db}
		makeTable(t, api, "t", "key pk:S sk:N\nlsi l pk:S y:N keys\ngsi g x:S y:N\n")
		model := randomHistory(t, rng, api)
		for range 150 {
			c := walkCases[rng.IntN(len(walkCases))]
			hash, low := rng.IntN(3), rng.IntN(6)
			high, limit, reverse := low+rng.IntN(6), 1+rng.IntN(5), rng.IntN(2) == 0
			want := c.expect(model, hash, low, high, reverse)
			got := c.walk(t, api, hash, low, high, limit, reverse)
			if !slices.Equal(got, want) {
				t.Fatalf("%s %d, %d to %d by %d, reverse %v:\n got %v\nwant %v", c.index, hash, low, high, limit,
					reverse, got, want)
			}
		}
	})
}

func randomHistory(t *testing.T, rng *rand.Rand, api *API) map[string]entry {
	model := map[string]entry{}
	for range 300 {
		e := entry{rng.IntN(3), rng.IntN(12), rng.IntN(4) - 1, rng.IntN(8) - 1}
		switch rng.IntN(5) {
		case 0:
			must(t, api, "DeleteItem", `{"TableName":"t","Key":`+e.key()+`}`)
			delete(model, e.key())
		case 1:
			changed, ok := model[e.key()]
			if !ok {
				changed = entry{e.pk, e.sk, -1, -1}
			}
			changed.y = max(e.y, 0)
			must(t, api, "UpdateItem", fmt.Sprintf(
				`{"TableName":"t","Key":%s,"UpdateExpression":"SET y = :y","ExpressionAttributeValues":{":y":{"N":"%d"}}}`, e.key(), changed.y))
			model[e.key()] = changed
		default:
			must(t, api, "PutItem", `{"TableName":"t","Item":`+e.json()+`}`)
			model[e.key()] = e
		}
	}
	return model
}

// expect is what the model has, as keys in order.
func (c walkCase) expect(model map[string]entry, hash, low, high int, reverse bool) (keys []string) {
	var found []entry
	for _, e := range model {
		if h, s, in := c.of(e); in && h == hash && low <= s && s <= high {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b entry) int {
		_, sa, _ := c.of(a)
		_, sb, _ := c.of(b)
		return cmp.Or(cmp.Compare(sa, sb), cmp.Compare(a.pk, b.pk), cmp.Compare(a.sk, b.sk))
	})
	if reverse {
		slices.Reverse(found)
	}
	for _, e := range found {
		keys = append(keys, e.key())
	}
	return keys
}

func (c walkCase) walk(t *testing.T, api *API, hash, low, high, limit int, reverse bool) (keys []string) {
	t.Helper()
	letter := "p"
	index := ""
	if c.hash == "x" {
		letter = "x"
	}
	if c.index != "" {
		index = `"IndexName":"` + c.index + `",`
	}
	start := ""
	for page := 0; ; page++ {
		body := fmt.Sprintf(`{"TableName":"t",%s%s"KeyConditionExpression":"%s = :h AND %s BETWEEN :l AND :u","ScanIndexForward":%v,"Limit":%d,`+
			`"ProjectionExpression":"pk, sk","ExpressionAttributeValues":{":h":{"S":"%s%d"},":l":{"N":"%d"},":u":{"N":"%d"}}}`,
			index, start, c.hash, c.sorted, !reverse, limit, letter, hash, low, high)
		var answer struct {
			Items            []json.RawMessage
			LastEvaluatedKey json.RawMessage
		}
		if err := json.Unmarshal(must(t, api, "Query", body), &answer); err != nil {
			t.Fatal(err)
		}
		for _, item := range answer.Items {
			keys = append(keys, string(item))
		}
		if answer.LastEvaluatedKey == nil {
			return keys
		}
		if len(answer.Items) == 0 || page > 50 {
			t.Fatalf("a page without items, or no end: %s", body)
		}
		start = `"ExclusiveStartKey":` + string(answer.LastEvaluatedKey) + `,`
	}
}

// TestSegments scans tables of both distributions in parallel: the segments together are the table, whatever their
// number.
func TestSegments(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		api := &API{DB: db}
		makeTable(t, api, "ordered", "key k:N\n")
		makeTable(t, api, "hashed", "key k:N\nhash\n")
		for _, table := range []string{"ordered", "hashed"} {
			for i := range 100 {
				must(t, api, "PutItem", fmt.Sprintf(`{"TableName":"%s","Item":{"k":{"N":"%d"}}}`, table, i))
			}
			for _, total := range []int{1, 2, 3, 7, 1000} {
				seen := map[string]int{}
				for segment := range total {
					lines := pages(t, api, "Scan",
						fmt.Sprintf(`{"TableName":"%s","Segment":%d,"TotalSegments":%d,"Limit":9}`, table, segment,
							total))
					for _, item := range strings.Fields(lines) {
						if strings.HasPrefix(item, "{k:") {
							seen[item]++
						}
					}
				}
				for item, times := range seen {
					if times != 1 {
						t.Errorf("%s in %d segments: %s was seen %d times", table, total, item, times)
					}
				}
				if len(seen) != 100 {
					t.Errorf("%s in %d segments: %d items", table, total, len(seen))
				}
			}
		}
	})
}

// TestConcurrent lets writers and readers share one API and one item: no ADD is lost, and unconditional writes never
// fail.
func TestConcurrent(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		api := &API{DB: db}
		makeTable(t, api, "t", "key pk:S\ngsi g n:N\n")
		const writers, each = 8, 25
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				for i := range each {
					body := fmt.Sprintf(
						`{"TableName":"t","Key":{"pk":{"S":"a"}},"UpdateExpression":"ADD n :one SET w%d = :i","ExpressionAttributeValues":{":one":{"N":"1"},":i":{"N":"%d"}}}`, w, i)
					if _, err := api.Do(t.Context(), "UpdateItem", []byte(body), nil); err != nil {
						t.Error(err)
					}
					if _, err := api.Do(t.Context(), "Query",
						[]byte(`{"TableName":"t","IndexName":"g","KeyConditionExpression":"n = :n","ExpressionAttributeValues":{":n":{"N":"3"}}}`), nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		answer := must(t, api, "GetItem", `{"TableName":"t","Key":{"pk":{"S":"a"}},"ProjectionExpression":"n"}`)
		if want := fmt.Sprintf(`{"Item":{"n":{"N":"%d"}}}`, writers*each); string(answer) != want {
			t.Fatalf("%s, want %s", answer, want)
		}
	})
}
