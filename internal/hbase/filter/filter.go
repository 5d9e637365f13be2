// SPDX-License-Identifier: Apache-2.0

// Package filter is HBase's filter language: which rows and cells of a read are returned.
//
// A filter answers for each cell whether it is included and how far the read may go on from it, and lists of filters
// join these answers; that order of questions is HBase's, because filters that count (ColumnPaginationFilter,
// PageFilter, FirstKeyOnlyFilter) give other answers in another. What differs: PageFilter counts the rows of the whole
// read, not of each region; ColumnCountGetFilter is for each row; the filters and comparators that only HBase's Java
// API has are part of the language; FuzzyRowFilter wants keys at least as long as its pattern; patterns are those of
// package regexp, without references back and without looking around.
//
// Knows: the language, filters, comparators, the row keys that a filter can match.
// Never: tables, storage, protocols.
package filter

import "bytes"

// Cell is one version of one column of a row.
type Cell struct {
	Family, Qualifier, Value []byte
	AtMS                     int64
}

// Filter is a parsed filter. It is immutable.
type Filter interface {
	// Begin starts a run over the rows of one read.
	Begin(Read) Run
	// Spans bounds the keys of rows that can match in a read of that direction, in the order of the keys. None is that
	// no row can.
	Spans(reversed bool) []Span
	// String writes the filter in the language.
	String() string
	// AppendShape writes it without arguments.
	AppendShape(dst []byte) []byte
}

// Read describes a read to a filter.
type Read struct {
	Reversed bool
	Versions int // of each column that are kept, at most; 0: all that the filter keeps
	// Random returns a number from 0 up to 1, for RandomRowFilter. Default: that filter includes no row.
	Random func() float64
	Window
}

// Window is a part of the cells of each family of a row, in their order.
type Window struct {
	Offset int // so many cells are not kept
	Limit  int // so many after them are; 0: all
}

// Judge returns of the n-th cell of a family whether it is kept and whether others may follow.
func (w *Window) Judge(n int) (in, more bool) {
	return n > w.Offset, w.Limit == 0 || n < w.Offset+w.Limit
}

// Run is a filter with what it remembers from row to row of one read.
type Run interface {
	// Skips reports whether a row is left out because of its key. It is asked of each row, before Cells.
	Skips(row []byte) bool
	// Cells returns the cells of a row that are kept, of all that the read asks for, by family, qualifier and time,
	// newest first. These are all versions that the family keeps: a filter chooses among them before Read.Versions
	// counts. The answer stands in the slice that is handed over.
	Cells(row []byte, cells []Cell) []Cell
	// IsDone reports whether no later row is returned.
	IsDone() bool
}

type filter struct{ node }

func (f filter) Begin(r Read) Run {
	return &run{state: f.begin(r), read: r}
}

func (f filter) Spans(reversed bool) []Span { return f.spans(reversed) }

func (f filter) String() string { return string(f.print(nil, true)) }

func (f filter) AppendShape(dst []byte) []byte { return f.print(dst, false) }

type run struct {
	state state
	read  Read
}

func (r *run) IsDone() bool { return r.state.isDone() }

func (r *run) Skips(row []byte) bool {
	if !r.state.isDone() && !r.state.skips(row) {
		return false
	}
	r.state.reset()
	return true
}

func (r *run) Cells(row []byte, cells []Cell) []Cell {
	defer r.state.reset()
	kept := r.choose(row, cells)
	if len(kept) == 0 {
		return nil
	}
	if r.state.seesRows() {
		if kept = r.state.prune(kept); len(kept) == 0 {
			return nil
		}
	}
	if r.state.rejects() {
		return nil
	}
	return kept
}

// choose returns the cells that are included.
func (r *run) choose(row []byte, cells []Cell) []Cell {
	kept := cells[:0]
	versions, included := 0, 0
	for i := 0; i < len(cells) && !r.state.isDone(); {
		c := cells[i]
		answer := r.state.judge(row, &c)
		if i == 0 || !c.isOf(&cells[i-1]) {
			versions = 0
		}
		if i == 0 || !bytes.Equal(c.Family, cells[i-1].Family) {
			included = 0
		}
		i++
		var t target
		if answer.step == seek {
			t = r.state.seek(row, &c)
		}
		if answer.in {
			r.state.change(&c)
			included++
			in, more := r.read.Judge(included)
			if in {
				kept = append(kept, c)
			}
			if versions++; versions == r.read.Versions {
				answer.step = max(answer.step, nextColumn)
			}
			if !more {
				answer.step = nextFamily
			}
		}
		for i < len(cells) && answer.step.passes(&c, &cells[i], t) {
			i++
		}
	}
	return kept
}

func (c *Cell) isOf(other *Cell) bool {
	return bytes.Equal(c.Qualifier, other.Qualifier) && bytes.Equal(c.Family, other.Family)
}

func (c *Cell) isNamed(family, qualifier []byte) bool {
	return bytes.Equal(c.Qualifier, qualifier) && bytes.Equal(c.Family, family)
}

// passes reports whether a read that goes this step on from a cell passes the one after it.
func (s step) passes(from, to *Cell, t target) bool {
	switch s {
	case nextColumn:
		return from.isOf(to)
	case nextFamily:
		return bytes.Equal(from.Family, to.Family)
	case seek:
		return bytes.Equal(from.Family, to.Family) && t.isBehind(to)
	}
	return false
}
