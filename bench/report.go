// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// report collects the results of all rounds.
type report struct {
	config  *config
	peers   []string
	skipped []skip
	results map[string][]loadgen.Result // by peer, operation and clients; one a round
	others  []float64                   // cores busy with something else, of each cell
}

func newReport(c *config, peers []peer, skipped []skip) *report {
	r := &report{config: c, skipped: skipped, results: map[string][]loadgen.Result{}}
	for _, name := range peerNames() {
		if slices.ContainsFunc(peers, func(p peer) bool { return p.Name() == name }) {
			r.peers = append(r.peers, name)
		}
	}
	return r
}

func resultKey(peer, operation string, clients int) string {
	return fmt.Sprintf("%s/%s/%d", peer, operation, clients)
}

func (r *report) add(peer string, x loadgen.Cell, got loadgen.Result) {
	key := resultKey(peer, x.Operation, x.Clients)
	r.results[key] = append(r.results[key], got)
	r.others = append(r.others, got.OthersCPU)
}

// median returns the middle one of the values that pick takes from the results, and the least and greatest.
func median(results []loadgen.Result, pick func(*loadgen.Result) float64) (middle, least, greatest float64) {
	values := make([]float64, len(results))
	for i := range results {
		values[i] = pick(&results[i])
	}
	return middleOf(values)
}

func middleOf(values []float64) (middle, least, greatest float64) {
	if len(values) == 0 {
		return 0, 0, 0
	}
	slices.Sort(values)
	n := len(values)
	return (values[n/2] + values[(n-1)/2]) / 2, values[0], values[n-1]
}

// ratios returns, for each round, what pick takes from peer's result divided by what it takes from over's.
func (r *report) ratios(peer, over, operation string, clients int, pick func(*loadgen.Result) float64) []float64 {
	a, b := r.results[resultKey(peer, operation, clients)], r.results[resultKey(over, operation, clients)]
	values := make([]float64, min(len(a), len(b)))
	for i := range values {
		values[i] = pick(&a[i]) / pick(&b[i])
	}
	return values
}

func (r *report) write(out io.Writer) {
	others, _, othersMost := middleOf(slices.Clone(r.others))
	fmt.Fprintf(out, "%d rounds, %.1f s a cell, %d items, GOMAXPROCS %d, %s %s/%s. Other processes used %.2f cores (median of cells; at most %.2f).\n",
		r.config.Rounds, r.config.Seconds, r.config.Partitions*partitionItems, runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH, others, othersMost)
	for _, s := range r.skipped {
		fmt.Fprintf(out, "Without %s: %s.\n", s.Name, s.Reason)
	}
	r.writeRatios(out)
	for _, operation := range r.config.Operations {
		r.writeOperation(out, operation)
	}
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
	return [][2]string{{peerWeft, peerEcho}, {peerWeft, peerEarlier}, {peerStreaming, peerWeft}, {peerSigned, peerWeft}, {peerPolicy, peerWeft}, {peerWeft, peerDynalite}, {peerEmbedded, peerPebble}}
}

// pairs lists those whose peers were measured.
func (r *report) pairs() (pairs [][2]string) {
	for _, pair := range compared() {
		if slices.Contains(r.peers, pair[0]) && slices.Contains(r.peers, pair[1]) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

func (r *report) writeRatios(out io.Writer) {
	fmt.Fprint(out, "\nRatios of operations/s within a round: median (least to greatest) and, of server CPU for one operation, the median [goal].\n\n| operation | clients |")
	for _, pair := range r.pairs() {
		fmt.Fprintf(out, " %s / %s |", pair[0], pair[1])
	}
	fmt.Fprintf(out, "\n|---|--:|%s\n", strings.Repeat("---|", len(r.pairs())))
	for _, operation := range r.config.Operations {
		for _, clients := range r.config.Clients {
			fmt.Fprintf(out, "| %s | %d |", operation, clients)
			for _, pair := range r.pairs() {
				fmt.Fprintf(out, " %s |", r.ratioText(pair, operation, clients))
			}
			fmt.Fprintln(out)
		}
	}
}

func (r *report) ratioText(pair [2]string, operation string, clients int) string {
	rates := r.ratios(pair[0], pair[1], operation, clients, (*loadgen.Result).Rate)
	if len(rates) == 0 {
		return "-"
	}
	middle, least, greatest := middleOf(rates)
	cpu, _, _ := middleOf(r.ratios(pair[0], pair[1], operation, clients, (*loadgen.Result).CPUMicros))
	text := fmt.Sprintf("%.2f (%.2f to %.2f), CPU %.2f", middle, least, greatest, cpu)
	if want := goal(pair[0], pair[1], operation, clients); want > 0 {
		verdict := "met"
		if middle < want {
			verdict = "missed"
		}
		text += fmt.Sprintf(" [%g: %s]", want, verdict)
	}
	return text
}

func (r *report) writeOperation(out io.Writer, operation string) {
	fmt.Fprintf(out, "\n### %s\n\n| clients | peer | operations/s (least to greatest) | p50 µs | p99 µs | p99.9 µs | server CPU µs/operation | peak RSS MiB |\n", operation)
	fmt.Fprintln(out, "|--:|---|--:|--:|--:|--:|--:|--:|")
	for _, clients := range r.config.Clients {
		for _, peer := range r.peers {
			results := r.results[resultKey(peer, operation, clients)]
			if len(results) == 0 {
				continue
			}
			rate, least, greatest := median(results, (*loadgen.Result).Rate)
			p50, _, _ := median(results, func(r *loadgen.Result) float64 { return r.P50 })
			p99, _, _ := median(results, func(r *loadgen.Result) float64 { return r.P99 })
			p999, _, _ := median(results, func(r *loadgen.Result) float64 { return r.P999 })
			cpu, _, _ := median(results, (*loadgen.Result).CPUMicros)
			rss, _, _ := median(results, func(r *loadgen.Result) float64 { return float64(r.RSSPeakBytes) / (1 << 20) })
			fmt.Fprintf(out, "| %d | %s | %s (%s to %s) | %s | %s | %s | %s | %.0f |\n", clients, peer, loadgen.Figure(rate), loadgen.Figure(least), loadgen.Figure(greatest),
				loadgen.Figure(p50), loadgen.Figure(p99), loadgen.Figure(p999), loadgen.Figure(cpu), rss)
		}
	}
}
