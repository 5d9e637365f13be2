// SPDX-License-Identifier: Apache-2.0

// Package explanation describes the expected and the actual work of a query, in words and numbers for people and
// programs.
//
// Knows: paths in words, counts, their text.
// Never: how a path is chosen or walked.
package explanation

import (
	"bytes"
	"encoding/hex"
	"math"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/query"
)

// Explanation says how a Query is answered and what that takes. It is made to be read as JSON, too.
type Explanation struct {
	Table   string
	Rows    int64 // about how many entries the index has
	Path    access.Tree
	Reads   string   // "entries", or "entries and items" if each item is read back from the table
	Cheaper *Cheaper `json:",omitempty"` // the cheapest other path, if that costs less
	Actual  *Actual  `json:",omitempty"` // of Analyze: what the walk has done
}

// Cheaper is a path that gives the same items and is expected to cost less.
type Cheaper struct {
	Index    string `json:",omitempty"` // "" is the table itself
	Kind     string
	Estimate access.Estimated
}

// Actual is the work of a walk.
type Actual struct {
	LookedAt       int64 // entries, those passed over among them
	Examined       int64 // of these, the ones that the spans and boxes call in
	Skipped        int64 // the others
	Postings       int64 `json:",omitempty"` // entries of a search index
	Returned       int64
	FalsePositives int64 // looked at and not returned
	Seeks          int64 // places where reading began anew
	Jumps          int64 // of these, the ones over entries that can't match
	Bytes          int64 // of the entries looked at
	ReadBack       int64 // items read from the table
	// entries of deleted and expired cells, in none of the others but Bytes
	Dead         int64 `json:",omitempty"`
	Milliseconds float64
	More         bool    `json:",omitempty"` // a limit has ended the page
	QError       float64 `json:",omitempty"` // of Estimate.Entries, if this was the whole walk
	// Stretches are the parts of a Z-order index that were read between the seeks, the first StretchesMax of them;
	// StretchesMore is the number that came after these.
	Stretches     []Stretch `json:",omitempty"`
	StretchesMore int64     `json:",omitempty"`

	// LastKey and Boundaries are for the Query of the next page.
	LastKey    value.Row `json:"-"`
	Boundaries uint64    `json:"-"`
	// Counts are the same in the form of Cursor.Counts.
	Counts query.Counts `json:"-"`
}

// QError is by which factor an estimate is wrong, 1 at least.
func QError(estimated, actual float64) float64 {
	estimated, actual = max(estimated, 1), max(actual, 1)
	return math.Round(100*max(estimated/actual, actual/estimated)) / 100
}

// StretchesMax is the number of stretches of a page an explanation holds.
const StretchesMax = 2000

// Stretch is a part of a Z-order index that was read without a seek.
type Stretch struct {
	From, To string // the Z-addresses of the first and the last entry, in hexadecimal
	Examined int64  // entries in it that the boxes call in
	Skipped  int64  // the others
}

// AddStretches adds what a walk over boxes has read between its seeks; nothing, if read is nil.
func (a *Actual) AddStretches(curves []indexkey.Curve, read *query.Stretches) {
	if read == nil {
		return
	}
	for i := range read.List {
		s := &read.List[i]
		a.addStretch(Stretch{From: address(curves, s.First), To: address(curves, s.Last), Examined: s.Examined,
			Skipped: s.Skipped})
	}
	a.StretchesMore += read.More
}

func (a *Actual) addStretch(s Stretch) {
	if len(a.Stretches) >= StretchesMax {
		a.StretchesMore++
		return
	}
	a.Stretches = append(a.Stretches, s)
}

// address is the Z-address in a key of an index; "" if none of the curves lies there.
func address(curves []indexkey.Curve, key []byte) string {
	for i := range curves {
		c := &curves[i]
		if rest, ok := bytes.CutPrefix(key, c.Prefix); ok && len(rest) >= c.Boxes.Plan().Bytes() {
			return hex.EncodeToString(rest[:c.Boxes.Plan().Bytes()])
		}
	}
	return ""
}
