// SPDX-License-Identifier: Apache-2.0

package hbase_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
)

// version is a value of the model.
type version struct {
	at, life int64
	value    string
}

// marks are the deletions of a column or a family.
type marks struct {
	upto  int64
	exact map[int64]bool
}

// column of the model: all values that may ever be seen again, newest first.
type column struct {
	versions []version
	marks
}

// model is HBase's cells in memory, written for the test: what is masked is looked up at each read.
type model struct {
	families map[string]hbase.Family
	rows     map[string]map[string]*column // by row and "f:q"
	masked   map[string]map[string]*marks  // by row and family
}

func newModel(t *hbase.Table) *model {
	m := &model{families: map[string]hbase.Family{}, rows: map[string]map[string]*column{},
		masked: map[string]map[string]*marks{}}
	for _, f := range t.Families {
		m.families[f.Name] = f
	}
	return m
}

func (m *model) column(row, name string) *column {
	if m.rows[row] == nil {
		m.rows[row] = map[string]*column{}
	}
	c := m.rows[row][name]
	if c == nil {
		c = &column{marks: marks{upto: -1, exact: map[int64]bool{}}}
		m.rows[row][name] = c
	}
	return c
}

// marks are those of a family of a row.
func (m *model) marks(row, family string) *marks {
	if m.masked[row] == nil {
		m.masked[row] = map[string]*marks{}
	}
	if m.masked[row][family] == nil {
		m.masked[row][family] = &marks{upto: -1, exact: map[int64]bool{}}
	}
	return m.masked[row][family]
}

func familyOf(name string) string { f, _, _ := strings.Cut(name, ":"); return f }

// live are the values of a column that are seen at a time.
func (m *model) live(row, name string, now int64) (list []version) {
	c, f := m.column(row, name), m.families[familyOf(name)]
	whole := m.marks(row, f.Name)
	for _, v := range c.versions {
		if v.at <= c.upto || v.at <= whole.upto || c.exact[v.at] || whole.exact[v.at] {
			continue
		}
		if v.life > 0 && v.at <= now-v.life || f.LifeMS > 0 && len(list) >= f.VersionsMin && v.at <= now-f.LifeMS {
			continue
		}
		list = append(list, v)
	}
	return list
}

// trim drops what a write leaves behind: nothing brings it back.
func (m *model) trim(row string, now int64) {
	for name, c := range m.rows[row] {
		kept := m.live(row, name, now)
		c.versions = kept[:min(len(kept), m.families[familyOf(name)].Versions)]
	}
}

func (m *model) put(row string, w *hbase.CellWrite, now int64) {
	if w.LifeMS < 0 { // it is gone at once
		return
	}
	name := string(w.Family) + ":" + string(w.Qualifier)
	c, v := m.column(row, name), version{w.AtMS, w.LifeMS, string(w.Value)}
	whole := m.marks(row, familyOf(name))
	if v.at == hbase.Epoch {
		v.at = 0
	} else if v.at == 0 { // what is written by the clock shows, whatever was marked at the same time
		if v.at = now; whole.upto == now || whole.exact[now] {
			v.at++
		}
		delete(c.exact, v.at)
		if c.upto == v.at {
			c.upto--
		}
	}
	if c.exact[v.at] || whole.exact[v.at] {
		return
	}
	c.versions = slices.DeleteFunc(c.versions, func(old version) bool { return old.at == v.at })
	c.versions = append(c.versions, v)
	slices.SortFunc(c.versions, func(a, b version) int { return cmp.Compare(b.at, a.at) })
}

// newestBefore gives the deletions without a time that of the version which they take: HBase looks before it does any
// of a call's mutations.
func (m *model) newestBefore(row string, list []hbase.Mutation, now int64) map[*hbase.CellDelete]int64 {
	times := map[*hbase.CellDelete]int64{}
	for _, one := range list {
		if one.Delete == nil {
			continue
		}
		taken := map[string]int{}
		for i := range one.Delete.Cells {
			d := &one.Delete.Cells[i]
			if d.Kind != hbase.DeleteVersion || d.AtMS != 0 {
				continue
			}
			name := string(d.Family) + ":" + string(d.Qualifier)
			if live := m.live(row, name, now); taken[name] < len(live) {
				times[d] = live[taken[name]].at
			}
			taken[name]++
		}
	}
	return times
}

