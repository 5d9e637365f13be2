// SPDX-License-Identifier: Apache-2.0

package metric

import "github.com/prometheus/client_golang/prometheus"

// GatewayStats is how this process does among those that share the store.
type GatewayStats struct {
	HasLease   bool
	AgeSeconds float64 // since the lease was renewed
	Lost       int64   // leases
	Generation uint64  // of the catalog
	Works      []string
}

// ObserveGateway makes the Set call now whenever the Set is read.
func (s *Set) ObserveGateway(now func() GatewayStats) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		g := now()
		has := 0.0
		if g.HasLease {
			has = 1
		}
		send(metrics, gatewayLease, has)
		send(metrics, gatewayAge, g.AgeSeconds)
		send(metrics, gatewayLost, float64(g.Lost))
		send(metrics, gatewayGeneration, float64(g.Generation))
		for _, work := range g.Works {
			send(metrics, gatewayOwner, 1, work)
		}
	})
}
