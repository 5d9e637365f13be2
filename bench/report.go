// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/weftdb/weft/bench/loadgen"

// cells are the measurements, in the report's order.
func (c *config) cells() *loadgen.Comparison {
	return &loadgen.Comparison{Peers: peerNames(), Operations: c.Operations,
		Clients: func(string) []int { return c.Clients }, Can: can,
		Pairs: compared(), Goal: goal}
}

// goal is the least ratio that Weft wants to reach.
func goal(peer, over, operation string, clients int) float64 {
	point := operation == opGet || operation == opPut
	switch {
	case over == peerEcho && point && clients == 64:
		return 0.6
	case over == peerPebble && operation == opGet:
		return 0.6
	case over == peerPebble && operation == opPut && clients == 64:
		return 0.7
	case over == peerDynalite && (operation == opQuery || operation == opScan) && clients > 1:
		return 8
	case over == peerDynalite && clients > 1:
		return 3.5
	}
	return 0
}

// compared lists the ratios of the report.
func compared() [][2]string {
	return [][2]string{{peerWeft, peerEcho}, {peerWeft, peerEarlier}, {peerStreaming, peerWeft}, {peerSigned, peerWeft},
		{peerPolicy, peerWeft}, {peerWeft, peerDynalite}, {peerEmbedded, peerPebble}}
}
