// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// membersOf runs an operation and returns its answer's members.
func membersOf(t *testing.T, api *API, operation, body string) map[string]json.RawMessage {
	t.Helper()
	answer, err := run(t, api, operation, body)
	if err != nil {
		t.Fatalf("%s %s: %v", operation, body, err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(answer, &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// TestCurveRebuild rebuilds a Z-order index between the pages of a Query: its items are those of a Scan, and
// DescribeTable shows nothing of the rebuild.
func TestCurveRebuild(t *testing.T) {
	seed := rounds.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	db := testdb.Open(t)
	api := &API{DB: db}
	const key = "zorder(lat f64, population u64)"
	membersOf(t, api, "CreateTable", `{"TableName":"city","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},
		{"AttributeName":"kind","AttributeType":"S"},{"AttributeName":"`+key+`","AttributeType":"B"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
		"GlobalSecondaryIndexes":[{"IndexName":"box","KeySchema":[{"AttributeName":"kind","KeyType":"HASH"},{"AttributeName":"`+key+`","KeyType":"RANGE"}],
		"Projection":{"ProjectionType":"ALL"}}]}`)
	for i := range 700 {
		membersOf(t, api, "PutItem", fmt.Sprintf(
			`{"TableName":"city","Item":{"id":{"S":"%d"},"kind":{"S":"c"},"lat":{"N":"%.4f"},"population":{"N":"%d"}}}`,
			i, 40+rng.NormFloat64(), rng.IntN(1+i*i)))
	}
	described := string(membersOf(t, api, "DescribeTable", `{"TableName":"city"}`)["Table"])
	if strings.Contains(described, "weft:") || !strings.Contains(described, key) {
		t.Errorf("%s", described)
	}
	const filter = `,"FilterExpression":"lat > :a and population < :b","ExpressionAttributeValues":{":a":{"N":"39.5"},":b":{"N":"90000"}%s}`
	want := idsOf(t, membersOf(t, api, "Scan", `{"TableName":"city"`+fmt.Sprintf(filter, "")+`}`))
	for _, limit := range []int{1, 7, 50, 300} {
		for _, forward := range []bool{true, false} {
			body := fmt.Sprintf(`{"TableName":"city","IndexName":"box","Limit":%d,"ScanIndexForward":%v,"KeyConditionExpression":"kind = :k"`, limit, forward) +
				fmt.Sprintf(filter, `,":k":{"S":"c"}`)
			got := pagesAcross(t, api, body, func() {
				if err := db.TableNamed("", "city").RebuildIndex(t.Context(), "box"); err != nil {
					t.Fatal(err)
				}
				now := string(membersOf(t, api, "DescribeTable", `{"TableName":"city"}`)["Table"])
				if strings.Contains(now, "weft:") || now != described {
					t.Errorf("%s\nwant\n%s", now, described)
				}
			})
			if !slices.Equal(got, want) {
				t.Fatalf("pages of %d, forward %v: %d items, want %d", limit, forward, len(got), len(want))
			}
			if err := db.WaitJobs(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, id := range []string{"99", "-1", "1.5", "0"} {
		_, err := run(t, api, "Query", `{"TableName":"city","IndexName":"box","KeyConditionExpression":"kind = :k","ExpressionAttributeValues":{":k":{"S":"c"}},
			"ExclusiveStartKey":{"id":{"S":"1"},"kind":{"S":"c"},"`+key+`":{"B":"AAAAAAAAAAAAAAAAAAAAAA=="},"weft:index":{"N":"`+id+`"}}}`)
		if err == nil || !strings.Contains(err.Error(), "The provided starting key is invalid") {
			t.Errorf("weft:index %s: %v", id, err)
		}
	}
}

// pagesAcross runs an operation page by page, and something after the second.
func pagesAcross(t *testing.T, api *API, body string, between func()) (got []string) {
	t.Helper()
	next := ""
	for page := 0; ; page++ {
		answer := membersOf(t, api, "Query", body+next+"}")
		got = append(got, idsOf(t, answer)...)
		last, more := answer["LastEvaluatedKey"]
		if !more {
			slices.Sort(got)
			return got
		}
		if next = `,"ExclusiveStartKey":` + string(last); page == 1 {
			between()
		}
	}
}

func idsOf(t *testing.T, answer map[string]json.RawMessage) (list []string) {
	t.Helper()
	var items []struct{ ID struct{ S string } }
	if err := json.Unmarshal(answer["Items"], &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		list = append(list, item.ID.S)
	}
	slices.Sort(list)
	return list
}
