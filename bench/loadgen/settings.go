// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Settings are what the command lines of measuring programs have in common.
type Settings struct {
	Rounds   int     // how often each cell is measured
	Seconds  float64 // of one cell
	Clients  []int
	Dir      string // for the databases
	Weft     string // the binary; "" until it is built
	Profiles string // folder for CPU profiles; "" takes none
	Log      io.Writer
}

// AddFlags adds the flags of the settings, whose presets are the settings as they are and some numbers of clients. What
// it returns is to be called once the flags are read: it says what is wrong with them.
func (s *Settings) AddFlags(f *flag.FlagSet, clients string) (check func() error) {
	s.Log = os.Stderr
	f.IntVar(&s.Rounds, "rounds", s.Rounds, "how often each cell is measured")
	f.Float64Var(&s.Seconds, "seconds", s.Seconds, "how long one cell runs")
	f.StringVar(&clients, "clients", clients, "numbers of clients")
	f.StringVar(&s.Dir, "dir", "", "folder for the databases, on the disk to be measured (default: a temporary one)")
	f.StringVar(&s.Weft, "weft", "", "a weft binary (default: built from this tree)")
	f.StringVar(&s.Profiles, "profiles", "", "write CPU profiles of Weft's cells into this folder")
	return func() (err error) {
		if s.Rounds < 1 || s.Seconds <= 0 {
			return errors.New("--rounds and --seconds must be positive")
		}
		s.Clients, err = Counts("clients", clients)
		return err
	}
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
