// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestQuick runs every operation once on Weft: each answer must have the rows that it should.
func TestQuick(t *testing.T) {
	rounds.SkipUnlessLong(t)
	c, err := parseFlags([]string{"--quick", "--peers", "weft"})
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.Seconds, c.Clients, c.Log = t.TempDir(), 0.05, []int{1, 3}, t.Output()
	var out bytes.Buffer
	if err := run(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| read-text | 3 | weft |", "| group | 1 | weft |", "20000 rows were loaded"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// TestSysbench runs one of sysbench's workloads on Weft, where there is sysbench.
func TestSysbench(t *testing.T) {
	rounds.SkipUnlessLong(t)
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Skip("sysbench is not installed")
	}
	c, err := parseFlags([]string{"--quick", "--sysbench", "--peers", "weft", "--operations", "read_write,order_ranges",
		"--clients", "2"})
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.Log = t.TempDir(), t.Output()
	var out bytes.Buffer
	if err := run(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| read_write | 2 |", "| order_ranges | 2 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func TestSysbenchHeld(t *testing.T) {
	said := ""
	for i := range 10 {
		said += fmt.Sprintf("[ %ds ] thds: 8 tps: %d.50 qps: 1.00\n", i+1, 100-i)
	}
	if got := sysbenchHeld(said); got < 0.91 || got > 0.92 {
		t.Error(got)
	}
	if got := sysbenchHeld(said[:100]); got != 0 {
		t.Error(got)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"--rounds=0", "--clients=none", "--operations=fly", "--peers=nobody", "--rows=10",
		"--stream-rows=-1", "--sysbench --operations=group"} {
		if _, err := parseFlags(strings.Fields(args)); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}
