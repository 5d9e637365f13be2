// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/harness"
	"github.com/weftdb/weft/zorder/codec"
	"github.com/weftdb/weft/zorder/zdynamo"
)

func text(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		return string(v.Value)
	}
	return ""
}

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func n(v any) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(v)} }

func attributes(t *testing.T, list string) []zdynamo.Attribute {
	t.Helper()
	parsed, err := codec.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	var attributes []zdynamo.Attribute
	for _, a := range parsed {
		c, err := codec.New(a, 1)
		if err != nil {
			t.Fatal(err)
		}
		attributes = append(attributes, zdynamo.Attribute{Name: a.Name, Codec: c})
	}
	return attributes
}

func key(name string, kind types.KeyType) types.KeySchemaElement {
	return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
}

func defined(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
}

// TestIndexOfServer keeps addresses in a secondary index of the real server, and reads boxes with the SDK's client.
func TestIndexOfServer(t *testing.T) {
	client := harness.Start(t, harness.Build(t), harness.Options{}).Client()
	t.Run("secondary index", func(t *testing.T) { secondary(t, client) })
	t.Run("table key", func(t *testing.T) { tableKey(t, client) })
	t.Run("concurrent updates", func(t *testing.T) { contended(t, client) })
}

// secondaryIndex makes a table with an index over lat, lon and population.
func secondaryIndex(t *testing.T, client *dynamodb.Client, table string) *zdynamo.Index {
	t.Helper()
	harness.CreateTable(t, client, &dynamodb.CreateTableInput{
		TableName: &table, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{key("id", types.KeyTypeHash)},
		AttributeDefinitions: []types.AttributeDefinition{defined("id", "S"), defined("kind", "S"), defined("z", "B")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("byPlace"),
			KeySchema:  []types.KeySchemaElement{key("kind", types.KeyTypeHash), key("z", types.KeyTypeRange)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	})
	x, err := zdynamo.New(zdynamo.Schema{
		Table: table, Index: "byPlace", Partition: "kind", Address: "z", TableKey: []string{"id"},
		Attributes: attributes(t, "lat lat:16, lon lon:16, population u32:16, founded iso8601(s) nulls=first"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func secondary(t *testing.T, client *dynamodb.Client) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	x := secondaryIndex(t, client, "places")
	var all []zdynamo.Item
	for i := range 500 {
		item := zdynamo.Item{"id": s(strconv.Itoa(i)), "kind": s("city"), "lat": n(r.IntN(1800)/10 - 90),
			"lon":        n(float64(r.IntN(3600))/10 - 180),
			"population": n(r.IntN(1e6)), "note": s("n" + strconv.Itoa(i%3)),
			"map": &types.AttributeValueMemberM{Value: zdynamo.Item{"a": n(i), "b": n(1)}}}
		if i%4 > 0 {
			item["founded"] = s(fmt.Sprintf("%d-W%02d", 1500+r.IntN(500), 1+r.IntN(52)))
		}
		if _, err := x.Put(t.Context(), client, &dynamodb.PutItemInput{Item: item}); err != nil {
			t.Fatal(err)
		}
		all = append(all, item)
	}
	slices.SortFunc(all, func(a, b zdynamo.Item) int {
		return slices.Compare([]byte(text(a["z"])),
			[]byte(text(b["z"])))
	})
	for i := range 60 {
		south, west, size := float64(r.IntN(120)-90), float64(r.IntN(240)-180), float64(r.IntN(120))
		q := zdynamo.Query{
			Partition: "city", Backward: i%2 == 0, Limit: r.IntN(20), Filter: "#note <> :note",
			Names:  map[string]string{"#note": "note", "#f": "founded"},
			Values: zdynamo.Item{":note": s("n0")}, Projection: "lat, #f, #map.b, founded.x",
			RequestItemsMax: 1 + r.IntN(100),
			Where: zdynamo.Where{"lat": zdynamo.Between(south, south+size),
				"lon": zdynamo.All(zdynamo.Greater(west), zdynamo.Less(west+size))},
		}
		q.Names["#map"] = "map"
		if i%3 == 0 {
			q.Where["founded"] = zdynamo.Any(zdynamo.Between("1700", "1799"), zdynamo.Missing())
		}
		inside := func(item zdynamo.Item) bool {
			lat, _ := strconv.ParseFloat(text(item["lat"]), 64)
			lon, _ := strconv.ParseFloat(text(item["lon"]), 64)
			// Week 1 of 1800 begins in 1799, and that of 1700 may begin a year before.
			year := text(item["founded"])
			instant, _, err := codec.ParseInstant([]byte(year), 0)
			first, _, _ := codec.ParseInstant([]byte("1700"), 0)
			_, last, _ := codec.ParseInstant([]byte("1799"), 0)
			fits := i%3 > 0 || year == "" || err == nil && instant.Compare(first) >= 0 && instant.Compare(last) <= 0
			return text(item["note"]) != "n0" && lat >= south && lat <= south+size && lon > west && lon < west+size &&
				fits
		}
		want, got := 0, 0
		for _, item := range all {
			if inside(item) {
				want++
			}
		}
		for item, err := range x.All(t.Context(), client, q) {
			if err != nil {
				t.Fatal(err)
			}
			got++
			inner, _ := item["map"].(*types.AttributeValueMemberM)
			if item["id"] != nil || item["z"] != nil || item["lon"] != nil || item["lat"] == nil || inner == nil ||
				len(inner.Value) != 1 {
				t.Fatalf("the projection gives %v", item)
			}
		}
		if got != want {
			t.Fatalf("%+v: %d items, want %d", q, got, want)
		}
	}
}

// tableKey has the address as the table's own sort key, with a tail that keeps items of equal codes apart.
func tableKey(t *testing.T, client *dynamodb.Client) {
	harness.CreateTable(t, client, &dynamodb.CreateTableInput{
		TableName: aws.String("reports"), BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{key("source", types.KeyTypeHash),
			key("z_address", types.KeyTypeRange)},
		AttributeDefinitions: []types.AttributeDefinition{defined("source", "S"), defined("z_address", "B")},
	})
	x, err := zdynamo.New(zdynamo.Schema{
		Table: "reports", Partition: "source", Address: "z_address", Tail: []string{"id"},
		Attributes: attributes(t, "timestamp timestamp(s), celsius i8, latitude f64, longitude f64"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		item := zdynamo.Item{"source": s("a"), "id": n(i), "timestamp": n(1469566800 + i/10), "celsius": n(-5 + i/50),
			"latitude": n("40.749207"), "longitude": n("-73.985174")}
		if _, err := x.Put(t.Context(), client, &dynamodb.PutItemInput{Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	for _, backward := range []bool{false, true} {
		q := zdynamo.Query{Partition: "a", Where: zdynamo.Where{"timestamp": zdynamo.Equal(1469566803)}, Limit: 3,
			Backward: backward, Consistent: true}
		seen := map[string]bool{}
		for item, err := range x.All(t.Context(), client, q) {
			if err != nil {
				t.Fatal(err)
			}
			if id := text(item["id"]); seen[id] || id < "30" || id > "39" {
				t.Fatal(id)
			}
			seen[text(item["id"])] = true
		}
		if len(seen) != 10 {
			t.Fatal(seen)
		}
	}
	if _, err := x.Put(t.Context(), client,
		&dynamodb.PutItemInput{Item: zdynamo.Item{"source": s("a"), "id": n(1)}}); !errors.Is(err, zdynamo.ErrItem) {
		t.Fatal(err)
	}
	if _, err := x.Update(t.Context(), client, zdynamo.Item{}, zdynamo.Item{}); !errors.Is(err, zdynamo.ErrItem) {
		t.Fatal(err)
	}
}

// contended changes one item from several sides: whatever the order, its address fits its attributes in the end.
func contended(t *testing.T, client *dynamodb.Client) {
	x := secondaryIndex(t, client, "moving")
	id := zdynamo.Item{"id": s("ship")}
	if _, err := x.Update(t.Context(), client, id,
		zdynamo.Item{"kind": s("ship"), "lat": n(0), "lon": n(0), "population": n(5)}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, name := range []string{"lat", "lon", "population"} {
		group.Go(func() {
			for i := range 10 {
				if _, err := x.Update(t.Context(), client, id, zdynamo.Item{name: n(i + 1)}); err != nil &&
					!errors.Is(err, zdynamo.ErrContended) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	out, err := client.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: aws.String("moving"), Key: id, ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	want, ok, err := x.Address(out.Item)
	if err != nil || !ok || text(out.Item["z"]) != string(want) {
		t.Fatal(out.Item, err)
	}
	// Without its latitude the ship has no place in the index.
	after, err := x.Update(t.Context(), client, id, zdynamo.Item{"lat": nil})
	if err != nil || after["z"] != nil || after["lat"] != nil || after["lon"] == nil {
		t.Fatal(after, err)
	}
	if page, err := x.Query(t.Context(), client, zdynamo.Query{Partition: "ship"}); err != nil || len(page.Items) > 0 {
		t.Fatal(page, err)
	}
}
