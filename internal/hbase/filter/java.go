// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"slices"
	"strconv"
)

// These filters come from HBase's Java API. Of them its language has ColumnValueFilter only.

// columnValue includes the versions of one column that have a value, and nothing else of the row.
type columnValue struct {
	plain
	family, qualifier []byte
	comparison        *comparison
	found             bool
}

func (s *columnValue) reset() { s.found = false }

func (s *columnValue) judge(_ []byte, c *Cell) answer {
	switch {
	case c.isNamed(s.family, s.qualifier):
		s.found = true
		return answer{in: s.comparison.holds(c.Value)}
	case s.found:
		return answer{step: nextFamily}
	}
	return answer{step: nextColumn}
}

func (l *leaf) columnValue() error {
	if err := l.want(4); err != nil {
		return err
	}
	r := reader{leaf: l}
	s := columnValue{family: r.text(), qualifier: r.text(), comparison: r.comparison()}
	l.start = func(Read) state {
		own := s
		return &own
	}
	return r.err
}

// rowRanges includes the rows whose keys are in one of the spans.
type rowRanges struct {
	plain
	spans    []Span // in the order of the keys, and apart
	reversed bool
	out      bool // the row is in none
	passed   bool // so is any later one
}

func (s *rowRanges) reset()                  { s.out = false }
func (s *rowRanges) isDone() bool            { return s.passed }
func (s *rowRanges) seeks() bool             { return true }
func (*rowRanges) seek([]byte, *Cell) target { return target{row: true} }

// skips passes all rows: as in HBase the filter does not include their cells.
func (s *rowRanges) skips(row []byte) bool {
	if s.passed {
		return true
	}
	s.out = !slices.ContainsFunc(s.spans, func(span Span) bool { return span.contains(row) })
	if first, last := s.spans[0], s.spans[len(s.spans)-1]; s.out {
		s.passed = s.reversed && bytes.Compare(row, first.Start) < 0 || !s.reversed && last.isBefore(row)
	}
	return false
}

func (s *rowRanges) judge([]byte, *Cell) answer {
	switch {
	case s.passed:
		return answer{step: nextFamily}
	case s.out:
		return answer{step: seek}
	}
	return include
}

func (s Span) contains(key []byte) bool { return bytes.Compare(key, s.Start) >= 0 && !s.isBefore(key) }

// isBefore reports whether all of the span's keys are less than a key.
func (s Span) isBefore(key []byte) bool {
	by := bytes.Compare(s.Stop, key)
	return len(s.Stop) > 0 && (by < 0 || by == 0 && !s.StopIncluded)
}

// rowRanges reads ranges as two keys each, with whether they are included.
func (l *leaf) rowRanges() error {
	const each = 4
	if len(l.args) == 0 || len(l.args)%each != 0 {
		return refuse("%s takes ranges: a key, whether it is included, another key, and whether that is included",
			l.name)
	}
	r := reader{leaf: l}
	var spans []Span
	for range len(l.args) / each {
		low, withLow, high, withHigh := r.text(), r.boolean(), r.text(), r.boolean()
		s := Span{Start: low, Stop: high, StopIncluded: withHigh && len(high) > 0}
		if r.err == nil && s.isEmpty() {
			return refuse("%s: the range from %q to %q has no key", l.name, low, high)
		}
		if !withLow && len(low) > 0 {
			s.Start = append(bytes.Clone(low), 0)
		}
		spans = append(spans, s)
	}
	if r.err != nil {
		return r.err
	}
	whole := unite(slices.Clone(spans))
	if len(whole) == 0 {
		return refuse("%s: the ranges have no key", l.name)
	}
	l.start = func(read Read) state { return &rowRanges{spans: whole, reversed: read.Reversed} }
	l.keys = func(bool) []Span { return whole }
	return nil
}

// randomRow includes a share of the rows.
type randomRow struct {
	rowState
	chance float64
	random func() float64
}

func (s *randomRow) reset() { s.out = false }

func (s *randomRow) skips([]byte) bool {
	s.out = s.random == nil || s.random() >= s.chance
	return s.out
}

func (l *leaf) randomRow() error {
	if err := l.want(1); err != nil {
		return err
	}
	r := reader{leaf: l}
	chance, err := strconv.ParseFloat(string(r.next(false, "a number from 0 to 1")), 64)
	if err != nil || chance != chance {
		r.fail("a number from 0 to 1")
	}
	l.start = func(read Read) state { return &randomRow{chance: chance, random: read.Random} }
	return r.err
}

// firstMatch includes the cells of a row up to the first of certain columns.
type firstMatch struct {
	plain
	qualifiers [][]byte
	found      bool
}

func (s *firstMatch) reset() { s.found = false }

func (s *firstMatch) judge(_ []byte, c *Cell) answer {
	if s.found {
		return answer{step: nextFamily}
	}
	s.found = slices.ContainsFunc(s.qualifiers, func(q []byte) bool { return bytes.Equal(q, c.Qualifier) })
	return include
}

func (l *leaf) firstMatch() error {
	r := reader{leaf: l}
	qualifiers := make([][]byte, len(l.args))
	for i := range qualifiers {
		qualifiers[i] = r.text()
	}
	l.start = func(Read) state { return &firstMatch{qualifiers: qualifiers} }
	return r.err
}

// columnsFrom is ColumnPaginationFilter with a column from which on it includes others.
type columnsFrom struct {
	plain
	limit, count int64
	column       []byte
}

func (s *columnsFrom) reset() { s.count = 0 }

func (s *columnsFrom) judge(_ []byte, c *Cell) answer {
	switch {
	case s.count >= s.limit:
		return answer{step: nextFamily}
	case s.count == 0 && bytes.Compare(c.Qualifier, s.column) < 0:
		return answer{step: seek}
	}
	s.count++
	return answer{in: true, step: nextColumn}
}

func (s *columnsFrom) seek([]byte, *Cell) target { return target{qualifier: s.column} }
