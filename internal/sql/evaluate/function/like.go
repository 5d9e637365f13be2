// SPDX-License-Identifier: Apache-2.0

package function

import (
	"bytes"
	"unicode/utf8"
)

// Pattern is a LIKE pattern: runs of elements with % between them.
type Pattern struct {
	runs [][]element
	// first and last report whether the pattern begins and ends with a run that must stand there, and not with %.
	first, last bool
	// plain are the runs as bytes, where no run holds a _; then runs is empty.
	plain [][]byte
}

// element is one character of a pattern, or any one if literal is empty.
type element struct{ literal []byte }

// NewPattern takes a pattern apart, and aliases it. escape is 0 where nothing escapes.
func NewPattern(pattern []byte, escape rune) *Pattern {
	m := &Pattern{first: true, last: true}
	var run []element
	plain := true
	for i := 0; i < len(pattern); {
		r, size := utf8.DecodeRune(pattern[i:])
		switch {
		case escape != 0 && r == escape && i+size < len(pattern):
			i += size
			_, size = utf8.DecodeRune(pattern[i:])
			run = append(run, element{pattern[i : i+size]})
			m.last = true
		case r == '%':
			if i == 0 {
				m.first = false
			}
			m.end(&run)
			m.last = false
		case r == '_':
			run = append(run, element{})
			plain = false
			m.last = true
		default:
			run = append(run, element{pattern[i : i+size]})
			m.last = true
		}
		i += size
	}
	m.end(&run)
	if plain {
		m.flatten()
	}
	return m
}

func (m *Pattern) end(run *[]element) {
	if len(*run) > 0 {
		m.runs = append(m.runs, *run)
		*run = nil
	}
}

func (m *Pattern) flatten() {
	for _, run := range m.runs {
		var text []byte
		for _, e := range run {
			text = append(text, e.literal...)
		}
		m.plain = append(m.plain, text)
	}
	m.runs = nil
}

// Match reports whether the whole text fits.
func (m *Pattern) Match(text []byte) bool {
	if m.runs != nil {
		return m.matchesRuns(text)
	}
	plain := m.plain
	if len(plain) == 0 {
		return !m.first || len(text) == 0 // % or the empty pattern
	}
	if m.first {
		if !bytes.HasPrefix(text, plain[0]) {
			return false
		}
		text = text[len(plain[0]):]
		if plain = plain[1:]; len(plain) == 0 {
			return !m.last || len(text) == 0
		}
	}
	if m.last {
		end := plain[len(plain)-1]
		if !bytes.HasSuffix(text, end) {
			return false
		}
		text, plain = text[:len(text)-len(end)], plain[:len(plain)-1]
	}
	for _, part := range plain {
		at := bytes.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// matchesRuns puts each run at the first place where it fits; the last one of a pattern without % at its end must fit
// at the end.
func (m *Pattern) matchesRuns(text []byte) bool {
	runs := m.runs
	if m.first {
		size, ok := fits(runs[0], text)
		if !ok {
			return false
		}
		text = text[size:]
		if runs = runs[1:]; len(runs) == 0 {
			return !m.last || len(text) == 0
		}
	}
	var end []element
	if m.last {
		end, runs = runs[len(runs)-1], runs[:len(runs)-1]
	}
	for _, run := range runs {
		size, ok := fits(run, text)
		for ; !ok; size, ok = fits(run, text) {
			if len(text) == 0 {
				return false
			}
			_, step := utf8.DecodeRune(text)
			text = text[step:]
		}
		text = text[size:]
	}
	return end == nil || fitsEnd(end, text)
}

// fits reports whether a run stands at the beginning of a text, and how many bytes of it that takes.
func fits(run []element, text []byte) (size int, ok bool) {
	for _, e := range run {
		if e.literal == nil {
			if size == len(text) {
				return 0, false
			}
			_, step := utf8.DecodeRune(text[size:])
			size += step
			continue
		}
		if !bytes.HasPrefix(text[size:], e.literal) {
			return 0, false
		}
		size += len(e.literal)
	}
	return size, true
}

// fitsEnd reports whether a run stands at the end of a text: as many characters as it has elements.
func fitsEnd(run []element, text []byte) bool {
	start := len(text)
	for range run {
		if start == 0 {
			return false
		}
		_, step := utf8.DecodeLastRune(text[:start])
		start -= step
	}
	size, ok := fits(run, text[start:])
	return ok && size == len(text)-start
}
