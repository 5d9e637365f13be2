// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/order"
)

// node is a part of a parsed filter.
type node interface {
	begin(reversed bool) state
	// span bounds the keys of the rows that can match.
	span(reversed bool) span
	// endsRead says whether there is a WHILE in it, so that rows before the first that matches count, too: one of them may end the read.
	endsRead() bool
	print(dst []byte) []byte
}

// span is a range of row keys. An empty bound is none.
type span struct {
	start, stop  []byte
	stopIncluded bool
}

// prefixSpan is the keys that begin with a prefix.
func prefixSpan(prefix []byte) span {
	end, _ := order.PrefixEnd(nil, prefix)
	return span{start: prefix, stop: end}
}

func (s span) and(other span) span {
	if bytes.Compare(s.start, other.start) < 0 {
		s.start = other.start
	}
	if len(s.stop) == 0 || len(other.stop) > 0 && other.endsBefore(s) {
		s.stop, s.stopIncluded = other.stop, other.stopIncluded
	}
	return s
}

// or is the smallest span that holds both.
func (s span) or(other span) span {
	if bytes.Compare(s.start, other.start) > 0 {
		s.start = other.start
	}
	if len(s.stop) > 0 && (len(other.stop) == 0 || s.endsBefore(other)) {
		s.stop, s.stopIncluded = other.stop, other.stopIncluded
	}
	return s
}

func (s span) endsBefore(other span) bool {
	c := bytes.Compare(s.stop, other.stop)
	return c < 0 || c == 0 && !s.stopIncluded
}

// withoutNear returns the span without the bound at which the read begins.
func (s span) withoutNear(reversed bool) span {
	if reversed {
		return span{start: s.start}
	}
	return span{stop: s.stop, stopIncluded: s.stopIncluded}
}

// leaf is a filter with a name.
type leaf struct {
	name  string
	args  []argument
	start func(reversed bool) state
	keys  func(reversed bool) span // nil: no bounds
}

func (l *leaf) begin(reversed bool) state { return l.start(reversed) }
func (l *leaf) endsRead() bool            { return false }

func (l *leaf) span(reversed bool) span {
	if l.keys == nil {
		return span{}
	}
	return l.keys(reversed)
}

func (l *leaf) print(dst []byte) []byte {
	dst = append(append(dst, l.name...), '(')
	for i, a := range l.args {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = a.print(dst)
	}
	return append(dst, ')')
}

// wrap is SKIP or WHILE.
type wrap struct {
	while bool
	inner node
}

func (w *wrap) begin(reversed bool) state {
	inner := wrapper{inner: w.inner.begin(reversed)}
	if w.while {
		return &whileState{wrapper: inner}
	}
	return &skipState{wrapper: inner}
}

// span has no bounds for SKIP, which does not ask its filter about keys.
func (w *wrap) span(reversed bool) span {
	if !w.while {
		return span{}
	}
	return w.inner.span(reversed).withoutNear(reversed)
}

func (w *wrap) endsRead() bool { return w.while || w.inner.endsRead() }

func (w *wrap) print(dst []byte) []byte {
	word := "SKIP "
	if w.while {
		word = "WHILE "
	}
	dst = append(dst, word...)
	return printInside(dst, w.inner)
}

// junction is AND or OR.
type junction struct {
	or    bool
	parts []node
}

func (j *junction) begin(reversed bool) state {
	states := make([]state, len(j.parts))
	for i, p := range j.parts {
		states[i] = p.begin(reversed)
	}
	if j.or {
		return &orState{list: list{states: states}, last: make([]lastAnswer, len(states))}
	}
	return &andState{list: list{states: states}}
}

func (j *junction) span(reversed bool) span {
	s := j.parts[0].span(reversed)
	for _, p := range j.parts[1:] {
		if t := p.span(reversed); j.or {
			s = s.or(t)
		} else {
			s = s.and(t)
		}
	}
	if j.endsRead() {
		return s.withoutNear(reversed)
	}
	return s
}

func (j *junction) endsRead() bool { return slices.ContainsFunc(j.parts, node.endsRead) }

func (j *junction) print(dst []byte) []byte {
	for i, p := range j.parts {
		switch {
		case i == 0:
		case j.or:
			dst = append(dst, " OR "...)
		default:
			dst = append(dst, " AND "...)
		}
		dst = printInside(dst, p)
	}
	return dst
}

// printInside sets AND and OR in parentheses.
func printInside(dst []byte, n node) []byte {
	if _, ok := n.(*junction); !ok {
		return n.print(dst)
	}
	return append(n.print(append(dst, '(')), ')')
}
