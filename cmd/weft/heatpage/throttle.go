// SPDX-License-Identifier: Apache-2.0

package heatpage

import (
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
	"github.com/weftdb/weft/internal/resource/metric"
)

// Limiter returns what holds requests of DynamoDB's API to the throughput of their tables, and counts what that
// throttles: in counts, and the keys in w. If it reports, nothing is refused; keys says that single keys have limits,
// too.
func (w *Watch) Limiter(reports, keys bool, counts *metric.Throughput) *throttle.Limiter {
	return throttle.New(throttle.Options{Report: reports, Keys: keys,
		Throttled: func(e *throttle.Event) {
			counts.Throttled(e.Table.Name, e.Index, e.Reason())
			if e.Key != nil {
				w.counts.Throttle(e.Key)
			}
		},
		Refused: func(table *schema.Table, operation string) { counts.Refused(table.Name, operation) },
		Consumed: func(table *schema.Table, index string, d throttle.Direction, units float64) {
			counts.Consumed(table.Name, index, d.String(), units)
		},
	})
}
