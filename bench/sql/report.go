// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/weftdb/weft/bench/loadgen"
)

// report is what was measured, and what is to be said of it.
type report struct {
	cells   loadgen.Comparison
	skipped []string
	notes   []string
}

func newReport(c *config, skipped []string) *report {
	return &report{cells: loadgen.Comparison{Peers: peerNames(), Operations: c.Operations, Clients: c.clients, Base: peerWeft, Goal: goal}, skipped: skipped}
}

// goal is the multiple of InnoDB's rate that Weft's is to be, by operation and clients.
func goal(peer, operation string, clients int) float64 {
	if peer != peerInnoDB {
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
	case opGroup:
		return 1
	}
	return 0
}

func (r *report) write(out io.Writer) {
	r.cells.WriteTable(out)
	for _, note := range slices.Concat(r.skipped, r.notes) {
		fmt.Fprintln(out, "\n"+note)
	}
	r.cells.WriteOthers(out)
}
