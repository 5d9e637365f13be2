// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Settings are the flags that all measuring programs share.
type Settings struct {
	Rounds   int     // how often each cell is measured
	Seconds  float64 // of one cell
	Clients  []int
	Dir      string // for the databases
	Weft     string // the binary; "" until it is built
	Profiles string // folder for CPU profiles; "" takes none
	Log      io.Writer
	turns    *bufio.Scanner // a line for each round; nil: there are Rounds
	results  io.Writer      // of turns
}

// AddFlags adds the flags of the settings, whose presets are the settings as they are and some numbers of clients. What
// it returns is to be called once the flags are read: it says what is wrong with them.
func (s *Settings) AddFlags(f *flag.FlagSet, clients string) (check func() error) {
	s.Log = os.Stderr
	var turns bool
	f.IntVar(&s.Rounds, "rounds", s.Rounds, "how often each cell is measured")
	f.Float64Var(&s.Seconds, "seconds", s.Seconds, "how long one cell runs")
	f.StringVar(&clients, "clients", clients, "numbers of clients")
	f.StringVar(&s.Dir, "dir", "", "folder for the databases, on the disk to be measured (default: a temporary one)")
	f.StringVar(&s.Weft, "weft", "", "a weft binary (default: built from this tree)")
	f.StringVar(&s.Profiles, "profiles", "", "write CPU profiles of Weft's cells into this folder")
	f.BoolVar(&turns, "turns", false,
		"measure a round for each line of the standard input, and answer it with a line of its results as JSON")
	return func() (err error) {
		if turns {
			s.turns, s.results = bufio.NewScanner(os.Stdin), os.Stdout
		}
		if s.Rounds < 1 || s.Seconds <= 0 {
			return errors.New("--rounds and --seconds must be positive")
		}
		s.Clients, err = Counts("clients", clients)
		return err
	}
}

// next waits for the turn of a round, and reports whether there is one.
func (s *Settings) next(round int) bool {
	if s.turns == nil {
		return round < s.Rounds
	}
	return s.turns.Scan()
}

// tell writes the results of a round for the program that gives the turns.
func (s *Settings) tell(results []Result) error {
	if s.turns == nil {
		return nil
	}
	return json.NewEncoder(s.results).Encode(results)
}

// Folder makes the folders that are needed. remove removes those that nobody named.
func (s *Settings) Folder() (remove func() error, err error) {
	if s.Profiles != "" {
		if err := os.MkdirAll(s.Profiles, 0o755); err != nil {
			return nil, err
		}
	}
	if s.Dir != "" {
		return func() error { return nil }, nil
	}
	s.Dir, err = os.MkdirTemp("", "weft-bench-")
	return func() error { return os.RemoveAll(s.Dir) }, err
}

// Build builds the weft binary, unless there is one.
func (s *Settings) Build() (err error) {
	if s.Weft == "" {
		s.Weft, err = BuildWeft(s.Dir, s.Profiles != "")
	}
	return err
}

// String says how the cells are measured, and on what.
func (s *Settings) String() string {
	return fmt.Sprintf("%d rounds, %.1f s a cell, %s", s.Rounds, s.Seconds, Machine())
}

// Machine says what the program runs on.
func Machine() string {
	return fmt.Sprintf("GOMAXPROCS %d, %s %s/%s", runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
