// SPDX-License-Identifier: Apache-2.0

package access

import (
	"encoding/hex"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/zorder"
)

// BoxTree describes the search space of a path through a Z-order index as text.
type BoxTree struct {
	Attributes []AttributeTree // in the order of the index
	// Alternatives are the members of an OR over several attributes, each of them boxes of its own.
	Alternatives []string `json:",omitempty"`
	Boxes        []string // the first of them, by attribute: codes in hexadecimal, from..to
	BoxesMore    int      `json:",omitempty"` // not in Boxes
	Covering     bool     `json:",omitempty"` // there were so many boxes that larger ones took the place of some
	Bits         int      // of an address, so that the search space has 2^Bits of them
	Order        string   // which attribute each bit of an address belongs to, as zorder.Plan.Text writes it
	Share        float64  // of the search space that is inside, 0 to 1
	Excluded     float64  // 1 - Share
	// Addresses are inside, of all. The article's formula n^((a-b)/a) says the same where b counts -log2(share)/bits
	// for each attribute; ArticleAddresses is its result with the article's b: 1 for one value, the excluded share for
	// a range.
	Addresses        float64
	ArticleAddresses float64
}

// AttributeTree describes the conditions on one attribute of a Z-order index.
type AttributeTree struct {
	Name  string
	Where []string `json:",omitempty"` // the conditions on it; of alternatives, those of all of them
	Bits  int
	Low   string  // the least and the greatest code of all boxes, in hexadecimal, aligned to the left
	High  string  //
	Share float64 // of its codes that lie in a box; the largest of all boxes
}

// boxTree is nil if the path has no boxes.
func (p *Path) boxTree() *BoxTree {
	if len(p.Scan.Curves) == 0 {
		return nil
	}
	first := &p.Scan.Curves[0]
	plan := first.Boxes.Plan()
	t := &BoxTree{Bits: plan.Bits(), Order: plan.Text(), Boxes: []string{}, Covering: first.Boxes.Covered(),
		Share: first.Boxes.Share()}
	for i := range first.Part.Args {
		t.Attributes = append(t.Attributes, p.attributeTree(first, i))
	}
	for i := range first.Boxes.Len() {
		if i == spansShown {
			t.BoxesMore = first.Boxes.Len() - spansShown
			break
		}
		t.Boxes = append(t.Boxes, boxText(first.Part, first.Boxes.Box(i)))
	}
	t.Alternatives = p.chooser.alternativeTexts(first.Part)
	t.Excluded = 1 - t.Share
	space := math.Ldexp(1, plan.Bits())
	t.Addresses = space * t.Share
	t.ArticleAddresses = zorder.ArticleAddresses(space, plan.Attributes(), articleBound(t.Attributes))
	return t
}

// articleBound is b of the article's formula as the article counts it.
func articleBound(attributes []AttributeTree) (bound float64) {
	for i := range attributes {
		if a := &attributes[i]; a.Low == a.High {
			bound++
		} else {
			bound += 1 - a.Share
		}
	}
	return bound
}

func (p *Path) attributeTree(c *indexkey.Curve, attribute int) AttributeTree {
	t := AttributeTree{Name: c.Part.Args[attribute].Column, Bits: c.Boxes.Plan().Width(attribute)}
	t.Where = p.chooser.conditionsOn(t.Name)
	var low, high []byte
	for i := range c.Boxes.Len() {
		box := c.Boxes.Box(i)
		from, to := codes(box, attribute)
		if low == nil || slices.Compare(from, low) < 0 {
			low = from
		}
		if high == nil || slices.Compare(to, high) > 0 {
			high = to
		}
		t.Share = max(t.Share, box.AttributeShare(attribute))
	}
	t.Low, t.High = hex.EncodeToString(low), hex.EncodeToString(high)
	return t
}

// codes returns the least and the greatest code of an attribute in a box. The keys are of the box's own plan, so that
// there is no error.
func codes(box *zorder.Box, attribute int) (low, high []byte) {
	low, _ = box.Plan().AppendCodeBytes(nil, box.Low(), attribute)
	high, _ = box.Plan().AppendCodeBytes(nil, box.High(), attribute)
	return low, high
}

func boxText(part *schema.KeyPart, box *zorder.Box) string {
	var text strings.Builder
	for i := range part.Args {
		low, high := codes(box, i)
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(part.Args[i].Column + ":" + hex.EncodeToString(low))
		if !slices.Equal(low, high) {
			text.WriteString(".." + hex.EncodeToString(high))
		}
	}
	return text.String()
}

// alternativeTexts writes the members of the first OR from which the boxes of a part are made.
func (c *chooser) alternativeTexts(part *schema.KeyPart) (texts []string) {
	for i := range c.disjunctions {
		d := &c.disjunctions[i]
		if !allName(d.branches, &schema.Index{Key: []schema.KeyPart{*part}}) {
			continue
		}
		for _, one := range c.conjuncts[d.conjunct].condition.(*expr.Or).List {
			texts = append(texts, string(expr.Notation{}.AppendCondition(nil, one)))
		}
		return texts
	}
	return nil
}

// conditionsOn writes the conditions that bound an attribute.
func (c *chooser) conditionsOn(name string) (texts []string) {
	add := func(condition expr.Condition) {
		if k, ok := constrain(condition); ok && k.name == name {
			texts = append(texts, string(expr.Notation{}.AppendCondition(nil, condition)))
		}
	}
	for i := range c.conjuncts {
		add(c.conjuncts[i].condition)
		if or, ok := c.conjuncts[i].condition.(*expr.Or); ok && !c.conjuncts[i].constrained {
			for _, one := range or.List {
				for _, condition := range expr.Conjuncts(one) {
					add(condition)
				}
			}
		}
	}
	return texts
}
