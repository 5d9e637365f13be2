// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// Measure runs one cell on a server that has come to rest, with workers that it closes, and notes what share of the machine others took. The server may be
// this process.
func Measure(ctx context.Context, pid int, seconds float64, workers []Worker) (Result, error) {
	ForgetPeak(pid)
	begun, busy, own := time.Now(), MachineBusy(), TreeCPU(os.Getpid())
	r, err := Loop(ctx, workers, seconds, func() float64 { return CPU(pid) })
	r.OthersCPU = max(MachineBusy()-busy-(TreeCPU(os.Getpid())-own), 0) / time.Since(begun).Seconds()
	r.RSSPeakBytes = Memory(pid, "VmHWM")
	return r, errors.Join(err, CloseWorkers(workers))
}

// Comparison gathers results of several peers that did the same, one a round for each cell.
type Comparison struct {
	Peers      []string // in the order of the report
	Operations []string
	Clients    func(operation string) []int
	Base       string                                            // the peer whose rates are compared with the others'
	Goal       func(peer, operation string, clients int) float64 // the rate of Base over the peer's that is wanted; 0 is none
	results    map[cellOf][]Result
}

// cellOf names the results of a cell.
type cellOf struct {
	peer, operation string
	clients         int
}

// Run measures each cell once on each of some peers. Their order moves on from cell to cell and round to round, so that none always goes first, and a ratio
// compares neighbours in time.
func (c *Comparison) Run(round int, seconds float64, peers []string, measure func(peer string, x Cell) (Result, error)) error {
	if c.results == nil {
		c.results = map[cellOf][]Result{}
	}
	turn := round
	for _, operation := range c.Operations {
		for _, clients := range c.Clients(operation) {
			turn++
			for i := range peers {
				peer := peers[(i+turn)%len(peers)]
				r, err := measure(peer, Cell{Operation: operation, Clients: clients, Seconds: seconds})
				if err != nil {
					return fmt.Errorf("%s: %s with %d clients: %w", peer, operation, clients, err)
				}
				c.results[cellOf{peer, operation, clients}] = append(c.results[cellOf{peer, operation, clients}], r)
			}
		}
	}
	return nil
}

// Middle returns the median of numbers, the least and the greatest.
func Middle(list []float64) (median, least, greatest float64) {
	if len(list) == 0 {
		return 0, 0, 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2], list[0], list[len(list)-1]
}

// each maps results to numbers.
func each(results []Result, pick func(*Result) float64) (list []float64) {
	for i := range results {
		list = append(list, pick(&results[i]))
	}
	return list
}

// WriteTable writes a line for each cell and peer.
func (c *Comparison) WriteTable(out io.Writer) {
	fmt.Fprintf(out, "\n| operation | clients | peer | operations/s (least to greatest) | p50 µs | p95 µs | p99 µs | server CPU µs/operation | peak RSS MiB | %s's rate over it (least to greatest), CPU [goal] |\n", c.Base)
	fmt.Fprint(out, "|---|--:|---|--:|--:|--:|--:|--:|--:|---|\n")
	for _, operation := range c.Operations {
		for _, clients := range c.Clients(operation) {
			for _, peer := range c.Peers {
				c.writeLine(out, cellOf{peer, operation, clients})
			}
		}
	}
}

// WriteOthers says what share of the machine was busy with something else.
func (c *Comparison) WriteOthers(out io.Writer) {
	var others []float64
	for _, results := range c.results {
		others = append(others, each(results, func(x *Result) float64 { return x.OthersCPU })...)
	}
	median, _, greatest := Middle(others)
	fmt.Fprintf(out, "\nOther processes used %.2f cores (median of cells; at most %.2f).\n", median, greatest)
}

func (c *Comparison) writeLine(out io.Writer, k cellOf) {
	results := c.results[k]
	if len(results) == 0 {
		return
	}
	rate, least, greatest := Middle(each(results, (*Result).Rate))
	median := func(pick func(*Result) float64) float64 {
		m, _, _ := Middle(each(results, pick))
		return m
	}
	fmt.Fprintf(out, "| %s | %d | %s | %s (%s to %s) | %s | %s | %s | %s | %.0f | %s |\n", k.operation, k.clients, k.peer, Figure(rate), Figure(least), Figure(greatest),
		Figure(median(func(x *Result) float64 { return x.P50 })), Figure(median(func(x *Result) float64 { return x.P95 })), Figure(median(func(x *Result) float64 { return x.P99 })),
		Figure(median((*Result).CPUMicros)), median(func(x *Result) float64 { return float64(x.RSSPeakBytes) / (1 << 20) }), c.ratio(k))
}

// ratio compares the base with another peer, within rounds.
func (c *Comparison) ratio(k cellOf) string {
	own := c.results[cellOf{c.Base, k.operation, k.clients}]
	if k.peer == c.Base || len(own) == 0 {
		return ""
	}
	var rates, cpus []float64
	for i := range min(len(own), len(c.results[k])) {
		other := &c.results[k][i]
		rates, cpus = append(rates, own[i].Rate()/other.Rate()), append(cpus, own[i].CPUMicros()/other.CPUMicros())
	}
	rate, least, greatest := Middle(rates)
	cpu, _, _ := Middle(cpus)
	text := fmt.Sprintf("%.2f (%.2f to %.2f), %.2f", rate, least, greatest, cpu)
	if c.Goal == nil {
		return text
	}
	if want := c.Goal(k.peer, k.operation, k.clients); want > 0 {
		verdict := "met"
		if rate < want {
			verdict = "missed"
		}
		text += fmt.Sprintf(" [%g: %s]", want, verdict)
	}
	return text
}
