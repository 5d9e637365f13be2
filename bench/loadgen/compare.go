// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Peer is a server or a library that is measured beside others. Its data is loaded.
type Peer interface {
	Name() string
	// PID is the process that works.
	PID() int
	Run(ctx context.Context, x Cell) (Result, error)
	// Profile begins a CPU profile if the peer can, or ends it if path is empty.
	Profile(path string) error
	Close() error
}

// Open opens peers one after the other. One that is missing here is skipped, with the reason. After an error, too, the
// peers are the caller's to close.
func Open[P Peer](log io.Writer, names []string, open func(name string) (P, error)) (peers []P, skipped []string,
	err error) {
	for _, name := range names {
		fmt.Fprintf(log, "starting %s and loading its data\n", name)
		p, err := open(name)
		missing, isMissing := errors.AsType[*MissingError](err)
		switch {
		case isMissing:
			skipped = append(skipped, fmt.Sprintf("%s was not measured: %s", name, missing.Reason))
		case err != nil:
			return peers, skipped, fmt.Errorf("%s: %w", name, err)
		default:
			peers = append(peers, p)
		}
	}
	return peers, skipped, nil
}

// Close closes all peers.
func Close[P Peer](peers []P) error {
	var errs []error
	for _, p := range peers {
		if err := p.Close(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.Name(), err))
		}
	}
	return errors.Join(errs...)
}

// RunWorkers measures what workers do that a process answers. It closes them.
func RunWorkers[W Worker](ctx context.Context, pid int, x Cell, one func(i int) (W, error)) (Result, error) {
	workers, err := MakeWorkers(x.Clients, one)
	if err != nil {
		return Result{}, err
	}
	r, err := Loop(ctx, workers, x.Seconds, func() float64 { return CPU(pid) })
	return r, errors.Join(err, CloseWorkers(workers))
}

// Comparison is scenarios as data: what several peers do, with how many clients, which rates are compared and what is
// wanted of them. It gathers their results, one a round for each cell.
type Comparison struct {
	Peers      []string // in the order of the report
	Operations []string
	Clients    func(operation string) []int
	Can        func(peer, operation string) bool // nil: all can do everything
	// Pairs are peers whose rates are compared: the first's over the second's.
	Pairs [][2]string
	// Goal is the ratio of rates that is wanted; 0 is none. nil: there are no goals.
	Goal func(peer, over, operation string, clients int) float64
	// Extra are the names of Result.Extra.
	Extra   []string
	results map[cellOf][]Result
}

// cellOf names the results of a cell.
type cellOf struct {
	peer, operation string
	clients         int
}

// Add notes a result.
func (c *Comparison) Add(peer string, x Cell, r Result) {
	if c.results == nil {
		c.results = map[cellOf][]Result{}
	}
	k := cellOf{peer, x.Operation, x.Clients}
	c.results[k] = append(c.results[k], r)
}

// Results holds the results of one cell.
func (c *Comparison) Results(peer, operation string, clients int) []Result {
	return c.results[cellOf{peer, operation, clients}]
}

// Measure measures each cell on each peer, round after round. The order of the peers moves on from cell to cell and
// round to round, so that none always goes first or behind the same neighbour, and a ratio compares neighbours in time.
// If another program gives the turns, it is told first that all is loaded: by a line of no results.
func Measure[P Peer](ctx context.Context, c *Comparison, s *Settings, peers []P) error {
	if err := s.tell([]Result{}); err != nil {
		return err
	}
	for round := 0; s.next(round); round++ {
		begun := time.Now()
		results, err := measureRound(ctx, c, s, peers, round)
		if err == nil {
			err = s.tell(results)
		}
		if err != nil {
			return err
		}
		if s.turns == nil {
			fmt.Fprintf(s.Log, "round %d of %d: %.0f s\n", round+1, s.Rounds, time.Since(begun).Seconds())
		}
	}
	return nil
}

// measureRound measures each cell once on each peer.
func measureRound[P Peer](ctx context.Context, c *Comparison, s *Settings, peers []P, round int) (results []Result,
	err error) {
	turn := round
	for _, operation := range c.Operations {
		for _, clients := range c.Clients(operation) {
			turn++
			for i := range peers {
				p := peers[(i+turn)%len(peers)]
				if c.Can != nil && !c.Can(p.Name(), operation) {
					continue
				}
				x := Cell{Operation: operation, Clients: clients, Seconds: s.Seconds}
				r, err := measureCell(ctx, s, p, x)
				if err != nil {
					return nil, fmt.Errorf("%s: %s with %d clients: %w", p.Name(), operation, clients, err)
				}
				c.Add(p.Name(), x, r)
				results = append(results, r)
			}
		}
	}
	return results, nil
}

// measureCell runs one cell on a peer that has come to rest, and notes what share of the machine others took.
func measureCell(ctx context.Context, s *Settings, p Peer, x Cell) (r Result, err error) {
	if err := ctx.Err(); err != nil {
		return r, err
	}
	Settle(p.PID())
	if s.Profiles != "" {
		if err := p.Profile(fmt.Sprintf("%s/%s-%s-%d.prof", s.Profiles, p.Name(), x.Operation, x.Clients)); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, p.Profile("")) }()
	}
	ForgetPeak(p.PID())
	begun, busy, own := time.Now(), MachineBusy(), TreeCPU(os.Getpid())
	r, err = p.Run(ctx, x)
	r.OthersCPU = max(MachineBusy()-busy-(TreeCPU(os.Getpid())-own), 0) / time.Since(begun).Seconds()
	r.RSSPeakBytes = Memory(p.PID(), "VmHWM")
	return r, err
}

