// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/zorder"
)

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
