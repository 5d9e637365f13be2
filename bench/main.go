// SPDX-License-Identifier: Apache-2.0

// Command bench measures Weft beside its peers, side by side in one run:
//
//	go run ./bench            # everything, about half an hour
//	go run ./bench --quick    # does it still work? a minute; the figures mean nothing
//
// The peers are a bare net/http server that gives Weft's own answers (echo), the weft binary over HTTP (weft, and streaming with a stream), npm's dynalite over HTTP
// (dynalite), Pebble alone in process (pebble) and Weft embedded in process (embedded). Each is a process of its own. Rounds are interleaved:
// in each round every cell, one operation with one number of clients, runs on all peers one after the other, so that a ratio compares
// neighbours in time. The table shows medians over the rounds.
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
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// config is what the command line says.
type config struct {
	Rounds     int
	Seconds    float64 // of one cell
	Clients    []int
	Operations []string
	Peers      []string
	Partitions int // of partitionItems items each
	Dir        string
	Weft       string // the binary; "" builds it
	Earlier    string // another binary to compare it with; "" is none
	Profiles   string // folder for CPU profiles; "" takes none
	Extra      bool   // the measurements of memory and of waiting for durable commits
	Log        io.Writer
}

func main() {
	if runRole() {
		return
	}
	os.Exit(loadgen.Main("bench", parseFlags, run))
}

func parseFlags(args []string) (*config, error) {
	c := &config{Log: os.Stderr}
	var clients, operations, peers string
	var quick bool
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&c.Rounds, "rounds", 5, "how often each cell is measured")
	f.Float64Var(&c.Seconds, "seconds", 2, "how long one cell runs")
	f.BoolVar(&quick, "quick", false, "one short round on little data, to see that everything works")
	f.StringVar(&clients, "clients", "1,16,64", "numbers of clients")
	f.StringVar(&operations, "operations", strings.Join(operationNames(), ","), "what to measure")
	f.StringVar(&peers, "peers", strings.Join(peerNames(), ","), "whom to measure; echo needs weft or dynalite for its answers")
	f.IntVar(&c.Partitions, "partitions", 1000, fmt.Sprintf("size of the table, in partitions of %d items", partitionItems))
	f.StringVar(&c.Dir, "dir", "", "folder for the databases, on the disk to be measured (default: a temporary one)")
	f.StringVar(&c.Weft, "weft", "", "a weft binary (default: built from this tree)")
	f.StringVar(&c.Earlier, "earlier", "", "an earlier weft binary to compare with (--peers weft,earlier)")
	f.StringVar(&c.Profiles, "profiles", "", "write CPU profiles of the cells of weft and embedded into this folder")
	f.BoolVar(&c.Extra, "extra", true, "also measure the memory of a scan of all cities, and what waiting for durable commits costs reads")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if quick {
		c.Rounds, c.Seconds, c.Partitions, clients = 1, 0.3, 50, "1,16"
	}
	var err error
	if c.Clients, err = loadgen.Counts("clients", clients); err != nil {
		return nil, err
	}
	if c.Operations, err = loadgen.Choices("operations", operations, operationNames()); err != nil {
		return nil, err
	}
	if c.Peers, err = loadgen.Choices("peers", peers, peerNames()); err != nil {
		return nil, err
	}
	return c, c.check()
}

func (c *config) check() error {
	if c.Partitions < 2 || c.Partitions > 99999 || c.Rounds < 1 || c.Seconds <= 0 {
		return errors.New("--rounds, --seconds and --partitions must be positive, and there are 2 to 99999 partitions")
	}
	return nil
}

// run measures everything and writes the report to out.
func run(ctx context.Context, c *config, out io.Writer) (err error) {
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "weft-bench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	}
	peers, skipped, err := openPeers(ctx, c)
	defer func() { err = errors.Join(err, closePeers(peers)) }()
	if err != nil {
		return err
	}
	r := newReport(c, peers, skipped)
	for round := range c.Rounds {
		if err := runRound(ctx, c, r, peers, round); err != nil {
			return err
		}
	}
	r.write(out)
	if !c.Extra {
		return nil
	}
	return runExtra(ctx, c, peers, out)
}

// runRound measures each cell once on each peer. The order of the peers moves on from cell to cell and round to round, so that none always
// runs behind the same neighbour.
func runRound(ctx context.Context, c *config, r *report, peers []peer, round int) error {
	begun, turn := time.Now(), round
	for _, operation := range c.Operations {
		for _, clients := range c.Clients {
			for i := range peers {
				p := peers[(i+turn)%len(peers)]
				if !can(p.Name(), operation) {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				x := loadgen.Cell{Operation: operation, Clients: clients, Seconds: c.Seconds}
				result, err := measure(c, p, x)
				if err != nil {
					return fmt.Errorf("%s, %s with %d clients: %w", p.Name(), operation, clients, err)
				}
				r.add(p.Name(), x, result)
			}
			turn++
		}
	}
	fmt.Fprintf(c.Log, "round %d of %d: %.0f s\n", round+1, c.Rounds, time.Since(begun).Seconds())
	return nil
}

// measure runs one cell, with a CPU profile if one is wanted and the peer can give it, and notes what share of the machine others took.
func measure(c *config, p peer, x loadgen.Cell) (loadgen.Result, error) {
	if profiled, ok := p.(interface{ Profile(path string) error }); ok && c.Profiles != "" {
		if err := profiled.Profile(fmt.Sprintf("%s/%s-%s-%d.prof", c.Profiles, p.Name(), x.Operation, x.Clients)); err != nil {
			return loadgen.Result{}, err
		}
		defer func() { _ = profiled.Profile("") }()
	}
	before := loadgen.MachineBusy()
	own := loadgen.TreeCPU(os.Getpid())
	begun := time.Now()
	result, err := p.Run(x)
	elapsed := time.Since(begun).Seconds()
	result.OthersCPU = max(loadgen.MachineBusy()-before-(loadgen.TreeCPU(os.Getpid())-own), 0) / elapsed
	return result, err
}