// Middle returns the median of numbers, the least and the greatest.
func Middle(list []float64) (median, least, greatest float64) {
	if len(list) == 0 {
		return 0, 0, 0
	}
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[n/2] + list[(n-1)/2]) / 2, list[0], list[n-1]
}

// Median is the median of what pick takes from results.
func Median(results []Result, pick func(*Result) float64) float64 {
	m, _, _ := Middle(Each(results, pick))
	return m
}

// Each maps results to numbers.
func Each(results []Result, pick func(*Result) float64) (list []float64) {
	for i := range results {
		list = append(list, pick(&results[i]))
	}
	return list
}

// Write writes the ratios, the figures of all cells and peers, and notes.
func (c *Comparison) Write(out io.Writer, notes ...string) {
	c.writeRatios(out)
	c.writeCells(out)
	for _, note := range notes {
		fmt.Fprintln(out, "\n"+note)
	}
	var others []float64
	for _, results := range c.results {
		others = append(others, Each(results, func(x *Result) float64 { return x.OthersCPU })...)
	}
	median, _, greatest := Middle(others)
	fmt.Fprintf(out, "\nOther processes used %.2f cores (median of cells; at most %.2f).\n", median, greatest)
}

// has reports whether a peer was measured.
func (c *Comparison) has(peer string) bool {
	for k := range c.results {
		if k.peer == peer {
			return true
		}
	}
	return false
}

// writeRatios writes a column for each pair of peers that were measured.
func (c *Comparison) writeRatios(out io.Writer) {
	pairs := slices.DeleteFunc(slices.Clone(c.Pairs), func(p [2]string) bool { return !c.has(p[0]) || !c.has(p[1]) })
	if len(pairs) == 0 {
		return
	}
	fmt.Fprint(out,
		"\nRatios of operations/s within a round: median (least to greatest) and, of server CPU for one "+
			"operation, the median [goal].\n\n| operation | clients |")
	for _, pair := range pairs {
		fmt.Fprintf(out, " %s / %s |", pair[0], pair[1])
	}
	fmt.Fprintf(out, "\n|---|--:|%s\n", strings.Repeat("---|", len(pairs)))
	for _, operation := range c.Operations {
		for _, clients := range c.Clients(operation) {
			fmt.Fprintf(out, "| %s | %d |", operation, clients)
			for _, pair := range pairs {
				fmt.Fprintf(out, " %s |", c.Ratio(pair, operation, clients))
			}
			fmt.Fprintln(out)
		}
	}
}

// Ratio compares two peers within rounds; "-" if there is nothing to compare.
func (c *Comparison) Ratio(pair [2]string, operation string, clients int) string {
	a, b := c.Results(pair[0], operation, clients), c.Results(pair[1], operation, clients)
	var rates, cpus []float64
	for i := range min(len(a), len(b)) {
		rates, cpus = append(rates, a[i].Rate()/b[i].Rate()), append(cpus, a[i].CPUMicros()/b[i].CPUMicros())
	}
	if len(rates) == 0 {
		return "-"
	}
	rate, least, greatest := Middle(rates)
	cpu, _, _ := Middle(cpus)
	text := fmt.Sprintf("%.2f (%.2f to %.2f), CPU %.2f", rate, least, greatest, cpu)
	if c.Goal == nil {
		return text
	}
	if want := c.Goal(pair[0], pair[1], operation, clients); want > 0 {
		verdict := "met"
		if rate < want {
			verdict = "missed"
		}
		text += fmt.Sprintf(" [%g: %s]", want, verdict)
	}
	return text
}

func (c *Comparison) writeCells(out io.Writer) {
	fmt.Fprint(out,
		"\n| operation | clients | peer | operations/s (least to greatest) | p50 µs | p95 µs | p99 µs | p99.9 µs | "+
			"server CPU µs/operation | peak RSS MiB |")
	for _, name := range c.Extra {
		fmt.Fprintf(out, " %s |", name)
	}
	fmt.Fprintf(out, "\n|---|--:|---|--:|--:|--:|--:|--:|--:|--:|%s\n", strings.Repeat("--:|", len(c.Extra)))
	for _, operation := range c.Operations {
		for _, clients := range c.Clients(operation) {
			for _, peer := range c.Peers {
				c.writeCell(out, cellOf{peer, operation, clients})
			}
		}
	}
}

func (c *Comparison) writeCell(out io.Writer, k cellOf) {
	results := c.results[k]
	if len(results) == 0 {
		return
	}
	rate, least, greatest := Middle(Each(results, (*Result).Rate))
	fmt.Fprintf(out, "| %s | %d | %s | %s (%s to %s) |", k.operation, k.clients, k.peer, Figure(rate),
		Figure(least), Figure(greatest))
	for _, pick := range []func(*Result) float64{
		func(x *Result) float64 { return x.P50 }, func(x *Result) float64 { return x.P95 },
		func(x *Result) float64 { return x.P99 }, func(x *Result) float64 { return x.P999 }, (*Result).CPUMicros,
	} {
		fmt.Fprintf(out, " %s |", Figure(Median(results, pick)))
	}
	fmt.Fprintf(out, " %.0f |", Median(results, func(x *Result) float64 { return float64(x.RSSPeakBytes) / (1 << 20) }))
	for i := range c.Extra {
		fmt.Fprintf(out, " %.3f |", Median(results, func(x *Result) float64 { return x.Extra[i] }))
	}
	fmt.Fprintln(out)
}
