// SPDX-License-Identifier: Apache-2.0

// Package survey gathers what the advisor judges: the shape of a table and its indexes, a sample of its rows, and the
// queries that a database was asked. It only reads.
//
// Knows: package database's schemas, walks and rows; the advisor's design.
// Never: rules, costs, protocols.
package survey

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// The sample is a run of rows from each of many places, evenly over the table.
const (
	samplePlaces = 128
	sampleRun    = 128
	sampleBytes  = 32 << 20 // of all rows; a place gets its share
)

// Queries keeps the shapes of the queries that each table was asked, in bounded memory. It is safe for concurrent use.
// Make one with NewQueries.
type Queries struct {
	since time.Time
	mu    sync.Mutex
	logs  map[string]*log
}

// NewQueries is empty, and counts from now.
func NewQueries() *Queries {
	// lint:clock rates are per second of the clock on the wall
	return &Queries{since: time.Now(), logs: map[string]*log{}}
}

// log is the log of one table.
type log struct {
	*design.Log
	seen atomic.Int64 // queries
	// queries by the index that they walked; the map is replaced when an index is new
	uses atomic.Pointer[map[string]*atomic.Int64]
}

// tablesMax is of how many tables queries are kept; those of others are not.
const tablesMax = 1000

// The first observeAll queries of a table are looked at, and of further ones a random one of observeEvery: looking
// takes some microseconds.
const (
	observeAll   = 2000
	observeEvery = 8
)

// Observe counts a walk that has ended. Set weft.Options.Walked to it.
func (q *Queries) Observe(w *database.Walk) {
	l := q.log(qualified(w.Database, w.Table), true)
	if l == nil {
		return
	}
	l.use(w.Index)
	times := 1
	if l.seen.Add(1) > observeAll {
		if times = observeEvery; rand.IntN(times) > 0 {
			return
		}
	}
	shape := shapeOf(w)
	l.Observe(time.Now(), &shape, float64(times)) // lint:clock as in NewQueries
}

// qualified names a table as Of takes it.
func qualified(dbName, table string) string {
	if dbName == database.DefaultDatabase || dbName == "" {
		return table
	}
	return dbName + "." + table
}

// indexesMax bounds the indexes of one table, under all the names that they have had, whose queries are counted.
const indexesMax = 1000

// use counts a query of an index.
func (l *log) use(index string) {
	for {
		uses := l.uses.Load()
		if uses != nil {
			if n := (*uses)[index]; n != nil {
				n.Add(1)
				return
			}
			if len(*uses) >= indexesMax {
				return
			}
		}
		next := map[string]*atomic.Int64{index: new(atomic.Int64)}
		if uses != nil {
			maps.Copy(next, *uses)
		}
		l.uses.CompareAndSwap(uses, &next)
	}
}

// queriesOf is the number of queries walked the index; "" is the table.
func (l *log) queriesOf(index string) float64 {
	if uses := l.uses.Load(); uses != nil && (*uses)[index] != nil {
		return float64((*uses)[index].Load())
	}
	return 0
}

func (q *Queries) log(table string, make bool) *log {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.logs[table]
	if l == nil && make && len(q.logs) < tablesMax {
		l = &log{Log: design.NewLog(design.LogOptions{})}
		q.logs[table] = l
	}
	return l
}

// Describe adds to a design what its table was asked: the queries with their rates, the most frequent first, and how
// often each index was walked.
func (q *Queries) Describe(d *design.Design) {
	now := time.Now() // lint:clock as in NewQueries
	d.Observed = now.Sub(q.since)
	l := q.log(d.Table.Name, false)
	if l == nil {
		return
	}
	d.Shapes, _ = l.Snapshot(now)
	d.Table.Queries = l.queriesOf("")
	for i := range d.Table.Indexes {
		d.Table.Indexes[i].Queries = l.queriesOf(d.Table.Indexes[i].Name)
	}
	for i := range d.Table.Searches {
		d.Table.Searches[i].Queries = l.queriesOf(d.Table.Searches[i].Name)
	}
}

// Tables lists the tables of all databases as Of takes them.
func Tables(db *database.DB) (names []string) {
	for _, database := range db.Databases() {
		for _, name := range db.Tables(database, "", math.MaxInt) {
			names = append(names, qualified(database, name))
		}
	}
	return names
}

// Of describes a table: its keys and indexes, their sizes, and a sample of its rows. A table of another database than
// the default one is named database.table. Errors: those of reading.
func Of(ctx context.Context, db *database.DB, table string) (*design.Design, error) {
	pin, err := db.PinIn("", table)
	if dbName, name, ok := strings.Cut(table, "."); ok && database.KindOf(err) == database.KindNotFound {
		pin, err = db.PinIn(dbName, name)
	}
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

func tableOf(ctx context.Context, pin database.Pinned) (t design.Table, err error) {
	descriptor := pin.Descriptor()
	size, err := pin.Estimate(ctx, "")
	if err != nil {
		return t, err
	}
	t = design.Table{Name: qualified(descriptor.Database, descriptor.Name), Types: map[string]string{},
		Items: float64(size.Rows), Bytes: float64(size.Bytes)}
	t.SQL = descriptor.Dialect["sql"] != nil && descriptor.Dialect["dynamodb"] == nil
	t.Hashed = len(descriptor.Primary.Key) > 0 && descriptor.Primary.Key[0].Hidden
	t.Key = keyOf(&descriptor.Primary, t.Types)
	for x := range descriptor.Declared() {
		one := design.Index{Name: x.Name, Local: x.Local, Nulls: x.KeepNulls, Key: keyOf(x, t.Types),
			Projection: projectionOf(x.Projection)}
		if x.CreatedAtMS > 0 {
			one.Age = time.Since(time.UnixMilli(x.CreatedAtMS)) // lint:clock as in NewQueries
		}
		if x.State.Readable() {
			size, err := pin.Estimate(ctx, x.Name)
			if err != nil {
				return t, err
			}
			one.Items, one.Bytes = float64(size.Rows), float64(size.Bytes)
		}
		t.Indexes = append(t.Indexes, one)
	}
	for x := range descriptor.Searches() {
		one := design.Index{Name: x.Name, Items: t.Items}
		for i := range x.Key {
			one.Key = append(one.Key, x.Key[i].Name)
		}
		if x.CreatedAtMS > 0 {
			one.Age = time.Since(time.UnixMilli(x.CreatedAtMS)) // lint:clock as in NewQueries
		}
		t.Searches = append(t.Searches, one)
	}
	return t, nil
}

func keyOf(x *schema.Index, types map[string]string) (key design.Key) {
	visible := x.Stated()
	for i := range visible {
		key = append(key, visible[i].Name)
		switch visible[i].Type {
		case schema.String:
			types[visible[i].Name] = "S"
		case schema.Binary:
			types[visible[i].Name] = "B"
		default:
			types[visible[i].Name] = "N"
		}
	}
	return key
}

func projectionOf(p schema.Projection) string {
	switch p {
	case schema.ProjectKeys:
		return "KEYS_ONLY"
	case schema.ProjectInclude:
		return "INCLUDE"
	}
	return "ALL"
}

// sample reads a run of rows from the beginning of each part of the table.
func sample(ctx context.Context, pin database.Pinned) (rows []design.Row, err error) {
	for place := range samplePlaces {
		cursor, err := pin.Query(ctx, database.Query{Segment: place, Segments: samplePlaces, ExaminedMax: sampleRun,
			BytesMax: sampleBytes / samplePlaces, Quiet: true})
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
