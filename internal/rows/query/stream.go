// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"slices"
)

// allOf is the rows that all of list have and none of without.
type allOf struct {
	f             *finder
	list, without []stream
}

func (a *allOf) seek(key []byte) []byte { return a.accepted(meet(a.f, a.list, a.list[0].seek(key))) }

func (a *allOf) next() []byte { return a.accepted(meet(a.f, a.list, a.list[0].next())) }

// accepted moves on from at to the first row that none of without has.
func (a *allOf) accepted(at []byte) []byte {
	for at != nil && isIn(a.without, at) {
		at = meet(a.f, a.list, a.list[0].next())
	}
	return at
}

// isIn reports whether one of some streams has a row.
func isIn[S stream](list []S, at []byte) bool {
	for _, s := range list {
		if bytes.Equal(s.seek(at), at) {
			return true
		}
	}
	return false
}

// meet moves streams, of which the first stands at a row, to the next row at or behind it that all of them have.
func meet(f *finder, list []stream, at []byte) []byte {
	for i := 1; at != nil && i < len(list); i++ {
		other := list[i].seek(at)
		if other == nil {
			return nil
		}
		if f.compare(other, at) > 0 {
			at, i = list[0].seek(other), 0
		}
	}
	return at
}

// union is the rows that one of list has.
type union struct {
	f     *finder
	list  []stream
	at    [][]byte // where each of list stands; nil: at its end
	first int      // of list: the first that stands at the row at hand
	same  []bool   // which of it and those behind it do
}

func (u *union) seek(key []byte) []byte {
	begun := u.at != nil
	if !begun {
		u.at, u.same = make([][]byte, len(u.list)), make([]bool, len(u.list))
	}
	for i, s := range u.list {
		if !begun || u.at[i] != nil && !u.f.isAt(u.at[i], key) {
			u.at[i] = s.seek(key)
		}
	}
	return u.least()
}

func (u *union) next() []byte {
	for i := u.first; i < len(u.list); i++ {
		if u.same[i] {
			u.at[i] = u.list[i].next()
		}
	}
	return u.least()
}

// least is the first row at which one of list stands.
func (u *union) least() (least []byte) {
	u.first = len(u.list)
	for i, at := range u.at {
		if u.same[i] = false; at == nil {
			continue
		}
		order := -1
		if least != nil {
			order = u.f.compare(at, least)
		}
		if u.same[i] = order <= 0; order < 0 {
			least, u.first = at, i
		}
	}
	return least
}

// keep leaves only some of list.
func (u *union) keep(kept func(i int) bool) {
	left := union{f: u.f}
	for i, s := range u.list {
		if kept(i) {
			left.list, left.at = append(left.list, s), append(left.at, u.at[i])
			left.same = append(left.same, i >= u.first && u.same[i])
		}
	}
	*u = left
}

// sortedKeys is keys of rows that were put in order.
type sortedKeys struct {
	f    *finder
	keys [][]byte
	at   int // of keys
}

func (g *sortedKeys) seek(key []byte) []byte {
	for steps := 0; g.at < len(g.keys) && !g.f.isAt(g.keys[g.at], key); g.at++ {
		if steps++; steps == stepsMax {
			rest := g.keys[g.at+1:]
			at, _ := slices.BinarySearchFunc(rest, key, g.f.compare)
			g.at += at // the loop looks at the next one
		}
	}
	return g.key()
}

func (g *sortedKeys) next() []byte {
	g.at++
	return g.key()
}

func (g *sortedKeys) key() []byte {
	if g.at >= len(g.keys) {
		return nil
	}
	return g.keys[g.at]
}
