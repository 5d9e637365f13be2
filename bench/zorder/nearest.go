// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/database"
)

// nearName is the index of the two columns of a place.
const nearName = "near"

// nearLimits are the number of rows that are asked for.
var nearLimits = []int{10, 100} // immutable

// nearFigures are the costs of finding the nearest rows of random places.
type nearFigures struct {
	limit, queries  int
	examined, seeks int64
	weft, postgres  []time.Duration
}

// addNearest asks for the rows nearest to random rows' places, and lets PostgreSQL answer the same.
func (r *report) addNearest(ctx context.Context, c *config, w *weftPeer, p *postgresPeer) error {
	first := slices.IndexFunc(r.data.columns, func(c column) bool { return c.name == "lat" || c.name == "latitude" })
	key := fmt.Sprintf("zorder(%s f64, %s f64)", r.data.columns[first].name, r.data.columns[first+1].name)
	if err := w.addIndex(ctx, nearName, key); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(c.Seed, 7))
	points := make([][]float64, c.Queries)
	for i := range points {
		row := r.data.rows[random.IntN(len(r.data.rows))]
		points[i] = []float64{row[first] + random.NormFloat64()/10, row[first+1] + random.NormFloat64()/10}
	}
	for _, limit := range nearLimits {
		f := nearFigures{limit: limit, queries: len(points)}
		var far []float64
		for _, point := range points {
			distance, err := w.nearest(ctx, r.data.columns[first].name, r.data.columns[first+1].name, point, limit, &f)
			if err != nil {
				return err
			}
			far = append(far, distance)
		}
		if p != nil {
			if err := p.nearest(ctx, first, points, far, limit, &f); err != nil {
				return err
			}
		}
		r.nearest = append(r.nearest, f)
	}
	return nil
}

// nearest asks Weft, and returns how far the last row is.
func (w *weftPeer) nearest(ctx context.Context, x, y string, point []float64, limit int, f *nearFigures) (last float64,
	err error) {
	near := &database.Near{Columns: []string{x, y}, To: point}
	begun := time.Now()
	cursor, err := w.table.Query(ctx, database.Query{Index: nearName,
		Where: govalue.Attribute("partition").Equal(partition), Near: near, Fetch: true})
	if err != nil {
		return 0, err
	}
	for n := 0; n < limit && cursor.Next(); n++ {
		item := cursor.Item()
		a, _ := item.Float(x)
		b, _ := item.Float(y)
		last = near.Distance([]float64{a, b})
	}
	f.weft = append(f.weft, time.Since(begun))
	counts := cursor.Counts()
	f.examined += counts.Looked()
	f.seeks += counts.Seeks
	return last, cursor.Close()
}

// nearest asks PostgreSQL, by the operator <-> on a GiST index of cubes of the two columns, and compares how far the
// last row is.
func (p *postgresPeer) nearest(ctx context.Context, first int, points [][]float64, far []float64, limit int,
	f *nearFigures) error {
	var script bytes.Buffer
	fmt.Fprintf(&script, `CREATE TABLE IF NOT EXISTS places AS SELECT v, cube(ARRAY[v[%d], v[%d]]) AS place FROM rows;
CREATE INDEX IF NOT EXISTS places_by_place ON places USING gist (place);
VACUUM ANALYZE places;
`, first+1, first+2)
	for _, point := range points {
		one := fmt.Sprintf("FROM places ORDER BY place <-> cube(ARRAY[%s]) LIMIT %d", list(point), limit)
		fmt.Fprintf(&script, "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT v %s;\n", one)
		fmt.Fprintf(&script, "SELECT json_build_object('far', max(d)) FROM (SELECT place <-> cube(ARRAY[%s]) AS d %s) x;\n", list(point), one)
	}
	output, err := p.ask(ctx, &script)
	if err != nil {
		return err
	}
	answers := json.NewDecoder(bytes.NewReader(output))
	for i := range points {
		var answer []struct {
			Took float64 `json:"Execution Time"` // milliseconds
		}
		var last struct{ Far float64 }
		if err := answers.Decode(&answer); err != nil || len(answer) != 1 {
			return fmt.Errorf("EXPLAIN's answer: %w in %s", err, output)
		}
		if err := answers.Decode(&last); err != nil {
			return err
		}
		f.postgres = append(f.postgres, time.Duration(answer[0].Took*float64(time.Millisecond)))
		if math.Abs(last.Far-far[i]) > 1e-9*(1+last.Far) {
			return fmt.Errorf("the nearest %d of %v reach to %v, of PostgreSQL to %v", limit, points[i], far[i],
				last.Far)
		}
	}
	return nil
}

func (r *report) writeNearest(out io.Writer) {
	fmt.Fprint(out, "\nThe nearest rows of two attributes; PostgreSQL's are those of <-> on a GiST index of cubes. Times are medians in µs:\n\n")
	fmt.Fprint(out, "| wanted | entries examined | seeks | Weft | PostgreSQL |\n|--:|--:|--:|--:|--:|\n")
	for _, f := range r.nearest {
		n := float64(f.queries)
		fmt.Fprintf(out, "| %d | %.0f | %.0f | %.0f | %.0f |\n", f.limit, float64(f.examined)/n, float64(f.seeks)/n,
			float64(middle(f.weft, 0.5))/float64(time.Microsecond),
			float64(middle(f.postgres, 0.5))/float64(time.Microsecond))
	}
}