func (m *model) delete(row string, d *hbase.CellDelete, now int64, newest map[*hbase.CellDelete]int64) {
	family, at := string(d.Family), d.AtMS
	switch at {
	case 0:
		at = now
	case hbase.Epoch:
		at = 0
	}
	c := (*column)(nil)
	if d.Kind == hbase.DeleteVersion || d.Kind == hbase.DeleteVersions {
		c = m.column(row, family+":"+string(d.Qualifier))
	}
	switch {
	case d.Kind == hbase.DeleteVersion && d.AtMS == 0:
		if before, ok := newest[d]; ok {
			c.exact[before] = true
		}
	case d.Kind == hbase.DeleteVersion:
		c.exact[at] = true
	case d.Kind == hbase.DeleteVersions:
		c.upto = max(c.upto, at)
	case d.Kind == hbase.DeleteFamily:
		m.marks(row, family).upto = max(m.marks(row, family).upto, at)
	default:
		m.marks(row, family).exact[at] = true
	}
}

func (m *model) mutate(row string, list []hbase.Mutation, now int64) {
	newest := m.newestBefore(row, list, now)
	for _, one := range list {
		if one.Put != nil {
			for i := range one.Put.Cells {
				m.put(row, &one.Put.Cells[i], now)
			}
			continue
		}
		for i := range one.Delete.Cells {
			m.delete(row, &one.Delete.Cells[i], now, newest)
		}
		if len(one.Delete.Cells) == 0 {
			for name := range m.families {
				m.delete(row, &hbase.CellDelete{Column: hbase.Column{Family: []byte(name)}, Kind: hbase.DeleteFamily,
					AtMS: one.Delete.AtMS}, now, nil)
			}
		}
	}
	m.trim(row, now)
}

// get is what a read of the row finds.
func (m *model) get(row string, s *hbase.Selection, now int64) (cells []filter.Cell) {
	for name := range m.rows[row] {
		family, qualifier, _ := strings.Cut(name, ":")
		if len(s.Columns) > 0 && !slices.ContainsFunc(s.Columns, func(c hbase.Column) bool {
			return string(c.Family) == family && (c.Whole || string(c.Qualifier) == qualifier)
		}) {
			continue
		}
		n := 0
		for _, v := range m.live(row, name, now) {
			if v.at < s.Times.FromMS || s.Times.ToMS != 0 && v.at >= s.Times.ToMS ||
				n == min(max(s.Versions, 1), m.families[family].Versions) {
				continue
			}
			n++
			cells = append(cells, filter.Cell{Family: []byte(family), Qualifier: []byte(qualifier),
				Value: []byte(v.value), AtMS: v.at})
		}
	}
	slices.SortFunc(cells, func(a, b filter.Cell) int {
		return cmp.Or(bytes.Compare(a.Family, b.Family), bytes.Compare(a.Qualifier, b.Qualifier),
			cmp.Compare(b.AtMS, a.AtMS))
	})
	return cells
}

// trial is a database and the model beside it.
type trial struct {
	t      *testing.T
	store  kv.Store
	admin  kv.Admin
	db     *database.DB
	api    *hbase.API
	name   hbase.TableName
	model  *model
	random *rand.Rand
	now    atomic.Int64
}

func (x *trial) open() {
	db, err := database.Open(x.t.Context(), x.store,
		database.Options{Admin: x.admin, Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1,
			Now: func() time.Time { return time.UnixMilli(x.now.Load()) }})
	if err != nil {
		x.t.Fatal(err)
	}
	x.db, x.api = db, &hbase.API{DB: db}
}

