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
