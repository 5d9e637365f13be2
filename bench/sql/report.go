// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/weftdb/weft/bench/loadgen"

// cells are the measurements: our own operations, or sysbench's workloads.
func (c *config) cells() *loadgen.Comparison {
	cells := &loadgen.Comparison{Peers: peerNames(), Operations: c.Operations, Clients: c.clients, Goal: goal,
		Pairs: [][2]string{{peerWeft, peerInnoDB}, {peerWeft, peerMyRocks}, {peerWeft, peerEcho}}}
	if c.Sysbench {
		cells.Extra = sysbenchExtra
	}
	return cells
}

// goal is the multiple of InnoDB's rate that Weft's is to be, by operation and clients.
func goal(_, over, operation string, clients int) float64 {
	if over != peerInnoDB {
		return 0
	}
	switch operation {
	case opReadPrepared, opReadText, opRangePrepared, opRangeText:
		if clients == 1 {
			return 0
		}
		return 2
	case opInsertPrepared, opInsertText:
		if clients == 1 {
			return 0.7
		}
		return 1
	case opGroup, opSumIndex, opGroupIndex, opJoinRange:
		return 1
	}
	for _, one := range sysbenchGoals {
		if one.name == operation {
			return one.goal
		}
	}
	return 0
}