func (x *trial) check(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// TestModel does random operations on each engine and on a model in memory; answers must be equal. The database is
// opened again now and then.
func TestModel(t *testing.T) {
	for _, engine := range teststore.Engines() {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			seed := rounds.Seed(t)
			x := &trial{t: t, random: rand.New(rand.NewPCG(seed, 0)),
				name: hbase.TableName{Namespace: database.DefaultDatabase, Name: "t"}}
			x.store, x.admin = engine.Open(t)
			x.now.Store(1_700_000_000_000)
			x.open()
			table := &hbase.Table{TableName: x.name, Families: []hbase.Family{
				{Name: "a", Versions: 3}, {Name: "a-b", Versions: 1},
				{Name: "l", Versions: 4, VersionsMin: 1, LifeMS: 500},
			}}
			x.model = newModel(table)
			x.check(x.api.CreateTable(t.Context(), table, [][]byte{[]byte("r3"), []byte("r1\xff")}))
			for i := range max(rounds.Of(t, 3500), 1000) {
				if i%2500 == 2499 {
					x.check(x.db.Close())
					x.open()
				}
				x.now.Add(1 + int64(x.random.IntN(8)))
				x.step()
			}
			pinned, err := x.db.TableIn(x.name.Namespace, x.name.Name)
			x.check(err)
			report, err := pinned.Verify(t.Context())
			if err != nil || len(report.Faults) > 0 {
				t.Errorf("%v, %v", report.Faults, err)
			}
			x.check(errors.Join(x.db.Close(), x.store.Close()))
		})
	}
}

func (x *trial) row() []byte {
	return []byte("r" + string("0123456789"[x.random.IntN(6)]) + []string{"", "\x00", "\xff"}[x.random.IntN(3)])
}

func (x *trial) column() hbase.Column {
	family := []string{"a", "a-b", "l"}[x.random.IntN(3)]
	return hbase.Column{Family: []byte(family),
		Qualifier: []byte([]string{"", "x", "y:z", "\xff\x00"}[x.random.IntN(4)])}
}

// at is 0, or a time near the present, long ago, or far ahead.
func (x *trial) at() int64 {
	const day, ahead = 24 * 3_600_000, math.MaxInt64 - 100
	some := int64(x.random.IntN(40))
	switch x.random.IntN(12) {
	case 0, 1, 2, 3:
		return 0
	case 4: // a number that counts versions
		if some == 0 {
			return hbase.Epoch
		}
		return some % 8
	case 5:
		return x.now.Load()/day*day - 21*day + some
	case 6:
		if x.random.IntN(8) == 0 {
			return ahead + some
		}
	}
	return x.now.Load() - some + 5
}

func (x *trial) cells() (list []hbase.CellWrite) {
	for range 1 + x.random.IntN(3) {
		w := hbase.CellWrite{Column: x.column(), AtMS: x.at(), Value: fmt.Appendf(nil, "v%d", x.random.IntN(50))}
		if x.random.IntN(5) == 0 {
			w.LifeMS = int64(x.random.IntN(60)) - 5
		}
		list = append(list, w)
	}
	return list
}

func (x *trial) mutation(row []byte) hbase.Mutation {
	if x.random.IntN(3) > 0 {
		return hbase.Mutation{Put: &hbase.Put{Row: row, Cells: x.cells()}}
	}
	d := &hbase.Delete{Row: row, AtMS: x.at()}
	for range x.random.IntN(3) {
		d.Cells = append(d.Cells, hbase.CellDelete{Column: x.column(), Kind: hbase.DeleteKind(x.random.IntN(4)),
			AtMS: x.at()})
	}
	for i := range d.Cells {
		if c := &d.Cells[i]; c.Kind == hbase.DeleteFamilyVersion && c.AtMS == 0 {
			c.AtMS = x.now.Load() - 3
		}
	}
	return hbase.Mutation{Delete: d}
}

func (x *trial) selection() (s hbase.Selection) {
	s.Versions = x.random.IntN(5)
	for range x.random.IntN(3) {
		c := x.column()
		c.Whole = x.random.IntN(2) == 0
		s.Columns = append(s.Columns, c)
	}
	if x.random.IntN(3) == 0 {
		s.Times.FromMS = max(0, x.at())
		s.Times.ToMS = s.Times.FromMS + int64(x.random.IntN(30))
	}
	return s
}

