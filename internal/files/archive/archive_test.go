// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/storage"
)

// formats are those that keep all that the tests' tables hold.
var formats = []Format{DynamoDB, CSV, Parquet} // immutable

// text is any text, with what formats have to quote.
func text(r *rand.Rand) []byte {
	pieces := []string{"", "a", "é", "\"", "\n", "\r\n", ",", "\x00", "{}", "日本", " ", "\\", "NULL", "null", "1"}
	var b []byte
	for range r.IntN(5) {
		b = append(b, pieces[r.IntN(len(pieces))]...)
	}
	return b
}

func decimal(r *rand.Rand, long bool) order.Decimal {
	digits := fmt.Sprint(r.Int64())
	if long {
		digits += fmt.Sprintf("%019d", r.Uint64()>>1) // 38 digits at most
		digits = digits[:min(len(digits), 38)] + fmt.Sprintf("E%d", r.IntN(100)-80)
	}
	if r.IntN(2) == 0 {
		digits = "-" + digits
	}
	d, err := order.ParseDecimal([]byte(digits))
	if err != nil {
		panic(err)
	}
	return d
}

// anyValue is a value of any of DynamoDB's kinds.
func anyValue(r *rand.Rand, dst []byte, depth int) []byte {
	must := func(b []byte, err error) []byte {
		if err != nil {
			panic(err)
		}
		return b
	}
	start := len(dst)
	switch n := r.IntN(10 - depth); n {
	case 0:
		return value.AppendNull(dst)
	case 1:
		return value.AppendBool(dst, r.IntN(2) == 0)
	case 2:
		return value.AppendString(dst, text(r))
	case 3:
		return value.AppendBinary(dst, text(r))
	case 4:
		dst = value.BeginSet(dst, value.StringSet)
		return must(value.EndSet(value.AppendString(value.AppendString(dst, []byte("x")), append(text(r), 'y')), start))
	case 5:
		dst = value.BeginSet(dst, value.NumberSet)
		return must(value.EndSet(value.AppendNumber(dst, decimal(r, true)), start))
	case 6:
		dst = value.BeginSet(dst, value.BinarySet)
		return must(value.EndSet(value.AppendBinary(value.AppendBinary(dst, nil), []byte{255, byte(r.Uint32())}),
			start))
	case 8:
		dst = value.BeginList(dst)
		for range r.IntN(3) {
			dst = anyValue(r, dst, depth+1)
		}
		return must(value.EndList(dst, start))
	case 9:
		dst = value.BeginMap(dst)
		for i := range r.IntN(3) {
			dst = anyValue(r, value.AppendName(dst, fmt.Appendf(text(r), "%d", i)), depth+1)
		}
		return must(value.EndMap(dst, start))
	}
	return value.AppendNumber(dst, decimal(r, true))
}

// columnKinds are attributes whose values are of one kind, and one that has any.
var columnKinds = map[string]func(r *rand.Rand, dst []byte) []byte{ // immutable
	"any":  func(r *rand.Rand, dst []byte) []byte { return anyValue(r, dst, 0) },
	"text": func(r *rand.Rand, dst []byte) []byte { return value.AppendString(dst, text(r)) },
	"bytes": func(r *rand.Rand, dst []byte) []byte {
		return value.AppendBinary(dst, append(text(r), byte(r.Uint32())))
	},
	"blank":   func(r *rand.Rand, dst []byte) []byte { return value.AppendBinary(dst, text(r)) },
	"flag":    func(r *rand.Rand, dst []byte) []byte { return value.AppendBool(dst, r.IntN(2) == 0) },
	"whole":   func(r *rand.Rand, dst []byte) []byte { return value.AppendNumber(dst, decimal(r, false)) },
	"price":   func(r *rand.Rand, dst []byte) []byte { return value.AppendNumber(dst, price(r)) },
	"number":  func(r *rand.Rand, dst []byte) []byte { return value.AppendNumber(dst, decimal(r, true)) },
	"weft:a":  func(r *rand.Rand, dst []byte) []byte { return value.AppendNull(dst) },
	"a,b\"c":  func(r *rand.Rand, dst []byte) []byte { return value.AppendString(dst, text(r)) },
	"integer": func(r *rand.Rand, dst []byte) []byte { return value.AppendInt(dst, int64(r.Uint64())) },
	"float": func(r *rand.Rand, dst []byte) []byte {
		return value.AppendFloat(dst, []float64{0, math.MaxFloat64, 5e-324, -1.5, 0.1, r.NormFloat64(),
			1e100}[r.IntN(7)])
	},
	"moment": func(r *rand.Rand, dst []byte) []byte { return value.AppendTimestamp(dst, r.Int64N(1<<42)) },
	"micros": func(r *rand.Rand, dst []byte) []byte { return value.AppendTimestamp(dst, r.Int64N(1<<52)) },
	"day":    func(r *rand.Rand, dst []byte) []byte { return value.AppendInt(dst, r.Int64N(40000)-20000) },
	"ages":   func(r *rand.Rand, dst []byte) []byte { return value.AppendTimestamp(dst, int64(r.Uint64())) },
}

