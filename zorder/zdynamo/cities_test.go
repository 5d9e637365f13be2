// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/zorder/codec"
)

// sortedIndex is an index too large for fake: it answers queries forward and of all attributes by binary search.
type sortedIndex struct {
	items []Item
	keys  []string
}

func (x *sortedIndex) Query(_ context.Context, in *dynamodb.QueryInput,
	_ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	at := sort.SearchStrings(x.keys, text(in.ExpressionAttributeValues[":zdl"]))
	if last := in.ExclusiveStartKey; last != nil {
		at = sort.SearchStrings(x.keys, text(last["z"])+text(last["id"])) + 1
	}
	out := &dynamodb.QueryOutput{}
	for ; at < len(x.items) && text(x.items[at]["z"]) <= text(in.ExpressionAttributeValues[":zdh"]); at++ {
		item := x.items[at]
		out.Items = append(out.Items, cloneOf(item))
		if out.ScannedCount++; out.ScannedCount == *in.Limit {
			out.LastEvaluatedKey = Item{"p": item["p"], "z": item["z"], "id": item["id"]}
			break
		}
	}
	return out, nil
}

// cityTable is all cities with quantile codecs, and each attribute's values as they are and in order.
type cityTable struct {
	index          *Index
	stored         sortedIndex
	values, sorted [3][]float64
}

var cityAttributes = []string{"lat", "lon", "population"} // immutable

func loadCities(t *testing.T) *cityTable {
	t.Helper()
	c := &cityTable{}
	err := cities.Each(func(city cities.City) error {
		item := Item{"p": s("p"), "id": s(strconv.Itoa(len(c.stored.items))), "lat": n(city.Lat), "lon": n(city.Lon),
			"population": n(city.Population)}
		for i, name := range cityAttributes {
			v, err := strconv.ParseFloat(text(item[name]), 64)
			if err != nil {
				return err
			}
			c.values[i] = append(c.values[i], v)
		}
		c.stored.items = append(c.stored.items, item)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	schema := Schema{Table: "t", Index: "i", Partition: "p", Address: "z", TableKey: []string{"id"}}
	for i, a := range codecs(t, "lat f64, lon f64, population u64") {
		var sample []codec.Value
		for _, v := range c.values[i] {
			sample = append(sample, codec.Float(v))
		}
		learned, err := codec.Learn(a.Codec.Attribute(), 1, sample, codec.LearnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		schema.Attributes = append(schema.Attributes, Attribute{a.Name, learned})
		c.sorted[i] = slices.Sorted(slices.Values(c.values[i]))
	}
	if c.index, err = New(schema); err != nil {
		t.Fatal(err)
	}
	for _, item := range c.stored.items {
		if err := c.index.Stamp(item); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(c.stored.items, compare)
	for _, item := range c.stored.items {
		c.stored.keys = append(c.stored.keys, text(item["z"])+text(item["id"]))
	}
	return c
}

// window is a box around a random city that holds a share of each attribute's values, and how many cities are inside.
func (c *cityTable) window(r *rand.Rand, share float64) (where Where, inside int) {
	row, half := r.IntN(len(c.stored.items)), int(share*float64(len(c.stored.items))/2)
	var low, high [3]float64
	where = Where{}
	for i, name := range cityAttributes {
		values := c.sorted[i]
		first := sort.SearchFloat64s(values, c.values[i][row])
		last := sort.Search(len(values), func(j int) bool { return values[j] > c.values[i][row] })
		at := first + r.IntN(last-first)
		low[i], high[i] = values[max(at-half, 0)], values[min(at+half, len(values)-1)]
		where[name] = Between(low[i], high[i])
	}
	for row := range c.values[0] {
		if within(c.values[0][row], low[0], high[0]) && within(c.values[1][row], low[1], high[1]) &&
			within(c.values[2][row], low[2], high[2]) {
			inside++
		}
	}
	return where, inside
}

func within(v, low, high float64) bool { return low <= v && v <= high }

// TestCities reads boxes of 0.1 % of all cities: what is asked for and read stays in proportion to what is found.
func TestCities(t *testing.T) {
	c := loadCities(t)
	r := rand.New(rand.NewPCG(1, 2))
	var total Counts
	const queries = 100
	for range queries {
		where, inside := c.window(r, math.Cbrt(0.001))
		page, err := c.index.Query(t.Context(), &c.stored, Query{Partition: "p", Where: where})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Items) != inside || page.Token != "" {
			t.Fatalf("%d of %d cities", len(page.Items), inside)
		}
		total.Requests += page.Counts.Requests
		total.Read += page.Counts.Read
		total.Returned += page.Counts.Returned
	}
	read, requests := float64(total.Read)/float64(total.Returned), float64(total.Requests)/queries
	t.Logf("%.2f items read for each one found, %.1f requests a query of %d items", read, requests,
		total.Returned/queries)
	if read > 3.3 || requests > 18 {
		t.Errorf("%.2f items read for each one found, %.1f requests a query", read, requests)
	}
}