func (x *trial) step() {
	ctx, row := x.t.Context(), x.row()
	switch x.random.IntN(12) {
	case 0, 1, 2, 3:
		x.mutateRow(ctx, row)
	case 4:
		x.checkAndMutate(ctx, row)
	case 5:
		x.increment(ctx, row)
	case 6:
		x.append(ctx, row)
	case 7, 8, 9:
		s := x.selection()
		got, err := x.api.Get(ctx, x.name, &hbase.Get{Row: row, Selection: s})
		x.check(err)
		x.compare(fmt.Sprintf("get %q %+v", row, s), got.Cells, x.model.get(string(row), &s, x.now.Load()))
	default:
		x.scan(ctx)
	}
}

func (x *trial) mutateRow(ctx context.Context, row []byte) {
	list := make([]hbase.Mutation, 1+x.random.IntN(2))
	for i := range list {
		list[i] = x.mutation(row)
	}
	x.model.mutate(string(row), list, x.now.Load())
	x.check(x.api.Mutate(ctx, x.name, row, list))
}

func (x *trial) checkAndMutate(ctx context.Context, row []byte) {
	c, list, s := x.column(), []hbase.Mutation{x.mutation(row)}, hbase.Selection{}
	s.Columns = []hbase.Column{c}
	condition := &hbase.Condition{Column: c, Operator: hbase.Operator(x.random.IntN(7)),
		Value: fmt.Appendf(nil, "v%d", x.random.IntN(50))}
	if x.random.IntN(3) == 0 {
		condition.Value, condition.Operator = nil, hbase.Equal
	}
	cells := x.model.get(string(row), &s, x.now.Load())
	want := len(cells) == 0
	if condition.Value != nil {
		want = len(cells) > 0 && [...]func(int) bool{
			func(n int) bool { return n < 0 }, func(n int) bool { return n <= 0 }, func(n int) bool { return n == 0 },
			func(n int) bool { return n != 0 },
			func(n int) bool { return n >= 0 }, func(n int) bool { return n > 0 }, func(int) bool { return true },
		}[condition.Operator](bytes.Compare(condition.Value, append([]filter.Cell{}, cells...)[0].Value))
	}
	if want {
		x.model.mutate(string(row), list, x.now.Load())
	}
	done, err := x.api.CheckAndMutate(ctx, x.name, row, condition, list)
	x.check(err)
	if done != want {
		x.t.Fatalf("check of %q %+v says %v; there is %v", row, condition, done, cells)
	}
}

// newest is what an increment or append begins with, with the time and the life of what it writes: not before the value
// that it replaces, and as long.
func (x *trial) newest(row []byte, c hbase.Column) (old string, ok bool, next hbase.CellWrite) {
	next.Column = c
	live := x.model.live(string(row), string(c.Family)+":"+string(c.Qualifier), x.now.Load())
	if len(live) == 0 {
		return "", false, next
	}
	if live[0].at > x.now.Load() {
		next.AtMS = live[0].at
	}
	next.LifeMS = live[0].life
	return live[0].value, true, next
}

func (x *trial) increment(ctx context.Context, row []byte) {
	c, by := x.column(), int64(x.random.IntN(9)-4)
	c.Qualifier = []byte("count")
	old, ok, w := x.newest(row, c)
	n := by
	if ok {
		n += int64(binary.BigEndian.Uint64([]byte(old)))
	}
	got, err := x.api.Increment(ctx, x.name,
		&hbase.Increment{Row: row, LifeMS: x.life(&w), Amounts: []hbase.Amount{{Column: c, By: by}}})
	x.check(err)
	next := binary.BigEndian.AppendUint64(nil, uint64(n))
	if !bytes.Equal(got.Cells[0].Value, next) {
		x.t.Fatalf("increment of %q gives %x, not %x", row, got.Cells[0].Value, next)
	}
	w.Value = next
	x.model.mutate(string(row), []hbase.Mutation{{Put: &hbase.Put{Row: row, Cells: []hbase.CellWrite{w}}}},
		x.now.Load())
}

// life is the life that a call gives to what it writes, or 0.
func (x *trial) life(w *hbase.CellWrite) int64 {
	given := int64(0)
	switch x.random.IntN(8) {
	case 0, 1:
		given = int64(1 + x.random.IntN(60))
	case 2:
		given = -1
	}
	if given != 0 {
		w.LifeMS = given
	}
	return given
}

