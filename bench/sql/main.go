// SPDX-License-Identifier: Apache-2.0

// Command sql measures Weft's SQL against MariaDB's InnoDB and MyRocks in one run:
//
//	go run ./bench/sql            # everything, about twenty minutes
//	go run ./bench/sql --quick    # does it still work? a minute; the figures mean nothing
//	go run ./bench/sql --sysbench # sysbench's workloads on Weft and InnoDB, about a quarter of an hour
//
// All commits are durable. Rounds are interleaved: in each round every cell, one operation with one number of clients,
// runs on all peers one after the other, so that a ratio compares neighbours in time. The client is a bare one of this
// program, so that the servers are what is measured; it shares the machine with them. With sysbench, echo is a server
// that answers from memory and syncs a log: what protocol, disk and client take alone. MariaDB comes from Debian's
// packages mariadb-server and mariadb-plugin-rocksdb; without them Weft is measured alone.
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
	"slices"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// config holds the arguments of the command line.
type config struct {
	loadgen.Settings
	Operations []string
	Sysbench   bool // its workloads instead of our own
	Peers      []string
	Rows       int64 // of the table for point reads and ranges
	GroupRows  int64 // of the table for GROUP BY
	StreamRows int64 // of the table that is streamed; 0 streams none
	// Distribution is sysbench's name for how keys are drawn, when loading, too.
	Distribution string
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
	c := &config{Settings: loadgen.Settings{Rounds: 5, Seconds: 2}}
	var operations, peers string
	var quick bool
	f := flag.NewFlagSet("sql", flag.ContinueOnError)
	check := c.AddFlags(f, clientsPreset)
	f.BoolVar(&quick, "quick", false, "one short round on little data, to see that everything works")
	f.BoolVar(&c.Sysbench, "sysbench", false,
		"measure sysbench's workloads, with 8 and 32 clients; sysbench comes from Debian's package of that name")
	f.StringVar(&c.Distribution, "distribution", "special", "how sysbench draws keys, as uniform")
	f.StringVar(&operations, "operations", "", "what to measure (default: everything)")
	f.StringVar(&peers, "peers", strings.Join(peerNames(), ","), "whom to measure")
	f.Int64Var(&c.Rows, "rows", 100_000, "rows of the table for point reads and ranges")
	f.Int64Var(&c.GroupRows, "group-rows", 600_000, "rows of the table for GROUP BY")
	f.Int64Var(&c.StreamRows, "stream-rows", 10_000_000,
		"rows that Weft streams in one SELECT, for its memory; 0 leaves that out")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if quick {
		c.Rounds, c.Seconds, c.Rows, c.GroupRows, c.StreamRows = 1, 0.3, 5000, 5000, 20_000
	}
	err := check()
	if err != nil {
		return nil, err
	}
	names := operationNames()
	if c.Sysbench {
		names = sysbenchNames()
		c.Clients = slices.DeleteFunc(c.Clients, func(n int) bool {
			return n == 1 &&
				f.Lookup("clients").Value.String() == clientsPreset
		})
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
	c.Peers = slices.DeleteFunc(c.Peers,
		func(name string) bool { return c.Sysbench && name == peerMyRocks || !c.Sysbench && name == peerEcho })
	return c, c.check()
}

func (c *config) check() error {
	if c.Rows < 2*rangeRows || c.GroupRows < 1 || c.StreamRows < 0 {
		return fmt.Errorf("the numbers of rows must be positive, and --rows at least %d", 2*rangeRows)
	}
	return nil
}

// clients are the numbers of clients with which an operation is measured.
func (c *config) clients(operation string) []int {
	if isLong(operation) {
		return []int{1}
	}
	return c.Clients
}

// run measures everything and writes the report to out.
func run(ctx context.Context, c *config, out io.Writer) (err error) {
	remove, err := c.Folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if _, err := exec.LookPath("sysbench"); c.Sysbench && err != nil {
		fmt.Fprintln(out, "Nothing was measured: sysbench is not installed (on Debian: apt-get install sysbench)")
		return nil
	}
	peers, notes, err := loadgen.Open(c.Log, c.Peers, func(name string) (*peer, error) { return c.open(ctx, name) })
	defer func() { err = errors.Join(err, loadgen.Close(peers)) }()
	if err != nil {
		return err
	}
	cells := c.cells()
	if err := loadgen.Measure(ctx, cells, &c.Settings, peers); err != nil {
		return err
	}
	if !c.Sysbench {
		more, err := streamed(ctx, c, peers)
		if err != nil {
			return err
		}
		notes = append(notes, more...)
	}
	fmt.Fprintf(out, "%s, %d rows.\n", &c.Settings, c.Rows)
	cells.Write(out, notes...)
	return nil
}
