// SPDX-License-Identifier: Apache-2.0

package heatmap

import "slices"

// BucketsMax is the most buckets of a column.
const BucketsMax = 1024

// BytesMax is the memory limit of all columns together. Where keys are so long and so different that 1,024 buckets in
// each column would take more, the largest columns get by with half.
const BytesMax = 19 << 20

// ring is one layer: how many columns it holds, and how many of the layer before become one of it.
type ring struct{ columns, ratio int }

// rings are 60 columns of a minute, 210 of 2, 160 of 6, 288 of 30 minutes and 168 of 4 hours: 886 columns, five weeks.
// immutable
var rings = [...]ring{{60, 1}, {210, 2}, {160, 3}, {288, 5}, {168, 8}}

// ColumnsMax is the most columns there are.
const ColumnsMax = 886

// Layers are the columns. Use one from one goroutine at a time. The zero value is empty and lets all buckets merge; see
// New.
type Layers struct {
	same    Same
	columns [len(rings)][]column // oldest first
	bytes   int
}

// New returns empty layers whose buckets merge as same says.
func New(same Same) *Layers { return &Layers{same: same} }

// Add appends the youngest column. r is the caller's no more.
func (l *Layers) Add(from, to int64, r Rows) {
	r.Compress(BucketsMax, l.same, r.Requests)
	l.push(0, pack(from, to, &r))
	for l.bytes > BytesMax && l.halve() {
	}
}

// push appends a column to a layer, and moves the oldest on when there are too many.
func (l *Layers) push(level int, c column) {
	if list := l.columns[level]; len(list) > 0 && list[len(list)-1].borders == c.borders {
		c.borders = list[len(list)-1].borders // one string for both
	}
	l.columns[level] = append(l.columns[level], c)
	l.bytes += c.bytes()
	if len(l.columns[level]) <= rings[level].columns {
		return
	}
	if level+1 == len(rings) {
		l.drop(level, 1)
		return
	}
	ratio := rings[level+1].ratio
	oldest := l.columns[level][:ratio]
	merged := make([]Rows, ratio)
	for i := range oldest {
		merged[i] = oldest[i].rows()
	}
	r := Merge(merged)
	r.Compress(BucketsMax, l.same, r.Requests)
	next := pack(oldest[0].from, oldest[ratio-1].to, &r)
	l.drop(level, ratio)
	l.push(level+1, next)
}

func (l *Layers) drop(level, count int) {
	for i := range count {
		l.bytes -= l.columns[level][i].bytes()
	}
	l.columns[level] = slices.Delete(l.columns[level], 0, count)
}

// halve makes the largest column smaller; it reports whether there was one to make smaller.
func (l *Layers) halve() bool {
	var largest *column
	for level := range l.columns {
		for i := range l.columns[level] {
			if c := &l.columns[level][i]; c.count > 1 && (largest == nil || c.bytes() > largest.bytes()) {
				largest = c
			}
		}
	}
	if largest == nil {
		return false
	}
	r := largest.rows()
	r.Compress(len(r.Borders)/2, l.same, r.Requests)
	l.bytes -= largest.bytes()
	*largest = pack(largest.from, largest.to, &r)
	l.bytes += largest.bytes()
	return true
}

// Bytes is the memory of the columns.
func (l *Layers) Bytes() int { return l.bytes }

// Len is the number of columns.
func (l *Layers) Len() int {
	n := 0
	for _, list := range l.columns {
		n += len(list)
	}
	return n
}

// Column is one unpacked column with its times in Unix milliseconds.
type Column struct {
	From, To int64
	Rows     Rows
}

// Between unpacks the columns that overlap a stretch of time, oldest first.
func (l *Layers) Between(from, to int64) []Column {
	var found []Column
	for level := len(l.columns) - 1; level >= 0; level-- {
		for i := range l.columns[level] {
			if c := &l.columns[level][i]; c.to > from && c.from < to {
				found = append(found, Column{c.from, c.to, c.rows()})
			}
		}
	}
	return found
}
