// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fill writes items "p0".."p9" by 0..each-1, with a filler so that several pages are needed, and an attribute "odd" on
// each second item.
func fill(t *testing.T, name string, each int) {
	t.Helper()
	var writes []types.WriteRequest
	flush := func() {
		out, err := client.BatchWriteItem(t.Context(),
			&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{name: writes}})
		if err != nil || len(out.UnprocessedItems) > 0 {
			t.Fatalf("%v, %v", out, err)
		}
		writes = nil
	}
	for p := range 10 {
		for i := range each {
			made := item{"pk": s(fmt.Sprintf("p%d", p)), "sk": n(i), "fill": s(strings.Repeat("x", 2000)),
				"mod": n(i % 7)}
			if i%2 == 1 {
				made["odd"] = s("yes")
			}
			if writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: made}}); len(
				writes) == 25 {
				flush()
			}
		}
	}
	if len(writes) > 0 {
		flush()
	}
}

// TestQueries walks tables and indexes in both directions, in pages of every size.
func TestQueries(t *testing.T) {
	input := table("queries", "pk:S", "sk:N")
	global(input, "odd", "odd:S", "sk:N")
	local(input, "by-mod", "pk:S", "mod:N")
	create(t, input)
	fill(t, "queries", 100)
	name := aws.String("queries")

	for _, limit := range []int32{0, 1, 7, 100} {
		q := &dynamodb.QueryInput{TableName: name,
			KeyConditionExpression:    aws.String("pk = :p AND sk BETWEEN :a AND :b"),
			ExpressionAttributeValues: item{":p": s("p3"), ":a": n(10), ":b": n(30)}, ScanIndexForward: aws.Bool(false)}
		if limit > 0 {
			q.Limit = &limit
		}
		found := texts(query(t, q), "sk")
		if len(found) != 21 || found[0] != "30" || found[20] != "10" {
			t.Errorf("limit %d: %v", limit, found)
		}
	}

	// The sparse index holds the odd items only, and equal index keys lose none of them.
	found := query(t, &dynamodb.QueryInput{TableName: name, IndexName: aws.String("odd"),
		KeyConditionExpression:    aws.String("odd = :y AND sk < :max"),
		ExpressionAttributeValues: item{":y": s("yes"), ":max": n(50)}, Limit: aws.Int32(9)})
	if len(found) != 250 || !slices.IsSortedFunc(found,
		func(a, b item) int { return len(text(a, "sk")) - len(text(b, "sk")) }) {
		t.Errorf("%d items in the sparse index", len(found))
	}

	found = query(t, &dynamodb.QueryInput{TableName: name, IndexName: aws.String("by-mod"),
		KeyConditionExpression: aws.String("pk = :p AND #m = :m"), ConsistentRead: aws.Bool(true),
		FilterExpression: aws.String("attribute_exists(odd)"), ExpressionAttributeNames: map[string]string{"#m": "mod"},
		ExpressionAttributeValues: item{":p": s("p1"), ":m": n(3)}})
	if got := texts(found, "sk"); !slices.Equal(got, []string{"3", "17", "31", "45", "59", "73", "87"}) {
		t.Errorf("local index: %v", got)
	}

	count, err := client.Query(t.Context(),
		&dynamodb.QueryInput{TableName: name, Select: types.SelectCount, KeyConditionExpression: aws.String("pk = :p"),
			FilterExpression: aws.String("#m = :m"), ExpressionAttributeNames: map[string]string{"#m": "mod"},
			ExpressionAttributeValues: item{":p": s("p1"), ":m": n(3)}})
	if err != nil || count.Count != 14 || count.ScannedCount != 100 || count.Items != nil {
		t.Errorf("%+v, %v", count, err)
	}
}

// TestScans reads a table as one and in parallel: each item once, and as one in the order of keys.
func TestScans(t *testing.T) {
	for _, distribution := range []string{"ordered", "hash"} {
		t.Run(distribution, func(t *testing.T) {
			name := "scans-" + distribution
			input := table(name, "pk:S", "sk:N")
			if distribution == "hash" {
				input.Tags = []types.Tag{{Key: aws.String("weft:distribution"), Value: aws.String("hash")}}
			}
			create(t, input)
			fill(t, name, 100)
			all := scan(t, &dynamodb.ScanInput{TableName: &name})
			if len(all) != 1000 {
				t.Fatalf("%d items", len(all))
			}
			if distribution == "ordered" && !sort.StringsAreSorted(all) {
				t.Error("a scan is not in the order of keys")
			}
			var group sync.WaitGroup
			var mu sync.Mutex
			var parts []string
			for segment := range int32(4) {
				group.Go(func() {
					part := scan(t, &dynamodb.ScanInput{TableName: &name, Segment: &segment,
						TotalSegments: aws.Int32(4), Limit: aws.Int32(33)})
					mu.Lock()
					defer mu.Unlock()
					parts = append(parts, part...)
				})
			}
			group.Wait()
			slices.Sort(parts)
			slices.Sort(all)
			if !slices.Equal(parts, all) {
				t.Errorf("the segments have %d items, %d of them different", len(parts), len(slices.Compact(parts)))
			}
		})
	}
}

// scan reads all pages and returns the items' keys as sortable texts.
func scan(t *testing.T, input *dynamodb.ScanInput) (keys []string) {
	pages := dynamodb.NewScanPaginator(client, input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Error(err)
			return nil
		}
		for _, i := range page.Items {
			keys = append(keys, fmt.Sprintf("%s %04s", text(i, "pk"), text(i, "sk")))
		}
	}
	return keys
}

// TestComputedKeys has a key attribute that no item carries.
func TestComputedKeys(t *testing.T) {
	input := table("computed", "room:S", "message:S")
	global(input, "by-time", "room:S", "concat(datetime,'#',user_name):S")
	global(input, "newest", "room:S", "desc(score):N")
	create(t, input)
	for i, user := range []string{"zoe", "adam", "mia"} {
		put(t, "computed", item{"room": s("r"), "message": s(fmt.Sprint(i)),
			"datetime": s(fmt.Sprintf("2026-01-0%d", 3-i)), "user_name": s(user), "score": n(i * 10)})
	}
	put(t, "computed", item{"room": s("r"), "message": s("9")})

	names := map[string]string{"#t": "concat(datetime,'#',user_name)"}
	found := query(t, &dynamodb.QueryInput{TableName: aws.String("computed"), IndexName: aws.String("by-time"),
		Limit:                  aws.Int32(1),
		KeyConditionExpression: aws.String("room = :r AND begins_with(#t, :p)"), ExpressionAttributeNames: names,
		ExpressionAttributeValues: item{":r": s("r"), ":p": s("2026-01")}})
	if got := texts(found, "user_name"); !slices.Equal(got, []string{"mia", "adam", "zoe"}) {
		t.Errorf("%v", got)
	}
	if found[0][names["#t"]] != nil {
		t.Error("an item shows its computed key")
	}
	found = query(t, &dynamodb.QueryInput{TableName: aws.String("computed"), IndexName: aws.String("newest"),
		Limit:                  aws.Int32(2),
		KeyConditionExpression: aws.String("room = :r"), ExpressionAttributeValues: item{":r": s("r")}})
	if got := texts(found, "score"); !slices.Equal(got, []string{"20", "10", "0"}) {
		t.Errorf("%v", got)
	}
	_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("computed"),
		Item: item{"room": s("r"), "message": s("x"), "datetime": &types.AttributeValueMemberBOOL{},
			"user_name": s("u")}})
	wantAPIError(t, err, "ValidationException", "datetime")
}
