// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"iter"
	"strings"
)

// Meant adds to an error about an unknown name the known one that was probably meant: one that is equal but for the
// case of letters, else one that is nearly the same. It returns e.
func (e *Error) Meant(written string, known iter.Seq[string]) *Error {
	best, distance := "", 1+typosMax(written)
	for name := range known {
		if name == written {
			return e
		}
		if strings.EqualFold(name, written) {
			best, distance = name, 0
		} else if d := typos(written, name, distance+1); d < distance || d == distance && best != "" && name < best {
			best, distance = name, d
		}
	}
	switch {
	case best == "":
	case distance == 0:
		e.Message += "; names are case-sensitive: did you mean `" + best + "`?"
	default:
		e.Message += "; did you mean `" + best + "`?"
	}
	return e
}

// comparedBytes is the length from which names are not compared, which takes time by the square of it.
const comparedBytes = 64

// typosMax is the number of typos a name may have.
func typosMax(name string) int {
	switch n := len(name); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

// typos is the number of letters that have to be changed, added, left out or swapped with the next to make a of b,
// whatever their case; limit if there are as many or more.
func typos(a, b string, limit int) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || max(len(a), len(b)) > comparedBytes {
		return limit
	}
	var rows [3][comparedBytes + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			other := 1
			if a[i] == b[j] {
				other = 0
			}
			row[j+1] = min(last[j]+other, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
