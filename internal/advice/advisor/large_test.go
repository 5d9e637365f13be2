// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/advice/advisor/design"
)

// random is SplitMix64.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

// skewedDesign is a log of many queries with literals over four numeric attributes, of which one is never bound: six
// tenths bind two, three tenths two others, one tenth a single one.
func skewedDesign(rows, shapes int) *design.Design {
	r := random(7)
	number := func(n float64) design.Value { return design.Number(fmt.Sprint(n)) }
	d := &design.Design{Table: design.Table{Name: "t", Types: map[string]string{"id": "N"}, Key: design.Key{"id"},
		Items: float64(rows) * 20}}
	for i := range rows {
		row := design.Row{{Name: "id", Value: number(float64(r.next() >> 20))}}
		for _, name := range []string{"a", "b", "c", "never"} {
			row = append(row, design.Field{Name: name, Value: number(float64(int(r.unit() * 100000)))})
		}
		_ = i
		d.Sample = append(d.Sample, row)
	}
	bound := func(name string, width float64) design.Bound {
		low := r.unit() * (100000 - width)
		return design.Bound{Attribute: name, Operator: design.Range, Low: number(low), High: number(low + width)}
	}
	for i := range shapes {
		s := design.Shape{Rate: 1}
		switch {
		case i%10 < 6:
			s.Bounds = []design.Bound{bound("a", 2000), bound("b", 2000)}
		case i%10 < 9:
			s.Bounds = []design.Bound{bound("a", 1000), bound("c", 20000)}
		default:
			s.Bounds = []design.Bound{bound("c", 1000)}
		}
		d.Shapes = append(d.Shapes, s)
	}
	return d
}

// TestLearnedFromLog checks that a log of many queries finds the attributes of curves, and leaves out the one that is
// never bound.
func TestLearnedFromLog(t *testing.T) {
	r := Advise(skewedDesign(6000, 200))
	before, after, queries := 0.0, 0.0, 0.0
	for _, f := range r.Findings {
		if f.Rule != "zorder-index" {
			continue
		}
		if strings.Contains(f.Subject, "never") {
			t.Errorf("%s has an attribute that no query binds", f.Subject)
		}
		before += f.Before.Reads
		after += f.After.Reads
		for _, p := range f.Patterns {
			queries += p.Rate
		}
	}
	if queries != 200 || after*20 > before {
		t.Errorf("%v of 200 queries read %v instead of %v: wanted all of them, and a twentieth", queries, after, before)
	}
}

func BenchmarkAdvise(b *testing.B) {
	d := skewedDesign(65536, 2000)
	b.ReportAllocs()
	for b.Loop() {
		Advise(d)
	}
}
