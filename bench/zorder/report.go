// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// tally is the cost of a cell's queries by one method.
type tally struct {
	cell    *cell
	method  string
	queries int
	sum     outcome
	times   []time.Duration
}

func (t *tally) add(o outcome) {
	t.queries++
	t.sum.examined += o.examined
	t.sum.seeks += o.seeks
	t.sum.fetched += o.fetched
	t.sum.returned += o.returned
	t.times = append(t.times, o.took)
}

// per is a sum divided by the rows returned.
func (t *tally) per(sum int64) float64 { return float64(sum) / float64(max(t.sum.returned, 1)) }

func (t *tally) each(sum int64) float64 { return float64(sum) / float64(max(t.queries, 1)) }

// median is the middle time in microseconds.
func (t *tally) median() float64 {
	return float64(middle(t.times, 0.5)) / float64(time.Microsecond)
}

// middle is a quantile of a list, 0 of an empty one.
func middle[T int | float64 | time.Duration](list []T, quantile float64) T {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(int(quantile*float64(len(sorted))), len(sorted)-1)]
}

// report collects the figures of one data set.
type report struct {
	data    *dataset
	tallies []tally
	leaves  []leafFigures
	advised advisedFigures
	nearest []nearFigures
	notes   []string
}

func (r *report) write(out io.Writer) {
	fmt.Fprintf(out, "\n### %s: %d rows, %d attributes\n\n", r.data.name, len(r.data.rows), len(r.data.columns))
	r.writeGoals(out)
	r.writeMethods(out)
	r.writeLeaves(out)
	r.writeAdvised(out)
	r.writeNearest(out)
	for _, note := range r.notes {
		fmt.Fprintf(out, "\n%s\n", note)
	}
}

// percent is a selectivity for people.
func percent(share float64) string { return fmt.Sprintf("%g %%", share*100) }

// writeMethods prints a line for each cell and a column for each method, twice: entries and seeks, then base rows and
// time.
func (r *report) writeMethods(out io.Writer) {
	fmt.Fprint(out, "\nEntries examined / row returned (seeks a query; of PostgreSQL: pages of the index read):\n\n")
	r.writeGrid(out, func(t *tally) string {
		return fmt.Sprintf("%.2f (%.0f)", t.per(t.sum.examined),
			t.each(t.sum.seeks))
	})
	fmt.Fprint(out, "\nBase rows read / row returned, and the median time of a query in µs:\n\n")
	r.writeGrid(out, func(t *tally) string { return fmt.Sprintf("%.2f, %.0f", t.per(t.sum.fetched), t.median()) })
}

func (r *report) writeGrid(out io.Writer, show func(*tally) string) {
	var columns []string
	for i := range r.tallies {
		if name := r.tallies[i].method; !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	fmt.Fprintf(out, "| wanted | bound | returned | %s |\n|---|---|--:|%s\n", strings.Join(columns, " | "),
		strings.Repeat("--:|", len(columns)))
	for i := range r.tallies {
		t := &r.tallies[i]
		if i == 0 || t.cell != r.tallies[i-1].cell {
			fmt.Fprintf(out, "| %s | %s | %.0f |", percent(t.cell.selectivity), t.cell.label(), t.each(t.sum.returned))
		}
		fmt.Fprintf(out, " %s |", show(t))
		if i+1 == len(r.tallies) || t.cell != r.tallies[i+1].cell {
			fmt.Fprintln(out)
		}
	}
}

func (r *report) writeLeaves(out io.Writer) {
	fmt.Fprintf(out, "\nLeaves of %d entries a query, and the factor by which estimates of the curve's leaves are off, median / 90th percentile:\n\n", leafEntries)
	fmt.Fprint(out, "| wanted | bound | Z-order | packed R-tree | ratio |")
	for _, name := range estimators() {
		fmt.Fprintf(out, " %s |", name)
	}
	fmt.Fprintln(out, "\n|---|---|--:|--:|--:|--:|--:|--:|--:|")
	for _, f := range r.leaves {
		n := float64(len(f.cell.queries))
		fmt.Fprintf(out, "| %s | %s | %.1f | %.1f | %.2f |", percent(f.cell.selectivity), f.cell.label(),
			float64(f.curve)/n, float64(f.tree)/n, f.ratio())
		for _, name := range estimators() {
			fmt.Fprintf(out, " %.1f / %.1f |", middle(f.errors[name], 0.5), middle(f.errors[name], 0.9))
		}
		fmt.Fprintln(out)
	}
}

func (f *leafFigures) ratio() float64 { return float64(f.curve) / float64(max(f.tree, 1)) }

// goalSelectivity is the selectivity for which goals are set.
const goalSelectivity = 0.001

// find is the tally of a method in the cell for which goals are set.
func (r *report) find(method string) *tally {
	for i := range r.tallies {
		if t := &r.tallies[i]; t.method == method && t.cell.selectivity == goalSelectivity &&
			t.cell.bound == t.cell.of {
			return t
		}
	}
	return &tally{}
}

// writeGoals sets the figures beside what they should be, at 0.1 % with all attributes bound.
func (r *report) writeGoals(out io.Writer) {
	z, single := r.find(methodLearned), r.find(methodSingle)
	examinedMax := 2.3
	if len(r.data.columns) > 3 {
		examinedMax = 3.8
	}
	var leafRatio float64
	for _, f := range r.leaves {
		if f.cell.selectivity == goalSelectivity && f.cell.bound == f.cell.of {
			leafRatio = f.ratio()
		}
	}
	fmt.Fprintf(out, "| at %s, all attributes bound | goal | measured | |\n|---|--:|--:|---|\n",
		percent(goalSelectivity))
	line := func(name string, goal, measured float64, isMost bool) {
		bound, met := "≥", measured >= goal
		if isMost {
			bound, met = "≤", measured <= goal
		}
		verdict := "missed"
		if met {
			verdict = "met"
		}
		fmt.Fprintf(out, "| %s | %s %g | %.2f | %s |\n", name, bound, goal, measured, verdict)
	}
	line("entries examined / returned", examinedMax, z.per(z.sum.examined), true)
	line("seeks a query", 50, z.each(z.sum.seeks), true)
	line("base rows read / returned", 1.02, z.per(z.sum.fetched), true)
	line("best single-column index: its examined / ours", 10,
		float64(single.sum.examined)/float64(max(z.sum.examined, 1)), false)
	line("leaves / those of a packed R-tree", 1.5, leafRatio, true)
	line("after the advisor, on a log that never binds "+r.advised.unbound+": leaves / those of a packed R-tree", 1,
		r.advised.ratio(), true)
	for _, name := range estimators() {
		r.writeEstimate(out, name)
	}
}

// writeEstimate writes the error of an estimator of leaves, over all queries.
func (r *report) writeEstimate(out io.Writer, name string) {
	var off []float64
	for _, f := range r.leaves {
		off = append(off, f.errors[name]...)
	}
	half, most := middle(off, 0.5), middle(off, 0.9)
	verdict := "missed"
	switch {
	case name == estimateArticle:
		verdict = "for comparison"
	case half <= 2 && most <= 4:
		verdict = "met"
	}
	fmt.Fprintf(out, "| leaves estimated by %s, all queries: off by (median, 90th percentile) | ≤ 2, ≤ 4 | %.2f, %.2f | %s |\n", name, half, most, verdict)
}
