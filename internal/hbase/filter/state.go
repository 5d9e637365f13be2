// SPDX-License-Identifier: Apache-2.0

package filter

import "bytes"

// answer is a filter's decision on a cell: whether it is included, and where the read goes on.
type answer struct {
	in   bool
	step step
}

// step is the distance by which a read moves on from a cell, in rising order.
type step uint8

const (
	nextCell step = iota
	nextColumn
	nextFamily // of the same row
	seek       // to a target
)

var include = answer{in: true} // immutable

// target is the first column of a family that a filter can include; beyond all of them if row is set. Without either
// there is none.
type target struct {
	row       bool
	qualifier []byte
}

func (t target) isSet() bool { return t.row || t.qualifier != nil }

// isBehind reports whether the target stands behind a cell of its family.
func (t target) isBehind(c *Cell) bool { return t.row || bytes.Compare(c.Qualifier, t.qualifier) < 0 }

// isBefore orders targets.
func (t target) isBefore(other target) bool {
	return !t.row && (other.row || bytes.Compare(t.qualifier, other.qualifier) < 0)
}

// state is a filter during a read. For each row skips is asked, unless the filter is done or stands in another that
// does not pass the question on; then judge for the cells, prune and rejects if any was included, and reset.
type state interface {
	reset()
	skips(row []byte) bool            // because of its key
	judge(row []byte, c *Cell) answer // of a cell
	seek(row []byte, c *Cell) target  // after judge said so
	seeks() bool                      // whether judge may say so and remembers nothing
	change(*Cell)                     // of an included cell
	seesRows() bool                   // whether prune is asked
	prune([]Cell) []Cell              // of the included cells
	rejects() bool                    // the row with its included cells
	isDone() bool                     // nothing further is included
}

// plain is a state that remembers nothing and includes everything.
type plain struct{}

func (plain) reset()                     {}
func (plain) skips([]byte) bool          { return false }
func (plain) judge([]byte, *Cell) answer { return include }
func (plain) seek([]byte, *Cell) target  { return target{} }
func (plain) seeks() bool                { return false }
func (plain) change(*Cell)               {}
func (plain) seesRows() bool             { return false }
func (plain) prune(cells []Cell) []Cell  { return cells }
func (plain) rejects() bool              { return false }
func (plain) isDone() bool               { return false }

// wrapper is the common part of SKIP and WHILE. As in HBase they do not seek, and pass neither prune nor, for SKIP,
// keys on.
type wrapper struct {
	plain
	inner state
}

func (w *wrapper) change(c *Cell) { w.inner.change(c) }
func (w *wrapper) seesRows() bool { return true }

// skipState leaves out rows of which a cell is not included.
type skipState struct {
	wrapper
	failed bool
}

func (s *skipState) reset()        { s.inner.reset(); s.failed = false }
func (s *skipState) rejects() bool { return s.failed }

func (s *skipState) judge(row []byte, c *Cell) answer {
	a := s.inner.judge(row, c)
	s.failed = s.failed || a != include
	return a
}

// whileState ends the read at the first row or cell that is not included.
type whileState struct {
	wrapper
	failed bool
}

func (s *whileState) reset()       { s.inner.reset() }
func (s *whileState) isDone() bool { return s.failed || s.inner.isDone() }

func (s *whileState) fail(is bool) bool {
	s.failed = s.failed || is
	return is
}

func (s *whileState) skips(row []byte) bool { return s.isDone() || s.fail(s.inner.skips(row)) }
func (s *whileState) rejects() bool         { return s.fail(s.inner.rejects()) }

func (s *whileState) judge(row []byte, c *Cell) answer {
	a := s.inner.judge(row, c)
	s.fail(a != include)
	return a
}
