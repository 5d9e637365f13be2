// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/weftdb/weft/order"
)

// Span is a range of row keys: from Start on, up to Stop, which is in it only if StopIncluded is set. An empty bound is
// none.
type Span struct {
	Start, Stop  []byte
	StopIncluded bool
}

// String returns the span as an interval of quoted keys.
func (s Span) String() string {
	end := ")"
	if s.StopIncluded {
		end = "]"
	}
	return fmt.Sprintf("[%q, %q%s", s.Start, s.Stop, end)
}

// spansMax is the most spans that a filter is turned into. Beyond it they become one, whose rows the filter judges one
// by one.
const spansMax = 256

func allKeys() []Span { return []Span{{}} }

// prefixSpan is the keys that begin with a prefix.
func prefixSpan(prefix []byte) Span {
	end, _ := order.PrefixEnd(nil, prefix)
	return Span{Start: prefix, Stop: end}
}

func (s Span) and(other Span) Span {
	if bytes.Compare(s.Start, other.Start) < 0 {
		s.Start = other.Start
	}
	if other.endsBefore(s) {
		s.Stop, s.StopIncluded = other.Stop, other.StopIncluded
	}
	return s
}

func (s Span) endsBefore(other Span) bool {
	if len(s.Stop) == 0 || len(other.Stop) == 0 {
		return len(s.Stop) > 0
	}
	c := bytes.Compare(s.Stop, other.Stop)
	return c < 0 || c == 0 && !s.StopIncluded
}

func (s Span) isEmpty() bool {
	c := bytes.Compare(s.Start, s.Stop)
	return len(s.Stop) > 0 && (c > 0 || c == 0 && !s.StopIncluded)
}

// unite sorts spans by their starts and joins those that touch. It takes the slice over.
func unite(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return bytes.Compare(a.Start, b.Start) })
	kept := spans[:0]
	for _, s := range spans {
		last := len(kept) - 1
		switch {
		case s.isEmpty():
		case last < 0 || len(kept[last].Stop) > 0 && bytes.Compare(kept[last].Stop, s.Start) < 0:
			kept = append(kept, s)
		case kept[last].endsBefore(s):
			kept[last].Stop, kept[last].StopIncluded = s.Stop, s.StopIncluded
		}
	}
	if len(kept) > spansMax {
		return []Span{around(kept)}
	}
	return kept
}

// intersect returns the keys that are in one of each.
func intersect(some, others []Span) []Span {
	var both []Span
	for i, j := 0, 0; i < len(some) && j < len(others); {
		if s := some[i].and(others[j]); !s.isEmpty() {
			both = append(both, s)
		}
		if some[i].endsBefore(others[j]) {
			i++
		} else {
			j++
		}
	}
	return both
}

// around is the smallest span that holds all of a list, which has one at least.
func around(spans []Span) Span {
	last := spans[len(spans)-1]
	return Span{spans[0].Start, last.Stop, last.StopIncluded}
}

// withoutNear returns one span around all, without the bound at which the read begins.
func withoutNear(spans []Span, reversed bool) []Span {
	if len(spans) == 0 {
		return nil
	}
	s := around(spans)
	if reversed {
		s.Stop, s.StopIncluded = nil, false
	} else {
		s.Start = nil
	}
	return []Span{s}
}
