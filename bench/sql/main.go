// SPDX-License-Identifier: Apache-2.0

// Command sql measures Weft's SQL against MariaDB's InnoDB and MyRocks in one run:
//
//	go run ./bench/sql            # everything, about twenty minutes
//	go run ./bench/sql --quick    # does it still work? a minute; the figures mean nothing
//	go run ./bench/sql --sysbench # sysbench's workloads on Weft and InnoDB, about a quarter of an hour
//
// All commits are durable. Rounds are interleaved: in each round every cell, one operation with one number of clients, runs on all peers one after the
// other, so that a ratio compares neighbours in time. The client is a bare one of this program, so that the servers are what is measured; it shares the
// machine with them. With sysbench, echo is a server that answers from memory and syncs a log: what protocol, disk and client take alone. MariaDB comes from Debian's packages mariadb-server and mariadb-plugin-rocksdb; without them Weft is measured alone.
//
// Knows: the peers, their processes, the statements they are asked.
// Never: being imported; another machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// config is what the command line says.
type config struct {
	Rounds     int
	Seconds    float64 // of one cell
	Clients    []int
	Operations []string
	Sysbench   bool // its workloads instead of our own
	Peers      []string
	Rows       int64 // of the table for point reads and ranges
	GroupRows  int64 // of the table for GROUP BY
	StreamRows int64 // of the table that is streamed; 0 streams none
	Dir        string
	Weft       string // the binary; "" builds it
	Profiles   string // folder for CPU profiles of Weft; "" takes none
	Log        io.Writer
}

// clientsPreset are the numbers of clients if nothing is said.
const clientsPreset = "1,8,32"

func main() {
	if len(os.Args) == 4 && os.Args[1] == echoArgument {
		fmt.Fprintln(os.Stderr, "echo:", serveEcho(os.Args[2], os.Args[3]))
		os.Exit(1)
	}
	os.Exit(loadgen.Main("bench/sql", parseFlags, run))
}

func parseFlags(args []string) (*config, error) {
	c := &config{Log: os.Stderr}
	var clients, operations, peers string
	var quick bool
	f := flag.NewFlagSet("sql", flag.ContinueOnError)
	f.IntVar(&c.Rounds, "rounds", 5, "how often each cell is measured")
	f.Float64Var(&c.Seconds, "seconds", 2, "how long one cell runs")
	f.BoolVar(&quick, "quick", false, "one short round on little data, to see that everything works")
	f.StringVar(&clients, "clients", clientsPreset, "numbers of clients")
	f.BoolVar(&c.Sysbench, "sysbench", false, "measure sysbench's workloads, with 8 and 32 clients; sysbench comes from Debian's package of that name")
	f.StringVar(&operations, "operations", "", "what to measure (default: everything)")
	f.StringVar(&peers, "peers", strings.Join(peerNames(), ","), "whom to measure")
	f.Int64Var(&c.Rows, "rows", 100_000, "rows of the table for point reads and ranges")
	f.Int64Var(&c.GroupRows, "group-rows", 600_000, "rows of the table for GROUP BY")
	f.Int64Var(&c.StreamRows, "stream-rows", 10_000_000, "rows that Weft streams in one SELECT, for its memory; 0 leaves that out")
	f.StringVar(&c.Dir, "dir", "", "folder for the databases, on the disk to be measured (default: a temporary one)")
	f.StringVar(&c.Weft, "weft", "", "a weft binary (default: built from this tree)")
	f.StringVar(&c.Profiles, "profiles", "", "write CPU profiles of Weft's cells into this folder")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if quick {
		c.Rounds, c.Seconds, c.Rows, c.GroupRows, c.StreamRows = 1, 0.3, 5000, 5000, 20_000
	}
	var err error
	if c.Clients, err = loadgen.Counts("clients", clients); err != nil {
		return nil, err
	}
	names := operationNames()
	if c.Sysbench {
		names = sysbenchNames()
		c.Clients = slices.DeleteFunc(c.Clients, func(n int) bool { return n == 1 && clients == clientsPreset })
	}
	c.Operations = names
	if operations != "" {
		c.Operations, err = loadgen.Choices("operations", operations, names)
	}
	if err == nil {
		c.Peers, err = loadgen.Choices("peers", peers, peerNames())
	}
	if err != nil {
		return nil, err
	}
	c.Peers = slices.DeleteFunc(c.Peers, func(name string) bool { return c.Sysbench && name == peerMyRocks || !c.Sysbench && name == peerEcho })
	return c, c.check()
}

func (c *config) check() error {
	if c.Rounds < 1 || c.Seconds <= 0 || c.Rows < 2*rangeRows || c.GroupRows < 1 || c.StreamRows < 0 {
		return fmt.Errorf("--rounds, --seconds and the numbers of rows must be positive, and --rows at least %d", 2*rangeRows)
	}
	return nil
}

// clients are the numbers of clients with which an operation is measured.
func (c *config) clients(operation string) []int {
	if operation == opGroup {
		return []int{1}
	}
	return c.Clients
}

// run measures everything and writes the report to out.
func run(ctx context.Context, c *config, out io.Writer) (err error) {
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "weft-bench-sql-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	}
	if _, err := exec.LookPath("sysbench"); c.Sysbench && err != nil {
		fmt.Fprintln(out, "Nothing was measured: sysbench is not installed (on Debian: apt-get install sysbench)")
		return nil
	}
	peers, skipped, err := openPeers(ctx, c)
	defer func() { err = errors.Join(err, closePeers(peers)) }()
	if err != nil {
		return err
	}
	if c.Sysbench {
		return runSysbench(ctx, c, peers, skipped, out)
	}
	r := newReport(c, skipped)
	for round := range c.Rounds {
		if err := runRound(ctx, c, peers, round, r); err != nil {
			return err
		}
		fmt.Fprintf(c.Log, "round %d of %d\n", round+1, c.Rounds)
	}
	if err := streamed(ctx, c, peers, r); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d rounds, %.1f s a cell, %d rows, GOMAXPROCS %d, %s %s/%s.\n", c.Rounds, c.Seconds, c.Rows, runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	r.write(out)
	return nil
}

// runRound measures each cell once on each peer.
func runRound(ctx context.Context, c *config, peers []*peer, round int, r *report) error {
	byName, names := map[string]*peer{}, []string{}
	for _, p := range peers {
		byName[p.name], names = p, append(names, p.name)
	}
	return r.cells.Run(round, c.Seconds, names, func(name string, x loadgen.Cell) (loadgen.Result, error) { return measure(ctx, c, byName[name], x) })
}

// measure runs one cell.
func measure(ctx context.Context, c *config, p *peer, x loadgen.Cell) (loadgen.Result, error) {
	loadgen.Settle(p.PID())
	workers, err := loadgen.MakeWorkers(x.Clients, func(i int) (loadgen.Worker, error) { return newWorker(p, x.Operation, i, c) })
	if err != nil {
		return loadgen.Result{}, err
	}
	if err := p.Profile(fmt.Sprintf("%s/%s-%d.prof", c.Profiles, x.Operation, x.Clients)); err != nil {
		return loadgen.Result{}, errors.Join(err, loadgen.CloseWorkers(workers))
	}
	result, err := loadgen.Measure(ctx, p.PID(), x.Seconds, workers)
	return result, errors.Join(err, p.Profile(""))
}
