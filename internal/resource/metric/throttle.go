// SPDX-License-Identifier: Apache-2.0

package metric

import "github.com/prometheus/client_golang/prometheus"

// Throughput is the instruments of limits of throughput. The limiter of requests keeps it.
type Throughput struct {
	requests, events, units *prometheus.CounterVec
	effect                  string
}

// Throughput returns the instruments of limits of throughput; reported says that nothing is refused.
func (s *Set) Throughput(reported bool) *Throughput {
	t := &Throughput{counterVec(throttledRequests), counterVec(throttleEvents), counterVec(capacityUnits), "refused"}
	if reported {
		t.effect = "reported"
	}
	s.registry.MustRegister(t.requests, t.events, t.units)
	return t
}

// Refused counts a request that exceeded a limit as a whole.
func (t *Throughput) Refused(table, operation string) {
	t.requests.WithLabelValues(table, operation, t.effect).Inc()
}

// Throttled counts a read or write that exceeded a limit.
func (t *Throughput) Throttled(table, index, reason string) {
	t.events.WithLabelValues(table, index, reason, t.effect).Inc()
}

// Consumed counts capacity units of a table or an index. What is given back is no counter's, and left out.
func (t *Throughput) Consumed(table, index, direction string, units float64) {
	if units > 0 {
		t.units.WithLabelValues(table, index, direction).Add(units)
	}
}
