// SPDX-License-Identifier: Apache-2.0

package filter

import "bytes"

// These filters choose rows.

// rowState knows from its key whether the row is left out.
type rowState struct {
	plain
	out bool
}

func (s *rowState) rejects() bool { return s.out }

func (s *rowState) judge([]byte, *Cell) answer {
	if s.out {
		return answer{step: nextFamily}
	}
	return include
}

type rowFilter struct {
	rowState
	comparison *comparison
}

func (s *rowFilter) reset() { s.out = false }

func (s *rowFilter) skips(row []byte) bool {
	s.out = !s.comparison.holds(row)
	return s.out
}

type prefixFilter struct {
	rowState
	prefix   []byte
	reversed bool
	passed   bool
}

// reset leaves rows out of which the filter does not see the key, as in HBase.
func (s *prefixFilter) reset()       { s.out = true }
func (s *prefixFilter) isDone() bool { return s.passed }

func (s *prefixFilter) skips(row []byte) bool {
	if s.passed || len(row) < len(s.prefix) {
		return true
	}
	c := bytes.Compare(row[:len(s.prefix)], s.prefix)
	s.passed = s.reversed && c < 0 || !s.reversed && c > 0
	s.out = c != 0
	return s.out
}

type inclusiveStop struct {
	plain
	stop     []byte
	reversed bool
	passed   bool
}

func (s *inclusiveStop) isDone() bool { return s.passed }

func (s *inclusiveStop) skips(row []byte) bool {
	c := bytes.Compare(row, s.stop)
	s.passed = s.passed || s.reversed && c < 0 || !s.reversed && c > 0
	return s.passed
}

func (s *inclusiveStop) judge([]byte, *Cell) answer {
	if s.passed {
		return answer{step: nextFamily}
	}
	return include
}

func (s *inclusiveStop) span() Span {
	if s.reversed {
		return Span{Start: s.stop}
	}
	return Span{Stop: s.stop, StopIncluded: true}
}

type page struct {
	plain
	size, rows int64
}

func (s *page) isDone() bool      { return s.rows >= s.size }
func (s *page) skips([]byte) bool { return s.isDone() }
func (s *page) seesRows() bool    { return true }

func (s *page) rejects() bool {
	s.rows++
	return s.rows > s.size
}

// fuzzyRow includes rows of which the key has certain bytes at certain places.
type fuzzyRow struct {
	plain
	patterns []fuzzyPattern
	out      bool
}

// fuzzyPattern is bytes of which only some count.
type fuzzyPattern struct {
	key   []byte
	fixed []bool
}

func (p *fuzzyPattern) matches(row []byte) bool {
	if len(row) < len(p.key) {
		return false
	}
	for i, b := range p.key {
		if p.fixed[i] && row[i] != b {
			return false
		}
	}
	return true
}

func (p *fuzzyPattern) span() Span {
	n := 0
	for n < len(p.fixed) && p.fixed[n] {
		n++
	}
	return prefixSpan(p.key[:n])
}

func (s *fuzzyRow) reset()                  { s.out = false }
func (s *fuzzyRow) rejects() bool           { return s.out }
func (s *fuzzyRow) seeks() bool             { return true }
func (*fuzzyRow) seek([]byte, *Cell) target { return target{row: true} }

func (s *fuzzyRow) judge(row []byte, _ *Cell) answer {
	for i := range s.patterns {
		if s.patterns[i].matches(row) {
			return include
		}
	}
	s.out = true
	return answer{step: seek}
}

func (s *fuzzyRow) spans() []Span {
	all := make([]Span, len(s.patterns))
	for i := range all {
		all[i] = s.patterns[i].span()
	}
	return unite(all)
}
