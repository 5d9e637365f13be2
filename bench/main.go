// SPDX-License-Identifier: Apache-2.0

// Command bench measures Weft beside its peers, side by side in one run:
//
//	go run ./bench            # everything, about half an hour
//	go run ./bench --quick    # does it still work? a minute; the figures mean nothing
//
// The peers are a bare net/http server that gives Weft's own answers (echo), the weft binary over HTTP (weft, and
// streaming with a stream), npm's dynalite over HTTP (dynalite), Pebble alone in process (pebble) and Weft embedded in
// process (embedded). Each is a process of its own. Rounds are interleaved: in each round every cell, one operation
// with one number of clients, runs on all peers one after the other, so that a ratio compares neighbours in time. The
// table shows medians over the rounds.
//
// Knows: all peers, their processes, how their cost is counted.
// Never: being imported; another machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// config holds the arguments of the command line.
type config struct {
	loadgen.Settings
	Operations []string
	Peers      []string
	Partitions int    // of partitionItems items each
	Earlier    string // another binary to compare Weft with; "" is none
	Extra      bool   // the measurements of memory and of waiting for durable commits
}

func main() {
	if runRole() {
		return
	}
	os.Exit(loadgen.Main("bench", parseFlags, run))
}

func parseFlags(args []string) (*config, error) {
	c := &config{Settings: loadgen.Settings{Rounds: 5, Seconds: 2}}
	var operations, peers string
	var quick bool
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	check := c.AddFlags(f, "1,16,64")
	f.BoolVar(&quick, "quick", false, "one short round on little data, to see that everything works")
	f.StringVar(&operations, "operations", strings.Join(operationNames(), ","), "what to measure")
	f.StringVar(&peers, "peers", strings.Join(peerNames(), ","),
		"whom to measure; echo needs weft or dynalite for its answers")
	f.IntVar(&c.Partitions, "partitions", 1000,
		fmt.Sprintf("size of the table, in partitions of %d items", partitionItems))
	f.StringVar(&c.Earlier, "earlier", "", "an earlier weft binary to compare with (--peers weft,earlier)")
	f.BoolVar(&c.Extra, "extra", true, "also measure the memory of a scan of all cities, and what waiting for durable commits costs reads")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	err := check()
	if err != nil {
		return nil, err
	}
	if quick {
		c.Rounds, c.Seconds, c.Partitions, c.Clients = 1, 0.3, 50, []int{1, 16}
	}
	if c.Operations, err = loadgen.Choices("operations", operations, operationNames()); err != nil {
		return nil, err
	}
	if c.Peers, err = loadgen.Choices("peers", peers, peerNames()); err != nil {
		return nil, err
	}
	if c.Partitions < 2 || c.Partitions > 99999 {
		return nil, errors.New("--partitions: there are 2 to 99999 partitions")
	}
	return c, nil
}

// run measures everything and writes the report to out.
func run(ctx context.Context, c *config, out io.Writer) (err error) {
	remove, err := c.Folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	peers, skipped, err := openPeers(ctx, c)
	defer func() { err = errors.Join(err, loadgen.Close(peers)) }()
	if err != nil {
		return err
	}
	cells := c.cells()
	if err := loadgen.Measure(ctx, cells, &c.Settings, peers); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d items.\n", &c.Settings, c.Partitions*partitionItems)
	cells.Write(out, skipped...)
	if !c.Extra {
		return nil
	}
	return runExtra(ctx, c, peers, out)
}
