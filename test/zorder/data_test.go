// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/internal/testing/earthquakes"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/internal/testing/weather"
)

// dataSet is a table of real or realistic rows with Z-order indexes: its rows are kept for a model of what queries
// answer.
type dataSet struct {
	name    string
	numbers []string // attributes that are numbers
	text    string   // an attribute that is a text; "": there is none
	indexes []dataIndex
	each    func(visit func(numbers []string, text string) error) error

	rows   []dataRow
	sorted [][]float64 // the values of each attribute
}

// dataIndex is a Z-order index of all rows, below a partition key that all have alike or alone.
type dataIndex struct {
	name, curve string
	alone       bool
	attributes  []int // in it, of the data set's numbers
	learned     bool
}

type dataRow struct {
	numbers []float64
	text    string
}

// dataSets are filled by load and then only read.
var dataSets = []dataSet{
	{
		name: "cities", numbers: []string{"lat", "lon", "population"}, text: "name",
		indexes: []dataIndex{
			{name: "box", curve: "zorder(lat f64, lon f64, population u64; order=abac(ab)3)",
				attributes: []int{0, 1, 2}, learned: true},
			{name: "linear", curve: "zorder(lat lat:16 codec=raw, lon lon:16 codec=raw)", attributes: []int{0, 1}},
			{name: "named", curve: "zorder(name text codec=quantile, population u64, lat lat)", alone: true,
				attributes: []int{2, 0}, learned: true},
		},
		each: func(visit func([]string, string) error) error {
			return cities.Each(func(c cities.City) error {
				return visit([]string{c.Lat, c.Lon, strconv.FormatInt(c.Population, 10)}, c.Name)
			})
		},
	},
	{
		name: "earthquakes", numbers: []string{"lat", "lon", "depth", "magnitude", "time"},
		indexes: []dataIndex{
			{name: "box", curve: "zorder(time timestamp(ms), magnitude f32, depth f64, lat lat, lon lon)",
				attributes: []int{4, 3, 2, 0, 1}, learned: true},
			{name: "raw", curve: "zorder(magnitude linear(-2,10):10 codec=raw, time timestamp(ms) codec=raw)",
				alone: true, attributes: []int{3, 4}},
		},
		each: func(visit func([]string, string) error) error {
			return earthquakes.Each(func(e earthquakes.Earthquake) error {
				return visit([]string{e.Lat, e.Lon, e.DepthKM, e.Magnitude, strconv.FormatInt(e.TimeMS, 10)}, "")
			})
		},
	},
	{
		name: "weather", numbers: []string{"timestamp", "celsius", "latitude", "longitude"},
		indexes: []dataIndex{
			{name: "box", curve: "zorder(timestamp timestamp(s), celsius f64, latitude f64, longitude f64)",
				attributes: []int{0, 1, 2, 3}, learned: true},
		},
		each: func(visit func([]string, string) error) error {
			return weather.Each(func(r weather.Report) error {
				return visit([]string{strconv.FormatInt(r.Timestamp, 10), r.Celsius, r.Latitude, r.Longitude}, "")
			})
		},
	},
}

// sampling is the number of rows of the real data of which a change loads one; a long run loads them all.
const sampling = 10

// loadBatch is the number of rows one commit holds.
const loadBatch = 1000

// load makes the table and its indexes; those are built on the rows.
func (d *dataSet) load(ctx context.Context, db *database.DB) error {
	table, err := db.CreateTable(ctx, database.TableSpec{Name: d.name, Key: database.Columns("id", schema.Number)})
	if err != nil {
		return err
	}
	if err := d.loadRows(ctx, db, table); err != nil {
		return err
	}
	for _, x := range d.indexes {
		curve, err := database.Part(x.curve, schema.Binary)
		if err != nil {
			return err
		}
		spec := database.IndexSpec{Name: x.name, Key: append(database.Columns("all", schema.String), curve)}
		if x.alone {
			spec.Key = []schema.KeyPart{curve}
		}
		if err := table.AddIndex(ctx, spec); err != nil {
			return err
		}
	}
	d.sorted = make([][]float64, len(d.numbers))
	for i := range d.numbers {
		for j := range d.rows {
			d.sorted[i] = append(d.sorted[i], d.rows[j].numbers[i])
		}
		slices.Sort(d.sorted[i])
	}
	return db.WaitJobs(ctx)
}

