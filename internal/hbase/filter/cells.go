// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// These filters choose cells.

// cellTest includes the cells that pass a test.
type cellTest struct {
	plain
	passes func(*Cell) bool
	step   step // from a cell that does not
}

func (s *cellTest) judge(_ []byte, c *Cell) answer {
	if s.passes(c) {
		return include
	}
	return answer{step: s.step}
}

type timestamps struct {
	plain
	times []int64 // sorted
}

func (s *timestamps) judge(_ []byte, c *Cell) answer {
	if _, ok := slices.BinarySearch(s.times, c.AtMS); ok {
		return include
	}
	if len(s.times) == 0 || c.AtMS < s.times[0] {
		return answer{step: nextColumn}
	}
	return answer{}
}

// keyOnly empties values, or replaces them by their lengths.
type keyOnly struct {
	plain
	lengths bool
}

func (s *keyOnly) change(c *Cell) {
	if n := len(c.Value); s.lengths {
		c.Value = binary.BigEndian.AppendUint32(nil, uint32(n))
	} else {
		c.Value = nil
	}
}

type firstKeyOnly struct {
	plain
	found bool
}

func (s *firstKeyOnly) reset() { s.found = false }

func (s *firstKeyOnly) judge([]byte, *Cell) answer {
	if s.found {
		return answer{step: nextFamily}
	}
	s.found = true
	return include
}

// columnCount includes the first columns of a row.
type columnCount struct {
	plain
	limit, count int64
}

func (s *columnCount) reset()            { s.count = 0 }
func (s *columnCount) isDone() bool      { return s.count > s.limit }
func (s *columnCount) skips([]byte) bool { return s.isDone() }

func (s *columnCount) judge([]byte, *Cell) answer {
	s.count++
	return answer{in: !s.isDone(), step: nextColumn}
}

// columnPagination includes a number of columns of a row from one on.
type columnPagination struct {
	plain
	limit, offset, count int64
}

func (s *columnPagination) reset() { s.count = 0 }

func (s *columnPagination) judge([]byte, *Cell) answer {
	if s.count >= s.offset+s.limit {
		return answer{step: nextFamily}
	}
	s.count++
	return answer{in: s.count > s.offset, step: nextColumn}
}

// columnPrefixes includes the columns that begin with one of the prefixes.
type columnPrefixes struct {
	plain
	prefixes [][]byte // sorted, at least one
}

func (*columnPrefixes) seeks() bool { return true }

func (s *columnPrefixes) judge(_ []byte, c *Cell) answer {
	switch i := s.after(c); {
	case i > 0 && bytes.HasPrefix(c.Qualifier, s.prefixes[i-1]):
		return include
	case i == len(s.prefixes):
		return answer{step: nextFamily}
	}
	return answer{step: seek}
}

// after returns which prefix is the first that is greater than the cell's qualifier.
func (s *columnPrefixes) after(c *Cell) int {
	i, _ := slices.BinarySearchFunc(s.prefixes, c.Qualifier, func(prefix, qualifier []byte) int {
		if bytes.Compare(prefix, qualifier) <= 0 {
			return -1
		}
		return 1
	})
	return i
}

func (s *columnPrefixes) seek(_ []byte, c *Cell) target {
	if i := s.after(c); i < len(s.prefixes) {
		return target{qualifier: s.prefixes[i]}
	}
	return target{}
}

// dependentColumn includes the cells that have the time of a cell of one column.
type dependentColumn struct {
	plain
	family, qualifier []byte
	drops             bool // that column
	comparison        *comparison
	times             []int64
}

func (s *dependentColumn) reset()         { s.times = s.times[:0] }
func (s *dependentColumn) seesRows() bool { return true }

func (s *dependentColumn) judge(_ []byte, c *Cell) answer {
	if !c.isNamed(s.family, s.qualifier) {
		return include
	}
	if s.comparison != nil && !s.comparison.holds(c.Value) {
		return answer{}
	}
	s.times = append(s.times, c.AtMS)
	return answer{in: !s.drops}
}

func (s *dependentColumn) prune(cells []Cell) []Cell {
	return slices.DeleteFunc(cells, func(c Cell) bool { return !slices.Contains(s.times, c.AtMS) })
}

// singleColumn chooses rows by the value of one column.
type singleColumn struct {
	plain
	family, qualifier []byte
	comparison        *comparison
	wantsColumn       bool // leaves rows without it out
	anyVersion        bool // not only the newest one counts
	excludes          bool // the column from the answer
	found, matched    bool
}

func (s *singleColumn) reset()         { s.found, s.matched = false, false }
func (s *singleColumn) seesRows() bool { return true }

func (s *singleColumn) judge(_ []byte, c *Cell) answer {
	switch {
	case s.matched:
		return include
	case s.found && !s.anyVersion:
		return answer{step: nextFamily}
	case !c.isNamed(s.family, s.qualifier):
		return include
	}
	s.found = true
	s.matched = s.comparison.holds(c.Value)
	if !s.matched && !s.anyVersion {
		return answer{step: nextFamily}
	}
	return include
}

func (s *singleColumn) rejects() bool {
	if s.found {
		return !s.matched
	}
	return s.wantsColumn
}

func (s *singleColumn) prune(cells []Cell) []Cell {
	if !s.excludes {
		return cells
	}
	return slices.DeleteFunc(cells, func(c Cell) bool { return c.isNamed(s.family, s.qualifier) })
}
