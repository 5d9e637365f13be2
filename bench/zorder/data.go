// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"

	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/internal/testing/weather"
)

// column is one attribute: its name, and its type in the words of a Z-order index.
type column struct{ name, declared string }

// dataset is rows of numbers.
type dataset struct {
	name    string
	columns []column
	rows    [][]float64
	sorted  [][]float64 // the values of each column, ascending
}

func datasetNames() []string { return []string{"cities", "weather"} }

// errEnough ends the reading of a data set.
var errEnough = errors.New("enough rows")

// loadDataset reads up to rowsMax rows, all if that is 0.
func loadDataset(name string, rowsMax int) (*dataset, error) {
	d := &dataset{name: name}
	add := func(values ...float64) error {
		d.rows = append(d.rows, values)
		if len(d.rows) == rowsMax {
			return errEnough
		}
		return nil
	}
	var err error
	switch name {
	case "cities":
		d.columns = []column{{"lat", "f64"}, {"lon", "f64"}, {"population", "u64"}}
		err = cities.Each(func(c cities.City) error {
			lat, lon, err := parseTwo(c.Lat, c.Lon)
			if err != nil {
				return err
			}
			return add(lat, lon, float64(c.Population))
		})
	case "weather":
		d.columns = []column{{"timestamp", "timestamp(s)"}, {"celsius", "f64"}, {"latitude", "f64"},
			{"longitude", "f64"}}
		err = weather.Each(func(w weather.Report) error {
			lat, lon, err := parseTwo(w.Latitude, w.Longitude)
			if err != nil {
				return err
			}
			celsius, err := strconv.ParseFloat(w.Celsius, 64)
			if err != nil {
				return err
			}
			return add(float64(w.Timestamp), celsius, lat, lon)
		})
	default:
		return nil, fmt.Errorf("there is no data set %q", name)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	d.sort()
	return d, nil
}

func parseTwo(a, b string) (x, y float64, err error) {
	x, err = strconv.ParseFloat(a, 64)
	if err == nil {
		y, err = strconv.ParseFloat(b, 64)
	}
	return x, y, err
}

func (d *dataset) sort() {
	for i := range d.columns {
		values := make([]float64, len(d.rows))
		for j, row := range d.rows {
			values[j] = row[i]
		}
		slices.Sort(values)
		d.sorted = append(d.sorted, values)
	}
}

// query is a box: low and high values of each column, both included; infinite where the column is not bound.
type query struct {
	low, high []float64
	found     int64 // rows inside, once somebody has counted them
}

func (q *query) isBound(column int) bool { return !math.IsInf(q.low[column], -1) }

// agree notes how many rows a method has found, and fails if another one has found another number.
func (q *query) agree(method string, found int64) error {
	if q.found >= 0 && q.found != found {
		return fmt.Errorf("%s finds %d rows in %v..%v where others find %d", method, found, q.low, q.high, q.found)
	}
	q.found = found
	return nil
}

// cell is queries of one kind.
type cell struct {
	selectivity float64 // share of the rows inside if the columns were independent
	bound       int     // columns
	of          int
	queries     []query
}

// label says how many columns are bound.
func (c *cell) label() string {
	switch c.bound {
	case c.of:
		return "all"
	case 1:
		return "one"
	}
	return fmt.Sprintf("%d of %d", c.bound, c.of)
}

// cells makes the random queries: for each selectivity with all columns bound, with two, and with one. Each is a window
// around a random row that holds the same share of the values of each bound column; which columns are bound goes round.
func (d *dataset) cells(queries int, seed uint64) []cell {
	random := rand.New(rand.NewPCG(seed, uint64(len(d.columns))))
	var list []cell
	for _, selectivity := range []float64{0.0001, 0.001, 0.01} {
		for _, bound := range []int{len(d.columns), 2, 1} {
			c := cell{selectivity: selectivity, bound: bound, of: len(d.columns)}
			for i := range queries {
				columns := make([]int, bound)
				for k := range columns {
					columns[k] = (i + k) % len(d.columns)
				}
				c.queries = append(c.queries, d.window(random, math.Pow(selectivity, 1/float64(bound)), columns))
			}
			list = append(list, c)
		}
	}
	return list
}

// window is a box around a random row: a share of the values of each of the columns.
func (d *dataset) window(random *rand.Rand, share float64, columns []int) query {
	row := d.rows[random.IntN(len(d.rows))]
	q := query{low: make([]float64, len(d.columns)), high: make([]float64, len(d.columns)), found: -1}
	for i := range d.columns {
		q.low[i], q.high[i] = math.Inf(-1), math.Inf(1)
	}
	half := max(int(share*float64(len(d.rows))/2), 1)
	for _, i := range columns {
		values := d.sorted[i]
		first := sort.SearchFloat64s(values, row[i])
		last := sort.Search(len(values), func(j int) bool { return values[j] > row[i] })
		at := first + random.IntN(last-first)
		q.low[i], q.high[i] = values[max(at-half, 0)], values[min(at+half, len(values)-1)]
	}
	return q
}

// between is the number of rows that have a value of one column inside the query's bounds.
func (d *dataset) between(column int, q *query) int {
	values := d.sorted[column]
	return sort.Search(len(values), func(i int) bool { return values[i] > q.high[column] }) - sort.SearchFloat64s(
		values, q.low[column])
}

// narrowest is the bound column with the fewest rows inside its bounds.
func (d *dataset) narrowest(q *query) int {
	best, least := 0, math.MaxInt
	for i := range d.columns {
		if !q.isBound(i) {
			continue
		}
		if rows := d.between(i, q); rows < least {
			best, least = i, rows
		}
	}
	return best
}
