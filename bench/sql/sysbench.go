// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// sysbenchGoals are sysbench's workloads, in the order of the report, and how many times InnoDB's rate is wanted of each. // immutable
var sysbenchGoals = []struct {
	name string
	goal float64
}{
	{"point_select", 2}, {"read_only", 1.3}, {"read_write", 1.2}, {"write_only", 1.1}, {"update_index", 1.1}, {"update_non_index", 1.1}, {"insert", 1.1},
	{"simple_ranges", 1.3}, {"sum_ranges", 1.3}, {"order_ranges", 1.3}, {"distinct_ranges", 1.3},
}

func sysbenchNames() (names []string) {
	for _, one := range sysbenchGoals {
		names = append(names, one.name)
	}
	return names
}

// sysbenchRun is what one run of sysbench came to.
type sysbenchRun struct {
	rate, p95MS float64 // transactions a second
	cpuMicros   float64 // of the server, for a transaction
	refused     float64 // transactions that were tried again, for each that was done
	held        float64 // the rate of the last tenth to that of the first; 0 if the run was too short to tell
}

// sysbenchArguments are those of a workload; one that ends in "_ranges" is that query of read_only alone, without transactions.
func sysbenchArguments(c *config, p *peer, workload string) ([]string, error) {
	_, port, err := net.SplitHostPort(p.Address)
	if err != nil {
		return nil, err
	}
	script, kinds := "oltp_"+workload, []string{"simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"}
	var extra []string
	if slices.Contains(kinds, workload) {
		script, extra = "oltp_read_only", []string{"--skip_trx=on", "--point_selects=0"}
		for _, kind := range kinds {
			if kind != workload {
				extra = append(extra, "--"+kind+"=0")
			}
		}
	}
	arguments := []string{script, "--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-port=" + port, "--mysql-user=root", "--mysql-db=" + database,
		"--table-size=" + strconv.FormatInt(c.Rows, 10), "--auto-inc=off", "--mysql-ignore-errors=1020,1062,1205,1213"}
	return append(arguments, extra...), nil
}

// sysbench runs it and returns what it says.
func sysbench(ctx context.Context, c *config, p *peer, workload string, more ...string) (string, error) {
	arguments, err := sysbenchArguments(c, p, workload)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "sysbench", append(arguments, more...)...)
	said, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("sysbench %s: %w: %s", strings.Join(command.Args[1:], " "), err, said)
	}
	return string(said), nil
}

// measureSysbench runs one workload.
func measureSysbench(ctx context.Context, c *config, p *peer, workload string, clients int) (r sysbenchRun, err error) {
	pid := p.PID()
	loadgen.Settle(pid)
	if err := p.Profile(fmt.Sprintf("%s/%s-%d.prof", c.Profiles, workload, clients)); err != nil {
		return r, err
	}
	before := loadgen.CPU(pid)
	said, err := sysbench(ctx, c, p, workload, "--threads="+strconv.Itoa(clients), fmt.Sprintf("--time=%.0f", max(c.Seconds, 1)),
		fmt.Sprintf("--report-interval=%.0f", max(c.Seconds/10, 1)), "run")
	spent := loadgen.CPU(pid) - before
	if err := errors.Join(err, p.Profile("")); err != nil {
		return r, err
	}
	transactions, err := sysbenchFigure(said, `transactions: +(\d+)`)
	if err != nil {
		return r, err
	}
	r.cpuMicros = spent * 1e6 / max(transactions, 1)
	if r.rate, err = sysbenchFigure(said, `transactions: +\d+ +\(([\d.]+)`); err != nil {
		return r, err
	}
	if r.p95MS, err = sysbenchFigure(said, `95th percentile: +([\d.]+)`); err != nil {
		return r, err
	}
	refused, err := sysbenchFigure(said, `ignored errors: +(\d+)`)
	r.refused = refused / max(transactions, 1)
	r.held = sysbenchHeld(said)
	return r, err
}

// sysbenchFigure finds a number in what sysbench says.
func sysbenchFigure(said, pattern string) (float64, error) {
	found := regexp.MustCompile(pattern).FindStringSubmatch(said)
	if found == nil {
		return 0, fmt.Errorf("sysbench says nothing of %q: %s", pattern, said)
	}
	return strconv.ParseFloat(found[1], 64)
}

