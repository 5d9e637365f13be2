// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase/filter"
)

// Get reads a row. A missing one has no Cells.
func (a *API) Get(ctx context.Context, name TableName, get *Get) (result Result, err error) {
	count := a.begin(ctx, "Get", name, &get.Selection)
	count.row = get.Row
	defer count.end(&err)
	p, t, err := a.pinFor(ctx, "Get", name)
	if err != nil {
		return Result{}, err
	}
	defer p.Release()
	if err := a.authorize(ctx, "Get", p, part{rows: [][]byte{get.Row}, columns: get.Columns, read: true}); err != nil {
		return Result{}, err
	}
	result, err = read(ctx, p, t, get)
	if err == nil {
		count.read(1, []Result{result})
	}
	return result, err
}

// GetMultiple reads several rows, in the order of the requests.
func (a *API) GetMultiple(ctx context.Context, name TableName, gets []*Get) (results []Result, err error) {
	count := a.begin(ctx, "Get", name, nil)
	defer count.end(&err)
	if len(gets) > 0 {
		// clients ask for the same of all
		count.selection, count.row, count.rows = &gets[0].Selection, gets[0].Row, len(gets)
	}
	p, t, err := a.pinFor(ctx, "Get", name)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	for _, get := range gets {
		if err := a.authorize(ctx, "Get", p, part{rows: [][]byte{get.Row}, columns: get.Columns,
			read: true}); err != nil {
			return nil, err
		}
	}
	if results, err = readAll(ctx, p, t, gets); err != nil {
		return nil, err
	}
	count.read(int64(len(gets)), results)
	return results, nil
}

func read(ctx context.Context, p database.Pinned, t *Table, get *Get) (Result, error) {
	key, err := get.key(p, t)
	if err != nil {
		return Result{}, err
	}
	stored, nowMS, ok, err := p.GetStored(ctx, key)
	if err != nil || !ok {
		return Result{}, faultOf(err)
	}
	return get.result(p, t, stored, nowMS)
}

// readAll reads rows together.
func readAll(ctx context.Context, p database.Pinned, t *Table, gets []*Get) (results []Result, err error) {
	results, keys := make([]Result, len(gets)), make([]value.Row, len(gets))
	for i, get := range gets {
		if keys[i], err = get.key(p, t); err != nil {
			return nil, err
		}
	}
	err = p.GetStoredAll(ctx, keys, func(i int, stored value.Row, nowMS int64) error {
		if stored == nil {
			return nil
		}
		var err error
		results[i], err = gets[i].result(p, t, slices.Clone(stored), nowMS)
		return err
	})
	return results, faultOf(err)
}

// key checks a Get and returns the key of its row.
func (get *Get) key(p database.Pinned, t *Table) (value.Row, error) {
	if err := get.check(t); err != nil {
		return nil, err
	}
	return keyOf(p, get.Row)
}

// result returns the part of a stored row that a Get wants; it aliases the row.
func (get *Get) result(p database.Pinned, t *Table, stored value.Row, nowMS int64) (Result, error) {
	run := filter.Run(nil)
	if get.Filter != nil {
		if run = get.begin(false); run.Skips(get.Row) {
			return Result{}, nil
		}
	}
	cells, err := get.cells(nil, p, t, get.Row, stored, nowMS, run)
	if err != nil || len(cells) == 0 {
		return Result{}, err
	}
	return Result{Row: get.Row, Cells: cells}, nil
}

func (s *Selection) check(t *Table) error {
	if s.Versions < 0 {
		return Illegal("maxVersions must be positive")
	}
	for _, r := range s.FamilyTimes {
		if err := r.check(); err != nil {
			return err
		}
	}
	return errors.Join(s.Times.check(), t.hasFamilies(s.Columns...))
}

func (r TimeRange) check() error {
	if r.FromMS < 0 || r.ToMS < 0 || r.ToMS != 0 && r.ToMS < r.FromMS {
		return Illegal("Timestamp cannot be negative, and a time range must not end before it begins")
	}
	return nil
}

// timesOf is the range of times that is wanted of a family.
func (s *Selection) timesOf(family []byte) TimeRange {
	if own, ok := s.FamilyTimes[string(family)]; ok {
		return own
	}
	return s.Times
}

// begin begins a run of the filter.
func (s *Selection) begin(reversed bool) filter.Run {
	return s.Filter.Begin(filter.Read{Reversed: reversed, Versions: max(s.Versions, 1), Random: rand.Float64,
		Window: s.Window})
}

// Add adds a wanted column. Of a column and the whole of its family the later one counts, as in HBase.
func (s *Selection) Add(c Column) {
	s.Columns = append(slices.DeleteFunc(s.Columns, func(other Column) bool {
		return bytes.Equal(other.Family, c.Family) && (c.Whole || other.Whole)
	}), c)
}

// wants reports whether a column is among the wanted ones.
func (s *Selection) wants(family, qualifier []byte) bool {
	return len(s.Columns) == 0 || slices.ContainsFunc(s.Columns, func(c Column) bool {
		return bytes.Equal(c.Family, family) && (c.Whole || bytes.Equal(c.Qualifier, qualifier))
	})
}

// cells returns the wanted cells of a stored row, which they alias, behind what is in room. A filter sees all versions
// that the family keeps, and counts those that it keeps.
func (s *Selection) cells(room []filter.Cell, p database.Pinned, t *Table, row []byte, stored value.Row, nowMS int64,
	run filter.Run) ([]filter.Cell, error) {
	cells := room[len(room):]
	var last []byte
	count, most := 0, max(s.Versions, 1)
	if run != nil {
		most = math.MaxInt
	}
	err := p.CellsOf(stored, nowMS, func(name []byte, v *cell.Version) bool {
		if !bytes.Equal(name, last) || last == nil {
			last, count = name, 0
		}
		family, qualifier, ok := cutName(name)
		if !ok || !s.timesOf(family).contains(v.AtMS) || count >= most || !s.wants(family, qualifier) {
			return true
		}
		if f, ok := t.family(family); !ok || count >= f.Versions {
			return true
		}
		count++
		cells = append(cells, filter.Cell{Family: family, Qualifier: qualifier, Value: v.Value.Bytes(), AtMS: v.AtMS})
		return true
	})
	if err != nil {
		return nil, faultOf(err)
	}
	// names are in the order of their bytes, in which a colon is more than some letters of families
	if len(t.Families) > 1 {
		slices.SortStableFunc(cells, func(a, b filter.Cell) int { return bytes.Compare(a.Family, b.Family) })
	}
	if run != nil {
		return run.Cells(row, cells), nil
	}
	return s.limit(cells), nil
}

// limit keeps the cells of each family that are in the window.
func (s *Selection) limit(cells []filter.Cell) []filter.Cell {
	if s.Window == (filter.Window{}) {
		return cells
	}
	kept, n, isOver := cells[:0], 0, false
	var last []byte
	for i, c := range cells {
		if i == 0 || !bytes.Equal(c.Family, last) {
			last, n, isOver = c.Family, 0, false
		}
		if isOver {
			continue
		}
		n++
		in, more := s.Judge(n)
		if isOver = !more; in {
			kept = append(kept, c)
		}
	}
	return kept
}
