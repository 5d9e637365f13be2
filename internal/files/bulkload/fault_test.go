// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestBadRecords: faults name file and line, and are let be as far as is allowed.
func TestBadRecords(t *testing.T) {
	bad := map[string]struct {
		text, want string
	}{
		"a.jsonl": {"{\"pk\":\"a\",\"sk\":1}\n\n{\"pk\":\"b\"}\n", ":3: "},
		"b.jsonl": {"{\"pk\":\"a\",\"sk\":1}\n{\"pk\":\"b\",\"sk\":\n", ":2: "},
		"c.csv":   {"pk,sk,n\na,1,\n\"b\n\n\",2,x\n", ":3: column n: \"x\" is not a valid number"},
		"d.csv":   {"pk,sk\na,1\nb\n", ":3: 1 fields; the header has 2"},
		"e.csv":   {"pk,sk\na,1\nb,2,3\n", ":3: more fields than the 2"},
		"f.csv":   {"pk,sk\na,1\n\"b\",\"2\n", ":3: column sk: a quote is not closed"},
		"g.json":  {"{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}}\n{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"x\"}}}\n", ":2: "},
		"h.json": {"{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}}\n{\"Metadata\":{},\"Keys\":{}}\n",
			":2: this is an incremental export"},
		"i.json": {"{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}}\n{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"2\"},\"t\":{\"S\":\"" + strings.Repeat("x", itemBytesMax) + "\"}}}\n", ":2: the item has"},
		"j.jsonl": {"{\"pk\":\"a\",\"sk\":1}\n{\"pk\":\"b\",\"sk\":1,\"d\":" + strings.Repeat("[", 40) +
			strings.Repeat("]", 40) + "}\n", ":2: "},
		"l.ion":   {"$ion_1_0 {pk:\"a\",sk:1.}\n\n// a note\n{Item:{\npk:\"b\"}}\n", ":4: "},
		"m.ion":   {"{pk:\"a\",sk:1.}\n{pk:\"b\"", ":2: "},
		"k.jsonl": {"{\"pk\":\"a\",\"sk\":1}\n{\"pk\":\"b\",\"sk\":1,\"n\":\"text\"}\n", ":2: "},
	}
	for name, c := range bad {
		path := write(t, filepath.Join(t.TempDir(), name), false, c.text)
		for tolerated := range int64(2) {
			db := testdb.Open(t)
			create(t, db, itemsSpec(t, false))
			var told []string
			result, err := Run(t.Context(),
				Options{DB: db, Table: "items", Dir: t.TempDir() + "/load", Sources: []string{path}, BadRows: tolerated,
					Bad: func(f Fault) { told = append(told, f.Error()) }})
			if tolerated == 1 {
				if err != nil || len(told) != 1 || !strings.HasPrefix(told[0], path+c.want) || result.Rows != 1 ||
					result.Bad != 1 {
					t.Errorf("%s: %v %v %+v", name, err, told, result)
				}
				sound(t, db, "items")
				continue
			}
			fault, ok := errors.AsType[Fault](err)
			if !ok || !strings.HasPrefix(fault.Error(), path+c.want) {
				t.Errorf("%s: %v", name, err)
			}
			if dump(t, db, "items", "") != "" {
				t.Errorf("%s: a part was loaded", name)
			}
		}
	}
}

// TestUnpackedPart: a packed file that was cut off is no shorter file.
func TestUnpackedPart(t *testing.T) {
	path := write(t, t.TempDir()+"/a.jsonl.gz", true, strings.Repeat("{\"pk\":\"a\",\"sk\":1}\n", 1000))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, false, string(data[:len(data)-4]))
	db := testdb.Open(t)
	create(t, db, itemsSpec(t, false))
	if _, err := Run(t.Context(), Options{DB: db, Table: "items", Dir: t.TempDir() + "/load",
		Sources: []string{path}}); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

// begun stops a load after some runs and returns its options.
func begun(t *testing.T, db *database.DB) Options {
	t.Helper()
	var lines strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&lines, `{"pk":"p%d","sk":%d,"text":"%s"}`+"\n", i%7, i, strings.Repeat("x", 2000))
	}
	lines.WriteString("{}\n")
	o := Options{DB: db, Table: "items", Dir: t.TempDir() + "/load", MemoryBytes: memoryBytesMin,
		Sources: []string{write(t, t.TempDir()+"/a.jsonl", false, lines.String())}}
	if _, err := Run(t.Context(), o); err == nil {
		t.Fatal("a bad record was taken")
	}
	return o
}

// TestOtherImport: an import goes on only if it is the one that began.
func TestOtherImport(t *testing.T) {
	db := testdb.Open(t)
	create(t, db, itemsSpec(t, false))
	o := begun(t, db)
	runs, err := filepath.Glob(o.Dir + "/*.run")
	if err != nil || len(runs) < 2 {
		t.Fatalf("%v %v", runs, err)
	}
	expect := func(o Options, want string) {
		t.Helper()
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	other := o
	other.Format = JSONL
	expect(other, "had another --format")
	other = o
	other.Sources = []string{write(t, t.TempDir()+"/b.jsonl", false, "{}")}
	expect(other, "had other sources")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(o.Sources[0], later, later); err != nil {
		t.Fatal(err)
	}
	expect(o, "had other sources")
	o.BadRows = 1
	other = o
	other.Restart = true
	if result, err := Run(t.Context(), other); err != nil || result.Rows != 8000 {
		t.Errorf("%+v %v", result, err)
	}
}

// TestDamagedRun: a run whose bytes changed is found out before anything is seen.
func TestDamagedRun(t *testing.T) {
	db := testdb.OpenPebble(t)
	create(t, db, itemsSpec(t, false))
	o := begun(t, db)
	runs, err := filepath.Glob(o.Dir + "/*.run")
	if err != nil || len(runs) == 0 {
		t.Fatal(runs, err)
	}
	data, err := os.ReadFile(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	write(t, runs[0], false, string(data))
	o.BadRows = 1
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Error(err)
	}
	if dump(t, db, "items", "") != "" {
		t.Error("a part is seen")
	}
}

// TestSchemaChanged: rows derived by another schema are not loaded.
func TestSchemaChanged(t *testing.T) {
	db := testdb.Open(t)
	create(t, db, itemsSpec(t, false))
	o := begun(t, db)
	table, err := db.Table("items")
	if err != nil {
		t.Fatal(err)
	}
	if err := table.DropIndex(t.Context(), "by-n"); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "schema has changed") {
		t.Error(err)
	}
}

