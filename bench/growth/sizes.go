// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	bulk "github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/internal/testing/testdoc"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

const (
	tableName = "rows"
	boxIndex  = "place"
	partition = "all"
	wanted    = 100 // rows of a range and, about, of a box
)

// sizeOperations are the operations measured on tables of growing sizes, in the order of lines.
func sizeOperations() []string { return []string{"get", "range of 100", "box of about 100", "insert"} }

// sized holds the figures of one table.
type sized struct {
	rows    int
	figures []figures // as sizeOperations
}

// measureSizes measures operations on tables of growing sizes, which one client asks.
func measureSizes(ctx context.Context, c *config, out io.Writer) error {
	var all []sized
	for _, rows := range c.Sizes {
		err := embedded(ctx, c, "sizes", func(db *database.DB, store *pebble.Store) error {
			begun := time.Now()
			table, err := fill(ctx, c, db, rows)
			if err == nil {
				err = store.Compact(ctx, kv.Range{})
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(c.Log, "%d rows loaded in %.1f s\n", rows, time.Since(begun).Seconds())
			one, err := measureSize(ctx, c, table, rows)
			all = append(all, one)
			return err
		})
		if err != nil {
			return fmt.Errorf("%d rows: %w", rows, err)
		}
	}
	writeSizes(out, all)
	if c.Plot == "" {
		return nil
	}
	return os.WriteFile(c.Plot, plot(all), 0o644)
}

// place is a row's position: 2 numbers of 32 bits that look random and follow from its id (splitmix64).
func place(id int64) (x, y int64) {
	z := uint64(id) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return int64(z >> 32), int64(z & (1<<32 - 1))
}

// gapBits leave room between the ids of rows that are loaded, for those that are inserted.
const gapBits = 20

// idOf is the id of the ith row that is loaded.
func idOf(i int) int64 { return int64(i) << gapBits }

// fill makes the table and loads its rows as `weft import` loads them.
func fill(ctx context.Context, c *config, db *database.DB, rows int) (*database.Table, error) {
	text, err := database.Part("zorder(x u32 codec=raw, y u32 codec=raw)", schema.Binary)
	if err != nil {
		return nil, err
	}
	index := database.IndexSpec{Name: boxIndex, PartitionParts: 1,
		Key: append(database.Columns("p", schema.String), text)}
	table, err := db.CreateTable(ctx, database.TableSpec{
		Name: tableName, Key: database.Columns("p", schema.String, "id", schema.Number), PartitionParts: 1,
		Indexes: []database.IndexSpec{index},
		Columns: []schema.Column{{Name: "x", Type: schema.Number}, {Name: "y", Type: schema.Number}},
	})
	if err != nil {
		return nil, err
	}
	reader, writer := io.Pipe()
	defer reader.Close()
	go func() {
		w := bufio.NewWriterSize(writer, 1<<20)
		fmt.Fprintln(w, "p,id,x,y,note")
		for i := range rows {
			x, y := place(idOf(i))
			fmt.Fprintf(w, "%s,%d,%d,%d,%s\n", partition, idOf(i), x, y, note)
		}
		writer.CloseWithError(w.Flush()) // the reader is told of no error but its own
	}()
	result, err := bulk.Run(ctx, bulk.Options{DB: db, Table: tableName, Sources: []string{"-"}, Stdin: reader,
		Format: bulk.CSV, Dir: filepath.Join(c.Dir, "load")})
	if err == nil && (!result.Ingested || result.Rows != int64(rows)) {
		err = fmt.Errorf("%d rows were loaded, ingested: %v", result.Rows, result.Ingested)
	}
	return table, err
}

// note is the text that fills each row.
const note = "some fifty bytes of text that are the same anywhere"

// measureSize measures all operations. Inserts come last, for they make the table grow.
func measureSize(ctx context.Context, c *config, table *database.Table, rows int) (sized, error) {
	one, found, boxes := sized{rows: rows}, 0, 0
	random := rand.New(rand.NewPCG(1, uint64(rows)))
	side := int64(math.Sqrt(wanted/float64(rows)) * (1 << 32))
	operations := []func() error{
		func() error {
			return getOne(ctx, table, testdoc.Document{"p": partition, "id": idOf(random.IntN(rows))})
		},
		func() error {
			from := idOf(random.IntN(rows - wanted + 1))
			found, err := count(ctx, table,
				database.Query{Where: govalue.All(govalue.Attribute("p").Equal(partition),
					govalue.Attribute("id").AtLeast(from))}, wanted)
			if err == nil && found != wanted {
				err = fmt.Errorf("a range has %d rows", found)
			}
			return err
		},
		func() error {
			x, y := random.Int64N(1<<32-side+1), random.Int64N(1<<32-side+1)
			n, err := count(ctx, table, database.Query{Index: boxIndex,
				Where: govalue.All(govalue.Attribute("p").Equal(partition),
					govalue.Attribute("x").Between(x, x+side-1), govalue.Attribute("y").Between(y, y+side-1))},
				math.MaxInt)
			found, boxes = found+n, boxes+1
			return err
		},
		func() error {
			id := idOf(random.IntN(rows)) + 1 + random.Int64N(1<<gapBits-1)
			x, y := place(id)
			return testdoc.Put(ctx, table, testdoc.Document{"p": partition, "id": id, "x": x, "y": y, "note": note})
		},
	}
	for i, operation := range operations {
		var taken []loadgen.Result
		for range c.Rounds {
			f, err := measure(ctx, c, 1, func(int) func() error { return operation })
			if err != nil {
				return one, fmt.Errorf("%s: %w", sizeOperations()[i], err)
			}
			taken = append(taken, f)
		}
		one.figures = append(one.figures, median(taken))
	}
	fmt.Fprintf(c.Log, "%.1f rows in a box\n", float64(found)/float64(boxes))
	return one, nil
}

// errAbsent is about a row that must be there.
var errAbsent = errors.New("a row is not there")

func getOne(ctx context.Context, table *database.Table, key testdoc.Document) error {
	_, ok, err := testdoc.Get(ctx, table, key)
	if err == nil && !ok {
		err = errAbsent
	}
	return err
}

// count walks over up to most rows.
func count(ctx context.Context, table *database.Table, q database.Query, most int) (found int, err error) {
	cursor, err := table.Query(ctx, q)
	if err != nil {
		return 0, err
	}
	for found < most && cursor.Next() {
		found++
	}
	return found, cursor.Close()
}

func writeSizes(out io.Writer, all []sized) {
	fmt.Fprint(out, "\n### Rows: µs an operation (CPU µs), embedded, one client\n\n| rows |")
	for _, name := range sizeOperations() {
		fmt.Fprintf(out, " %s |", name)
	}
	fmt.Fprint(out, "\n|--:|--:|--:|--:|--:|\n")
	for _, one := range all {
		fmt.Fprintf(out, "| %d |", one.rows)
		for _, f := range one.figures {
			fmt.Fprintf(out, " %s (%s) |", loadgen.Figure(f.micros), loadgen.Figure(f.cpu))
		}
		fmt.Fprintln(out)
	}
	if len(all) < 2 {
		return
	}
	// Between flat (0) and linear (ten times for ten times as many rows).
	fmt.Fprint(out, "| ten times the rows cost |")
	first, last := all[0], all[len(all)-1]
	for i := range first.figures {
		decades := math.Log10(float64(last.rows) / float64(first.rows))
		times := func(a, b float64) float64 { return math.Pow(b/max(a, 0.01), 1/decades) }
		fmt.Fprintf(out, " × %.2f (× %.2f) |", times(first.figures[i].micros, last.figures[i].micros),
			times(first.figures[i].cpu, last.figures[i].cpu))
	}
	fmt.Fprintln(out)
}
