// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/relational"
)

// sortedRows are the rows of a walk whose path has another order than was asked for, such as a few whole keys: they are read and sorted.
type sortedRows struct {
	rows [][]datum.Datum
	seen int
	size int // of the rows that are handed on
}

// sorted reads a walk whole. The rows have the columns of the order behind those that were asked for.
func sorted(walk *scan, bytesMax int) (relational.Rows, error) {
	l := walk.lookup
	s := &sortedRows{size: len(l.positions) - len(l.order)}
	bytes := 0
	for {
		row, err := walk.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(err, walk.Close())
		}
		kept := make([]datum.Datum, len(row))
		for i := range row {
			kept[i] = row[i].Clone()
			bytes += rowOverheadBytes
			if kind := kept[i].Kind(); kind == datum.KindText || kind == datum.KindBinary || kind == datum.KindJSON {
				bytes += len(kept[i].Bytes())
			}
		}
		if bytes > bytesMax {
			return nil, errors.Join(fault.New(fault.OutOfMemory, fmt.Sprintf("The rows that are sorted exceed sort_buffer_size, %d bytes; narrow the condition, or raise sort_buffer_size", bytesMax)),
				walk.Close())
		}
		s.rows = append(s.rows, kept)
	}
	slices.SortStableFunc(s.rows, func(a, b []datum.Datum) int {
		for i, by := range l.order {
			c := datum.Order(a[s.size+i], b[s.size+i])
			if by.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	return s, walk.Close()
}

// Next returns the next row.
func (s *sortedRows) Next() ([]datum.Datum, error) {
	if s.seen == len(s.rows) {
		return nil, io.EOF
	}
	s.seen++
	return s.rows[s.seen-1][:s.size], nil
}

// Close forgets the rows.
func (s *sortedRows) Close() error {
	s.rows, s.seen = nil, 0
	return nil
}
