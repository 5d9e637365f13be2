// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"

	advisor "github.com/weftdb/weft/internal/advice/advisor/bitorder"
	"github.com/weftdb/weft/zorder"
)

// advisedFigures is the leaves of a log that never binds one column: with the bits of all going round robin, in the
// order that the advisor learns from one half of the log, and of the packed R-tree; counted on the other half.
type advisedFigures struct {
	unbound                   string
	order                     string // the learned plan's text
	queries                   int
	roundRobin, learned, tree int
}

func (a *advisedFigures) ratio() float64 { return float64(a.learned) / float64(max(a.tree, 1)) }

// skewedLog is queries of 0.1 % that never bind one column: of ten, six bind all others, three all others but one, one
// a single column.
func (d *dataset) skewedLog(queries int, seed uint64, unbound int) []query {
	random := rand.New(rand.NewPCG(seed, uint64(queries)))
	var others []int
	for i := range d.columns {
		if i != unbound {
			others = append(others, i)
		}
	}
	list := make([]query, 0, queries)
	for i := range queries {
		bound := len(others)
		switch {
		case i%10 == 9:
			bound = 1
		case i%10 >= 6:
			bound = max(len(others)-1, 1)
		}
		turn := random.IntN(len(others))
		columns := make([]int, bound)
		for k := range columns {
			columns[k] = others[(turn+k)%len(others)]
		}
		list = append(list, d.window(random, math.Pow(goalSelectivity, 1/float64(bound)), columns))
	}
	return list
}

// addAdvised learns an order of bits from a log and counts leaves on another one.
func (r *report) addAdvised(w *weftPeer, c *config) error {
	unbound := len(r.data.columns) - 1
	if r.data.name == "weather" {
		unbound = 1 // the temperature
	}
	a := advisedFigures{unbound: r.data.columns[unbound].name, queries: c.Queries}
	part, err := w.keyPart(learnedName)
	if err != nil {
		return err
	}
	roundRobin, err := newCurve(r.data, &part, part.Curve.Plan)
	if err != nil {
		return err
	}
	plan, err := learnPlan(roundRobin, r.data.skewedLog(c.Queries, c.Seed+1, unbound))
	if err != nil {
		return err
	}
	learned, err := newCurve(r.data, &part, plan)
	if err != nil {
		return err
	}
	a.order = plan.Text()
	tree := packedTree(r.data)
	for _, q := range r.data.skewedLog(c.Queries, c.Seed+2, unbound) {
		for _, one := range []struct {
			curve *curve
			count *int
		}{{roundRobin, &a.roundRobin}, {learned, &a.learned}} {
			box, err := one.curve.box(&q)
			if err != nil {
				return err
			}
			*one.count += one.curve.leaves(box)
		}
		for i := range tree {
			if tree[i].meets(&q) {
				a.tree++
			}
		}
	}
	r.advised = a
	return nil
}

// learnPlan is the order of bits that the advisor's search finds for a log.
func learnPlan(c *curve, log []query) (*zorder.Plan, error) {
	boxes := make([]advisor.WeightedBox, len(log))
	for i := range log {
		low, high, err := c.corners(&log[i])
		if err != nil {
			return nil, err
		}
		boxes[i] = advisor.WeightedBox{Corners: advisor.Corners{Low: low, High: high}, Weight: 1}
	}
	widths := c.plan.Widths()
	length := bits.Len(uint(len(c.keys)/leafEntries)) + 4
	owners := advisor.Learn(boxes, widths, length, make([]float64, len(widths)))
	return zorder.Leading(owners, widths...)
}

func (r *report) writeAdvised(out io.Writer) {
	a, n := &r.advised, float64(r.advised.queries)
	fmt.Fprintf(out, "\nA log that never binds %s, leaves a query: round robin %.1f, in the order learned from another half of the log %.1f, packed R-tree %.1f. The order: `%s`.\n",
		a.unbound, float64(a.roundRobin)/n, float64(a.learned)/n, float64(a.tree)/n, a.order)
}
