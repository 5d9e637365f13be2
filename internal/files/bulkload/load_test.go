// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

func part(t testing.TB, name string, of schema.Type) schema.KeyPart {
	t.Helper()
	p, err := database.Part(name, of)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// itemsSpec has an index of each sort: ordered, sparse with few attributes, one that keeps nulls, a computed key, and
// one along a curve.
func itemsSpec(t testing.TB, hash bool) database.TableSpec {
	t.Helper()
	return database.TableSpec{
		Name: "items", Key: database.Columns("pk", schema.String, "sk", schema.Number), HashDistributed: hash,
		Indexes: []database.IndexSpec{
			{Name: "by-n", Key: database.Columns("n", schema.Number)},
			{Name: "keys", Key: database.Columns("s", schema.String, "b", schema.Binary),
				Projection: schema.ProjectKeys},
			{Name: "nulls", Key: database.Columns("s", schema.String), KeepNulls: true,
				Projection: schema.ProjectInclude, Include: []string{"n"}},
			{Name: "computed", Key: []schema.KeyPart{part(t, "concat(pk,'#',s)", schema.String),
				part(t, "desc(n)", schema.Number)}},
			{Name: "curve", Key: []schema.KeyPart{part(t, "zorder(n f64, sk f64)", schema.Binary)}},
		},
	}
}

func create(t testing.TB, db *database.DB, spec database.TableSpec) {
	t.Helper()
	if _, err := db.CreateTable(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
}

// randomItem is a DynamoDB item with attributes of all types; keys meet often.
func randomItem(r *rand.Rand) string {
	fields := []string{fmt.Sprintf(`"pk":{"S":"p%d"}`, r.IntN(20)), fmt.Sprintf(`"sk":{"N":"%d"}`, r.IntN(200)-100)}
	optional := []func() string{
		func() string { return fmt.Sprintf(`"n":{"N":"%d.%d"}`, r.IntN(1000)-500, r.IntN(100)) },
		func() string { return fmt.Sprintf(`"s":{"S":"\u00e9 \"%d\",\n%d"}`, r.IntN(5), r.IntN(5)) },
		func() string {
			return fmt.Sprintf(`"b":{"B":"%s"}`, base64.StdEncoding.EncodeToString([]byte{byte(r.Uint32()), 0, 255}))
		},
		func() string { return fmt.Sprintf(`"flag":{"BOOL":%t}`, r.IntN(2) == 0) },
		func() string { return `"none":{"NULL":true}` },
		func() string { return fmt.Sprintf(`"ss":{"SS":["a","b%d"]}`, r.IntN(9)) },
		func() string { return fmt.Sprintf(`"ns":{"NS":["1","2.5","-%d"]}`, r.IntN(9)+3) },
		func() string { return `"bs":{"BS":["AA==","AQ=="]}` },
		func() string { return fmt.Sprintf(`"l":{"L":[{"S":"x"},{"L":[{"N":"%d"}]}]}`, r.IntN(9)) },
		func() string {
			return fmt.Sprintf(`"m":{"M":{"a":{"M":{"b":{"S":"%d"}}},"Item":{"N":"1"}}}`, r.IntN(9))
		},
		func() string { return fmt.Sprintf(`"own%d":{"S":"y"}`, r.IntN(50)) },
	}
	for _, field := range optional {
		if r.IntN(3) > 0 {
			fields = append(fields, field())
		}
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return "{" + strings.Join(fields, ",") + "}"
}

// put writes items of DynamoDB's JSON, one after the other.
func put(t testing.TB, db *database.DB, table string, items []string) {
	t.Helper()
	for _, item := range items {
		if err := putOne(t.Context(), db, table, item); err != nil {
			t.Fatalf("%s: %v", item, err)
		}
	}
}

func putOne(ctx context.Context, db *database.DB, table, item string) error {
	pin, err := db.PinIn("", table)
	if err != nil {
		return err
	}
	defer pin.Release()
	var b value.RowBuilder
	b.Reset(pin.Names())
	if err := attributejson.NewReader([]byte(item)).Item(&b); err != nil {
		return err
	}
	var result database.WriteResult
	return pin.Write(ctx, &database.Write{Op: database.OpPut, Row: b.AppendTo(nil)}, &result)
}

// dump returns all items of an index as sorted JSON, a line each, in the index's order.
func dump(t testing.TB, db *database.DB, table, index string) string {
	t.Helper()
	p, err := db.PinIn("", table)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	c, err := view.Query(t.Context(), p, database.Query{Index: index})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for c.Next() {
		var item map[string]any
		if err := json.Unmarshal(attributejson.AppendItem(nil, c.Row(), p.Names()), &item); err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// same compares a table of two databases, in the order of each index, and checks its entries.
func same(t testing.TB, want, got *database.DB, spec database.TableSpec) {
	t.Helper()
	names := []string{""}
	for _, x := range spec.Indexes {
		names = append(names, x.Name)
	}
	for _, index := range names {
		w, g := dump(t, want, spec.Name, index), dump(t, got, spec.Name, index)
		if index == "curve" { // its codes were learned, so its order is another
			w, g = sorted(w), sorted(g)
		}
		if w != g {
			t.Fatalf("index %q differs: %d bytes, want %d\n%.2000s\nwant\n%.2000s", index, len(g), len(w), g, w)
		}
	}
	sound(t, got, spec.Name)
}

func sorted(lines string) string {
	list := strings.Split(lines, "\n")
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func sound(t testing.TB, db *database.DB, name string) database.Report {
	t.Helper()
	table, err := db.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	report, err := table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("%v %v", report.Faults, err)
	}
	return report
}

func write(t testing.TB, path string, packed bool, text string) string {
	t.Helper()
	data := []byte(text)
	if packed {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustRun(t testing.TB, o Options) Result {
	t.Helper()
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(o.Dir); !os.IsNotExist(err) {
		t.Errorf("the load leaves its folder: %v", err)
	}
	return result
}

func randomItems(r *rand.Rand, n int) []string {
	items := make([]string, n)
	for i := range items {
		items[i] = randomItem(r)
	}
	return items
}

// exportOf writes an export as S3 has it.
func exportOf(t testing.TB, dir string, items []string) {
	t.Helper()
	var list strings.Builder
	for i := 0; len(items) > 0; i++ {
		n := min(len(items), 1+len(items)/2)
		var lines strings.Builder
		for _, item := range items[:n] {
			lines.WriteString(`{"Item":` + item + "}\n")
		}
		name := fmt.Sprintf("data/part%d.json.gz", i)
		write(t, filepath.Join(dir, name), true, lines.String())
		fmt.Fprintf(&list, `{"itemCount":%d,"md5Checksum":%q,"etag":"x","dataFileS3Key":"some/prefix/AWSDynamoDB/01-a/%s"}`+"\n", n,
			md5Of(t, filepath.Join(dir, name)), name)
		items = items[n:]
	}
	write(t, filepath.Join(dir, manifestFiles), false, list.String())
	write(t, filepath.Join(dir, manifestSummary), false, `{"outputFormat":"DYNAMODB_JSON","exportType":"FULL_EXPORT"}`)
}

// TestRandomItems loads items of all types from each format that has them, and compares with what PutItem makes of
// them, one after the other.
func TestRandomItems(t *testing.T) {
	r := rounds.Random(t)
	count := rounds.Of(t, 300)
	items := randomItems(r, count)
	for _, hash := range []bool{false, true} {
		want := testdb.Open(t)
		spec := itemsSpec(t, hash)
		create(t, want, spec)
		put(t, want, "items", items)
		dir := t.TempDir()
		exportOf(t, dir, items)
		wrapped := `{"Item":` + strings.Join(items, "}\n{\"Item\":") + "}\n"
		sources := map[string]Options{
			"export": {Sources: []string{dir}},
			"stdin":  {Sources: []string{"-"}, Stdin: strings.NewReader(wrapped)},
			"bare": {Sources: []string{write(t, dir+"/bare.json", false, strings.Join(items, "\r\n\n"))},
				Format: DynamoDB},
			"packed":  {Sources: []string{write(t, dir+"/packed.json.gz", true, wrapped)}},
			"batches": {Sources: []string{write(t, dir+"/batches.json.gz", true, wrapped)}},
		}
		for name, o := range sources {
			t.Run(fmt.Sprint(name, hash), func(t *testing.T) {
				testdb.Each(t, func(t *testing.T, db *database.DB) {
					create(t, db, spec)
					if name == "batches" {
						put(t, db, "items", items[:10]) // not empty: put over
					}
					if o.Stdin != nil {
						o.Stdin = strings.NewReader(wrapped)
					}
					o.DB, o.Table, o.Dir = db, "items", t.TempDir()+"/load"
					result := mustRun(t, o)
					_, shared := db.Gateway() // what others use takes batches
					if result.Records != int64(count) || result.Ingested == (name == "batches" || shared) {
						t.Errorf("%+v", result)
					}
					same(t, want, db, spec)
					if report := sound(t, db, "items"); result.Rows != report.Rows ||
						result.Ingested && result.Entries != report.Entries {
						t.Errorf("%+v, but %d rows and %d entries", result, report.Rows, report.Entries)
					}
				})
			})
		}
	}
}

var citiesSpec = database.TableSpec{ // immutable
	Name: "cities", Key: database.Columns("country", schema.String, "city", schema.String),
	Columns: []schema.Column{{Name: "lat", Type: schema.Number}, {Name: "lon", Type: schema.Number},
		{Name: "elevation", Type: schema.Number}},
	Indexes: []database.IndexSpec{{Name: "by-population",
		Key: database.Columns("country", schema.String, "population", schema.Number)}},
}

// TestCities loads the cities from each format of tables and plain JSON, where names come several times, and compares
// with puts.
func TestCities(t *testing.T) {
	rounds.SkipRace(t)
	want := testdb.Open(t)
	create(t, want, citiesSpec)
	var items []string
	var table, lines strings.Builder
	table.WriteString("\ufeffcountry,\"city\",population,lat,lon,elevation,feature\r\n")
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	n := 0
	err := cities.Each(func(c cities.City) error {
		if n++; n%20 != 0 {
			return nil
		}
		name := strings.ReplaceAll(c.Name, ",", ";") + "\n\"x\"" // no comma, so that commas can become tabs
		elevation, member := "", ""
		if c.Elevation != "" {
			elevation, member = `,"elevation":{"N":"`+c.Elevation+`"}`, `,"elevation":`+strconv.Quote(c.Elevation)
		}
		text, err := json.Marshal(name)
		items = append(items, fmt.Sprintf(
			`{"country":{"S":%q},"city":{"S":%s},"population":{"N":"%d"},"lat":{"N":%q},"lon":{"N":%q}%s,"feature":{"S":%q}}`,
			c.Country, text, c.Population, c.Lat, c.Lon, elevation, c.FeatureCode))
		fmt.Fprintf(&table, "%s,%s,%d,%s,%s,%s,%s\r\n", c.Country, quote(name), c.Population, c.Lat, c.Lon, c.Elevation,
			c.FeatureCode)
		fmt.Fprintf(&lines, `{"country":%q,"city":%s,"population":%d,"lat":%s,"lon":%s%s,"feature":%q}`+"\n", c.Country,
			text, c.Population, c.Lat, c.Lon, member, c.FeatureCode)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, want, "cities", items)
	dir := t.TempDir()
	tabs := strings.ReplaceAll(table.String(), ",", "\t")
	sources := map[string]string{"cities.csv": table.String(), "cities.csv.gz": table.String(),
		"cities.jsonl": lines.String(), "cities.tsv": tabs}
	for name, text := range sources {
		t.Run(name, func(t *testing.T) {
			db := testdb.OpenPebble(t)
			create(t, db, citiesSpec)
			path := write(t, filepath.Join(dir, name), strings.HasSuffix(name, ".gz"), text)
			result := mustRun(t, Options{DB: db, Table: "cities", Dir: t.TempDir() + "/load", Sources: []string{path}})
			if result.Records != int64(len(items)) || result.Advice != "" {
				t.Errorf("%+v", result)
			}
			same(t, want, db, citiesSpec)
		})
	}
}

// generator makes records without keeping them.
type generator struct {
	record func(i int) string
	n, i   int
	rest   string
}

func (g *generator) Read(b []byte) (int, error) {
	if g.rest == "" {
		if g.i == g.n {
			return 0, io.EOF
		}
		g.rest, g.i = g.record(g.i), g.i+1
	}
	n := copy(b, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// TestMemory loads many times what memory it is given, and more runs than are merged at once.
func TestMemory(t *testing.T) {
	if rounds.Race {
		t.Skip("the detector takes memory, too")
	}
	db := testdb.OpenPebbleDir(t, t.TempDir())
	create(t, db, itemsSpec(t, false))
	const rows, memory = 50_000, memoryBytesMin
	filler := strings.Repeat("0123456789abcdef", 128)
	text := func(i int) string {
		return fmt.Sprintf(`{"pk":"p%d","sk":%d,"n":%d,"s":"s%d","text":"%s"}`+"\n", i*7919%rows, i, i%1000, i%10,
			filler)
	}
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	before, most := now.HeapAlloc, uint64(0)
	calls := 0
	result := mustRun(t, Options{DB: db, Table: "items", Dir: t.TempDir() + "/load", Sources: []string{"-"},
		Stdin: &generator{record: text, n: rows}, Format: JSONL,
		MemoryBytes: memory, Progress: func(Progress) {
			if calls++; calls%16 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
		}})
	t.Logf("%+v; %d MiB at most", result, (most-before)>>20)
	if result.Rows != rows || result.Runs < 30 {
		t.Errorf("%+v", result)
	}
	if most-before > 64<<20 { // the source has 130 MB, all entries twice that
		t.Errorf("%d MiB of memory", (most-before)>>20)
	}
	sound(t, db, "items")
}

// TestRestarts stops a load at random moments, again and again, until it is done.
func TestRestarts(t *testing.T) {
	r := rounds.Random(t)
	items := randomItems(r, min(max(rounds.Of(t, 500), 400), 2000))
	want, spec := testdb.Open(t), itemsSpec(t, false)
	create(t, want, spec)
	put(t, want, "items", items)
	filler := strings.Repeat("x", 20_000)
	var lines strings.Builder
	for i := range items {
		items[i] = strings.TrimSuffix(items[i], "}") + `,"filler":{"S":"` + filler + `"}}`
		lines.WriteString(`{"Item":` + items[i] + "}\n")
	}
	put(t, want, "items", items)
	path := write(t, t.TempDir()+"/items.json.gz", true, lines.String())
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		create(t, db, spec)
		o := Options{DB: db, Table: "items", Dir: t.TempDir() + "/load", Sources: []string{path},
			MemoryBytes: memoryBytesMin}
		stops, parts := 0, 0
		for {
			ctx, cancel := context.WithCancel(t.Context())
			left := r.IntN(60)
			o.Progress = func(Progress) {
				if left--; left < 0 && stops < 30 {
					cancel()
				}
			}
			result, err := Run(ctx, o)
			cancel()
			if err == nil {
				t.Logf("%d stops, %d left a part, %+v", stops, parts, result)
				if result.Ingested && parts > 0 { // rows put in batches are seen as they come
					t.Fatal("a part was seen")
				}
				break
			}
			if stops++; ctx.Err() == nil {
				t.Fatal(err)
			}
			if dump(t, db, "items", "") != "" {
				parts++
			}
		}
		same(t, want, db, spec)
	})
}
