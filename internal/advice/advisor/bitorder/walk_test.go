// SPDX-License-Identifier: Apache-2.0

package bitorder

import (
	"bytes"
	"slices"
	"sort"

	"github.com/weftdb/weft/zorder"
)

// seekAfter is the number of entries that are stepped over before a jump, at most.
const seekAfter = 10

// curve is a sample of rows along a Z-order curve.
type curve struct {
	plan *zorder.Plan
	keys [][]byte // in order
}

// newCurve lays rows along a plan. Each row is a code for each attribute of the plan.
func newCurve(plan *zorder.Plan, rows [][]uint64) (*curve, error) {
	c := &curve{plan: plan}
	for _, codes := range rows {
		key, err := plan.AppendKey(nil, codes...)
		if err != nil {
			return nil, err
		}
		c.keys = append(c.keys, key)
	}
	slices.SortFunc(c.keys, bytes.Compare)
	return c, nil
}

// read walks the curve as a scan does: it steps over a few entries that don't match, then jumps to the next that can.
func (c *curve) read(b Corners) (matched, missed, seeks int) {
	box, err := c.plan.Box(b.Low, b.High)
	if err != nil || box.Empty() {
		return 0, 0, 1
	}
	steps, at := seekAfter/2, c.seek(0, box.Low())
	var next []byte
	seeks = 1
	for at < len(c.keys) && bytes.Compare(c.keys[at], box.High()) <= 0 {
		key, in, ok := box.Next(next[:0], c.keys[at])
		if in {
			matched++
			at++
			continue
		}
		missed++
		if next = key; !ok {
			break
		}
		found := false
		for range steps {
			if at++; at >= len(c.keys) || bytes.Compare(c.keys[at], next) >= 0 {
				found = true
				break
			}
			missed++
		}
		if found {
			steps = min(steps+1, seekAfter)
			continue
		}
		steps = max(steps-1, 1)
		at = c.seek(at, next)
		seeks++
	}
	return matched, missed, seeks
}

func (c *curve) seek(from int, key []byte) int {
	return from + sort.Search(len(c.keys)-from, func(i int) bool { return bytes.Compare(c.keys[from+i], key) >= 0 })
}