func (d *dataSet) loadRows(ctx context.Context, db *database.DB, table *database.Table) error {
	pin, err := table.Pin()
	if err != nil {
		return err
	}
	defer pin.Release()
	var batch []database.TableWrite
	flush := func() error {
		_, err := db.WriteAll(ctx, batch)
		batch = batch[:0]
		return err
	}
	line, every := 0, sampling
	if rounds.Long() {
		every = 1
	}
	err = d.each(func(numbers []string, text string) error {
		if line++; line%every != 0 {
			return nil
		}
		row := dataRow{numbers: make([]float64, len(numbers)), text: text}
		document := testdoc.Document{"id": len(d.rows), "all": "all"}
		for i, number := range numbers {
			var err error
			if row.numbers[i], err = strconv.ParseFloat(number, 64); err != nil {
				return err
			}
			document[d.numbers[i]] = json.Number(number)
		}
		if d.text != "" {
			document[d.text] = text
		}
		d.rows = append(d.rows, row)
		encoded, err := document.AppendRow(nil, pin.Names())
		if err != nil {
			return err
		}
		if batch = append(batch, database.TableWrite{Table: pin,
			Write: database.Write{Op: database.OpPut, Row: encoded}}); len(batch) == loadBatch {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// dataQuery is a condition as an expression and as a function.
type dataQuery struct {
	d       *dataSet
	random  *rand.Rand
	names   map[string]string
	values  item
	filter  string
	matches func(*dataRow) bool
}

func (q *dataQuery) name(name string) string {
	q.names["#"+name] = name
	return "#" + name
}

func (q *dataQuery) number(f float64) string {
	name := fmt.Sprintf(":v%d", len(q.values))
	q.values[name] = n(strconv.FormatFloat(f, 'f', -1, 64))
	return name
}

func (d *dataSet) query(random *rand.Rand, x *dataIndex) *dataQuery {
	q := &dataQuery{d: d, random: random, names: map[string]string{}, values: item{}}
	q.filter, q.matches = q.box(x)
	if random.IntN(4) == 0 { // two boxes
		left, matchesLeft := q.filter, q.matches
		right, matchesRight := q.box(x)
		q.filter = wrapped(left) + " OR " + wrapped(right)
		q.matches = func(r *dataRow) bool { return matchesLeft(r) || matchesRight(r) }
	}
	return q
}

// box bounds most attributes of an index around a row, so that about a thousandth of the rows match or less.
func (q *dataQuery) box(x *dataIndex) (filter string, matches func(*dataRow) bool) {
	center := &q.d.rows[q.random.IntN(len(q.d.rows))]
	share := math.Pow([]float64{0.00001, 0.0001, 0.001}[q.random.IntN(3)], 1/float64(len(x.attributes)))
	var texts []string
	var conditions []func(*dataRow) bool
	for i, attribute := range x.attributes {
		if q.random.IntN(6) == 0 && !(i == len(x.attributes)-1 && texts == nil) {
			continue
		}
		text, condition := q.side(attribute, center.numbers[attribute], share)
		texts, conditions = append(texts, text), append(conditions, condition)
	}
	if strings.Contains(x.curve, "name ") && q.random.IntN(3) > 0 {
		text, condition := q.prefix(center.text)
		texts, conditions = append(texts, text), append(conditions, condition)
	}
	return strings.Join(texts, " AND "), func(r *dataRow) bool {
		return !slices.ContainsFunc(conditions, func(condition func(*dataRow) bool) bool { return !condition(r) })
	}
}

// side is a range of one attribute around a value, in one of its spellings.
func (q *dataQuery) side(attribute int, value, share float64) (text string, matches func(*dataRow) bool) {
	sorted, name := q.d.sorted[attribute], q.name(q.d.numbers[attribute])
	rank, _ := slices.BinarySearch(sorted, value)
	half := int(share * float64(len(sorted)) / 2)
	low, high := sorted[max(rank-half, 0)], sorted[min(rank+half, len(sorted)-1)]
	of := func(r *dataRow) float64 { return r.numbers[attribute] }
	switch q.random.IntN(10) {
	case 0:
		return name + " = " + q.number(value), func(r *dataRow) bool { return of(r) == value }
	case 1:
		return name + " IN (" + q.number(low) + ", " + q.number(value) + ", " + q.number(high) + ")",
			func(r *dataRow) bool { return of(r) == low || of(r) == value || of(r) == high }
	case 2:
		return name + " >= " + q.number(low) + " AND " + q.number(high) + " > " +
			name, func(r *dataRow) bool { return of(r) >= low && of(r) < high }
	case 3:
		return name + " > " + q.number(low) + " AND " + name + " <= " +
			q.number(high), func(r *dataRow) bool { return of(r) > low && of(r) <= high }
	}
	return name + " BETWEEN " + q.number(low) + " AND " +
		q.number(high), func(r *dataRow) bool { return of(r) >= low && of(r) <= high }
}

// prefix is a beginning of a text or a range of texts, compared by their bytes.
func (q *dataQuery) prefix(of string) (text string, matches func(*dataRow) bool) {
	characters := []rune(of)
	start, name := string(characters[:min(len(characters), 1+q.random.IntN(3))]), q.name(q.d.text)
	first := fmt.Sprintf(":v%d", len(q.values))
	q.values[first] = s(start)
	switch q.random.IntN(3) {
	case 0:
		return name + " >= " + first, func(r *dataRow) bool { return r.text >= start }
	case 1:
		last := fmt.Sprintf(":v%d", len(q.values))
		q.values[last] = s(of)
		return name + " BETWEEN " + first + " AND " +
			last, func(r *dataRow) bool { return r.text >= start && r.text <= of }
	}
	return "begins_with(" + name + ", " + first + ")", func(r *dataRow) bool { return strings.HasPrefix(r.text, start) }
}

// answer is what all pages of a walk say.
type answer struct {
	ids     []int
	scanned int
}

func (a *answer) add(t *testing.T, items []item, count, scanned int32, isCount bool) {
	t.Helper()
	if !isCount && int(count) != len(items) || count > scanned {
		t.Errorf("%d items, %d counted, %d scanned", len(items), count, scanned)
	}
	a.scanned += int(scanned)
	for _, i := range items {
		id, err := strconv.Atoi(text(i, "id"))
		if err != nil {
			t.Fatal(err)
		}
		a.ids = append(a.ids, id)
	}
}

// scan reads an index, or the table, in pages and perhaps in segments.
func (q *dataQuery) scan(t *testing.T, index *string, limit *int32, segments int32) (a answer) {
	t.Helper()
	for segment := range segments {
		input := dynamodb.ScanInput{TableName: &q.d.name, IndexName: index, FilterExpression: &q.filter,
			ExpressionAttributeNames:  q.names,
			ExpressionAttributeValues: q.values, ProjectionExpression: aws.String("id"), Limit: limit}
		if segments > 1 {
			input.Segment, input.TotalSegments = aws.Int32(segment), aws.Int32(segments)
		}
		for pages := dynamodb.NewScanPaginator(client, &input); pages.HasMorePages(); {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			a.add(t, page.Items, page.Count, page.ScannedCount, false)
		}
	}
	return a
}

func (q *dataQuery) query(t *testing.T, index string, limit *int32, forward bool) (a answer) {
	t.Helper()
	values := item{":all": s("all")}
	for name, value := range q.values {
		values[name] = value
	}
	names := map[string]string{"#all": "all"}
	for name, value := range q.names {
		names[name] = value
	}
	pages := dynamodb.NewQueryPaginator(client,
		&dynamodb.QueryInput{TableName: &q.d.name, IndexName: &index, KeyConditionExpression: aws.String("#all = :all"),
			FilterExpression: &q.filter, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			ProjectionExpression: aws.String("id"), Limit: limit, ScanIndexForward: &forward})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a.add(t, page.Items, page.Count, page.ScannedCount, false)
	}
	return a
}

// expected is what a walk over all rows of the model finds.
func (q *dataQuery) expected() (ids []int) {
	for i := range q.d.rows {
		if q.matches(&q.d.rows[i]) {
			ids = append(ids, i)
		}
	}
	return ids
}

// TestData asks random boxes of each data set and index through the real server: the answer must be that of the model,
// and now and then it is asked of the table without an index, too.
func TestData(t *testing.T) {
	seed := rounds.Seed(t)
	for i := range dataSets {
		d := &dataSets[i]
		for j := range d.indexes {
			t.Run(d.name+"/"+d.indexes[j].name, func(t *testing.T) {
				d.ask(t, rand.New(rand.NewPCG(seed, uint64(10*i+j))), &d.indexes[j])
			})
		}
	}
}

func (d *dataSet) ask(t *testing.T, random *rand.Rand, x *dataIndex) {
	var found, looked int
	for number := range rounds.Of(t, 80) {
		q := d.query(random, x)
		want := q.expected()
		var limit *int32
		if random.IntN(2) == 0 {
			limit = aws.Int32(100 + random.Int32N(2000)) // pages of every size are asked of smaller tables
		}
		var got answer
		if x.alone {
			got = q.scan(t, &x.name, limit, 1+random.Int32N(4))
		} else {
			got = q.query(t, x.name, limit, random.IntN(2) == 0)
		}
		found, looked = found+len(want), looked+got.scanned
		q.compare(t, x.name, got.ids, want)
		if number%20 == 0 {
			q.compare(t, "the table", q.scan(t, nil, nil, 1).ids, want)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d found in %d looked at, of %d", found, looked, len(d.rows))
	if found == 0 || looked < found {
		t.Error("nothing was asked")
	}
}

func (q *dataQuery) compare(t *testing.T, where string, got, want []int) {
	t.Helper()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s of %s WHERE %s %s: %d found, %d expected", where, q.d.name, q.filter, format(q.values), len(got),
			len(want))
	}
}

func format(values item) string {
	var texts []string
	for name := range values {
		texts = append(texts, name+"="+text(values, name))
	}
	slices.Sort(texts)
	return strings.Join(texts, " ")
}

// TestLearned says which indexes hold codecs that were learned from the rows they were built on: the tests above are
// about both kinds.
func TestLearned(t *testing.T) {
	for _, d := range dataSets {
		found, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &d.name})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range d.indexes {
			at := slices.IndexFunc(found.Table.GlobalSecondaryIndexes,
				func(g types.GlobalSecondaryIndexDescription) bool { return *g.IndexName == x.name })
			if at < 0 || found.Table.GlobalSecondaryIndexes[at].IndexStatus != types.IndexStatusActive {
				t.Errorf("%s has no index %s that is ready", d.name, x.name)
			}
		}
	}
}
