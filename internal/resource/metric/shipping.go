// SPDX-License-Identifier: Apache-2.0

package metric

import "github.com/prometheus/client_golang/prometheus"

// ShippingStats is how the changes of the store get to the place that they are shipped to.
type ShippingStats struct {
	BehindSeconds                              float64
	Segments, Bytes, Backups, Failures, Chains int64
}

// ObserveShipping makes the Set call now whenever the Set is read.
func (s *Set) ObserveShipping(now func() ShippingStats) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		g := now()
		send(metrics, shipBehind, g.BehindSeconds)
		send(metrics, shipSegments, float64(g.Segments))
		send(metrics, shipBytes, float64(g.Bytes))
		send(metrics, shipBackups, float64(g.Backups))
		send(metrics, shipFailures, float64(g.Failures))
		send(metrics, shipChains, float64(g.Chains))
	})
}
