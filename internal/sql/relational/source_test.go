// SPDX-License-Identifier: Apache-2.0

package relational_test

import (
	"context"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// memory is a Source of rows in memory.
type memory struct {
	tables map[string]map[string]*memoryTable
	views  map[string]map[string]relational.View
	// log gets a line for each scan and write if it is not nil.
	log *[]string
	// refuse makes scans without conditions or ranges fail for these tables.
	refuse map[string]bool
	probes int // scans of ranges
	scans  int // other scans
	read   int // rows given
}

type memoryTable struct {
	memory  *memory
	name    string
	columns []relational.Column
	key     []string
	indexes []relational.Index
	dynamic bool
	rows    []map[string]datum.Datum // in key order
}

func newMemory() *memory {
	return &memory{tables: map[string]map[string]*memoryTable{}, views: map[string]map[string]relational.View{}, refuse: map[string]bool{}}
}

func (m *memory) Databases() []string {
	var names []string
	for name := range m.tables {
		names = append(names, name)
	}
	return names
}

func (m *memory) Tables(database string) ([]string, error) {
	var names []string
	for name := range m.tables[database] {
		names = append(names, name)
	}
	return names, nil
}

func (m *memory) Table(database, name string) (relational.Table, bool, error) {
	t, ok := m.tables[database][name]
	if !ok {
		return nil, false, nil
	}
	return t, true, nil
}

func (m *memory) Views() relational.Views { return memoryViews{m} }

type memoryViews struct{ m *memory }

func (v memoryViews) List(database string) ([]relational.View, error) {
	var all []relational.View
	for _, view := range v.m.views[database] {
		all = append(all, view)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

func (v memoryViews) Get(database, name string) (relational.View, bool, error) {
	view, ok := v.m.views[database][name]
	return view, ok, nil
}

func (v memoryViews) Put(database string, view relational.View) error {
	if v.m.views[database] == nil {
		v.m.views[database] = map[string]relational.View{}
	}
	v.m.views[database][view.Name] = view
	return nil
}

func (v memoryViews) Drop(database, name string) error {
	delete(v.m.views[database], name)
	return nil
}

func (m *memory) add(database string, t *memoryTable) *memoryTable {
	if m.tables[database] == nil {
		m.tables[database] = map[string]*memoryTable{}
	}
	t.memory = m
	m.tables[database][t.name] = t
	primary := relational.Index{Name: relational.PrimaryName, Unique: true}
	for _, name := range t.key {
		primary.Columns = append(primary.Columns, relational.IndexColumn{Name: name})
	}
	t.indexes = append([]relational.Index{primary}, t.indexes...)
	return t
}

func (t *memoryTable) Name() string                 { return t.name }
func (t *memoryTable) Comment() string              { return "" }
func (t *memoryTable) Columns() []relational.Column { return t.columns }
func (t *memoryTable) PrimaryKey() []string         { return t.key }
func (t *memoryTable) Indexes() []relational.Index  { return t.indexes }
func (t *memoryTable) Rows() uint64                 { return uint64(len(t.rows)) }

func (t *memoryTable) Dynamic(name string) (relational.Column, bool) {
	return relational.Column{Name: name, Dynamic: true}, t.dynamic
}

// put adds rows written as values of the columns, in order.
func (t *memoryTable) put(rows ...[]datum.Datum) {
	for _, values := range rows {
		row := map[string]datum.Datum{}
		for i, v := range values {
			row[t.columns[i].Name] = v
		}
		t.rows = append(t.rows, row)
	}
	t.sort()
}

func (t *memoryTable) sort() {
	sort.SliceStable(t.rows, func(i, j int) bool { return compareRows(t.rows[i], t.rows[j], t.key) < 0 })
}

func compareRows(a, b map[string]datum.Datum, columns []string) int {
	for _, name := range columns {
		if c := compare(a[name], b[name]); c != 0 {
			return c
		}
	}
	return 0
}

func compare(a, b datum.Datum) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return -1
	case b.IsNull():
		return 1
	}
	order, _ := datum.Compare(a, b)
	return order
}

func (t *memoryTable) index(name string) []string {
	for _, i := range t.indexes {
		if i.Name == name {
			var names []string
			for _, c := range i.Columns {
				names = append(names, c.Name)
			}
			return names
		}
	}
	return nil
}

func (t *memoryTable) Scan(ctx context.Context, request relational.ScanRequest) (relational.Rows, error) {
	m := t.memory
	if m.log != nil {
		*m.log = append(*m.log, describe(t.name, request))
	}
	if m.refuse[t.name] && len(request.Where) == 0 && request.Index == "" && !request.AllowFiltering {
		return nil, fault.New(fault.Refused, "Detect inefficient query: "+t.name)
	}
	if request.Index == "" {
		m.scans++
		return &memoryRows{ctx: ctx, memory: m, rows: t.rows, columns: request.Columns}, nil
	}
	m.probes++
	columns := t.index(request.Index)
	rows := t.inRanges(columns, request.Ranges)
	if request.Ordered {
		rows = append([]map[string]datum.Datum(nil), rows...)
		sort.SliceStable(rows, func(i, j int) bool {
			if request.Reverse {
				i, j = j, i
			}
			return compareRows(rows[i], rows[j], columns) < 0
		})
	}
	return &memoryRows{ctx: ctx, memory: m, rows: rows, columns: request.Columns}, nil
}

// inRanges finds rows by walking all.
func (t *memoryTable) inRanges(columns []string, ranges []relational.Range) []map[string]datum.Datum {
	return filterRows(t.rows, columns, ranges)
}

func filterRows(rows []map[string]datum.Datum, columns []string, ranges []relational.Range) []map[string]datum.Datum {
	var within []map[string]datum.Datum
	for _, row := range rows {
		for _, r := range ranges {
			if inRange(row, columns, r) {
				within = append(within, row)
				break
			}
		}
	}
	return within
}

func inRange(row map[string]datum.Datum, columns []string, r relational.Range) bool {
	for n, interval := range r {
		v := row[columns[n]]
		if v.IsNull() {
			if !interval.Null {
				return false
			}
			continue
		}
		if interval.NullOnly {
			return false
		}
		if low := interval.Low; low.Bounded {
			if c := compare(v, low.Value); c < 0 || c == 0 && !low.Inclusive {
				return false
			}
		}
		if high := interval.High; high.Bounded {
			if c := compare(v, high.Value); c > 0 || c == 0 && !high.Inclusive {
				return false
			}
		}
	}
	return true
}

func (t *memoryTable) find(key []datum.Datum) int {
	want := map[string]datum.Datum{}
	for i, name := range t.key {
		want[name] = key[i]
	}
	for i, row := range t.rows {
		if compareRows(row, want, t.key) == 0 {
			return i
		}
	}
	return -1
}

func (t *memoryTable) note(format string, arguments ...any) {
	if t.memory.log != nil {
		*t.memory.log = append(*t.memory.log, fmt.Sprintf(format, arguments...))
	}
}

func (t *memoryTable) Joined(columns []string, allowFiltering bool) error {
	if t.memory.refuse[t.name] && !allowFiltering {
		return fault.New(fault.Refused, fmt.Sprintf("a join of all of %s by %s", t.name, columns))
	}
	return nil
}

func (t *memoryTable) Get(_ context.Context, key []datum.Datum, columns []string) ([]datum.Datum, bool, error) {
	at := t.find(key)
	if at < 0 {
		return nil, false, nil
	}
	row := make([]datum.Datum, len(columns))
	for i, name := range columns {
		row[i] = t.rows[at][name]
	}
	return row, true, nil
}

func (t *memoryTable) Insert(_ context.Context, columns []string, values []datum.Datum, rule tree.DuplicateRule) error {
	t.note("insert %s %s=%s rule=%d", t.name, columns, texts(values), rule)
	row := map[string]datum.Datum{}
	for i, name := range columns {
		row[name] = clone(values[i])
	}
	var key []datum.Datum
	for _, name := range t.key {
		key = append(key, row[name])
	}
	// A scan under way goes on over the old rows.
	t.rows = append([]map[string]datum.Datum(nil), t.rows...)
	if at := t.find(key); at >= 0 {
		switch rule {
		case tree.DuplicateIgnore:
			return nil
		case tree.DuplicateError:
			return fault.New(fault.DuplicateEntry, texts(key), "PRIMARY")
		}
		if rule != tree.ReplaceRow {
			for name, v := range t.rows[at] {
				if _, ok := row[name]; !ok {
					row[name] = v
				}
			}
		}
		t.rows[at] = row
	} else {
		t.rows = append(t.rows, row)
	}
	t.sort()
	return nil
}

func (t *memoryTable) Update(_ context.Context, key []datum.Datum, columns []string, values []datum.Datum) error {
	t.note("update %s %s %s=%s", t.name, texts(key), columns, texts(values))
	at := t.find(key)
	if at < 0 {
		return fault.New(fault.Unknown, "no row")
	}
	row := map[string]datum.Datum{}
	for name, v := range t.rows[at] {
		row[name] = v
	}
	for i, name := range columns {
		row[name] = clone(values[i])
	}
	t.rows = append([]map[string]datum.Datum(nil), t.rows...)
	t.rows[at] = row
	t.sort()
	return nil
}

func (t *memoryTable) Delete(_ context.Context, key []datum.Datum) error {
	t.note("delete %s %s", t.name, texts(key))
	if at := t.find(key); at >= 0 {
		rest := append([]map[string]datum.Datum(nil), t.rows[:at]...)
		t.rows = append(rest, t.rows[at+1:]...)
	}
	return nil
}

type memoryRows struct {
	ctx     context.Context
	memory  *memory
	rows    []map[string]datum.Datum
	columns []string
	row     []datum.Datum
}

func (r *memoryRows) Next() ([]datum.Datum, error) {
	if len(r.rows) == 0 {
		return nil, io.EOF
	}
	row := r.rows[0]
	r.rows = r.rows[1:]
	r.memory.read++
	r.row = r.row[:0]
	for _, name := range r.columns {
		r.row = append(r.row, row[name])
	}
	return r.row, nil
}

func (r *memoryRows) Close() error { return nil }

func clone(d datum.Datum) datum.Datum {
	switch d.Kind() {
	case datum.KindText:
		return datum.Text(append([]byte(nil), d.Bytes()...))
	case datum.KindBinary:
		return datum.Binary(append([]byte(nil), d.Bytes()...))
	case datum.KindJSON:
		return datum.JSON(append([]byte(nil), d.Bytes()...))
	}
	return d
}

// text is a datum as the tests' files show it.
func text(d datum.Datum) string {
	switch d.Kind() {
	case datum.KindNull:
		return "NULL"
	case datum.KindBool:
		return map[int64]string{0: "false", 1: "true"}[d.Int()]
	case datum.KindInt:
		return fmt.Sprint(d.Int())
	case datum.KindUint:
		return fmt.Sprintf("%du", d.Uint())
	case datum.KindFloat:
		return fmt.Sprintf("%gf", d.Float())
	case datum.KindDecimal:
		return d.Decimal().String() + "d"
	case datum.KindText:
		return "'" + string(d.Bytes()) + "'"
	case datum.KindBinary:
		return fmt.Sprintf("x'%x'", d.Bytes())
	case datum.KindTimestamp:
		return fmt.Sprintf("timestamp(%d)", d.Int())
	case datum.KindDate:
		return fmt.Sprintf("date(%d)", d.Int())
	case datum.KindTime:
		return fmt.Sprintf("time(%d)", d.Int())
	}
	return "json" + string(d.Bytes())
}

func texts(row []datum.Datum) string {
	var all []string
	for _, d := range row {
		all = append(all, text(d))
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// describe writes a scan as a line.
func describe(table string, r relational.ScanRequest) string {
	line := "scan " + table + " " + strings.Join(r.Columns, ",")
	for _, e := range r.Where {
		line += " where " + expression(e)
	}
	if r.Index != "" {
		line += " index " + r.Index
		for _, one := range r.Ranges {
			line += " " + rangeText(one)
		}
	}
	if r.Ordered {
		line += " ordered"
	}
	if r.Reverse {
		line += " reverse"
	}
	if r.AllowFiltering {
		line += " filtering"
	}
	return line
}

func rangeText(r relational.Range) string {
	var parts []string
	for _, i := range r {
		if v, ok := i.Equal(); ok {
			parts = append(parts, "="+text(v))
			continue
		}
		part := ""
		if i.NullOnly {
			part = "null"
		} else if i.Null {
			part = "null.."
		} else {
			part = ".."
		}
		if i.Low.Bounded {
			part = map[bool]string{true: "[", false: "("}[i.Low.Inclusive] + text(i.Low.Value) + part
		}
		if i.High.Bounded {
			part += text(i.High.Value) + map[bool]string{true: "]", false: ")"}[i.High.Inclusive]
		}
		parts = append(parts, part)
	}
	return "<" + strings.Join(parts, " ") + ">"
}

func expression(e tree.Expression) string {
	switch e := e.(type) {
	case *tree.Column:
		return e.Name
	case *tree.Literal:
		return text(e.Value)
	case *tree.Binary:
		name := map[tree.Operator]string{tree.Equal: "=", tree.NullSafeEqual: "<=>", tree.Less: "<", tree.LessOrEqual: "<=", tree.Greater: ">", tree.GreaterOrEqual: ">=",
			tree.And: "and", tree.Or: "or"}[e.Operator]
		return "(" + expression(e.Left) + " " + name + " " + expression(e.Right) + ")"
	case *tree.Unary:
		return "not " + expression(e.X)
	case *tree.Is:
		return expression(e.X) + " is null"
	case *tree.Between:
		return expression(e.X) + " between " + expression(e.Low) + " and " + expression(e.High)
	case *tree.Like:
		return expression(e.X) + " like " + expression(e.Pattern)
	case *tree.In:
		var list []string
		for _, x := range e.List {
			list = append(list, expression(x))
		}
		return expression(e.X) + " in (" + strings.Join(list, ", ") + ")"
	}
	return fmt.Sprintf("%T", e)
}

// record is a Sink that keeps the answer as text.
type record struct {
	columns []result.Column
	rows    []string
	done    result.Done
	over    bool
	stop    func(rows int) error
}

func (r *record) Columns(columns []result.Column) error {
	r.columns = columns
	return nil
}

func (r *record) Row(row []datum.Datum) error {
	r.rows = append(r.rows, texts(row))
	if r.stop != nil {
		return r.stop(len(r.rows))
	}
	return nil
}

func (r *record) Done(done result.Done) error {
	r.done, r.over = done, true
	return nil
}
