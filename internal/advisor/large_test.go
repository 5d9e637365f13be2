// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/advisor/design"
)

// skewedDesign is a log of many queries with literals over four numeric attributes, of which one is never bound: six tenths bind two, three
// tenths two others, one tenth a single one.
func skewedDesign(rows, shapes int) *Design {
	r := random(7)
	number := func(n float64) Value { return design.Number(fmt.Sprint(n)) }
	d := &Design{Table: Table{Name: "t", Types: map[string]string{"id": "N"}, Key: Key{"id"}, Items: float64(rows) * 20}}
	for i := range rows {
		row := Row{{Name: "id", Value: number(float64(r.next() >> 20))}}
		for _, name := range []string{"a", "b", "c", "never"} {
			row = append(row, Field{Name: name, Value: number(float64(int(r.unit() * 100000)))})
		}
		_ = i
		d.Sample = append(d.Sample, row)
	}
	bound := func(name string, width float64) Bound {
		low := r.unit() * (100000 - width)
		return Bound{Attribute: name, Operator: Range, Low: number(low), High: number(low + width)}
	}
	for i := range shapes {
		s := Shape{Rate: 1}
		switch {
		case i%10 < 6:
			s.Bounds = []Bound{bound("a", 2000), bound("b", 2000)}
		case i%10 < 9:
			s.Bounds = []Bound{bound("a", 1000), bound("c", 20000)}
		default:
			s.Bounds = []Bound{bound("c", 1000)}
		}
		d.Shapes = append(d.Shapes, s)
	}
	return d
}

// TestLearnedFromLog checks that a log of many queries finds the attributes of a curve, leaves out the one that is never bound, and that one
// half of the log judges what the other half has chosen.
func TestLearnedFromLog(t *testing.T) {
	r := Advise(skewedDesign(6000, 200))
	for _, f := range r.Findings {
		if f.Rule != "zorder-index" {
			continue
		}
		key := f.Subject
		if key != "new index z-a-b-c" && key != "new index z-a-c-b" && key != "new index z-b-a-c" {
			t.Errorf("the curve is %s, wanted a, b and c", key)
		}
		if f.After.Reads*20 > f.Before.Reads {
			t.Errorf("reads go from %v to %v, wanted a twentieth", f.Before.Reads, f.After.Reads)
		}
		return
	}
	t.Errorf("no Z-order index is proposed: %s", r.Text(false))
}

func BenchmarkAdvise(b *testing.B) {
	d := skewedDesign(65536, 2000)
	b.ReportAllocs()
	for b.Loop() {
		Advise(d)
	}
}
