// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestMain lets the test's binary be the child processes, too.
func TestMain(m *testing.M) {
	if runRole() {
		return
	}
	os.Exit(m.Run())
}

func smokeConfig(t *testing.T) *config {
	t.Helper()
	return &config{
		Settings:   loadgen.Settings{Rounds: 1, Seconds: 0.03, Clients: []int{1, 3}, Dir: t.TempDir(), Log: io.Discard},
		Operations: operationNames(), Peers: []string{peerPebble, peerEmbedded}, Partitions: 24,
	}
}

func TestInProcess(t *testing.T) {
	rounds.SkipUnlessLong(t)
	c := smokeConfig(t)
	peers, _, err := openPeers(context.Background(), c)
	defer func() {
		if err := loadgen.Close(peers); err != nil {
			t.Error(err)
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	cells := c.cells()
	if err := loadgen.Measure(context.Background(), cells, &c.Settings, peers); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cells.Write(&out, "dynalite is not wanted")
	for _, p := range peers {
		if err := measureWaiting(c, p.(*inProcessPeer), &out); err != nil {
			t.Fatal(err)
		}
	}
	want := 0
	for _, operation := range operationNames() {
		if can(peerEmbedded, operation) {
			want++
		}
	}
	if got := strings.Count(out.String(), " | 3 | embedded |"); got != want {
		t.Errorf("%d lines of embedded with 3 clients, want %d:\n%s", got, want, out.String())
	}
	for _, p := range peers {
		for _, operation := range operationNames() {
			results := cells.Results(p.Name(), operation, 3)
			if can(p.Name(), operation) && (len(results) != 1 || results[0].Operations == 0) {
				t.Errorf("%s of %s: %+v", operation, p.Name(), results)
			}
		}
	}
}

// TestServers measures the real binary and the bare server. dynalite is left out: tests install nothing.
func TestServers(t *testing.T) {
	rounds.SkipUnlessLong(t)
	c := smokeConfig(t)
	c.Peers, c.Extra = []string{peerEcho, peerWeft}, true
	var out bytes.Buffer
	if err := run(context.Background(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 1 | echo |", "| 3 | weft |", "Scan of all 135233 cities"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func TestTemplate(t *testing.T) {
	request := newTemplate("p" + partitionMark + " s" + sortMark + " s" + sortMark + " " + freshMark + " " + freshMark)
	request.fill(42, 99, 7)
	if got, want := string(request.text), "p00042 s099 s000 00000007 00000008"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFlags(t *testing.T) {
	for _, wrong := range []string{"--clients=0", "--clients=x", "--operations=fly", "--peers=mysql", "--rounds=0",
		"--partitions=100000", "--what"} {
		if _, err := parseFlags([]string{wrong}); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
	c, err := parseFlags([]string{"--quick", "--operations=get,scan"})
	if err != nil || len(c.Operations) != 2 || c.Rounds != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestReport(t *testing.T) {
	c := &config{Settings: loadgen.Settings{Rounds: 3, Clients: []int{64}}, Operations: []string{opGet}}
	r := c.cells()
	for round, factor := range []float64{0.5, 0.9, 0.7} {
		for name, rate := range map[string]float64{peerEcho: 1000, peerWeft: 1000 * factor} {
			r.Add(name, loadgen.Cell{Operation: opGet, Clients: 64, Seconds: 1},
				loadgen.Result{Operations: int64(rate) * int64(round+1), Seconds: float64(round + 1),
					CPUSeconds: rate * rate * float64(round+1)})
		}
	}
	if got, want := r.Ratio(compared()[0], opGet, 64), "0.70 (0.50 to 0.90), CPU 0.70 [0.6: met]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := r.Ratio(compared()[1], opGet, 64); got != "-" {
		t.Errorf("a ratio to nobody is %q", got)
	}
	for x, want := range map[float64]string{1.234: "1.23", 12.34: "12.3", 1234.5: "1234", 12345: "12.3k"} {
		if got := loadgen.Figure(x); got != want {
			t.Errorf("%g is shown as %s, want %s", x, got, want)
		}
	}
	if got := fmt.Sprint(compared()); !strings.Contains(got, peerDynalite) {
		t.Error(got)
	}
}
