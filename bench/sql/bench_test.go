// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestQuick runs every operation once on Weft: each answer must have the rows that it should.
func TestQuick(t *testing.T) {
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

func TestFlags(t *testing.T) {
	for _, args := range []string{"--rounds=0", "--clients=none", "--operations=fly", "--peers=nobody", "--rows=10", "--stream-rows=-1"} {
		if _, err := parseFlags([]string{args}); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}
