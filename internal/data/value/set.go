// SPDX-License-Identifier: Apache-2.0

package value

import "bytes"

// Union appends the set of all members of the sets a and b, which are of one kind; a missing set has none. It appends
// nothing if neither has any, or their kinds differ.
func Union(dst []byte, a, b Value) []byte {
	return merge(dst, a, b, true)
}

// Difference appends the set of a's members that b lacks. It appends nothing, that is a missing value, if none are
// left. A set b of another kind takes nothing away.
func Difference(dst []byte, a, b Value) []byte {
	if b.Kind() != a.Kind() {
		b = nil
	}
	return merge(dst, a, b, false)
}

// merge walks two sorted sets side by side; union keeps the members of both, otherwise those of a alone are kept.
func merge(dst []byte, a, b Value, union bool) []byte {
	kind := a.Kind()
	if a.IsMissing() {
		kind = b.Kind()
	}
	if !kind.IsSet() || !b.IsMissing() && b.Kind() != kind {
		return dst
	}
	start, count := len(dst), 0
	dst = BeginSet(dst, kind)
	x, y := a.Elements(), b.Elements()
	hasX, hasY := x.Next(), y.Next()
	for hasX || hasY && union {
		order := -1
		switch {
		case !hasX:
			order = 1
		case hasY:
			order = bytes.Compare(sortKey(x.value), sortKey(y.value))
		}
		if order < 0 || order == 0 && union {
			dst = append(dst, x.value...)
			count++
		} else if order > 0 && union {
			dst = append(dst, y.value...)
			count++
		}
		if order <= 0 {
			hasX = x.Next()
		}
		if order >= 0 {
			hasY = y.Next()
		}
	}
	if count == 0 {
		return dst[:start]
	}
	return endDocument(dst, start, count)
}
