// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
)

// Path is a way from a document to parts of it.
type Path struct {
	legs []leg
	// Many says that it may find more than one part: it has a wildcard or a range.
	Many bool
}

type legKind uint8

const (
	member     legKind = iota // .name
	anyMember                 // .*
	element                   // [3], [last-1]
	elements                  // [*], [1 to 3]
	descendant                // **
)

// leg is one step. Places count from 0; those from the end are -1 for last, -2 for last-1.
type leg struct {
	kind     legKind
	name     string
	from, to int
}

// legsMax bounds paths, matchesMax how many parts one path finds.
const (
	legsMax    = 100
	matchesMax = 1 << 20
)

// ParsePath reads a path. The error is an *Error.
func ParsePath(text string) (Path, error) {
	r := reader{text: text}
	r.space()
	if r.next() != '$' || !utf8.ValidString(text) {
		return Path{}, r.pathFault()
	}
	r.at++
	var p Path
	for r.space(); r.at < len(text); r.space() {
		l, ok := r.leg()
		if !ok || len(p.legs) == legsMax {
			return Path{}, r.pathFault()
		}
		p.Many = p.Many || l.kind != member && l.kind != element
		p.legs = append(p.legs, l)
	}
	if n := len(p.legs); n > 0 && p.legs[n-1].kind == descendant {
		return Path{}, r.pathFault()
	}
	return p, nil
}

func (r *reader) pathFault() error {
	return &Error{"Invalid JSON path expression.", min(r.at, len(r.text))}
}

func (r *reader) leg() (l leg, ok bool) {
	switch {
	case r.word("**"):
		return leg{kind: descendant}, true
	case r.word("."):
		r.space()
		if r.word("*") {
			return leg{kind: anyMember}, true
		}
		return r.member()
	case r.word("["):
		return r.place()
	}
	return l, false
}

// member reads a name, in double quotes where it is no identifier.
func (r *reader) member() (l leg, ok bool) {
	if r.next() == '"' {
		name, err := r.string()
		return leg{name: string(name)}, err == nil
	}
	start := r.at
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n.[*", r.text[r.at]) < 0 {
		if c := r.text[r.at]; c < 0x80 && !isNameByte(c) {
			return l, false
		}
		r.at++
	}
	name := r.text[start:r.at]
	return leg{name: strings.Clone(name)}, name != "" && name[0]-'0' > 9
}

func isNameByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c-'0' <= 9 || c == '_' || c == '$' || c == '-'
}

// place reads what stands in square brackets, the first of which was read.
func (r *reader) place() (l leg, ok bool) {
	r.space()
	if r.word("*") {
		l = leg{kind: elements, to: -1}
	} else {
		l.kind = element
		if l.from, ok = r.index(); !ok {
			return l, false
		}
		l.to = l.from
		if r.space(); r.word("to") {
			r.space()
			l.kind = elements
			if l.to, ok = r.index(); !ok {
				return l, false
			}
		}
	}
	r.space()
	return l, r.word("]")
}

func (r *reader) index() (n int, ok bool) {
	if r.word("last") {
		if r.space(); !r.word("-") {
			return -1, true
		}
		r.space()
		n, ok = r.index()
		return -1 - n, ok && n >= 0
	}
	start := r.at
	if !r.digits() {
		return 0, false
	}
	n, err := strconv.Atoi(r.text[start:r.at])
	return n, err == nil && n < 1<<31
}

// Find calls visit for each part of v that the path leads to, in the order of the document, each once, until visit
// returns false.
func (p *Path) Find(v value.Value, visit func(value.Value) bool) {
	f := finder{visit: visit}
	if len(p.legs) > 1 && p.Many {
		f.seen = make(map[*byte]struct{})
	}
	f.find(v, p.legs, 0)
}

// First returns the first part of v that the path leads to; ok is false if there is none.
func (p *Path) First(v value.Value) (found value.Value, ok bool) {
	p.Find(v, func(part value.Value) bool {
		found, ok = part, true
		return false
	})
	return found, ok
}

type finder struct {
	visit func(value.Value) bool
	seen  map[*byte]struct{} // parts are told apart by where they stand
	steps int
}

func (f *finder) find(v value.Value, legs []leg, depth int) (more bool) {
	if f.steps++; f.steps > matchesMax {
		return false
	}
	if len(legs) == 0 {
		return f.emit(v)
	}
	l, rest := &legs[0], legs[1:]
	switch l.kind {
	case member:
		part, ok := v.Field(value.ReadOnly(l.name))
		return !ok || v.Kind() != value.Map || f.find(part, rest, depth)
	case anyMember:
		return v.Kind() != value.Map || f.each(v, rest, depth)
	case element, elements:
		return f.place(v, l, rest, depth)
	}
	if !f.find(v, rest, depth) {
		return false
	}
	if kind := v.Kind(); depth >= value.NestingMax || kind != value.Map && !isArray(kind) {
		return true
	}
	return f.each(v, legs, depth+1)
}

// isArray says that v is shown as an array: a list or a set.
func isArray(kind value.Kind) bool { return kind == value.List || kind.IsSet() }

func (f *finder) each(v value.Value, legs []leg, depth int) bool {
	for e := v.Elements(); e.Next(); {
		if !f.find(e.Value(), legs, depth) {
			return false
		}
	}
	return true
}

// place finds elements. A value that is no array stands for an array of itself.
func (f *finder) place(v value.Value, l *leg, rest []leg, depth int) bool {
	if !isArray(v.Kind()) {
		from, to := l.bounds(1)
		return l.kind == elements && l.from == 0 && l.to == -1 || from > 0 || to < 0 || f.find(v, rest, depth)
	}
	from, to := l.bounds(v.Len())
	i := 0
	for e := v.Elements(); i <= to && e.Next(); i++ {
		if i >= from && !f.find(e.Value(), rest, depth) {
			return false
		}
	}
	return true
}

// bounds are the first and the last place among size elements; they may lie outside.
func (l *leg) bounds(size int) (from, to int) {
	from, to = l.from, l.to
	if from < 0 {
		if from += size; from < 0 && l.kind == element {
			return 0, -1
		}
	}
	if to < 0 {
		to += size
	}
	return max(from, 0), to
}

func (f *finder) emit(v value.Value) bool {
	if f.seen != nil && len(v) > 0 {
		if _, twice := f.seen[&v[0]]; twice {
			return true
		}
		f.seen[&v[0]] = struct{}{}
	}
	return f.visit(v)
}
