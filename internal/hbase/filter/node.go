// SPDX-License-Identifier: Apache-2.0

package filter

import "slices"

// node is a part of a parsed filter.
type node interface {
	begin(read Read) state
	// spans bounds the keys of the rows that can match, in the order of the keys; those of different spans are apart.
	spans(reversed bool) []Span
	// needsAll reports whether rows count that can't match, between spans and before the first one: one of them may end
	// the read, for there is a WHILE, or a part of an OR that is needsAllInOr.
	needsAll() bool
	// needsAllInOr reports whether the others in an OR depend on the row at which this part ends: the part is asked
	// about that row for the last time, and what it answers then, or no longer answers, changes what becomes of the
	// row. It is so with a stop, and with a filter that drops cells of others.
	needsAllInOr() bool
	// print writes it in the language; the arguments only if they are wanted.
	print(dst []byte, arguments bool) []byte
}

// leaf is a filter with a name.
type leaf struct {
	name  string
	args  []argument
	start func(Read) state
	keys  func(reversed bool) []Span // nil: no bounds
}

func (l *leaf) begin(read Read) state { return l.start(read) }
func (l *leaf) needsAll() bool        { return false }
func (l *leaf) needsAllInOr() bool {
	return l.name == "InclusiveStopFilter" || l.name == "DependentColumnFilter"
}

func (l *leaf) spans(reversed bool) []Span {
	if l.keys == nil {
		return allKeys()
	}
	return l.keys(reversed)
}

func (l *leaf) print(dst []byte, arguments bool) []byte {
	dst = append(append(dst, l.name...), '(')
	if !arguments {
		return append(dst, "?)"...)
	}
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

func (w *wrap) begin(read Read) state {
	inner := wrapper{inner: w.inner.begin(read)}
	if w.while {
		return &whileState{wrapper: inner}
	}
	return &skipState{wrapper: inner}
}

// spans has no bounds for SKIP, which does not ask its filter about keys.
func (w *wrap) spans(reversed bool) []Span {
	if !w.while {
		return allKeys()
	}
	return withoutNear(w.inner.spans(reversed), reversed)
}

func (w *wrap) needsAll() bool     { return w.while || w.inner.needsAll() }
func (w *wrap) needsAllInOr() bool { return w.inner.needsAllInOr() }

func (w *wrap) print(dst []byte, arguments bool) []byte {
	word := "SKIP "
	if w.while {
		word = "WHILE "
	}
	dst = append(dst, word...)
	return printInside(dst, w.inner, arguments)
}

// junction is AND or OR.
type junction struct {
	or    bool
	parts []node
}

func (j *junction) begin(read Read) state {
	states := make([]state, len(j.parts))
	for i, p := range j.parts {
		states[i] = p.begin(read)
	}
	if j.or {
		return &orState{list: list{states: states}, last: make([]lastAnswer, len(states))}
	}
	return &andState{list: list{states: states}}
}

func (j *junction) spans(reversed bool) []Span {
	all := j.parts[0].spans(reversed)
	for _, p := range j.parts[1:] {
		if other := p.spans(reversed); j.or {
			all = unite(append(slices.Clone(all), other...))
		} else {
			all = intersect(all, other)
		}
	}
	if j.needsAll() {
		return withoutNear(all, reversed)
	}
	return all
}

func (j *junction) needsAll() bool {
	return slices.ContainsFunc(j.parts, node.needsAll) || j.or && j.needsAllInOr()
}

func (j *junction) needsAllInOr() bool { return slices.ContainsFunc(j.parts, node.needsAllInOr) }

func (j *junction) print(dst []byte, arguments bool) []byte {
	for i, p := range j.parts {
		switch {
		case i == 0:
		case j.or:
			dst = append(dst, " OR "...)
		default:
			dst = append(dst, " AND "...)
		}
		dst = printInside(dst, p, arguments)
	}
	return dst
}

// printInside sets AND and OR in parentheses.
func printInside(dst []byte, n node, arguments bool) []byte {
	if _, ok := n.(*junction); !ok {
		return n.print(dst, arguments)
	}
	return append(n.print(append(dst, '('), arguments), ')')
}
