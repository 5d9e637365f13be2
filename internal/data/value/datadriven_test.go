// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestDataDriven runs the files of testdata. Their commands, one value of the text notation in each line of input:
//
//	show                    text, kind, size and bytes of each value
//	compare                 each line is "a ; b": their order and equality
//	contains                each line is "a ; b": whether a contains b
//	sets                    each line is "a ; b": union and difference
//	validate                each line is hexadecimal bytes and what they are meant to be: what Validate says
//	row names=(a,b,..)      the input is one item: its row's bytes, text, size, names without an id
//	get names=(..) of=NAME  an attribute of the item
//	project names=(..) keep=(..)
//	rename from=(..) to=(..)
func TestDataDriven(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "fuzz") {
			return // inputs that fuzzing found
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "row", "get", "project", "rename":
				return runRow(t, d)
			}
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				fmt.Fprintln(&out, runLine(d.Cmd, strings.TrimSpace(line)))
			}
			return out.String()
		})
	})
}

func runLine(command, line string) string {
	switch command {
	case "show":
		v, err := valuetest.ParseText(line)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%v  %v size %d depth %d  %x", v, v.Kind(), v.Size(), v.Depth(), []byte(v))
	case "validate":
		digits, why, _ := strings.Cut(line, " # ")
		b, err := hex.DecodeString(digits)
		if err != nil {
			return err.Error()
		}
		switch err := value.Value(b).Validate(); {
		case err == nil:
			return fmt.Sprintf("%s: %v", why, value.Value(b))
		case errors.Is(err, value.ErrMalformed):
			return why + ": malformed"
		default:
			return why + ": " + err.Error()
		}
	}
	left, right, _ := strings.Cut(line, " ; ")
	a, errA := valuetest.ParseText(left)
	b, errB := valuetest.ParseText(right)
	if errA != nil || errB != nil {
		return fmt.Sprint(errA, errB)
	}
	return line + "  ->  " + runPair(command, a, b)
}

func runPair(command string, a, b value.Value) string {
	switch command {
	case "compare":
		order, comparable := value.Compare(a, b)
		if !comparable {
			return fmt.Sprintf("no order, equal %v", value.Equal(a, b))
		}
		return fmt.Sprintf("%+d, equal %v", order, value.Equal(a, b))
	case "contains":
		return fmt.Sprint(a.Contains(b))
	case "sets":
		return fmt.Sprintf("union %v, difference %v", value.Value(value.Union(nil, a, b)),
			value.Value(value.Difference(nil, a, b)))
	}
	return "unknown command " + command
}

func argument(t *testing.T, d *datadriven.TestData, key string) dictionary {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			return a.Vals
		}
	}
	return nil
}

func runRow(t *testing.T, d *datadriven.TestData) string {
	names := argument(t, d, "names")
	if d.Cmd == "rename" {
		names = argument(t, d, "from")
	}
	row, err := valuetest.ParseRowText(d.Input, names)
	if err != nil {
		return err.Error()
	}
	switch d.Cmd {
	case "get":
		var out strings.Builder
		for _, name := range argument(t, d, "of") {
			v, ok := row.Get(names, []byte(name))
			fmt.Fprintf(&out, "%s: %v %v\n", name, v, ok)
		}
		return out.String()
	case "project":
		keep := argument(t, d, "keep")
		row = value.Project(nil, row, names, func(name []byte) bool { _, ok := keep.ID(name); return ok })
	case "rename":
		to := argument(t, d, "to")
		if row, err = value.Rename(nil, row, names, to); err != nil {
			return err.Error()
		}
		names = to
	}
	if err := row.Validate(names); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s\nsize %d, %d attributes\n%x\n", valuetest.AppendRowText(nil, row, names), row.Size(),
		row.Len(), []byte(row))
}
