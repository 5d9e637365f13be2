// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"math"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// TestIntegers hands the same values to accumulators as integers and as data.
func TestIntegers(t *testing.T) {
	values := []int64{3, -5, 0, math.MaxInt64, 7, math.MinInt64, math.MaxInt64, math.MaxInt64, -1}
	makers := map[string]func() gatherer{
		"sum": func() gatherer { return &sum{} }, "count": func() gatherer { return &valueCount{} },
		"min": func() gatherer { return &extreme{direction: -1} },
		"max": func() gatherer { return &extreme{direction: 1} },
	}
	for name, of := range makers {
		plain, quick := of(), newSingle(&column{}, of())
		for _, n := range values {
			d := datum.Int(n)
			if err := plain.gather(d); err != nil {
				t.Fatal(err)
			}
			if err := quick.Add(&Context{Row: []datum.Datum{d}}); err != nil {
				t.Fatal(err)
			}
			want, _ := plain.Result(nil)
			got, _ := quick.Result(nil)
			if got.String() != want.String() {
				t.Fatalf("%s: after %d it is %s, want %s", name, n, got, want)
			}
		}
	}
}

func TestModuloOfIntegers(t *testing.T) {
	values := []datum.Datum{datum.Int(7), datum.Int(-7), datum.Int(0), datum.Int(math.MinInt64), datum.Int(3),
		datum.Null, datum.Bool(true), datum.TextString("7"), datum.Float64(2)}
	n := arithmetic(tree.Modulo, &column{slot: 0}, &column{slot: 1})
	taken := 0
	for _, a := range values {
		for _, b := range values {
			x := &Context{Row: []datum.Datum{a, b}}
			got, ok := integerOf(n).integer(x)
			if !ok {
				continue
			}
			taken++
			if want, err := n.value(x); err != nil || want.Kind() != datum.KindInt || want.Int() != got {
				t.Errorf("%s %% %s is %d, want %s %v", a, b, got, want, err)
			}
		}
	}
	if taken != 10 { // five integers by two above 0
		t.Errorf("%d pairs were computed as integers", taken)
	}
}
