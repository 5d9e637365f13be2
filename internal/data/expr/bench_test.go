// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
	"github.com/weftdb/weft/order"
)

func benchmarkSource(b testing.TB) Source {
	names := newDictionary("id", "status", "version", "owner", "tags", "address", "more0", "more1", "more2", "more3")
	text := "{id: \"order-1\", status: \"shipped\", version: 12, owner: \"anna\", tags: <\"a\", \"b\">, address: {city: \"Bonn\", zip: \"53111\"}"
	for i := range 10 {
		text += fmt.Sprintf(", more%d: \"some text that nobody asks for %d\"", i, i)
	}
	row, err := valuetest.ParseRowText(text+"}", names)
	if err != nil {
		b.Fatal(err)
	}
	return Source{Row: row, Names: names}
}

func text(s string) *Literal { return &Literal{value.AppendString(nil, []byte(s))} }

func number(n int64) *Literal { return &Literal{value.AppendNumber(nil, order.DecimalFromInt(n))} }

func BenchmarkMatch(b *testing.B) {
	s := benchmarkSource(b)
	conditions := map[string]Condition{
		"equal":  &Compare{Equal, &Path{Name: "status"}, text("shipped")},
		"number": &Compare{Less, &Path{Name: "version"}, number(20)},
		"size":   &Compare{Greater, &Size{Path{Name: "tags"}}, number(1)},
		"nested": &Compare{Equal, &Path{Name: "address", Steps: []Step{{"zip", -1}}}, text("53111")},
		"three": &And{[]Condition{&Exists{Path{Name: "id"}}, &Compare{Equal, &Path{Name: "status"}, text("shipped")},
			&Between{&Path{Name: "version"}, number(1), number(20)}}},
	}
	for name, c := range conditions {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := Match(c, s); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	s := benchmarkSource(b)
	updates := map[string]*Update{
		"set":   {Set: []SetAction{{Path{Name: "status"}, text("returned")}}},
		"count": {Add: []AddAction{{Path{Name: "version"}, number(1).Value}}},
		"nested": {Set: []SetAction{{Path{Name: "address", Steps: []Step{{"city", -1}}}, text("Ulm")}},
			Remove: []Path{{Name: "owner"}}},
		"sum": {Set: []SetAction{{Path{Name: "version"}, &Arithmetic{Plus, &Path{Name: "version"}, number(1)}}}},
	}
	var builder value.RowBuilder
	var row value.Row
	for name, u := range updates {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				builder.Reset(s.Names)
				if err := u.Apply(s, &builder); err != nil {
					b.Fatal(err)
				}
				row = builder.AppendTo(row[:0])
			}
		})
	}
}

func BenchmarkProject(b *testing.B) {
	s := benchmarkSource(b)
	paths := []Path{{Name: "address", Steps: []Step{{"city", -1}}}, {Name: "id"}, {Name: "status"}}
	var builder value.RowBuilder
	b.ReportAllocs()
	for b.Loop() {
		builder.Reset(s.Names)
		if err := Project(paths, s, &builder); err != nil {
			b.Fatal(err)
		}
	}
}