func price(r *rand.Rand) order.Decimal {
	d, err := order.ParseDecimal(fmt.Appendf(nil, "%d.%02d", r.Int64N(1<<40)-1<<39, r.IntN(100)))
	if err != nil {
		panic(err)
	}
	return d
}

func dialectTypes(*schema.Table) map[string]string {
	return map[string]string{"micros": "timestamp6", "day": "date", "integer": "int"}
}

func part(t testing.TB, name string, of schema.Type) schema.KeyPart {
	t.Helper()
	p, err := database.Part(name, of)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// specs are tables with every setting that an archive carries.
func specs(t testing.TB) []database.TableSpec {
	images := schema.NewImage
	key := database.Columns("id", schema.String, "n", schema.Number)
	return []database.TableSpec{
		{Name: "plain", Key: key},
		{Name: "empty", Key: key, HashDistributed: true},
		{Database: "Ünï/c.d", Name: "..odd name", Key: key, HashDistributed: true, Indexes: []database.IndexSpec{
			{Name: "by-text", Key: database.Columns("tag", schema.String)},
			{Name: "curve", Key: []schema.KeyPart{part(t, "zorder(n f64, price f64)", schema.Binary)}},
			{Name: "whole", Key: database.Columns("whole", schema.Number), KeepNulls: true,
				Projection: schema.ProjectInclude, Include: []string{"flag"}},
		}},
		{Name: "kept", Key: key, Stream: &images, RecoveryDays: 3, Rules: schema.Rules{Dialect: "SQL", Puts: true},
			Dialect: map[string]json.RawMessage{"SQL": json.RawMessage(`{"a":[1]}`)},
			Columns: []schema.Column{{Name: "integer", Type: schema.Int}, {Name: "float", Type: schema.Float},
				{Name: "moment", Type: schema.Timestamp}}},
		{Name: "cells", Key: key, Cells: &cell.Rules{Versions: 3, Uncovers: true,
			Groups: []cell.Group{{Prefix: "w", LifeMS: 1}}},
			Indexes: []database.IndexSpec{{Name: "by-text", Key: database.Columns("tag", schema.String)}}},
		{Name: "searched", Key: key, Indexes: []database.IndexSpec{
			{Name: "now", Search: true, Key: []schema.KeyPart{part(t, "words(text)", schema.String),
				part(t, "flag", schema.Bool)}},
			{Name: "later", Search: true, Key: []schema.KeyPart{part(t, "words(text)", schema.String)},
				Async: &schema.Async{}},
		}},
		{Name: "unique", Key: key, Indexes: []database.IndexSpec{{Name: "only",
			Key: database.Columns("id", schema.String, "n", schema.Number), Unique: true}}},
	}
}

// fill makes the tables, with random rows.
func fill(t testing.TB, r *rand.Rand, db *database.DB, rows int) {
	t.Helper()
	if err := db.CreateDatabase(t.Context(), "Ünï/c.d"); err != nil {
		t.Fatal(err)
	}
	if err := db.SetDatabaseOption(t.Context(), "Ünï/c.d", "mode", "strict"); err != nil {
		t.Fatal(err)
	}
	if err := db.StoredViews().Put(t.Context(),
		database.StoredView{Database: "default", Name: "v", Query: "SELECT 1",
			Statement: "CREATE VIEW v AS SELECT 1"}); err != nil {
		t.Fatal(err)
	}
	for _, spec := range specs(t) {
		table, err := db.CreateTable(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Name == "plain" {
			if err := table.SetExpiry(t.Context(), "ttl"); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		pin, err := table.Pin()
		if err != nil {
			t.Fatal(err)
		}
		if spec.Name != "empty" {
			put(t, r, pin, rows)
		}
		if spec.Name == "kept" {
			if err := pin.PassNumber(t.Context(), database.CounterColumn, 77); err != nil {
				t.Fatal(err)
			}
		}
		pin.Release()
	}
}

func put(t testing.TB, r *rand.Rand, pin database.Pinned, rows int) {
	t.Helper()
	var b value.RowBuilder
	for i := range rows {
		b.Reset(pin.Names())
		b.Begin([]byte("id"))
		b.Buf = value.AppendString(b.Buf, fmt.Appendf(text(r), "%d", r.IntN(30)))
		if err := b.End(); err != nil {
			t.Fatal(err)
		}
		b.Begin([]byte("n"))
		b.Buf = value.AppendNumber(b.Buf, decimal(r, r.IntN(2) == 0))
		if err := b.End(); err != nil {
			t.Fatal(err)
		}
		for name, column := range columnKinds {
			if r.IntN(4) == 0 {
				continue
			}
			b.Begin([]byte(name))
			b.Buf = column(r, b.Buf)
			if err := b.End(); err != nil {
				t.Fatal(err)
			}
		}
		var result database.WriteResult
		w := database.Write{Op: database.OpPut, Row: b.AppendTo(nil), Judged: true}
		if pin.Descriptor().Cells != nil {
			w.AtMS = int64(1000 + i)
		}
		if err := pin.Write(t.Context(), &w, &result); err != nil {
			t.Fatal(err)
		}
	}
}

// picture is all that an archive keeps of a database: of each table what it is, its counters and its rows as they are
// stored, and the views.
func picture(t testing.TB, db *database.DB) map[string]string {
	t.Helper()
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	all := map[string]string{}
	for _, name := range db.Databases() {
		all["database "+name] = fmt.Sprint(db.DatabaseOption(name, "mode"), db.StoredViews().List(name))
		for _, table := range db.Tables(name, "", 1000) {
			all[name+"."+table] = tablePicture(t, db, view, name, table)
		}
	}
	return all
}

func tablePicture(t testing.TB, db *database.DB, view *database.View, name, table string) string {
	t.Helper()
	pin, err := db.PinIn(name, table)
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	outline, err := pin.Descriptor().Outline()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(outline)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.Write(text)
	next, err := pin.NextNumber(t.Context(), database.CounterColumn)
	fmt.Fprintf(&out, "\n%d %v\n", next, err)
	err = view.Stored(t.Context(), pin, func(row value.Row) error {
		attributes := map[string]string{}
		for a := row.Attributes(pin.Names()); a.Next(); {
			attributes[string(a.Name())] = fmt.Sprintf("%x", []byte(a.Value()))
		}
		line, err := json.Marshal(attributes)
		out.Write(append(line, '\n'))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	it, err := db.TableIn(name, table)
	if err != nil {
		t.Fatal(err)
	}
	// a cluster's changes are put into their order some seconds later: the asynchronous index has not followed them
	_, slow := db.Gateway()
	if slow = slow && table == "searched"; !slow {
		if err := pin.AwaitIndexes(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	report, err := it.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("%s: %v, %v", table, report.Faults, err)
	}
	if fmt.Fprintf(&out, "%d rows", report.Rows); !slow {
		fmt.Fprintf(&out, ", %d entries", report.Entries)
	}
	return out.String()
}

func alike(t testing.TB, want, got map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] == text || name == "default.searched" && strings.HasPrefix(text, got[name]+", ") {
			continue
		}
		a, b := strings.Split(text, "\n"), strings.Split(got[name], "\n")
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				t.Fatalf("%s, line %d:\n%s\nwant\n%s", name, i, strings.Join(b[min(i, len(b)):min(i+1, len(b))], ""),
					a[i])
			}
		}
		t.Fatalf("%s has %d lines, want %d", name, len(b), len(a))
	}
	if len(got) != len(want) {
		t.Fatalf("%d tables and databases, want %d", len(got), len(want))
	}
}

// TestRoundTrip writes a database of random rows of all types in each format, and makes another one of it on each
// engine: the same rows, byte for byte, the same tables, and whole indexes.
func TestRoundTrip(t *testing.T) {
	r := rounds.Random(t)
	from := testdb.Open(t)
	fill(t, r, from, 40)
	want := picture(t, from)
	for _, format := range formats {
		dir := filepath.Join(t.TempDir(), "export")
		if err := Write(t.Context(), from, storage.Folder(dir),
			Options{Format: format, DatabaseOptions: []string{"mode"}, Types: dialectTypes}); err != nil {
			t.Fatal(err)
		}
		if types, err := Types(filepath.Join(dir, "default", "plain")); err != nil || len(types) < 10 {
			t.Errorf("%d types, %v", len(types), err)
		}
		if _, err := Types(filepath.Join(dir, "default", "cells")); err == nil {
			t.Error("a table with a history is imported alone")
		}
		t.Run(string(format), func(t *testing.T) {
			testdb.Each(t, func(t *testing.T, db *database.DB) {
				mustLoad(t, db, dir)
				alike(t, want, picture(t, db))
			})
		})
	}
}

func mustLoad(t testing.TB, db *database.DB, dir string) {
	t.Helper()
	if err := Load(t.Context(), db, dir, LoadOptions{Dir: filepath.Join(t.TempDir(), "work")}); err != nil {
		t.Fatal(err)
	}
}

// TestInterrupted stops a load again and again: what it makes in the end is the same, and a table that is seen is
// whole.
func TestInterrupted(t *testing.T) {
	r := rounds.Random(t)
	from := testdb.Open(t)
	fill(t, r, from, 30)
	want := picture(t, from)
	dir := filepath.Join(t.TempDir(), "export")
	if err := Write(t.Context(), from, storage.Folder(dir),
		Options{Types: dialectTypes, DatabaseOptions: []string{"mode"}}); err != nil {
		t.Fatal(err)
	}
	db := testdb.OpenPebble(t)
	o := LoadOptions{Dir: filepath.Join(t.TempDir(), "work")}
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := stops
		o.Progress = func(string, string, bulkload.Progress) {
			if left--; left < 0 {
				cancel()
			}
		}
		err := Load(ctx, db, dir, o)
		cancel()
		if err == nil {
			t.Logf("%d stops", stops)
			break
		}
		if ctx.Err() == nil || stops > 100 {
			t.Fatal(err)
		}
		for name, text := range picture(t, db) {
			if strings.Contains(name, ".") && text != want[name] {
				t.Fatalf("a part of %s is seen", name)
			}
		}
	}
	alike(t, want, picture(t, db))
}

// TestRefused: what a format can't hold is named before anything is written.
func TestRefused(t *testing.T) {
	db := testdb.Open(t)
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("id", schema.String)})
	if err != nil {
		t.Fatal(err)
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	var b value.RowBuilder
	b.Reset(pin.Names())
	for name, v := range map[string][]byte{"id": value.AppendString(nil, []byte("a")),
		"q\xff": value.AppendBinary(nil, []byte{1}), "line\nbreak": value.AppendBool(nil, true)} {
		b.Begin([]byte(name))
		b.Buf = append(b.Buf, v...)
		if err := b.End(); err != nil {
			t.Fatal(err)
		}
	}
	var result database.WriteResult
	if err := pin.Write(t.Context(), &database.Write{Op: database.OpPut, Row: b.AppendTo(nil)}, &result); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[Format]string{
		DynamoDB: `table default.t: the name of the attribute "q\xff" is not UTF-8`,
		CSV:      "table default.t: the name of the attribute", Parquet: "", "xml": `no format "xml"`} {
		dir := filepath.Join(t.TempDir(), "export")
		err := Write(t.Context(), db, storage.Folder(dir), Options{Format: format})
		if want == "" {
			if err != nil {
				t.Fatal(err)
			}
			other := testdb.OpenPebble(t)
			mustLoad(t, other, dir)
			alike(t, picture(t, db), picture(t, other))
			continue
		}
		if _, statErr := os.Stat(dir); err == nil || !strings.Contains(err.Error(), want) || statErr == nil {
			t.Errorf("%s: %v, %v", format, err, statErr)
		}
	}
}
