// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestQuick asks everything of all peers once: each operation checks what it gets.
func TestQuick(t *testing.T) {
	rounds.SkipUnlessLong(t)
	c, err := parseFlags([]string{"--quick", "--clients=1,3"})
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.Seconds, c.Log = t.TempDir(), 0.02, t.Output()
	var out bytes.Buffer
	if err := run(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| get | 3 | pebble |", "| put | 3 | bbolt-batch |", "| scan | 1 | sqlite |",
		"| query | 3 | badger |", "| decode | 1 | bbolt |", "[2: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// TestPeersAgree: all peers with an index give the same items.
func TestPeersAgree(t *testing.T) {
	c, err := parseFlags([]string{"--rows=300"})
	if err != nil {
		t.Fatal(err)
	}
	c.Dir = t.TempDir()
	var want string
	for _, name := range []string{peerWeft, peerBolt, peerBadger, peerSQLite} {
		p, err := openPeer(t.Context(), c, name)
		if err != nil {
			t.Fatal(err)
		}
		got := answers(t, p)
		if want == "" {
			want = got
		}
		if err := p.Close(); err != nil || got != want || strings.Count(got, "\n") != 1+300+100 {
			t.Errorf("%s: %v, other items than %s has", name, err, peerWeft)
		}
	}
}

// answers are what a peer gives for each read.
func answers(t *testing.T, p *peer) string {
	var out strings.Builder
	see := func(x *item) { fmt.Fprintln(&out, *x) }
	x, err := p.get(t.Context(), 7)
	see(&x)
	for _, err := range []error{err, p.scan(t.Context(), see), p.query(t.Context(), 2, see)} {
		if err != nil {
			t.Error(err)
		}
	}
	return out.String()
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"--rounds=0", "--clients=none", "--operations=fly", "--only=nobody", "--rows=10"} {
		if _, err := parseFlags(strings.Fields(args)); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}