// TestDoneBefore: an import that was ingested, but not tidied up after, is done.
func TestDoneBefore(t *testing.T) {
	rounds.SkipRace(t)
	db := testdb.Open(t)
	create(t, db, itemsSpec(t, false))
	o := begun(t, db)
	o.BadRows = 1
	kept := t.TempDir() + "/kept"
	o.Progress = func(p Progress) {
		if p.Step == "ingesting" {
			if err := os.RemoveAll(kept); err != nil {
				t.Error(err)
			}
			if err := os.CopyFS(kept, os.DirFS(o.Dir)); err != nil {
				t.Error(err)
			}
		}
	}
	mustRun(t, o)
	before := dump(t, db, "items", "")
	o.Dir, o.Progress = kept, nil
	if result := mustRun(t, o); !result.Ingested || dump(t, db, "items", "") != before {
		t.Errorf("%+v", result)
	}
}

// TestRegions: a load that splits beforehand leaves nothing to split.
func TestRegions(t *testing.T) {
	const bytesMax = 1 << 20
	db := testdb.OpenWith(t, database.Options{Regions: region.Settings{BytesMax: bytesMax, Interval: -1}})
	create(t, db, itemsSpec(t, false))
	var lines strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&lines, `{"pk":"p%d","sk":%d,"text":"%s"}`+"\n", i%7, i, strings.Repeat("x", 2000))
	}
	path := write(t, t.TempDir()+"/a.jsonl", false, lines.String())
	for _, memory := range []int64{memoryBytesMin, 1 << 30} {
		o := Options{DB: db, Table: "items", Dir: t.TempDir() + "/load", Sources: []string{path}, RegionBytes: bytesMax,
			MemoryBytes: memory}
		mustRun(t, o)
		p, err := db.PinIn("", "items")
		if err != nil {
			t.Fatal(err)
		}
		regions, err := p.Regions(t.Context(), "")
		p.Release()
		if err != nil || len(regions) < 16 {
			t.Fatalf("%d regions, %v", len(regions), err)
		}
		if steps, err := db.AllRegions().Look(t.Context(), true); steps != 0 || err != nil {
			t.Errorf("%d splits and merges after the load, %v", steps, err)
		}
		if err := db.DropTable(t.Context(), "", "items"); err != nil {
			t.Fatal(err)
		}
		create(t, db, itemsSpec(t, false))
	}
}

// TestAdvice: keys that grow are told from others.
func TestAdvice(t *testing.T) {
	kinds := map[string]struct {
		of   schema.Type
		key  func(i int) string
		want string
	}{
		"counter": {schema.Number, func(i int) string { return fmt.Sprint(i*7919%5000 + 100) },
			"counts from 100 to 5099"},
		"seconds": {schema.Number, func(i int) string { return fmt.Sprint(1700000000 + i*i) }, "is a time"},
		"random": {schema.Number, func(i int) string {
			return fmt.Sprint(i * 7919 % 5000 * 1_000_003 % 1_000_000_007)
		}, ""},
		"few": {schema.Number, func(i int) string { return fmt.Sprint(i % 100) }, ""},
		"dates": {schema.String, func(i int) string {
			return `"` +
				time.Unix(int64(i)*9999, 0).UTC().Format(time.RFC3339) + `"`
		}, "begins with a date"},
		"ulids": {schema.String, func(i int) string { return fmt.Sprintf(`"01HZX%05dABCDEFGHJKMNPQRS"`, i) },
			"a ULID"},
		"uuids": {schema.String, func(i int) string { return fmt.Sprintf(`"0190%04x-0000-7000-8000-%012x"`, i, i) },
			"a UUID of version 7"},
		"objects": {schema.String, func(i int) string { return fmt.Sprintf(`"65f0%020x"`, i) }, "an ObjectId"},
		"names":   {schema.String, func(i int) string { return fmt.Sprintf(`"user%d"`, i) }, ""},
		"otherIDs": {schema.String, func(i int) string { return fmt.Sprintf(`"0190%04x-0000-4000-8000-%012x"`, i, i) },
			""},
	}
	for name, kind := range kinds {
		for _, hash := range []bool{false, true} {
			db := testdb.Open(t)
			create(t, db, database.TableSpec{Name: "t", Key: database.Columns("id", kind.of), HashDistributed: hash})
			var lines strings.Builder
			for i := range 5000 {
				fmt.Fprintf(&lines, `{"id":%s}`+"\n", kind.key(i))
			}
			result := mustRun(t, Options{DB: db, Table: "t", Dir: t.TempDir() + "/load", Sources: []string{"-"},
				Stdin: strings.NewReader(lines.String())})
			if want := kind.want != "" && !hash; (result.Advice != "") != want ||
				!strings.Contains(result.Advice, kind.want) && want {
				t.Errorf("%s, hash %t: %q", name, hash, result.Advice)
			}
		}
	}
}
