// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/kv"
)

// requestsWanted is the number of requests for a region that are taken from the trail of its index, if it has left as
// many in recentMS milliseconds.
const (
	requestsWanted = 256
	recentMS       = 10 * 60 * 1000
)

// OfHeat is the Traffic that a map of heat has counted; nil for nil.
func OfHeat(m *heat.Map) Traffic {
	if m == nil {
		return nil
	}
	return trafficCounter{m}
}

type trafficCounter struct{ m *heat.Map }

func (c trafficCounter) Rates(ranges []kv.Range) []Rate {
	rates := make([]Rate, len(ranges))
	for i, of := range c.m.RatesOf(ranges) {
		rates[i] = Rate{Reads: of.Reads, Writes: of.Writes}
	}
	return rates
}

// Requests goes back through the trail, a column after another, until there are requests enough.
func (c trafficCounter) Requests(r kv.Range) []Request {
	object, ok := heat.ObjectOf(r.Start)
	if !ok {
		return nil
	}
	history, ok := c.m.History(object)
	if !ok {
		return nil
	}
	var columns [][]Request
	count := 0
	moments := history.Moments
	for i := len(moments) - 1; i >= 0 && count < requestsWanted &&
		moments[len(moments)-1].To-moments[i].From <= recentMS; i-- {
		one := requestsOf(&moments[i], r)
		columns, count = append(columns, one), count+len(one)
	}
	slices.Reverse(columns)
	return slices.Concat(columns...)
}

// requestsOf returns a column's requests to a range: reads and writes in turn, in proportion to their numbers.
func requestsOf(m *heat.Moment, r kv.Range) []Request {
	read, written := m.Read, m.Written
	// Reads that found nothing are counted, but leave no keys.
	if len(read) > 0 && len(written) > 0 && m.Reads+m.Writes > 0 {
		each := max(m.Reads/float64(len(read)), m.Writes/float64(len(written))) // requests that a key stands for
		read, written = thin(read, m.Reads/each), thin(written, m.Writes/each)
	}
	list := make([]Request, 0, len(read)+len(written))
	for i, j := 0, 0; i < len(read) || j < len(written); {
		if j >= len(written) || i < len(read) && i*len(written) <= j*len(read) {
			list, i = append(list, Request{Key: read[i]}), i+1
		} else {
			list, j = append(list, Request{Key: written[j], Write: true}), j+1
		}
	}
	return slices.DeleteFunc(list, func(one Request) bool {
		return bytes.Compare(one.Key, r.Start) < 0 || r.End != nil && bytes.Compare(one.Key, r.End) >= 0
	})
}

// thin keeps so many of the keys, evenly.
func thin(keys [][]byte, wanted float64) [][]byte {
	n := min(len(keys), int(wanted+0.5))
	kept := make([][]byte, 0, n)
	for i := range n {
		kept = append(kept, keys[i*len(keys)/n])
	}
	return kept
}