// sysbenchHeld compares the last of ten intervals with the first.
func sysbenchHeld(said string) float64 {
	intervals := regexp.MustCompile(`(?m)^\[ \d+s \].* tps: ([\d.]+)`).FindAllStringSubmatch(said, -1)
	if len(intervals) < 9 {
		return 0
	}
	first, _ := strconv.ParseFloat(intervals[0][1], 64) // the pattern is of a number
	last, _ := strconv.ParseFloat(intervals[len(intervals)-1][1], 64)
	return last / max(first, 1)
}

// sysbenchCell names the runs of a cell.
type sysbenchCell struct {
	peer, workload string
	clients        int
}

// runSysbench measures all workloads on all peers, in interleaved rounds, and writes the report.
func runSysbench(ctx context.Context, c *config, peers []*peer, skipped []string, out io.Writer) error {
	results := map[sysbenchCell][]sysbenchRun{}
	for round := range c.Rounds {
		turn := round
		for _, workload := range c.Operations {
			for _, clients := range c.Clients {
				turn++
				for i := range peers {
					p := peers[(i+turn)%len(peers)]
					r, err := measureSysbench(ctx, c, p, workload, clients)
					if err != nil {
						return fmt.Errorf("%s: %w", p.name, err)
					}
					results[sysbenchCell{p.name, workload, clients}] = append(results[sysbenchCell{p.name, workload, clients}], r)
				}
			}
		}
		fmt.Fprintf(c.Log, "round %d of %d\n", round+1, c.Rounds)
	}
	fmt.Fprintf(out, "%d rounds, %.0f s a cell, %d rows.\n\n", c.Rounds, max(c.Seconds, 1), c.Rows)
	fmt.Fprint(out, "| oltp_… | clients | Weft, a second | InnoDB | echo | Weft to InnoDB (least to greatest) | p95 ms | server CPU µs | refused | last tenth to first | wanted |\n",
		"|---|--:|--:|--:|--:|---|---|---|---|---|---|\n")
	for _, workload := range c.Operations {
		for _, clients := range c.Clients {
			of := func(name string) []sysbenchRun { return results[sysbenchCell{name, workload, clients}] }
			writeSysbench(out, workload, clients, of(peerWeft), of(peerInnoDB), of(peerEcho))
		}
	}
	for _, line := range skipped {
		fmt.Fprintln(out, "\n"+line)
	}
	return nil
}

// writeSysbench writes a line of the table. Ratios are of neighbours in one round.
func writeSysbench(out io.Writer, workload string, clients int, own, other, echo []sysbenchRun) {
	median := func(runs []sysbenchRun, pick func(*sysbenchRun) float64) float64 {
		var list []float64
		for i := range runs {
			list = append(list, pick(&runs[i]))
		}
		m, _, _ := loadgen.Middle(list)
		return m
	}
	each := func(format string, pick func(*sysbenchRun) float64) string {
		return fmt.Sprintf(format+", "+format+", "+format, median(own, pick), median(other, pick), median(echo, pick))
	}
	rate := func(r *sysbenchRun) float64 { return r.rate }
	var ratios []float64
	for i := range min(len(own), len(other)) {
		ratios = append(ratios, own[i].rate/max(other[i].rate, 1))
	}
	ratio, least, greatest := loadgen.Middle(ratios)
	verdict := ""
	for _, one := range sysbenchGoals {
		if one.name == workload && len(ratios) > 0 {
			verdict = fmt.Sprintf("%g: met", one.goal)
			if ratio < one.goal {
				verdict = fmt.Sprintf("%g: missed", one.goal)
			}
		}
	}
	fmt.Fprintf(out, "| %s | %d | %s | %s | %s | %.2f (%.2f to %.2f) | %s | %s | %s | %s | %s |\n", workload, clients, loadgen.Figure(median(own, rate)), loadgen.Figure(median(other, rate)), loadgen.Figure(median(echo, rate)),
		ratio, least, greatest, each("%.2f", func(r *sysbenchRun) float64 { return r.p95MS }), each("%.0f", func(r *sysbenchRun) float64 { return r.cpuMicros }),
		each("%.3f", func(r *sysbenchRun) float64 { return r.refused }), each("%.2f", func(r *sysbenchRun) float64 { return r.held }), verdict)
}
