// SPDX-License-Identifier: Apache-2.0

package indexkey

// Span is the keys from Start, inclusive, to End, exclusive, both counted from the end of the keyspace's prefix. A nil Start begins at
// the first key of the index, a nil End reaches beyond its last.
type Span struct{ Start, End []byte }

// Scan is how to read an index for given bounds.
type Scan struct {
	// Spans are sorted and disjoint. None at all means that nothing can match.
	Spans []Span
	// Exact says that every key in Spans (and, where Skip is set, every key it calls in) meets the bounds that were used. If it is
	// false, the bounds must be checked again on the rows.
	Exact bool
	// Skip is nil if every key in Spans is worth reading. Otherwise it looks at key, which lies in one of Spans: in says whether it can
	// match; next, appended to dst, is at or below the smallest key of the same span above key that can match, and above key; ok is
	// false if the span has none. A scan may seek to next or step to it, whichever is cheaper.
	Skip func(key, dst []byte) (next []byte, in, ok bool)
	// SkipBack is Skip for descending scans: no key of the same span that can match and is below key is at or above next, and next is
	// at or below key, so that a scan goes on with the last key below next.
	SkipBack func(key, dst []byte) (next []byte, in, ok bool)
	// Estimate says what reading the spans costs in a table with such statistics.
	Estimate func(s Statistics) Estimate
}

// Statistics are estimates about one index. The zero value stands for an index of which nothing is known.
type Statistics struct {
	Rows  float64 // entries; default 100,000
	Bytes float64 // of keys and values of all entries; default 200 for each entry
	// Distinct[i] is how many different values the first i+1 visible key parts have together. Default, also for each missing one:
	// a guess from Rows.
	Distinct []float64
}

// Estimate is what reading an index for a Scan is expected to take.
type Estimate struct {
	Rows  float64 // entries examined
	Bytes float64 // of these entries
	Seeks float64 // places where reading begins anew
}
