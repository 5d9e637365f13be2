// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// candidate is one engine under the same history as the others.
type candidate struct {
	name   string
	store  kv.Store
	admin  kv.Admin
	reopen func() (kv.Store, kv.Admin) // nil: it can't be closed and opened again
	clock  *clock
	db     *database.DB
}

func (c *candidate) open(t *testing.T) {
	t.Helper()
	db, err := database.Open(t.Context(), c.store, database.Options{
		Admin: c.admin, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: c.clock.now, ExpiryInterval: -1,
		// nobody waits for it, and it is not lost on a machine that is busy for seconds
		Gateway: database.GatewayOptions{Lease: time.Minute},
	})
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	c.db = db
}

func (c *candidate) restart(t *testing.T) {
	t.Helper()
	if err := c.db.Close(); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	if c.reopen != nil {
		if err := c.store.Close(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		c.store, c.admin = c.reopen()
	}
	c.open(t)
}

func candidates(t *testing.T, clock *clock) []*candidate {
	files := vfs.NewMem()
	openPebble := func() (kv.Store, kv.Admin) {
		store, err := pebble.Open(pebble.Options{Dir: "data", FS: files, MemTableBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		return store, store
	}
	memory := mem.Open(mem.Options{})
	embedded, embeddedAdmin := openPebble()
	cluster, err := tikvtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cluster.Close() })
	remote, err := cluster.Open(tikv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := []*candidate{
		{name: "mem", store: memory, admin: memory},
		{name: "pebble", store: embedded, admin: embeddedAdmin, reopen: openPebble},
		{name: "tikv", store: remote, admin: remote},
	}
	for _, c := range all {
		c.clock = clock
		c.open(t)
		t.Cleanup(func() { c.db.Close(); c.store.Close() })
	}
	return all
}

// model is the table as it should be: documents by key, in Go maps.
type model map[string]testdoc.Document

func modelKey(d testdoc.Document) string {
	return fmt.Sprintf("%s/%020s", d["pk"], fmt.Sprint(d["sk"]))
}

// indexModel is how the model answers for an index: which documents it holds, and in which order.
type indexModel struct {
	spec database.IndexSpec
	has  func(testdoc.Document) bool
	less func(a, b testdoc.Document) int
}

func text(d testdoc.Document, name string) string { s, _ := d[name].(string); return s }

func number(d testdoc.Document, name string) int {
	n, _ := strconv.Atoi(fmt.Sprint(d[name]))
	return n
}

func byKey(a, b testdoc.Document) int { return cmp.Compare(modelKey(a), modelKey(b)) }

func hasAll(names ...string) func(testdoc.Document) bool {
	return func(d testdoc.Document) bool {
		return !slices.ContainsFunc(names, func(name string) bool { _, ok := d[name]; return !ok })
	}
}

func mustPart(t *testing.T, name string, typ schema.Type) schema.KeyPart {
	part, err := database.Part(name, typ)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

func indexModels(t *testing.T) []indexModel {
	return []indexModel{
		{database.IndexSpec{Name: "color-size", Key: database.Columns("color", schema.String, "size", schema.Number)},
			hasAll("color", "size"),
			func(a, b testdoc.Document) int {
				return cmp.Or(cmp.Compare(text(a, "color"), text(b, "color")),
					cmp.Compare(number(a, "size"), number(b, "size")), byKey(a, b))
			}},
		{database.IndexSpec{Name: "flag", Key: database.Columns("flag", schema.String), Projection: schema.ProjectKeys},
			hasAll("flag"),
			func(a, b testdoc.Document) int {
				return cmp.Or(cmp.Compare(text(a, "flag"), text(b, "flag")), byKey(a, b))
			}},
		{database.IndexSpec{Name: "computed",
			Key: []schema.KeyPart{mustPart(t, "concat(color,'#',flag)", schema.String),
				mustPart(t, "desc(size)", schema.Number)},
			Projection: schema.ProjectInclude, Include: []string{"note"}}, hasAll("color", "flag", "size"),
			func(a, b testdoc.Document) int {
				return cmp.Or(cmp.Compare(text(a, "color")+"#"+text(a, "flag"), text(b, "color")+"#"+text(b, "flag")),
					cmp.Compare(number(b, "size"), number(a, "size")), byKey(a, b))
			}},
	}
}

// history is one random run, the same on every engine.
type history struct {
	t       *testing.T
	rng     *rand.Rand
	all     []*candidate
	model   model
	indexes []indexModel
	present []bool // of indexes
	clock   *clock
	expires bool // items whose "at" has come are deleted
}

// TestMetamorphic runs one random history on all engines and a model of maps: every answer must be the model's, an
// index's answer that of a full scan, whether the index was there before the rows or built while they came, and
// whatever was closed and opened in between.
func TestMetamorphic(t *testing.T) {
	seed := rounds.Seed(t)
	clock := clockAt(1_800_000_000)
	h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 1)), all: candidates(t, clock), model: model{},
		indexes: indexModels(t), present: make([]bool, 3), clock: clock}
	h.present[0] = true
	for _, c := range h.all {
		_, err := c.db.CreateTable(t.Context(), database.TableSpec{
			Name: "t", Key: database.Columns("pk", schema.String, "sk", schema.Number),
			Indexes: []database.IndexSpec{h.indexes[0].spec},
		})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
	for i := range max(rounds.Of(t, 8000), 2000) {
		h.step()
		if i%300 == 299 {
			h.expire()
		}
		if i%1500 == 1499 {
			h.compare()
			h.alter()
		}
		if i%7000 == 6999 {
			for _, c := range h.all {
				c.restart(t)
			}
		}
	}
	h.compare()
}

func (h *history) key() testdoc.Document {
	return testdoc.Document{"pk": string(rune('a' + h.rng.IntN(6))), "sk": h.rng.IntN(40)}
}

func (h *history) item() testdoc.Document {
	d := h.key()
	if h.rng.IntN(4) > 0 {
		d["color"] = []string{"red", "green", "b\x00lue", ""[0:0] + "grey"}[h.rng.IntN(4)]
	}
	if h.rng.IntN(4) > 0 {
		d["size"] = h.rng.IntN(12) - 4
	}
	if h.rng.IntN(5) == 0 {
		d["flag"] = []string{"new", "hot"}[h.rng.IntN(2)]
	}
	switch h.rng.IntN(6) {
	case 0, 1:
		d["at"] = int(h.clock.seconds.Load()) + h.rng.IntN(200) - 20
	case 2:
		d["at"] = []any{"never", nil, true}[h.rng.IntN(3)]
	}
	d["note"] = fmt.Sprint("note ", h.rng.IntN(1000))
	return d
}

// step does one random operation on the model and on all engines.
func (h *history) step() {
	switch p := h.rng.IntN(100); {
	case p < 35:
		item := h.item()
		h.model[modelKey(item)] = item
		h.each(func(ctx context.Context, table *database.Table) error { return testdoc.Put(ctx, table, item) })
	case p < 50:
		h.conditionalPut()
	case p < 70:
		h.update()
	case p < 85:
		key := h.key()
		delete(h.model, modelKey(key))
		h.each(func(ctx context.Context, table *database.Table) error { return testdoc.Delete(ctx, table, key) })
	default:
		h.get()
	}
}

// each runs one operation on every engine.
func (h *history) each(do func(context.Context, *database.Table) error) {
	h.t.Helper()
	for _, c := range h.all {
		table, err := c.db.Table("t")
		if err == nil {
			err = do(h.t.Context(), table)
		}
		if err != nil {
			h.t.Fatalf("%s: %v", c.name, err)
		}
	}
}

func (h *history) conditionalPut() {
	item := h.item()
	_, exists := h.model[modelKey(item)]
	if !exists {
		h.model[modelKey(item)] = item
	}
	h.each(func(ctx context.Context, table *database.Table) error {
		err := testdoc.Put(ctx, table, item, govalue.Attribute("pk").Missing())
		if failed := database.KindOf(err) == database.KindConditionFailed; err != nil && !failed || failed != exists {
			return fmt.Errorf("conditional put of %v, which exists: %v: %v", item, exists, err)
		}
		return nil
	})
}

func (h *history) update() {
	key := h.key()
	item, exists := maps.Clone(h.model[modelKey(key)]), true
	if item == nil {
		item, exists = maps.Clone(key), false
	}
	var update *expr.Update
	removes := false
	switch h.rng.IntN(5) {
	case 0:
		update, removes = govalue.Attribute("flag").Remove(), true
		delete(item, "flag")
	case 1:
		update = govalue.Updates(govalue.Attribute("color").Set("red"), govalue.Attribute("flag").Set("hot"))
		item["color"], item["flag"] = "red", "hot"
	case 2:
		update = govalue.Attribute("size").Add(1)
		item["size"] = number(item, "size") + 1
	case 3:
		at := int(h.clock.seconds.Load()) + h.rng.IntN(200)
		update = govalue.Attribute("at").Set(at)
		item["at"] = at
	default:
		update, removes = govalue.Attribute("size").Remove(), true
		delete(item, "size")
	}
	if removes && !exists {
		item = testdoc.Document{} // an update that only removes makes no item
	} else {
		h.model[modelKey(key)] = item
	}
	h.each(func(ctx context.Context, table *database.Table) error {
		after, err := testdoc.Update(ctx, table, key, update)
		if err == nil && !same(testdoc.Of(after), item) {
			err = fmt.Errorf("update gave %v, want %v", testdoc.Of(after), item)
		}
		return err
	})
}

func (h *history) get() {
	key := h.key()
	want, exists := h.model[modelKey(key)]
	h.each(func(ctx context.Context, table *database.Table) error {
		item, ok, err := testdoc.Get(ctx, table, key)
		if err == nil && (ok != exists || ok && !same(testdoc.Of(item), want)) {
			err = fmt.Errorf("get %v gave %v %v, want %v", key, ok, testdoc.Of(item), want)
		}
		return err
	})
}

// same compares documents whatever Go types their numbers have.
func same(a, b testdoc.Document) bool { return reflect.DeepEqual(plain(a), plain(b)) }

func plain(d testdoc.Document) map[string]string {
	texts := map[string]string{}
	for name, x := range d {
		if n, ok := x.(json.Number); ok {
			x = n.String()
		}
		texts[name] = fmt.Sprint(x)
	}
	return texts
}

// expire lets time pass, and what has expired by then go.
func (h *history) expire() {
	h.clock.seconds.Add(int64(h.rng.IntN(40)))
	want := int64(0)
	for key, d := range h.model {
		if at, ok := d["at"].(int); h.expires && ok && int64(at) <= h.clock.seconds.Load() {
			delete(h.model, key)
			want++
		}
	}
	for _, c := range h.all {
		err := c.db.WaitJobs(h.t.Context()) // it begins when all items have been looked through
		deleted, expireErr := c.db.Jobs().Expire(h.t.Context())
		if err := cmp.Or(err, expireErr); err != nil || deleted != want {
			h.t.Fatalf("%s: %d items expired, want %d: %v", c.name, deleted, want, err)
		}
	}
}

// alterExpiry switches expiry on or off.
func (h *history) alterExpiry() {
	h.expires = !h.expires
	h.each(func(ctx context.Context, table *database.Table) error {
		if h.expires {
			return table.SetExpiry(ctx, "at")
		}
		return table.SetExpiry(ctx, "")
	})
}

// alter adds or drops an index on all engines, or what makes items expire. Operations go on while it is built.
func (h *history) alter() {
	at := h.rng.IntN(len(h.indexes))
	h.present[at] = !h.present[at]
	for _, c := range h.all {
		if err := c.db.WaitJobs(h.t.Context()); err != nil {
			h.t.Fatalf("%s: %v", c.name, err)
		}
	}
	if h.rng.IntN(2) == 0 {
		h.alterExpiry()
	}
	h.each(func(ctx context.Context, table *database.Table) error {
		if h.present[at] {
			return table.AddIndex(ctx, h.indexes[at].spec)
		}
		return table.DropIndex(ctx, h.indexes[at].spec.Name)
	})
}

// compare checks everything: the whole table and every index, in both directions and in pages, against the model, and
// rows against entries.
func (h *history) compare() {
	h.t.Helper()
	for _, c := range h.all {
		if err := c.db.WaitJobs(h.t.Context()); err != nil {
			h.t.Fatalf("%s: %v", c.name, err)
		}
	}
	h.compareWalk("", func(testdoc.Document) bool { return true }, byKey, nil)
	for i, x := range h.indexes {
		if h.present[i] {
			h.compareWalk(x.spec.Name, x.has, x.less, h.projected(x.spec))
		}
	}
	h.each(func(ctx context.Context, table *database.Table) error {
		report, err := table.Verify(ctx)
		if err == nil && (len(report.Faults) > 0 || report.Rows != int64(len(h.model))) {
			err = fmt.Errorf("verify: %+v; the model has %d rows", report, len(h.model))
		}
		return err
	})
}

// projected returns the attributes that an index holds; nil is all.
func (h *history) projected(spec database.IndexSpec) []string {
	switch spec.Projection {
	case schema.ProjectKeys:
		return []string{"pk", "sk", "flag"}
	case schema.ProjectInclude:
		return []string{"pk", "sk", "color", "flag", "size", "note"}
	}
	return nil
}

func (h *history) compareWalk(index string, has func(testdoc.Document) bool, less func(a, b testdoc.Document) int,
	keep []string) {
	h.t.Helper()
	want := slices.DeleteFunc(slices.Collect(maps.Values(h.model)), func(d testdoc.Document) bool { return !has(d) })
	slices.SortFunc(want, less)
	for i, d := range want {
		if keep != nil {
			want[i] = maps.Clone(d)
			maps.DeleteFunc(want[i], func(name string, _ any) bool { return !slices.Contains(keep, name) })
		}
	}
	for _, reverse := range []bool{false, true} {
		page := 1 + h.rng.IntN(50)
		h.each(func(ctx context.Context, table *database.Table) error {
			got, err := walk(ctx, table, database.Query{Index: index, Reverse: reverse, ExaminedMax: page})
			if err != nil {
				return err
			}
			if !slices.EqualFunc(got, want, same) {
				return fmt.Errorf("index %q, reverse %v, pages of %d: %d items\n%v\nwant %d\n%v", index, reverse, page,
					len(got), got, len(want), want)
			}
			return nil
		})
		slices.Reverse(want)
	}
	if index == "" {
		h.compareSegments(len(want))
	}
}

// walk reads a query page by page.
func walk(ctx context.Context, table *database.Table, q database.Query) (all []testdoc.Document, err error) {
	for {
		c, err := table.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for c.Next() {
			all = append(all, testdoc.Of(c.Item()))
		}
		q.After, err = c.LastKey()
		q.Boundaries = c.Boundaries()
		more := c.More()
		if closeErr := c.Close(); err != nil || closeErr != nil || !more {
			return all, cmp.Or(err, closeErr)
		}
	}
}

// compareSegments checks that the segments of a parallel scan hold every item once.
func (h *history) compareSegments(want int) {
	segments := 1 + h.rng.IntN(9)
	h.each(func(ctx context.Context, table *database.Table) error {
		seen := map[string]bool{}
		for segment := range segments {
			items, err := walk(ctx, table, database.Query{Segment: segment, Segments: segments, ExaminedMax: 7})
			if err != nil {
				return err
			}
			for _, d := range items {
				if seen[modelKey(d)] {
					return fmt.Errorf("%v is in two of %d segments", d, segments)
				}
				seen[modelKey(d)] = true
			}
		}
		if len(seen) != want {
			return fmt.Errorf("%d segments hold %d items, want %d", segments, len(seen), want)
		}
		return nil
	})
}
