// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// sysbenchGoals are sysbench's workloads, in the order of the report, and how many times InnoDB's rate is wanted of
// each. // immutable
var sysbenchGoals = []struct {
	name string
	goal float64
}{
	{"point_select", 2}, {"read_only", 1.3}, {"read_write", 1.2}, {"write_only", 1.1}, {"update_index", 1.1},
	{"update_non_index", 1.1}, {"insert", 1.1},
	{"simple_ranges", 1.3}, {"sum_ranges", 1.3}, {"order_ranges", 1.3}, {"distinct_ranges", 1.3},
	{"random_points", 1}, {"random_ranges", 1},
}

func sysbenchNames() (names []string) {
	for _, one := range sysbenchGoals {
		names = append(names, one.name)
	}
	return names
}

// sysbenchArguments returns the arguments of a workload; one of the kinds of ranges is that query of read_only alone,
// without transactions. The random ones look ten values, or ranges, of the indexed column up.
func sysbenchArguments(c *config, p *peer, workload string) ([]string, error) {
	_, port, err := net.SplitHostPort(p.Address)
	if err != nil {
		return nil, err
	}
	script, kinds := "oltp_"+workload, []string{"simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"}
	extra := []string{"--rand-type=" + c.Distribution}
	if strings.HasPrefix(workload, "random_") {
		script = "select_" + workload
	}
	if slices.Contains(kinds, workload) {
		script, extra = "oltp_read_only", append(extra, "--skip_trx=on", "--point_selects=0")
		for _, kind := range kinds {
			if kind != workload {
				extra = append(extra, "--"+kind+"=0")
			}
		}
	}
	arguments := []string{script, "--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-port=" + port,
		"--mysql-user=root", "--mysql-db=" + database,
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

// sysbenchExtra are figures that only sysbench has: transactions that were tried again, for each that was done, and the
// rate of the last tenth to that of the first, 0 if the run was too short to tell. // immutable
var sysbenchExtra = []string{"refused", "last tenth to first"}

// runSysbench runs one workload. An operation is a transaction.
func (p *peer) runSysbench(ctx context.Context, x loadgen.Cell) (r loadgen.Result, err error) {
	before := loadgen.CPU(p.PID())
	said, err := sysbench(ctx, p.config, p, x.Operation, "--threads="+strconv.Itoa(x.Clients),
		fmt.Sprintf("--time=%.0f", max(x.Seconds, 1)),
		fmt.Sprintf("--report-interval=%.0f", max(x.Seconds/10, 1)), "run")
	if err != nil {
		return r, err
	}
	r.CPUSeconds = loadgen.CPU(p.PID()) - before
	var figures [4]float64
	for i, pattern := range []string{`transactions: +(\d+)`, `transactions: +\d+ +\(([\d.]+)`,
		`95th percentile: +([\d.]+)`, `ignored errors: +(\d+)`} {
		if figures[i], err = sysbenchFigure(said, pattern); err != nil {
			return r, err
		}
	}
	r.Operations, r.Seconds, r.P95 = int64(figures[0]), figures[0]/max(figures[1], 1), 1000*figures[2]
	r.Extra = []float64{figures[3] / max(figures[0], 1), sysbenchHeld(said)}
	return r, nil
}

// sysbenchFigure finds a number in sysbench's output.
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
