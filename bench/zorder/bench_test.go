// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestReport runs everything on few rows: all methods must agree on what they find, and the report must have a line for
// each cell.
func TestReport(t *testing.T) {
	c := &config{Queries: 3, RowsMax: 2000, Data: datasetNames(), Memory: true, Dir: t.TempDir(), Seed: 7,
		Log: io.Discard}
	var out bytes.Buffer
	if err := run(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, wanted := range append(methods(), "### cities: 2000 rows, 3 attributes",
		"### weather: 2000 rows, 4 attributes", "entries examined / returned", "PostgreSQL was not measured") {
		if !strings.Contains(out.String(), wanted) {
			t.Errorf("the report lacks %q:\n%s", wanted, out.String())
		}
	}
	if lines := strings.Count(out.String(), "\n| 0.1 % | "); lines != 2*3*3 {
		t.Errorf("%d lines of 0.1 %%:\n%s", lines, out.String())
	}
}

// TestLeaves compares the two counts of a curve's leaves: the walk over the keys and the one over separators alone. The
// latter also counts leaves that could hold the next key of the box behind their last entry.
func TestLeaves(t *testing.T) {
	d, err := loadDataset("weather", 20_000)
	if err != nil {
		t.Fatal(err)
	}
	w, err := openWeft(t.Context(), &config{Memory: true, Dir: t.TempDir()}, d)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	part, err := w.keyPart(learnedName)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCurve(d, &part, part.Curve.Plan)
	if err != nil {
		t.Fatal(err)
	}
	separators := c.separators(1)
	for _, one := range d.cells(20, 3) {
		for i := range one.queries {
			box, err := c.box(&one.queries[i])
			if err != nil {
				t.Fatal(err)
			}
			walked := c.leaves(box)
			touched, _ := box.Union().TouchedLeaves(separators)
			if walked < 1 || touched < walked || touched > walked+walked/10+2 {
				t.Errorf("%v..%v: %d leaves walked, %d touched", one.queries[i].low, one.queries[i].high, walked,
					touched)
			}
		}
	}
}

// TestPackedTree finds every row in a leaf, and cuts no more leaves than needed.
func TestPackedTree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	d := &dataset{columns: make([]column, 3)}
	for range 5000 {
		d.rows = append(d.rows, []float64{random.Float64(), random.Float64(), float64(random.IntN(3))})
	}
	d.sort()
	leaves := packedTree(d)
	if len(leaves) < 5000/leafEntries || len(leaves) > 5000/leafEntries*3/2 {
		t.Errorf("%d leaves", len(leaves))
	}
	everything := query{low: []float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)},
		high: []float64{math.Inf(1), math.Inf(1), math.Inf(1)}}
	for i := range leaves {
		if !leaves[i].meets(&everything) {
			t.Error(leaves[i])
		}
	}
	for _, row := range d.rows[:200] {
		at, met := query{low: row, high: row}, false
		for i := range leaves {
			met = met || leaves[i].meets(&at)
		}
		if !met {
			t.Errorf("no leaf holds %v", row)
		}
	}
}

// TestFlags refuses what can't be measured.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"--data", "flights"}, {"--queries", "0"}, {"--rows", "10"}} {
		if _, err := parseFlags(args); err == nil {
			t.Error(args)
		}
	}
	if c, err := parseFlags([]string{"--quick"}); err != nil || c.Queries >= 200 {
		t.Error(c, err)
	}
}
