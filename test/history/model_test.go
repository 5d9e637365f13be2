// SPDX-License-Identifier: Apache-2.0

package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/anishathalye/porcupine"
)

// itemsMax is the number of items the model holds.
const itemsMax = 8

// mapState is the model: the items' values. It is compared with ==.
type mapState [itemsMax]int64

// model is a map of items that does one request after the other. A history of requests on single items can be checked
// item by item.
func model(byItem bool) porcupine.Model {
	m := porcupine.Model{
		Init: func() any {
			var s mapState
			for i := range s {
				s[i] = absent
			}
			return s
		},
		Step: func(state, input, output any) (bool, any) {
			return step(state.(mapState), input.(*request), output.(reply))
		},
		DescribeOperation: func(input, output any) string {
			return fmt.Sprintf("%+v: %+v", *input.(*request),
				output.(reply))
		},
	}
	if byItem {
		m.Partition = func(h []porcupine.Operation) [][]porcupine.Operation {
			parts := make([][]porcupine.Operation, itemsMax)
			for _, o := range h {
				key := o.Input.(*request).actions[0].key
				parts[key] = append(parts[key], o)
			}
			return slices.DeleteFunc(parts, func(p []porcupine.Operation) bool { return len(p) == 0 })
		}
	}
	return m
}

// step reports whether a request can end so, and what is there afterwards.
func step(s mapState, r *request, found reply) (bool, mapState) {
	switch {
	case found.outcome == conflict:
		return true, s
	case found.outcome == refused:
		return s.refuses(r, found), s
	case r.kind == indexRead:
		return found.outcome == unknown || slices.Equal(s[:len(found.values)], found.values), s
	}
	after := s
	for i := range r.actions {
		a := &r.actions[i]
		if !s.holds(a) {
			// Without an answer it may have been refused.
			return found.outcome == unknown, s
		}
		after[a.key] = a.apply(s[a.key])
		if found.outcome == unknown || found.values[i] == hidden {
			continue
		}
		shown := s[a.key]
		if a.shows == "ALL_NEW" {
			shown = after[a.key]
		}
		if shown != found.values[i] {
			return false, s
		}
	}
	return true, after
}

// refuses reports whether exactly the conditions named are false, and the items are as shown.
func (s mapState) refuses(r *request, found reply) bool {
	for i := range r.actions {
		a := &r.actions[i]
		if s.holds(a) == found.failed[i] || found.values[i] != hidden && found.values[i] != s[a.key] {
			return false
		}
	}
	return true
}

func (s mapState) holds(a *action) bool {
	switch a.demand {
	case nothing:
		return s[a.key] == absent
	case equal:
		return s[a.key] == a.was
	}
	return true
}

// apply is an item's value after an action.
func (a *action) apply(before int64) int64 {
	switch {
	case a.verb == put || a.verb == set || a.verb == add && before == absent:
		return a.value
	case a.verb == add:
		return before + a.value
	case a.verb == remove:
		return absent
	}
	return before
}

// sortByReturn puts requests in the order of their answers.
func sortByReturn(h []porcupine.Operation) {
	slices.SortStableFunc(h, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
}

// cutAt leaves the first requests as they are, of a history in the order of answers; the others are without an answer.
func cutAt(h []porcupine.Operation, at int) []porcupine.Operation {
	cut := slices.Clone(h)
	for i := at; i < len(cut); i++ {
		cut[i].Return, cut[i].Output = math.MaxInt64, reply{outcome: unknown}
	}
	return cut
}
