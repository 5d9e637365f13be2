// SPDX-License-Identifier: Apache-2.0

package govalue

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

type base struct {
	ID      string `weft:"id,key"`
	Created time.Time
	Name    string `weft:"name"` // hidden by the outer one's
}

type Place struct {
	Lat, Lon float64
}

type everything struct {
	base
	*Place
	Name     string          `weft:"name"`
	Rank     int8            `weft:"rank,omitempty,key"`
	Large    uint64          `weft:"large"`
	Price    order.Decimal   `weft:"price"`
	Exact    json.Number     `weft:"exact"`
	Took     time.Duration   `weft:"took"`
	Until    *time.Time      `weft:"until,omitempty"`
	Tags     []string        `weft:"tags,set"`
	Sizes    []float32       `weft:"sizes,set"`
	List     []string        `weft:"list"`
	Raw      []byte          `weft:"raw"`
	Nested   map[color]Place `weft:"nested"`
	Others   []*Place        `weft:"others"`
	Address  netip.Addr      `weft:"address"`
	Big      *big.Int        `weft:"big"`
	Anything any             `weft:"anything"`
	Two      [2]bool         `weft:"two"`
	Left     string          `weft:"-"`
	private  int             // is not stored
}

func whole() everything {
	until := time.UnixMilli(1_700_000_000_123).UTC()
	price, _ := order.ParseDecimal([]byte("12.345678901234567890"))
	return everything{
		base: base{
			ID:      "a",
			Created: time.UnixMilli(5).UTC(),
		}, Place: &Place{1.5, -2}, Name: "n", Rank: -3, Large: 1 << 63, Price: price, Exact: "0.1", Took: time.Second,
		Until: &until, Tags: []string{"x", "y"}, Sizes: []float32{0.5, 2}, List: []string{"b", "a", "b"},
		Raw: []byte{1, 0}, Nested: map[color]Place{"red": {1, 2}},
		Others: []*Place{
			{3, 4},
			nil,
		}, Address: netip.MustParseAddr("::1"), Big: big.NewInt(1 << 40),
		Anything: map[string]any{"k": []any{true, nil}}, Two: [2]bool{false, true},
	}
}

// TestStructs: a struct comes back as it was stored, whatever its fields are.
func TestStructs(t *testing.T) {
	for _, want := range []everything{whole(), {}, {Left: ""}} {
		stored := want
		stored.private = 1
		row, err := AppendRow(nil, nil, &stored)
		if err != nil {
			t.Fatal(err)
		}
		var got everything
		if err := DecodeRow(row, nil, &got); err != nil {
			t.Fatal(err)
		}
		if want.Exact == "" {
			want.Exact = "0" // as in JSON
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

// TestNames: what an item holds of a struct.
func TestNames(t *testing.T) {
	item := whole()
	item.Rank, item.Tags, item.Until, item.Place, item.Left = 0, nil, nil, nil, "out"
	row, err := AppendRow(nil, nil, item)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for attributes := row.Attributes(nil); attributes.Next(); {
		names = append(names, string(attributes.Name()))
	}
	if got := strings.Join(names, " "); got != "Created address anything big exact id large list name nested others price raw sizes took two" {
		t.Error(got)
	}
	if got := KeyFields(reflect.TypeFor[*everything]()); !reflect.DeepEqual(
		got,
		[]KeyField{{"rank", value.Number}, {"id", value.String}},
	) {
		t.Error(got)
	}
}

// TestMisfits: what does not go into a field is an error that names it.
func TestMisfits(t *testing.T) {
	row := func(name string, x any) value.Row {
		row, err := AppendRow(nil, nil, map[string]any{name: x})
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	for _, one := range []struct {
		name string
		x    any
		want string
	}{
		{"rank", 128, "rank: 128 into a int8: the number does not fit"}, {"rank", 1.5, "rank: 1.5 into a int8"},
		{"large", -1, "large: -1 into a uint64"},
		{"name", 5, "name: a number does not go into a string"},
		{"Lat", "x", "Lat: a string does not go into a float64"}, {"two", []any{true, true, true}, "two: a list of 3"},
		{"others", []any{map[string]any{"Lat": true}}, "others: [0]: Lat: a bool does not go into a float64"},
		{"address", "nowhere", "address: ParseAddr"},
	} {
		err := DecodeRow(row(one.name, one.x), nil, new(everything))
		if err == nil || !strings.HasPrefix(err.Error(), one.want) {
			t.Errorf("%s %v: %v, want %s", one.name, one.x, err, one.want)
		}
	}
	for _, into := range []any{everything{}, nil, new(int), (*everything)(nil), new([]any)} {
		if DecodeRow(row("a", 1), nil, into) == nil {
			t.Errorf("an item goes into a %T", into)
		}
	}
	for _, item := range []any{5, nil, []any{}, time.Now(), map[int]int{}, (*everything)(nil)} {
		if _, err := AppendRow(nil, nil, item); err == nil {
			t.Errorf("%T is an item", item)
		}
	}
	typed := map[string]float64{}
	if err := DecodeRow(row("a", 1.5), nil, &typed); err != nil || typed["a"] != 1.5 {
		t.Errorf("%v, %v", typed, err)
	}
}

type city struct {
	Country    string  `weft:"country" json:"country"`
	Name       string  `weft:"name" json:"name"`
	Population int     `weft:"population" json:"population"`
	Lat        float64 `weft:"lat" json:"lat"`
	Lon        float64 `weft:"lon" json:"lon"`
	Capital    bool    `weft:"capital" json:"capital"`
}

// TestDecodeAllocations: decoding allocates the two texts that the struct holds, and nothing else.
func TestDecodeAllocations(t *testing.T) {
	row, err := AppendRow(nil, nil, city{"JP", "Nara", 354_630, 34.68, 135.8, false})
	if err != nil {
		t.Fatal(err)
	}
	var c city
	if n := testing.AllocsPerRun(100, func() { c = city{}; _ = DecodeRow(row, nil, &c) }); n > 2 || c.Name != "Nara" {
		t.Errorf("%v allocations, %+v", n, c)
	}
}

func BenchmarkStruct(b *testing.B) {
	in := city{"JP", "Nara", 354_630, 34.68, 135.8, false}
	row, _ := AppendRow(nil, nil, in)
	text, _ := json.Marshal(in)
	buf := make([]byte, 0, 1024)
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = AppendRow(buf, nil, &in)
		}
	})
	b.Run("encode-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(&in)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var out city
			_ = DecodeRow(row, nil, &out)
		}
	})
	b.Run("decode-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var out city
			_ = json.Unmarshal(text, &out)
		}
	})
}
