// SPDX-License-Identifier: Apache-2.0

package value

import "bytes"

// document splits a list, map or set into its count and its encoded elements. A count that can't be right is not ok.
func (v Value) document() (count int, body []byte, ok bool) {
	kind := v.Kind()
	if !kind.IsDocument() && !kind.IsSet() {
		return 0, nil, false
	}
	length, rest, ok := cutUvarint(v[1:])
	if !ok || length != uint64(len(rest)) {
		return 0, nil, false
	}
	n, body, ok := cutUvarint(rest)
	if !ok || n > uint64(len(body)) { // an element takes a byte at least
		return 0, nil, false
	}
	return int(n), body, true
}

// Len returns the number of elements of a List, Map or set, and 0 for other kinds. It takes constant time.
func (v Value) Len() int {
	count, _, _ := v.document()
	return count
}

// Elements steps over the elements of a list, the entries of a map in the order of their names, or the members of a set
// in their order. It is used as
//
//	for e := v.Elements(); e.Next(); {
//		use(e.Name(), e.Value())
//	}
type Elements struct {
	rest  []byte
	name  []byte
	value Value
	left  int
	named bool
}

// Elements returns the elements of v: none if v is a scalar.
func (v Value) Elements() Elements {
	count, body, _ := v.document()
	return Elements{rest: body, left: count, named: v.Kind() == Map}
}

// Next steps to the next element. It returns false after the last, and where v is not well-formed.
func (e *Elements) Next() bool {
	if e.left <= 0 {
		return false
	}
	e.left--
	ok := true
	if e.named {
		e.name, e.rest, ok = cutString(e.rest)
	}
	var err error
	if ok {
		e.value, e.rest, err = Cut(e.rest)
	}
	if !ok || err != nil {
		e.left = 0
		return false
	}
	return true
}

// Name returns the name of a map's entry, and nil in lists and sets. It aliases the document.
func (e *Elements) Name() []byte { return e.name }

// Value returns the element. It aliases the document.
func (e *Elements) Value() Value { return e.value }

// Index returns element i of a List; ok is false if there is none. It takes time in proportion to i.
func (v Value) Index(i int) (element Value, ok bool) {
	if v.Kind() != List || i < 0 || i >= v.Len() {
		return nil, false
	}
	e := v.Elements()
	for e.Next() {
		if i == 0 {
			return e.value, true
		}
		i--
	}
	return nil, false
}

// Field returns what a Map holds under name; ok is false if there is nothing. It steps over entries in front of it.
func (v Value) Field(name []byte) (field Value, ok bool) {
	if v.Kind() != Map {
		return nil, false
	}
	e := v.Elements()
	for e.Next() {
		switch bytes.Compare(e.name, name) {
		case 0:
			return e.value, true
		case 1:
			return nil, false
		}
	}
	return nil, false
}

// AppendTexts appends the texts that v is or has: v itself if it is a string, else its members that are strings. They
// alias v.
func (v Value) AppendTexts(dst [][]byte) [][]byte {
	switch v.Kind() {
	case String:
		return append(dst, v.Bytes())
	case StringSet, List:
		for members := v.Elements(); members.Next(); {
			if members.Value().Kind() == String {
				dst = append(dst, members.Value().Bytes())
			}
		}
	}
	return dst
}

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
