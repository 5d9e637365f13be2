// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestRestarts: events are counted once, although the program ends after each of them and begins anew.
func TestRestarts(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	for i := 1; i <= 3; i++ {
		out.Reset()
		for _, args := range [][]string{{"sell", "ann", strconv.Itoa(i * 100)}, {"sell", "bob", "5"}, {"consume"},
			{"consume"}} {
			if args[0] == "consume" {
				out.Reset()
			}
			if err := run(t.Context(), dir, args, &out); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := "ann 6.00 in 3 events\nbob 0.15 in 3 events\n"; out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
	if err := run(t.Context(), dir, []string{"nonsense"}, &out); err == nil {
		t.Error("an unknown command is known")
	}
}

// TestFollow: a consumer that is stopped in between by its context, while others sell, misses nothing and counts
// nothing twice.
func TestFollow(t *testing.T) {
	l, err := OpenLog(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const sellers, each = 4, 50
	var selling sync.WaitGroup
	for range sellers {
		selling.Go(func() {
			for range each {
				if err := l.Sell(t.Context(), "ann", 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	// On a slow machine the first spans are too short.
	for span := 10 * time.Millisecond; ; span += 10 * time.Millisecond {
		ctx, cancel := context.WithTimeout(t.Context(), span)
		_ = l.Consume(ctx, true) // it ends with its context, wherever it is
		cancel()
		ann, _, err := l.turnovers.Get(t.Context(), Turnover{Customer: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		if ann.Events == sellers*each {
			break
		}
	}
	selling.Wait()
	if err := l.Consume(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if ann, _, err := l.turnovers.Get(t.Context(), Turnover{Customer: "ann"}); err != nil || ann.Cents != sellers*each {
		t.Errorf("%+v, %v", ann, err)
	}
}
