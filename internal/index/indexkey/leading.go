// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/zorder"
)

// AppendLeading appends the encodings of the first parts of a key of x, as many as there are values: where the entries
// lie whose keys begin so. Hashes, the hidden one too, and codes of Z-orders are binaries of their width. Errors:
// *TypeError.
func AppendLeading(dst []byte, x *schema.Index, values ...value.Value) (key []byte, err error) {
	for i, v := range values[:min(len(values), len(x.Key))] {
		p := &x.Key[i]
		if x.KeepNulls && !p.Hidden {
			dst = append(dst, markValue^maskOf(p.Descending))
		}
		var ok bool
		if dst, ok = appendValue(dst, p, v); !ok {
			return dst, &TypeError{Part: p, Column: p.Column(), Want: p.Type, Got: v.Kind()}
		}
	}
	return dst, nil
}

// LeadingWidth returns how many bytes the first part of a key has if it is a hash or the code of a Z-order, whose
// values are spread over all of them; 0 for others.
func LeadingWidth(x *schema.Index) int {
	if len(x.Key) == 0 {
		return 0
	}
	return fixedWidth(&x.Key[0])
}

// Leading calls visit with the value of each part that key, which may end after any of them, holds whole: hidden ones
// too, nil for a null. rest is the rest of the key. The values stay as long as scratch's bytes do.
func Leading(x *schema.Index, key, scratch []byte, visit func(p *schema.KeyPart, v value.Value)) (rest []byte) {
	for i := range x.Key {
		p := &x.Key[i]
		if len(key) == 0 {
			break
		}
		if width := fixedWidth(p); p.Hidden && len(key) >= width {
			n := len(scratch)
			if scratch, rest, _ = cutHash(scratch, key, width, p.Descending); len(scratch) > n {
				visit(p, value.Value(scratch[n:len(scratch):len(scratch)]))
			}
			key = rest
			continue
		}
		extended, v, after, err := cutPart(scratch, key, x, p)
		if err != nil {
			break
		}
		visit(p, v)
		scratch, key = extended, after
	}
	return key
}

// CurveAfter returns the Z-order part that stands behind the first visible parts of x, and the bytes between these and
// its code. ok is false if there is none, or if an index that keeps nulls has entries without a code.
func CurveAfter(x *schema.Index, parts int) (part *schema.KeyPart, mark []byte, ok bool) {
	i := hiddenParts(x) + parts
	if i >= len(x.Key) || parts == 0 && i > 0 || x.Key[i].Curve == nil || x.KeepNulls && !hasAddresses(&x.Key[i]) {
		return nil, nil, false
	}
	if x.KeepNulls {
		mark = []byte{markValue}
	}
	return &x.Key[i], mark, true
}

// Skip cuts all parts of x off the front of key. The rest of a secondary index entry's key are the parts of the primary
// key, of a primary one nothing. The bytes of each part are checked only as far as is needed to find its end.
func Skip(x *schema.Index, key []byte) (rest []byte, err error) {
	for i := range x.Key {
		if key, err = skipPart(key, x, &x.Key[i]); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// Values calls visit with the value of each visible part of key in turn: the column's value for a plain part, the
// function's result for a computed one, nil for a null. Numbers come back as the kind of the part's type, whatever kind
// the row holds. The values are built behind each other in scratch, which grows as needed, so they stay as long as
// scratch's bytes do. The first error of visit ends the walk and is returned. rest is the remainder after the parts.
func Values(x *schema.Index, key, scratch []byte, visit func(p *schema.KeyPart, v value.Value) error) (rest []byte,
	err error) {
	for i := range x.Key {
		p := &x.Key[i]
		var v value.Value
		if scratch, v, key, err = cutPart(scratch, key, x, p); err != nil {
			return nil, err
		}
		if p.Hidden {
			continue
		}
		if err := visit(p, v); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// Span is the keys from Start, inclusive, to End, exclusive, both counted from the end of the keyspace's prefix. A nil
// Start begins at the first key of the index, a nil End reaches beyond its last.
type Span struct{ Start, End []byte }

// Contains reports whether a key lies in the span. A nil End has no upper bound.
func (s Span) Contains(key []byte) bool {
	return bytes.Compare(key, s.Start) >= 0 && (s.End == nil || bytes.Compare(key, s.End) < 0)
}

// Scan is how to read an index for given bounds.
type Scan struct {
	// Spans are sorted and disjoint. None at all means that nothing can match.
	Spans []Span
	// Exact says that every key in Spans (and, where Skip is set, every key it calls in) meets the bounds that were
	// used. If it is false, the bounds must be checked again on the rows.
	Exact bool
	// Skip is nil if every key in Spans is worth reading. Otherwise it looks at key, which lies in one of Spans. in
	// reports whether it can match. ok is false if no key above it in the same span can; otherwise next, appended to
	// dst, is at or above key, and no key between the two can match: a scan goes on with the first key that is above
	// key and not below next, by seeking or by stepping.
	Skip func(key, dst []byte) (next []byte, in, ok bool)
	// SkipBack is Skip for descending scans: next is at or below key, no key between the two can match, and a scan goes
	// on with the last key that is below key and not above next.
	SkipBack func(key, dst []byte) (next []byte, in, ok bool)
	// Estimate says what reading the spans costs in a table with such statistics.
	Estimate func(s Statistics) Estimate
	// Curves are the boxes that Skip looks for, one union for each span that has one; nil if there are none.
	Curves []Curve
}

// Curve is a union of boxes below a prefix of an index's keys.
type Curve struct {
	Prefix []byte // the encodings of the parts before the Z-order part
	Part   *schema.KeyPart
	Boxes  *zorder.Boxes
}

// Statistics are estimates about one index. The zero value stands for an index of which nothing is known.
type Statistics struct {
	Rows  float64 // entries; default 100,000
	Bytes float64 // of keys and values of all entries; default 200 for each entry
	// Distinct[i] is the number of different values the first i+1 visible key parts have together. Default, also for
	// each missing one: a guess from Rows.
	Distinct []float64
	// Shares[i] is the share of the entries with equal parts before that a range of visible part i holds. Default, also
	// for each missing one: a guess, by how many ends the range has and by Separators.
	Shares []float64
	// Separators are keys of entries, ascending and without the index's prefix, between which there are about equally
	// many entries each. Default: none are known.
	Separators [][]byte
}

// Estimate is the expected work of reading an index for a Scan.
type Estimate struct {
	Rows  float64 // entries looked at
	Bytes float64 // of these entries
	Seeks float64 // places where reading begins anew
}
