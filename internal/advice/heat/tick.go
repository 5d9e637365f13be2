// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat/heatmap"
)

// gapMax is for how many columns without a Tick a column each is made; a longer gap becomes one.
const gapMax = 8

// Tick tells the Map the time, Unix milliseconds: a column whose time is over is closed, and the buckets are cut anew.
func (m *Map) Tick(nowMS int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = nowMS
	width := m.options.ColumnMS
	if m.column == 0 {
		m.column = nowMS - nowMS%width
		return
	}
	if nowMS >= m.column && nowMS < m.column+width || nowMS < m.column { // a clock that was set back waits
		return
	}
	m.close(m.column, m.column+width)
	m.column += width
	if missed := (nowMS - m.column) / width; missed > gapMax {
		m.close(m.column, m.column+missed*width)
		m.column += missed * width
	}
	for nowMS >= m.column+width {
		m.close(m.column, m.column+width)
		m.column += width
	}
}

// close ends a column. The caller holds mu.
func (m *Map) close(from, to int64) {
	a := m.live.Load()
	rows := a.take()
	fine := m.refine(a, &rows)
	if m.before != nil {
		late := m.before.take()
		fine.AddLike(&late)
		m.before = nil
	}
	m.closeObjects(from, to, &fine)
	m.recut(a, &fine)
	m.layers.Add(from, to, fine)
}

// closeObjects gives every object its counts of the column.
func (m *Map) closeObjects(from, to int64, rows *heatmap.Rows) {
	m.dropIdle()
	for id, o := range *m.objects.Load() {
		moment := o.moment()
		moment.From, moment.To = from, to
		moment.Reads, moment.Writes = id.requests(rows)
		o.next(moment)
	}
}

// requests sums up the requests for an object. Buckets never hold keys of two, once they were refined.
func (o Object) requests(rows *heatmap.Rows) (reads, writes float64) {
	first, end := o.Span()
	for i := heatmap.Find(rows.Borders, first); i < len(rows.Borders); i++ {
		if bytes.Compare(rows.Borders[i], end) >= 0 {
			break
		}
		if bytes.Compare(rows.Borders[i], first) >= 0 {
			reads += rows.Values[heatmap.Reads][i]
			writes += rows.Values[heatmap.Writes][i]
		}
	}
	return reads, writes
}

// recut makes the axis of the next column: the borders of the last, fewer where it has been cold for long.
func (m *Map) recut(old *axis, fine *heatmap.Rows) {
	warm := heatmap.NewRows(old.borders)
	copy(warm.Values[heatmap.Reads], m.warmth)
	next := heatmap.NewRows(slices.Clone(fine.Borders))
	next.AddShared(&warm)
	for i := range next.Borders {
		next.Values[heatmap.Reads][i] = next.Values[heatmap.Reads][i]/2 + fine.Requests(i)
	}
	next.Compress(m.options.BucketsMax, Same, next.Requests)
	m.warmth = next.Values[heatmap.Reads]
	if slices.EqualFunc(next.Borders, old.borders, bytes.Equal) {
		old.turn(old)
		m.own(old)
		return
	}
	fresh := newAxis(next.Borders)
	old.turn(fresh)
	m.own(fresh)
	m.live.Store(fresh)
	m.before = old
}

// own says of each bucket to whom its keys belong.
func (m *Map) own(a *axis) {
	objects := *m.objects.Load()
	for i := range a.buckets {
		id, ok := ObjectOf(a.borders[i])
		if !ok {
			continue
		}
		if _, end := id.Span(); a.end(i) == nil || bytes.Compare(a.end(i), end) > 0 {
			continue
		}
		a.buckets[i].object.Store(objects[id])
	}
}

// turn begins another column of samples in to, which may be the same axis. The keys of the column before go.
func (a *axis) turn(to *axis) {
	for i := range a.buckets {
		b := &a.buckets[i]
		b.mu.Lock()
		now := b.now
		b.now, b.then = [2]sample{{keys: b.then[read].keys[:0]}, {keys: b.then[write].keys[:0]}}, [2]sample{}
		if a == to {
			b.then = now
		}
		b.mu.Unlock()
		if a == to {
			continue
		}
		for d := range now {
			for _, k := range now[d].weighed() {
				target := &to.buckets[to.find(k.key)]
				target.then[d].offer(k.key, k.weight, target.samplesMax)
			}
		}
	}
}
