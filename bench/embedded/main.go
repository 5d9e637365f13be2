// SPDX-License-Identifier: Apache-2.0

// Command embedded measures Weft as a library beside other databases that a Go program embeds without cgo: bbolt,
// Badger and SQLite (compiled to Go), on the same items, with commits that are durable on all of them. Bbolt and Badger
// keep keys and values: there the program encodes items as JSON and keeps an index by itself. Pebble alone, under
// Weft's options, shows what Weft adds to its engine: its values are Weft's rows, and they have no index.
//
//	go run ./bench/embedded
//
// The operations: get is an item by its key, as a struct. Put replaces an item of 1 KB in a table without an index, and
// batch replaces 100 of them in one commit. Scan reads all items of the other table, of about 200 bytes, as structs.
// Query reads the 100 items of an owner through an index, in the order of their time. Decode makes a struct of what is
// stored, without reading it.
//
// All peers are in this process, and their CPU is that of the whole process. Each has 64 MiB of cache, but bbolt maps
// its file into memory. Rounds are interleaved, so that a ratio compares neighbours in time. SQLite has one connection
// that writes and others that read, since its writers would only wait for each other. The peer bbolt-batch commits with
// bbolt's Batch, which waits up to 10 ms for others to share a commit with.
//
// Knows: the peers, the items, what they are asked, what is wanted of Weft.
// Never: being imported; another machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// config is what the command line says.
type config struct {
	Rows       int
	Peers      []string
	Operations []string
	loadgen.Settings
}

func main() {
	os.Exit(loadgen.Main("bench/embedded", parseFlags, run))
}

func parseFlags(args []string) (*config, error) {
	c := &config{Settings: loadgen.Settings{Rounds: 5, Seconds: 1}}
	var operations, only string
	var quick bool
	f := flag.NewFlagSet("embedded", flag.ContinueOnError)
	check := c.AddFlags(f, "1,8,64")
	f.IntVar(&c.Rows, "rows", 50_000, "how many items each table has; a multiple of 100")
	f.StringVar(&operations, "operations", strings.Join(operationNames(), ","), "what to measure")
	f.StringVar(&only, "only", strings.Join(peerNames(), ","), "whom to measure")
	f.BoolVar(&quick, "quick", false, "one short round on few items, to see that everything works")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if quick {
		c.Rows, c.Rounds, c.Seconds = 1000, 1, 0.1
	}
	if c.Rows < ownerItems || c.Rows%ownerItems != 0 {
		return nil, fmt.Errorf("--rows must be a multiple of %d", ownerItems)
	}
	var errs [3]error
	errs[0] = check()
	c.Operations, errs[1] = loadgen.Choices("operations", operations, operationNames())
	c.Peers, errs[2] = loadgen.Choices("only", only, peerNames())
	return c, errors.Join(errs[:]...)
}

// run measures everything and writes the report to out.
func run(ctx context.Context, c *config, out io.Writer) (err error) {
	remove, err := c.Folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	fmt.Fprintf(out, "%d items, %s.\n", c.Rows, &c.Settings)
	peers, _, err := loadgen.Open(c.Log, c.Peers, func(name string) (*peer, error) { return openPeer(ctx, c, name) })
	defer func() { err = errors.Join(err, loadgen.Close(peers)) }()
	if err != nil {
		return err
	}
	cells := comparison(c)
	if err := loadgen.Measure(ctx, cells, &c.Settings, peers); err != nil {
		return err
	}
	cells.Write(out)
	return nil
}

// comparison says what is compared. Puts are measured with all numbers of clients, gets and queries with those up to 8,
// what is long by itself with one.
func comparison(c *config) *loadgen.Comparison {
	return &loadgen.Comparison{
		Peers: c.Peers, Operations: c.Operations, Can: can, Goal: goal,
		Clients: func(operation string) []int {
			switch operation {
			case opPut:
				return c.Clients
			case opGet, opQuery:
				return slices.DeleteFunc(slices.Clone(c.Clients), func(n int) bool { return n > 8 })
			}
			return []int{1}
		},
		Pairs: [][2]string{{peerWeft, peerBolt}, {peerWeft, peerBoltBatch}, {peerWeft, peerBadger},
			{peerWeft, peerSQLite}, {peerWeft, peerPebble}},
	}
}

// can reports whether a peer has an operation.
func can(peer, operation string) bool {
	switch peer {
	case peerBoltBatch:
		return operation == opPut
	case peerSQLite:
		return operation != opDecode
	case peerPebble:
		return operation != opDecode && operation != opQuery
	}
	return true
}

// goal is the ratio of rates that is wanted of Weft: gets take at most 1.5 times as long as Pebble's.
func goal(_, over, operation string, clients int) float64 {
	switch {
	case operation == opGet && over == peerPebble:
		return 0.67
	case operation == opPut && clients == 64 && over != peerPebble:
		return 1.5
	case operation == opQuery && over == peerSQLite:
		return 2
	}
	return 0
}
