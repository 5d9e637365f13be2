// SPDX-License-Identifier: Apache-2.0

// Command ab compares two commits in one scenario, with one verdict: faster, slower, or no difference.
//
//	go run ./bench/ab HEAD~1 HEAD sysbench/random_points
//	go run ./bench/ab --write random-points v1 HEAD sysbench/random_points --rows 1000000
//	go run ./bench/ab HEAD HEAD http/get    # proves itself: it fails unless there is no difference
//
// A scenario is an operation of one of the other programs, which ab runs; what follows it are flags of that program.
// The programs are this tree's, so both commits are asked the same; the server, or the packages in a program that has
// Weft in its own process, are the commit's. Each commit is checked out into a temporary folder, built, and removed.
//
// Both load the data, and then take turns, in the order A, B, B, A: while one is measured the other is idle. After half
// of the turns both start afresh, since two loads of the same data don't lie the same in a store. The ratios are
// medians over the fours of turns, with bounds by bootstrap that hold 99 % of the resamples. The verdict looks at
// operations a second and at the server's CPU for one operation, and counts less than 2 % as nothing.
//
// Knows: git, the other programs' command lines, statistics.
// Never: being imported; what a scenario asks.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// programs are the programs with scenarios, by the names that scenarios begin with: their package, and their flags
// before the operation's name. // immutable
var programs = map[string][]string{
	"http":      {"./bench", "--peers", "weft", "--extra=false", "--operations"},
	"inprocess": {"./bench", "--peers", "embedded", "--extra=false", "--operations"},
	"sql":       {"./bench/sql", "--peers", "weft", "--stream-rows", "0", "--operations"},
	"sysbench":  {"./bench/sql", "--sysbench", "--peers", "weft", "--operations"},
	"embedded":  {"./bench/embedded", "--only", "weft", "--operations"},
	"search":    {"./bench/search", "--only", "weft", "--kinds"},
}

// config holds the arguments of the command line.
type config struct {
	Commits  [2]string
	Scenario string   // with the flags that follow it
	Program  string   // its package
	Args     []string // its flags
	Rounds   int      // fours of turns
	Seconds  float64
	Clients  int
	Write    string
	Log      io.Writer
}

func main() { os.Exit(loadgen.Main("bench/ab", parseFlags, run)) }

func parseFlags(args []string) (*config, error) {
	c := &config{Log: os.Stderr}
	f := flag.NewFlagSet("ab [flags] COMMIT COMMIT SCENARIO [flags of its program]", flag.ContinueOnError)
	f.IntVar(&c.Rounds, "rounds", 12, "how often both take two turns each")
	f.Float64Var(&c.Seconds, "seconds", 2, "how long a turn is")
	f.IntVar(&c.Clients, "clients", 8, "number of clients")
	f.StringVar(&c.Write, "write", "", "put the report into BENCHMARKS.md, between the markers of this name")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() < 3 || c.Rounds < 1 || c.Seconds <= 0 || c.Clients < 1 {
		return nil, errors.New("want two commits and a scenario, as in: ab HEAD~1 HEAD sysbench/random_points")
	}
	c.Commits, c.Scenario = [2]string{f.Arg(0), f.Arg(1)}, strings.Join(f.Args()[2:], " ")
	name, operation, _ := strings.Cut(f.Arg(2), "/")
	program := programs[name]
	if program == nil || operation == "" {
		return nil, fmt.Errorf("there is no scenario %q: PROGRAM/OPERATION, as in sql/read-prepared", f.Arg(2))
	}
	c.Program = program[0]
	c.Args = slices.Concat(program[1:], []string{operation}, f.Args()[3:])
	return c, nil
}

// run compares the commits and writes the report.
func run(ctx context.Context, c *config, out io.Writer) (err error) {
	tree, err := command(ctx, "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "weft-ab-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var revisions [2]*revision
	for i, commit := range c.Commits {
		fmt.Fprintf(c.Log, "building %s\n", commit)
		if revisions[i], err = build(ctx, tree, dir, commit, "github.com/weftdb/weft/"+c.Program[2:]); err != nil {
			return err
		}
	}
	results, err := measure(ctx, c, revisions)
	if err != nil {
		return err
	}
	compared := compare(results[0], results[1], 1)
	text := report(c, revisions, results, compared)
	fmt.Fprint(out, text)
	if c.Write != "" {
		err = write(filepath.Join(tree, "BENCHMARKS.md"), c.Write, text)
	}
	if revisions[0].name == revisions[1].name && compared.verdict() != noDifference {
		err = errors.Join(err, errors.New("one commit differs from itself: the machine is too uneasy, or measure longer"))
	}
	return err
}

// measure takes all turns.
func measure(ctx context.Context, c *config, revisions [2]*revision) (results [2][]loadgen.Result, err error) {
	half := (c.Rounds + 1) / 2
	for _, rounds := range []int{half, c.Rounds - half} {
		if err = measureStart(ctx, c, revisions, rounds, &results); err != nil {
			break
		}
	}
	return results, err
}

// measureStart takes so many fours of turns with programs that are started afresh.
func measureStart(ctx context.Context, c *config, revisions [2]*revision, rounds int,
	results *[2][]loadgen.Result) (err error) {
	if rounds == 0 {
		return nil
	}
	var both [2]*running
	for i, r := range revisions {
		if both[i], err = r.start(ctx, c); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, both[i].close()) }()
	}
	for range rounds {
		for _, i := range []int{0, 1, 1, 0} {
			r, err := both[i].turn()
			if err != nil {
				return err
			}
			results[i] = append(results[i], r)
		}
	}
	return nil
}

// report is the part of BENCHMARKS.md that a run writes.
func report(c *config, revisions [2]*revision, results [2][]loadgen.Result, compared comparison) string {
	var b strings.Builder
	a, others := revisions[0].name, loadgen.Median(slices.Concat(results[0], results[1]),
		func(r *loadgen.Result) float64 { return r.OthersCPU })
	fmt.Fprintf(&b, "`%s`, %s to %s, %s:\n%d times A, B, B, A of %g s, %d clients, %s; others\nused %.1f cores.\n\n",
		c.Scenario, a, revisions[1].name, time.Now().Format("2 January 2006"), c.Rounds, c.Seconds, c.Clients,
		loadgen.Machine(), others)
	fmt.Fprintf(&b, "| | %s | %s | ratio (99 %% of the resamples) |\n|---|--:|--:|--:|\n", a, revisions[1].name)
	for _, line := range []struct {
		name  string
		pick  func(*loadgen.Result) float64
		ratio interval
	}{{"operations/s", (*loadgen.Result).Rate, compared.rate},
		{"server CPU µs an operation", (*loadgen.Result).CPUMicros, compared.cpu}} {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", line.name, loadgen.Figure(loadgen.Median(results[0], line.pick)),
			loadgen.Figure(loadgen.Median(results[1], line.pick)), line.ratio)
	}
	fmt.Fprintf(&b, "\nVerdict: **%s**.\n", compared.verdict())
	return b.String()
}

// write replaces what stands between the markers of a name in a file.
func write(path, name, text string) error {
	begin, end := fmt.Sprintf("<!-- ab: %s -->\n", name), "<!-- end of ab -->\n"
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		return fmt.Errorf("%s has no lines %q and %q to write between", path, strings.TrimSpace(begin),
			strings.TrimSpace(end))
	}
	return os.WriteFile(path, []byte(before+begin+text+end+after), 0o644)
}
