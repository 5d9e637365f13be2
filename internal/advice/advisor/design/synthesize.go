// SPDX-License-Identifier: Apache-2.0

package design

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// syntheticDistinct is the number of values an attribute gets of which nothing is said.
const syntheticDistinct = 1000

// random is a small generator (SplitMix64), so that a design without a sample is judged the same way each time.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

// Synthesize makes rows up from the declarations, each attribute evenly spread and independent of the others.
func Synthesize(attributes map[string]Attribute, rows int) []Row {
	out := make([]Row, rows)
	seed := random(1)
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		a.Distinct = cmp.Or(a.Distinct, syntheticDistinct)
		for i := range out {
			if a.Present > 0 && seed.unit() >= a.Present {
				continue
			}
			n := math.Floor(seed.unit() * a.Distinct)
			out[i] = append(out[i], Field{Name: name, Value: synthetic(a, n)})
		}
	}
	return out
}

// synthetic is the nth value of an attribute.
func synthetic(a Attribute, n float64) Value {
	switch a.Type {
	case "BOOL":
		return Bool(n >= a.Distinct/2)
	case "N":
		low, high := a.Low, a.High
		if high <= low {
			high = low + a.Distinct
		}
		number := low + n*(high-low)/a.Distinct
		return Value{Type: "N", Text: fmt.Sprint(number), Number: number, Bytes: 8}
	}
	return Text(fmt.Sprintf("%012.0f", n))
}

// Describe makes up a name from the bounds and the order.
func (s Shape) Describe() string {
	words := describe(s.Bounds)
	if len(s.Any) > 0 {
		words = append(words, strings.Join(describe(s.Any), " or "))
	}
	text := strings.Join(words, ", ")
	if s.OrderBy != "" {
		text = strings.TrimSpace(text + " by " + s.OrderBy)
	}
	return text
}

func describe(bounds []Bound) (words []string) {
	for _, b := range bounds {
		word := b.Attribute + " " + string(b.Operator)
		if b.Operator == Equal && b.Low.Type == "BOOL" {
			word += " " + b.Low.String()
		}
		words = append(words, word)
	}
	return words
}
