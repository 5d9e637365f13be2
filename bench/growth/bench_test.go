// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// TestReport runs everything, small: the report must have all its lines, and the plot must be well-formed.
func TestReport(t *testing.T) {
	defer tikvtest.Quiet()()
	c, err := parseFlags([]string{"--quick", "--dir", t.TempDir(), "--plot", filepath.Join(t.TempDir(), "growth.svg")})
	if err != nil {
		t.Fatal(err)
	}
	c.Log = io.Discard
	var out bytes.Buffer
	if err := run(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"| 200 |", "| 2000 |", "| ten times the rows cost |", "| 1 | get |", "| 2 | put |",
		"| embedded | 1 |", "| embedded | 16 |", "| cluster | 1 |", "| cluster | 16 |"} {
		if !strings.Contains(out.String(), "\n"+line) {
			t.Errorf("the report lacks %q:\n%s", line, out.String())
		}
	}
	drawn, err := os.ReadFile(c.Plot)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(drawn, new(struct{})); err != nil ||
		bytes.Count(drawn, []byte("<polyline")) != len(sizeOperations()) {
		t.Errorf("%v in %s", err, drawn)
	}
}

// TestFlags refuses what can't be measured.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"--parts", "weather"}, {"--rows", "10"}, {"--seconds", "0"}, {"--rounds", "0"}} {
		if _, err := parseFlags(args); err == nil {
			t.Error(args)
		}
	}
}
