// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/weftdb/weft/bench/loadgen"
)

// key names the results of a cell.
type key struct {
	peer, operation string
	clients         int
}

// report gathers results, one a round for each key.
type report struct {
	config  *config
	results map[key][]loadgen.Result
	skipped []string
	notes   []string
}

// goals are how many times InnoDB's rate Weft's is to be, by operation and clients.
func goal(operation string, clients int) float64 {
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

// middle returns the median of numbers, the least and the greatest.
func middle(list []float64) (median, least, greatest float64) {
	if len(list) == 0 {
		return 0, 0, 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2], list[0], list[len(list)-1]
}

// each maps results to numbers.
func each(results []loadgen.Result, pick func(*loadgen.Result) float64) (list []float64) {
	for i := range results {
		list = append(list, pick(&results[i]))
	}
	return list
}

func (r *report) write(out io.Writer) {
	fmt.Fprint(out, "\n| operation | clients | peer | operations/s (least to greatest) | p50 µs | p99 µs | server CPU µs/operation | peak RSS MiB | weft's rate over it (least to greatest), CPU [goal] |\n",
		"|---|--:|---|--:|--:|--:|--:|--:|---|\n")
	for _, operation := range r.config.Operations {
		for _, clients := range r.config.clients(operation) {
			for _, name := range peerNames() {
				r.writeLine(out, key{name, operation, clients})
			}
		}
	}
	for _, note := range slices.Concat(r.skipped, r.notes) {
		fmt.Fprintln(out, "\n"+note)
	}
	var others []float64
	for _, results := range r.results {
		others = append(others, each(results, func(x *loadgen.Result) float64 { return x.OthersCPU })...)
	}
	median, _, greatest := middle(others)
	fmt.Fprintf(out, "\nOther processes used %.2f cores (median of cells; at most %.2f).\n", median, greatest)
}

func (r *report) writeLine(out io.Writer, k key) {
	results := r.results[k]
	if len(results) == 0 {
		return
	}
	rate, least, greatest := middle(each(results, (*loadgen.Result).Rate))
	p50, _, _ := middle(each(results, func(x *loadgen.Result) float64 { return x.P50 }))
	p99, _, _ := middle(each(results, func(x *loadgen.Result) float64 { return x.P99 }))
	cpu, _, _ := middle(each(results, (*loadgen.Result).CPUMicros))
	rss, _, _ := middle(each(results, func(x *loadgen.Result) float64 { return float64(x.RSSPeakBytes) / (1 << 20) }))
	fmt.Fprintf(out, "| %s | %d | %s | %s (%s to %s) | %s | %s | %s | %.0f | %s |\n", k.operation, k.clients, k.peer, loadgen.Figure(rate), loadgen.Figure(least), loadgen.Figure(greatest),
		loadgen.Figure(p50), loadgen.Figure(p99), loadgen.Figure(cpu), rss, r.ratio(k))
}

// ratio compares Weft with another peer, within rounds.
func (r *report) ratio(k key) string {
	own := r.results[key{peerWeft, k.operation, k.clients}]
	if k.peer == peerWeft || len(own) == 0 {
		return ""
	}
	var rates, cpus []float64
	for i := range min(len(own), len(r.results[k])) {
		other := &r.results[k][i]
		rates, cpus = append(rates, own[i].Rate()/other.Rate()), append(cpus, own[i].CPUMicros()/other.CPUMicros())
	}
	rate, least, greatest := middle(rates)
	cpu, _, _ := middle(cpus)
	text := fmt.Sprintf("%.2f (%.2f to %.2f), %.2f", rate, least, greatest, cpu)
	if want := goal(k.operation, k.clients); want > 0 && k.peer == peerInnoDB {
		verdict := "met"
		if rate < want {
			verdict = "missed"
		}
		text += fmt.Sprintf(" [%g: %s]", want, verdict)
	}
	return text
}
