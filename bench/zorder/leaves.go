// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// leafEntries is the number of entries a leaf has, of the curve and of the R-tree.
const leafEntries = 64

// curve is the keys of a Z-order index in order, made with the index's own codecs and plan.
type curve struct {
	plan   *zorder.Plan
	codecs []*codec.Codec
	keys   [][]byte
}

func newCurve(d *dataset, part *schema.KeyPart, plan *zorder.Plan) (*curve, error) {
	c := &curve{plan: plan, codecs: part.Curve.Codecs}
	codes := make([]uint64, len(c.codecs))
	for _, row := range d.rows {
		for i, one := range c.codecs {
			var err error
			if codes[i], err = one.Code(codec.Float(row[i])); err != nil {
				return nil, err
			}
		}
		key, err := c.plan.AppendKey(nil, codes...)
		if err != nil {
			return nil, err
		}
		c.keys = append(c.keys, key)
	}
	slices.SortFunc(c.keys, bytes.Compare)
	return c, nil
}

// box is a query in codes.
func (c *curve) box(q *query) (*zorder.Box, error) {
	low, high, err := c.corners(q)
	if err != nil {
		return nil, err
	}
	return c.plan.Box(low, high)
}

// corners are the lowest and the highest codes of a query.
func (c *curve) corners(q *query) (low, high []uint64, err error) {
	low, high = make([]uint64, len(c.codecs)), make([]uint64, len(c.codecs))
	for i, one := range c.codecs {
		condition := codec.Anything()
		if q.isBound(i) {
			condition = codec.Between(codec.Float(q.low[i]), codec.Float(q.high[i]))
		}
		r, err := one.Range(condition)
		if err != nil {
			return nil, nil, err
		}
		low[i], high[i] = r.Lo, r.Hi
	}
	return low, high, nil
}

// leaves counts the leaves that a scan reads that always reads whole leaves: from each it jumps to the one that holds
// the next key inside the box, or would hold it.
func (c *curve) leaves(box *zorder.Box) int {
	count, at := 0, box.Low()
	for next := []byte(nil); at != nil; at = next {
		place := sort.Search(len(c.keys), func(i int) bool { return bytes.Compare(c.keys[i], at) >= 0 })
		if place == len(c.keys) {
			return count
		}
		count++
		last := place - place%leafEntries + leafEntries - 1
		if last >= len(c.keys)-1 {
			return count
		}
		// Entries equal to the leaf's last may stand in the next one.
		from := c.keys[last+1]
		key, _, ok := box.Next(nil, from)
		if next = key; !ok {
			return count
		}
	}
	return count
}

// separators are the first keys of all leaves but the first, or of every n-th of them.
func (c *curve) separators(every int) [][]byte {
	var list [][]byte
	for i := leafEntries * every; i < len(c.keys); i += leafEntries * every {
		list = append(list, c.keys[i])
	}
	return list
}

// rectangle is the bounds of a leaf of the R-tree.
type rectangle struct{ low, high []float64 }

// packedTree is the leaves of an R-tree packed by sort-tile-recursive (Leutenegger et al. 1997): sorted by the first
// column and cut into slabs of equal size, those by the second, and so on.
func packedTree(d *dataset) []rectangle {
	rows := slices.Clone(d.rows)
	var leaves []rectangle
	var tile func(rows [][]float64, column int)
	tile = func(rows [][]float64, column int) {
		slices.SortFunc(rows, func(a, b []float64) int { return cmp.Compare(a[column], b[column]) })
		size := leafEntries
		if left := len(d.columns) - column; left > 1 {
			pages := math.Ceil(float64(len(rows)) / leafEntries)
			slabs := math.Ceil(math.Pow(pages, 1/float64(left)))
			size = leafEntries * int(math.Ceil(pages/slabs))
		}
		for slab := range slices.Chunk(rows, size) {
			if column == len(d.columns)-1 {
				leaves = append(leaves, bounds(slab))
			} else {
				tile(slab, column+1)
			}
		}
	}
	tile(rows, 0)
	return leaves
}

func bounds(rows [][]float64) rectangle {
	r := rectangle{slices.Clone(rows[0]), slices.Clone(rows[0])}
	for _, row := range rows {
		for i, v := range row {
			r.low[i], r.high[i] = min(r.low[i], v), max(r.high[i], v)
		}
	}
	return r
}

func (r *rectangle) meets(q *query) bool {
	for i := range r.low {
		if r.high[i] < q.low[i] || r.low[i] > q.high[i] {
			return false
		}
	}
	return true
}

// estimators in the order of the report.
const (
	estimateArticle = "the article's n^((a-b)/a), n = leaves"
	estimateProduct = "product of touched cells"
	estimateEighth  = "every 8th separator"
	estimateSparse  = "every 64th separator"
)

func estimators() []string {
	return []string{estimateArticle, estimateProduct, estimateEighth, estimateSparse}
}

// leafFigures is the leaves of a cell, and how far off the estimates are.
type leafFigures struct {
	cell        *cell
	curve, tree int
	errors      map[string][]float64
}

// addLeaves compares leaves and estimates on all queries.
func (r *report) addLeaves(w *weftPeer, cells []cell) error {
	part, err := w.keyPart(learnedName)
	if err != nil {
		return err
	}
	if !part.Curve.IsLearned() {
		r.notes = append(r.notes, "The codecs of the index "+learnedName+
			" were not learned: its figures are those of raw codes.")
	}
	c, err := newCurve(r.data, &part, part.Curve.Plan)
	if err != nil {
		return err
	}
	tree := packedTree(r.data)
	eighth, sparse := c.separators(8), c.separators(64)
	for i := range cells {
		f := leafFigures{cell: &cells[i], errors: map[string][]float64{}}
		for j := range cells[i].queries {
			q := &cells[i].queries[j]
			box, err := c.box(q)
			if err != nil {
				return err
			}
			actual := c.leaves(box)
			f.curve += actual
			for _, leaf := range tree {
				if leaf.meets(q) {
					f.tree++
				}
			}
			union := box.Union()
			touchedEighth, _ := union.TouchedLeaves(eighth)
			touchedSparse, _ := union.TouchedLeaves(sparse)
			f.note(estimateArticle, articleEstimate(box, float64(len(tree))), actual)
			f.note(estimateProduct, box.EstimateLeaves(float64(len(c.keys)), leafEntries), actual)
			f.note(estimateEighth, zorder.SampledLeaves(touchedEighth, 8), actual)
			f.note(estimateSparse, zorder.SampledLeaves(touchedSparse, 64), actual)
		}
		r.leaves = append(r.leaves, f)
	}
	return nil
}

// articleEstimate is the article's formula with its own rule for ranges: the excluded share of an attribute counts as
// that much of an exact bound.
func articleEstimate(box *zorder.Box, leaves float64) float64 {
	attributes, exact := box.Plan().Attributes(), 0.0
	for i := range attributes {
		exact += 1 - box.AttributeShare(i)
	}
	return zorder.ArticleAddresses(leaves, attributes, exact)
}

// note keeps the factor by which an estimate is off. Where nothing is there to read, there is nothing to be off by.
func (f *leafFigures) note(estimator string, estimate float64, actual int) {
	if actual > 0 {
		f.errors[estimator] = append(f.errors[estimator],
			max(estimate/float64(actual), float64(actual)/max(estimate, 1)))
	}
}
