// SPDX-License-Identifier: Apache-2.0

// Package survey gathers what the advisor judges: the shape of a table and its indexes, a sample of its rows, and the queries that a
// database was asked. It only reads.
//
// Knows: package weft's schemas, walks and rows; the advisor's design.
// Never: rules, costs, protocols.
package survey

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/advisor/design"
)

// The sample is a run of rows from each of many places, evenly over the table.
const (
	samplePlaces = 128
	sampleRun    = 128
	sampleBytes  = 32 << 20 // of all rows; a place gets its share
)

// Queries keeps the shapes of the queries that each table was asked, in bounded memory. It is safe for concurrent use.
type Queries struct {
	mu   sync.Mutex
	logs map[string]*log
}

// log is that of one table.
type log struct {
	*design.Log
	seen atomic.Int64 // queries
}

// tablesMax is of how many tables queries are kept; those of others are not.
const tablesMax = 1000

// The first observeAll queries of a table are looked at, and of further ones a random one of observeEvery: looking takes some microseconds.
const (
	observeAll   = 2000
	observeEvery = 8
)

// Observe counts a walk that has ended: it is what to give weft.Options.Walked.
func (q *Queries) Observe(w *weft.Walk) {
	l := q.log(w.Table, true)
	if l == nil {
		return
	}
	times := 1
	if l.seen.Add(1) > observeAll {
		if times = observeEvery; rand.IntN(times) > 0 {
			return
		}
	}
	shape := shapeOf(w)
	l.Observe(time.Now(), &shape, float64(times)) // lint:clock rates are per second of the clock on the wall
}

func (q *Queries) log(table string, make bool) *log {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.logs[table]
	if l == nil && make && len(q.logs) < tablesMax {
		l = &log{Log: design.NewLog(design.LogOptions{})}
		if q.logs == nil {
			q.logs = map[string]*log{}
		}
		q.logs[table] = l
	}
	return l
}

// Shapes returns the queries of a table with their rates, the most frequent first; none if it was not asked any.
func (q *Queries) Shapes(table string) []design.Shape {
	l := q.log(table, false)
	if l == nil {
		return nil
	}
	shapes, _ := l.Snapshot(time.Now()) // lint:clock as in Observe
	return shapes
}

// Of describes a table: its keys and indexes, their sizes, and a sample of its rows. Errors: those of reading.
func Of(ctx context.Context, db *weft.DB, table string) (*design.Design, error) {
	pin, err := db.Pin(table)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	d := &design.Design{}
	if d.Table, err = tableOf(ctx, pin); err != nil {
		return nil, err
	}
	d.Sample, err = sample(ctx, pin)
	return d, err
}

func tableOf(ctx context.Context, pin weft.Pinned) (t design.Table, err error) {
	descriptor := pin.Descriptor()
	size, err := pin.Estimate(ctx, "")
	if err != nil {
		return t, err
	}
	t = design.Table{Name: descriptor.Name, Types: map[string]string{}, Items: float64(size.Rows), Bytes: float64(size.Bytes)}
	t.Hashed = len(descriptor.Primary.Key) > 0 && descriptor.Primary.Key[0].Hidden
	t.Key = keyOf(&descriptor.Primary, t.Types)
	for x := range descriptor.Declared() {
		one := design.Index{Name: x.Name, Local: x.Local, Key: keyOf(x, t.Types), Projection: projectionOf(x.Projection)}
		if x.State.Readable() {
			size, err := pin.Estimate(ctx, x.Name)
			if err != nil {
				return t, err
			}
			one.Items, one.Bytes = float64(size.Rows), float64(size.Bytes)
		}
		t.Indexes = append(t.Indexes, one)
	}
	return t, nil
}

func keyOf(x *weft.Index, types map[string]string) (key design.Key) {
	visible := x.Visible()
	for i := range visible {
		key = append(key, visible[i].Name)
		switch visible[i].Type {
		case weft.String:
			types[visible[i].Name] = "S"
		case weft.Binary:
			types[visible[i].Name] = "B"
		default:
			types[visible[i].Name] = "N"
		}
	}
	return key
}

func projectionOf(p weft.Projection) string {
	switch p {
	case weft.ProjectKeys:
		return "KEYS_ONLY"
	case weft.ProjectInclude:
		return "INCLUDE"
	}
	return "ALL"
}

// sample reads a run of rows from the beginning of each part of the table.
func sample(ctx context.Context, pin weft.Pinned) (rows []design.Row, err error) {
	for place := range samplePlaces {
		cursor, err := pin.Query(ctx, weft.Query{Segment: place, Segments: samplePlaces, ExaminedMax: sampleRun, BytesMax: sampleBytes / samplePlaces, Quiet: true})
		if err != nil {
			return nil, err
		}
		for cursor.Next() {
			rows = append(rows, rowOf(cursor.Item()))
		}
		if err := cursor.Close(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
