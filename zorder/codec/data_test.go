// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/weather"
	"github.com/weftdb/weft/order"
)

// column is one attribute of real or realistic rows.
type column struct {
	raw    string // a declaration without bits
	values []Value
	order  []float64
}

func (c *column) add(t *testing.T, text string) {
	t.Helper()
	d, err := order.ParseDecimal([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c.values = append(c.values, Number(d))
	c.order = append(c.order, d.Float())
}

func cityColumns(t *testing.T) []column {
	columns := []column{{raw: "x lon"}, {raw: "x lat"}, {raw: "x u32"}}
	if err := cities.Each(func(c cities.City) error {
		columns[0].add(t, c.Lon)
		columns[1].add(t, c.Lat)
		columns[2].add(t, strconv.FormatInt(c.Population, 10))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return columns
}

func weatherColumns(t *testing.T) []column {
	columns := []column{{raw: "x timestamp(s)"}, {raw: "x lat"}, {raw: "x lon"}, {raw: "x linear(-60,60)"}}
	if err := weather.Each(func(r weather.Report) error {
		columns[0].add(t, strconv.FormatInt(r.Timestamp, 10))
		columns[1].add(t, r.Latitude)
		columns[2].add(t, r.Longitude)
		columns[3].add(t, r.Celsius)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return columns
}

// TestFetches counts the rows whose codes are in the box of a query, for each row that the query returns: what an index
// would fetch in vain. Queries bind all attributes, and return about 0.01 % of the rows if these were independent.
func TestFetches(t *testing.T) {
	for name, columns := range map[string][]column{"cities": cityColumns(t), "weather": weatherColumns(t)} {
		for _, c := range []struct {
			bits int
			most float64
		}{{16, 1.02}, {12, 1.05}}[:min(rounds.Of(t, 1), 2)] { // a long run has both
			raw, learned := make([]*Codec, len(columns)), make([]*Codec, len(columns))
			for i, column := range columns {
				raw[i] = declared(t, fmt.Sprintf("%s:%d", column.raw, c.bits))
				var err error
				if learned[i], err = Learn(mustParse(t, fmt.Sprintf("x number:%d", c.bits)), 1, column.values,
					LearnOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			boxes := boxes(columns, min(rounds.Of(t, 8), 100))
			got := fetches(t, columns, learned, boxes)
			t.Logf("%s, %d bits: %.3f fetched for each row returned; raw %.3f", name, c.bits, got,
				fetches(t, columns, raw, boxes))
			if got > c.most {
				t.Errorf("%s, %d bits: %.3f fetched for each row returned, more than %.2f", name, c.bits, got, c.most)
			}
		}
	}
}

// boxes are the least and the greatest row of each attribute, around random rows.
func boxes(columns []column, count int) [][][2]int {
	r := rand.New(rand.NewPCG(1, 2))
	share := map[int]float64{3: 0.0464, 4: 0.1}[len(columns)] // the root of 0.0001
	ranks := make([][]int, len(columns))
	places := make([][]int, len(columns))
	for i, column := range columns {
		ranks[i] = make([]int, len(column.values))
		for row := range ranks[i] {
			ranks[i][row] = row
		}
		slices.SortStableFunc(ranks[i], func(a, b int) int {
			return cmp.Compare(column.order[a], column.order[b])
		})
		places[i] = make([]int, len(column.values))
		for place, row := range ranks[i] {
			places[i][row] = place
		}
	}
	var boxes [][][2]int
	for range count {
		row := r.IntN(len(columns[0].values))
		var box [][2]int
		for i := range columns {
			half := int(share * float64(len(ranks[i])) / 2)
			box = append(box, [2]int{ranks[i][max(places[i][row]-half, 0)],
				ranks[i][min(places[i][row]+half, len(ranks[i])-1)]})
		}
		boxes = append(boxes, box)
	}
	return boxes
}

// fetches returns how many rows have codes in the boxes, over how many match them.
func fetches(t *testing.T, columns []column, codecs []*Codec, boxes [][][2]int) float64 {
	t.Helper()
	codes := make([][]uint64, len(columns))
	for i, column := range columns {
		for _, v := range column.values {
			code, err := codecs[i].Code(v)
			if err != nil {
				t.Fatal(err)
			}
			codes[i] = append(codes[i], code)
		}
	}
	fetched, returned := 0, 0
	for _, box := range boxes {
		ranges := make([]Range, len(columns))
		for i, column := range columns {
			var err error
			if ranges[i], err = codecs[i].Range(Between(column.values[box[i][0]],
				column.values[box[i][1]])); err != nil {
				t.Fatal(err)
			}
		}
		for row := range codes[0] {
			inside, match := true, true
			for i := range columns {
				inside = inside && ranges[i].Contains(codes[i][row])
				match = match && columns[i].order[box[i][0]] <= columns[i].order[row] &&
					columns[i].order[row] <= columns[i].order[box[i][1]]
			}
			if match && !inside {
				t.Fatalf("row %d is lost", row)
			}
			if inside {
				fetched++
			}
			if match {
				returned++
			}
		}
	}
	return float64(fetched) / float64(returned)
}

// TestCityNames: with real names, those that begin with http://www. share codes no more than those that do not.
func TestCityNames(t *testing.T) {
	var plain, prefixed []Value
	if err := cities.Each(func(c cities.City) error {
		plain = append(plain, String(c.Name))
		prefixed = append(prefixed, String("http://www."+c.Name))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("text[4]: %.0f rows share a code; with the prefix %.0f", sharing(t, declared(t, "x text[4]"), plain),
		sharing(t, declared(t, "x text[4]"), prefixed))
	for _, bits := range []int{10, 12, 14, 16, 32} {
		var shares [2]float64
		for i, values := range [][]Value{plain, prefixed} {
			c, err := Learn(Attribute{Type: Type{Kind: UTF8}, Bits: bits}, 1, values, LearnOptions{})
			if err != nil {
				t.Fatal(err)
			}
			shares[i] = sharing(t, c, values)
		}
		t.Logf("learned, %d bits: %.1f rows share a code; with the prefix %.1f", bits, shares[0], shares[1])
		if shares[1] > 1.1*shares[0] {
			t.Errorf("%d bits: %.1f rows share a code, %.1f without the prefix", bits, shares[1], shares[0])
		}
	}
}