func (x *trial) append(ctx context.Context, row []byte) {
	old, _, w := x.newest(row, x.column())
	given := hbase.CellWrite{Column: w.Column, Value: []byte("+"), LifeMS: x.life(&w)}
	got, err := x.api.Append(ctx, x.name, &hbase.Append{Row: row, Cells: []hbase.CellWrite{given}})
	x.check(err)
	w.Value = append([]byte(old), '+')
	if !bytes.Equal(got.Cells[0].Value, w.Value) {
		x.t.Fatalf("append to %q gives %s, not %s", row, got.Cells[0].Value, w.Value)
	}
	x.model.mutate(string(row), []hbase.Mutation{{Put: &hbase.Put{Row: row, Cells: []hbase.CellWrite{w}}}},
		x.now.Load())
}

func (x *trial) scan(ctx context.Context) {
	s := hbase.Scan{Selection: x.selection(), Reversed: x.random.IntN(2) == 0, Limit: x.random.IntN(6),
		Batch: x.random.IntN(4), StartExcluded: x.random.IntN(3) == 0, StopIncluded: x.random.IntN(3) == 0}
	if x.random.IntN(3) > 0 {
		s.Start = x.row()
	}
	if x.random.IntN(3) > 0 {
		s.Stop = x.row()
	}
	prefixes := []string{""}
	if x.random.IntN(3) == 0 {
		prefixes = []string{fmt.Sprint("r", x.random.IntN(6)), fmt.Sprint("r", x.random.IntN(6))}
		rows, err := filter.Parse(fmt.Appendf(nil, "PrefixFilter('%s') OR RowFilter(=, 'binaryprefix:%s')", prefixes[0],
			prefixes[1]))
		x.check(err)
		s.Filter = rows
	}
	scanner, err := x.api.OpenScanner(ctx, x.name, &s)
	x.check(err)
	var got []string
	for caching := 1 + x.random.IntN(5); ; {
		page, err := scanner.Next(ctx, caching)
		x.check(err)
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			got = append(got, fmt.Sprintf("%q %v %s", r.Row, r.Partial, text(r.Cells)))
		}
	}
	if want := x.model.scan(&s, prefixes, x.now.Load()); !slices.Equal(got, want) {
		x.t.Fatalf("scan %+v at %d gives\n%s\nnot\n%s", s, x.now.Load(), strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// scan is what a scan finds, of rows whose keys begin with one of the prefixes.
func (m *model) scan(s *hbase.Scan, prefixes []string, now int64) (list []string) {
	stopIncluded := s.StopIncluded || len(s.Start) > 0 && !s.StartExcluded && bytes.Equal(s.Start, s.Stop)
	var rows []string
	for row := range m.rows {
		after := func(bound []byte, included bool) bool {
			by := strings.Compare(row, string(bound))
			if s.Reversed {
				by = -by
			}
			return len(bound) == 0 || by > 0 || by == 0 && included
		}
		if !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(row, prefix) }) {
			continue
		}
		if after(s.Start, !s.StartExcluded) && (len(s.Stop) == 0 || !after(s.Stop, !stopIncluded)) {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	if s.Reversed {
		slices.Reverse(rows)
	}
	found := 0
	for _, row := range rows {
		cells := m.get(row, &s.Selection, now)
		if len(cells) == 0 || s.Limit > 0 && found == s.Limit {
			continue
		}
		found++
		for len(cells) > 0 {
			n := len(cells)
			if s.Batch > 0 {
				n = min(n, s.Batch)
			}
			list = append(list, fmt.Sprintf("%q %v %s", row, n < len(cells), text(cells[:n])))
			cells = cells[n:]
		}
	}
	return list
}

func text(cells []filter.Cell) string {
	var out strings.Builder
	for _, c := range cells {
		fmt.Fprintf(&out, "%s:%q@%d=%q ", c.Family, c.Qualifier, c.AtMS, c.Value)
	}
	return out.String()
}

func (x *trial) compare(what string, got, want []filter.Cell) {
	x.t.Helper()
	if text(got) != text(want) {
		x.t.Fatalf("%s at %d gives\n%s\nnot\n%s", what, x.now.Load(), text(got), text(want))
	}
}
