// SPDX-License-Identifier: Apache-2.0

package heatmap

import (
	"bytes"
	"math"
)

// Matrix is a picture of a stretch of time and keys: a cell for each column and each row.
type Matrix struct {
	Times   []int64     // when each column begins, and when the last one ends: one more than there are columns
	Borders [][]byte    // the first key of each row
	End     []byte      // where the last row ends; nil: nowhere
	Cells   [][]float64 // by column, then row: counts per minute
	Max     float64     // the largest cell
}

// Draw makes a picture of columns, which follow each other in time, of the keys from low to high (nil: the last key),
// with at most rowsMax rows. A count of a bucket that others draw finer is shared out evenly.
func Draw(columns []Column, m Measure, low, high []byte, rowsMax int, same Same) Matrix {
	lists := make([][][]byte, 0, len(columns)+1)
	lists = append(lists, [][]byte{low})
	for i := range columns {
		lists = append(lists, within(columns[i].Rows.Borders, low, high))
	}
	sum := NewRows(Union(lists...))
	for i := range columns {
		part := clip(&columns[i].Rows, low, high)
		sum.AddShared(&part)
	}
	sum.Compress(rowsMax, same, sum.Requests)
	matrix := Matrix{Borders: sum.Borders, End: high}
	for i := range columns {
		matrix.add(&columns[i], m, low, high)
	}
	if len(columns) > 0 {
		matrix.Times = append(matrix.Times, columns[len(columns)-1].To)
	}
	return matrix
}

func (x *Matrix) add(c *Column, m Measure, low, high []byte) {
	row := NewRows(x.Borders)
	part := clip(&c.Rows, low, high)
	row.AddShared(&part)
	minutes := max(float64(c.To-c.From)/60_000, 1.0/60)
	cells := row.Values[max(m, 0)]
	for i := range cells {
		if m == Entries {
			cells[i] = row.Requests(i)
		}
		cells[i] /= minutes
		x.Max = max(x.Max, cells[i])
	}
	x.Times = append(x.Times, c.From)
	x.Cells = append(x.Cells, cells)
}

// within returns the borders after low and before high.
func within(borders [][]byte, low, high []byte) [][]byte {
	first := 0
	for first < len(borders) && bytes.Compare(borders[first], low) <= 0 {
		first++
	}
	end := len(borders)
	for high != nil && end > first && bytes.Compare(borders[end-1], high) >= 0 {
		end--
	}
	return borders[first:end]
}

// clip cuts a column to the keys from low to high. Buckets that reach beyond are counted whole.
func clip(r *Rows, low, high []byte) Rows {
	first := Find(r.Borders, low)
	end := len(r.Borders)
	for high != nil && end > first+1 && bytes.Compare(r.Borders[end-1], high) >= 0 {
		end--
	}
	part := Rows{Borders: append([][]byte{low}, r.Borders[first+1:end]...)}
	for m := range r.Values {
		part.Values[m] = r.Values[m][first:end]
	}
	return part
}

// Code writes the cells, column by column, as one byte each: 0 is nothing, 255 the largest, between them logarithms.
func (x *Matrix) Code() []byte {
	code := make([]byte, 0, len(x.Cells)*len(x.Borders))
	scale := math.Log1p(x.Max)
	for _, cells := range x.Cells {
		for _, v := range cells {
			one := byte(0)
			if v > 0 {
				one = byte(max(1, min(255, math.Round(255*math.Log1p(v)/scale))))
			}
			code = append(code, one)
		}
	}
	return code
}
