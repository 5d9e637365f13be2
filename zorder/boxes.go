// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// BoxesMax is the default bound on the number of boxes in a union.
const BoxesMax = 256

// Boxes is a union of boxes of one plan. It does not change and is safe for concurrent use. The union of no boxes is
// empty.
type Boxes struct {
	plan     *Plan
	boxes    []*Box // by ascending low key
	covered  bool
	forward  side
	backward side
}

// side is the union made ready to be searched in one direction.
type side struct {
	pieces []piece // by the first key of the search
	long   bool    // keys have several words
}

// piece is one box. first and last are its ends in the order of the search, complemented backward.
type piece struct {
	region      *region
	first, last uint64 // their first word
	ends        [2][]byte
}

// Union makes the union of boxes, which must all be of plan. Empty boxes and those that lie inside another are dropped.
// If more than boxesMax are left (0 means BoxesMax), neighbours on the curve are replaced by the smallest box that
// covers them: the union is then a larger set, Covered is true, and what a scan finds must be checked against the exact
// predicate.
func Union(plan *Plan, boxes []*Box, boxesMax int) (*Boxes, error) {
	kept := make([]*Box, 0, len(boxes))
	for _, box := range boxes {
		if box.plan != plan && !box.plan.Equal(plan) {
			return nil, fmt.Errorf("%w: a box of the plan %.80s in a union of the plan %.80s", ErrPlan, box.plan.Text(),
				plan.Text())
		}
		if !box.empty {
			kept = append(kept, box)
		}
	}
	if boxesMax <= 0 {
		boxesMax = BoxesMax
	}
	kept, covered := normalize(plan, kept, boxesMax)
	return newBoxes(plan, kept, covered), nil
}

// Union makes the box a union of one.
func (b *Box) Union() *Boxes {
	if b.empty {
		return newBoxes(b.plan, nil, false)
	}
	return newBoxes(b.plan, []*Box{b}, false)
}

func newBoxes(plan *Plan, boxes []*Box, covered bool) *Boxes {
	u := &Boxes{plan: plan, boxes: boxes, covered: covered}
	for _, box := range boxes {
		u.forward.add(&box.forward, box.low, box.high)
		u.backward.add(&box.backward, box.high, box.low)
	}
	u.forward.sort()
	u.backward.sort()
	return u
}

func (s *side) add(r *region, first, last []byte) {
	s.long = len(r.cells) > 1
	s.pieces = append(s.pieces, piece{r, loadWord(first, 0) ^ r.flip, loadWord(last, 0) ^ r.flip,
		[2][]byte{first, last}})
}

func (s *side) sort() {
	slices.SortStableFunc(s.pieces, func(a, b piece) int { return a.region.compare(a.ends[0], b.ends[0]) })
}

// compare compares keys in the order of the search.
func (r *region) compare(a, b []byte) int {
	if r.flip != 0 {
		return bytes.Compare(b, a)
	}
	return bytes.Compare(a, b)
}

// Plan is the plan whose keys the union holds.
func (u *Boxes) Plan() *Plan { return u.plan }

// Len is the number of boxes.
func (u *Boxes) Len() int { return len(u.boxes) }

// Box is one of the boxes, none of them empty or inside another; they are ordered by Low.
func (u *Boxes) Box(i int) *Box { return u.boxes[i] }

// Empty is true if no key is inside.
func (u *Boxes) Empty() bool { return len(u.boxes) == 0 }

// Covered is true if boxes were replaced by covering ones, so that the union holds keys that no given box holds.
func (u *Boxes) Covered() bool { return u.covered }

// Low is the first key inside; nil if there is none. The caller must not change it.
func (u *Boxes) Low() []byte {
	if u.Empty() {
		return nil
	}
	return u.forward.pieces[0].ends[0]
}

// High is the last key inside; nil if there is none. The caller must not change it.
func (u *Boxes) High() []byte {
	if u.Empty() {
		return nil
	}
	return u.backward.pieces[0].ends[0]
}

// In is true if key is inside one of the boxes. Bytes after the plan's last are ignored; bytes that key lacks count as
// zero.
func (u *Boxes) In(key []byte) bool {
	for _, box := range u.boxes {
		if box.In(key) {
			return true
		}
	}
	return false
}

// Next appends to dst the smallest key inside the union that is not below z. See Box.Next. Nothing is allocated if dst
// has room for Bytes, or for 2 x Bytes where a union of several boxes has keys of more than 8 bytes.
func (u *Boxes) Next(dst, z []byte) (key []byte, in, ok bool) {
	return u.forward.next(dst, cut(z, u.plan.bytes))
}

// Prev appends to dst the largest key inside the union that is not above z. See Next.
func (u *Boxes) Prev(dst, z []byte) (key []byte, in, ok bool) {
	return u.backward.next(dst, cut(z, u.plan.bytes))
}

func (s *side) next(dst, z []byte) (key []byte, in, ok bool) {
	if len(s.pieces) == 1 {
		return s.pieces[0].region.next(dst, z)
	}
	if s.long {
		return s.nextLong(dst, z)
	}
	if len(s.pieces) == 0 {
		return dst, false, false
	}
	r := s.pieces[0].region
	word, in, ok := s.nextWord(loadWord(z, 0) ^ r.flip)
	if ok {
		dst = appendWord(dst, word^r.flip, r.bytes)
	}
	return dst, in, ok
}

// nextWord takes the first of the boxes' answers. Boxes that end before z have no answer, and those that begin after
// the best answer so far have none that is better.
func (s *side) nextWord(z uint64) (best uint64, in, ok bool) {
	for i := range s.pieces {
		p := &s.pieces[i]
		if ok && p.first >= best {
			break
		}
		if p.last < z {
			continue
		}
		key, in, found := p.region.cells[0].next(z)
		if in {
			return key, true, true
		}
		if found && (!ok || key < best) {
			best, ok = key, true
		}
	}
	return best, false, ok
}

// nextLong is nextWord for keys of several words. dst holds the best answer so far, and behind it the one that may
// replace it.
func (s *side) nextLong(dst, z []byte) (key []byte, in, ok bool) {
	start := len(dst)
	for i := range s.pieces {
		p := &s.pieces[i]
		if ok && p.region.compare(p.ends[0], dst[start:]) >= 0 {
			break
		}
		if len(z) == p.region.bytes && p.region.compare(p.ends[1], z) < 0 {
			continue
		}
		end := len(dst)
		next, in, found := p.region.next(dst, z)
		if in {
			return append(next[:start], next[end:]...), true, true
		}
		if found && (!ok || p.region.compare(next[end:], dst[start:end]) < 0) {
			dst, ok = append(next[:start], next[end:]...), true
			continue
		}
		dst = next[:end]
	}
	return dst, false, ok
}

// String shows the boxes, one behind the other: "{0:12..1f 1:00..ff | 0:80 1:01}".
func (u *Boxes) String() string {
	texts := make([]string, len(u.boxes))
	for i, box := range u.boxes {
		texts[i] = box.String()
	}
	return "{" + strings.Join(texts, " | ") + "}"
}
