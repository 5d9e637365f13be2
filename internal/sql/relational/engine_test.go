// SPDX-License-Identifier: Apache-2.0

package relational_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/order"
)

func integer(x int64) datum.Datum { return datum.Int(x) }
func words(x string) datum.Datum  { return datum.Text([]byte(x)) }
func number(x string) datum.Datum {
	d, err := order.ParseDecimal([]byte(x))
	if err != nil {
		panic(err)
	}
	return datum.Decimal(d)
}

// shop is the database that the files query.
func shop() *memory {
	m := newMemory()
	bigint, varchar := datum.Type{Base: datum.BigInt}, datum.Type{Base: datum.Varchar}
	customers := m.add("shop", &memoryTable{name: "customers", key: []string{"id"}, columns: []relational.Column{
		{Name: "id", Type: bigint, NotNull: true}, {Name: "name", Type: varchar}, {Name: "city", Type: varchar}}})
	customers.put(
		[]datum.Datum{integer(1), words("Ada"), words("Paris")}, []datum.Datum{integer(2), words("Bob"), words("Rome")},
		[]datum.Datum{integer(3), words("Cleo"), datum.Null}, []datum.Datum{integer(4), words("Dora"), words("Paris")})
	orders := m.add("shop", &memoryTable{name: "orders", key: []string{"id"}, columns: []relational.Column{
		{Name: "id", Type: bigint, NotNull: true}, {Name: "customer", Type: bigint}, {Name: "total", Type: datum.Type{Base: datum.DecimalBase, Precision: 10, Scale: 2}},
		{Name: "state", Type: varchar, Default: "'new'"}},
		indexes: []relational.Index{{Name: "by_customer", Columns: []relational.IndexColumn{{Name: "customer"}}},
			{Name: "by_total", Columns: []relational.IndexColumn{{Name: "total", Descending: true}}}}})
	orders.put(
		[]datum.Datum{integer(10), integer(1), number("9.5"), words("paid")}, []datum.Datum{integer(11), integer(1), number("20"), words("new")},
		[]datum.Datum{integer(12), integer(2), number("5"), words("paid")}, []datum.Datum{integer(13), integer(9), number("7"), words("paid")},
		[]datum.Datum{integer(14), datum.Null, number("1"), words("new")})
	staff := m.add("shop", &memoryTable{name: "staff", key: []string{"id"}, columns: []relational.Column{
		{Name: "id", Type: bigint, NotNull: true}, {Name: "boss", Type: bigint}, {Name: "name", Type: varchar}}})
	staff.put([]datum.Datum{integer(1), datum.Null, words("root")}, []datum.Datum{integer(2), integer(1), words("left")},
		[]datum.Datum{integer(3), integer(1), words("right")}, []datum.Datum{integer(4), integer(2), words("leaf")})
	events := m.add("shop", &memoryTable{name: "Events", key: []string{"k", "at"}, dynamic: true, columns: []relational.Column{
		{Name: "k", Type: varchar, NotNull: true}, {Name: "at", Type: bigint, NotNull: true}}})
	events.put([]datum.Datum{words("a"), integer(1)}, []datum.Datum{words("a"), integer(2)}, []datum.Datum{words("b"), integer(1)})
	events.rows[0]["level"], events.rows[1]["level"] = integer(7), integer(10)
	events.rows[0]["Kind"], events.rows[1]["kind"] = words("upper"), words("lower")
	addTypes(m)
	return m
}

func addTypes(m *memory) {
	column := func(name string, base datum.Base) relational.Column {
		return relational.Column{Name: name, Type: datum.Type{Base: base}}
	}
	types := m.add("shop", &memoryTable{name: "types", key: []string{"id"}, columns: []relational.Column{
		column("id", datum.BigInt), column("bool", datum.Boolean), column("tiny", datum.TinyInt), column("small", datum.SmallInt), column("medium", datum.Integer),
		column("big", datum.BigInt), column("unsigned", datum.BigIntUnsigned), column("float", datum.Float), column("double", datum.Double),
		{Name: "decimal", Type: datum.Type{Base: datum.DecimalBase, Precision: 20, Scale: 4}}, column("char", datum.Char), column("varchar", datum.Varchar),
		column("binary", datum.BinaryBase), column("varbinary", datum.Varbinary), column("date", datum.Date), column("time", datum.Time),
		column("timestamp", datum.Timestamp), column("json", datum.JSONBase)}})
	types.put([]datum.Datum{integer(1), datum.Bool(true), integer(-8), integer(-16), integer(-32), integer(-64), datum.Uint(1 << 63), datum.Float64(1.5), datum.Float64(2.25),
		number("12.3456"), words("c"), words("v"), datum.Binary([]byte{0, 255}), datum.Binary([]byte{1}), datum.DateDays(-1), datum.TimeMS(-3600123),
		datum.TimestampMS(4102444800123), datum.JSON([]byte(`{"a": [1, "x", null, 2.5]}`))},
		append([]datum.Datum{integer(2)}, make([]datum.Datum, 17)...))
}

var engine = relational.New(relational.Options{Version: "8.0.40-weft"}) // immutable

func session() relational.Session {
	return relational.Session{User: "ann", Host: "10.0.0.1", Database: "shop", ConnectionID: 7,
		UserVariables: map[string]datum.Datum{"limit": integer(2)}, Variables: map[string]datum.Datum{"max_allowed_packet": integer(67108864), "no_such": integer(1)}}
}

// parameter reads one parameter of a test: 1, 2.5f, 3.5d, 'text', null.
func parameter(t *testing.T, s string) datum.Datum {
	switch {
	case s == "null":
		return datum.Null
	case strings.HasPrefix(s, "'"):
		return words(strings.Trim(s, "'"))
	case strings.HasSuffix(s, "f"):
		f, err := strconv.ParseFloat(strings.TrimSuffix(s, "f"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return datum.Float64(f)
	case strings.HasSuffix(s, "d"):
		return number(strings.TrimSuffix(s, "d"))
	}
	i, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return integer(i)
}

func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata/statements", func(t *testing.T, path string) {
		m := shop()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return statement(t, m, d)
		})
	})
}

func statement(t *testing.T, m *memory, d *datadriven.TestData) string {
	s := session()
	var parameters []datum.Datum
	var log []string
	types, paths := false, false
	m.log, m.refuse = &log, map[string]bool{}
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "types":
			types = true
		case "paths":
			paths = true
		case "refuse":
			m.refuse[a.Vals[0]] = true
		case "database":
			s.Database = strings.Join(a.Vals, "")
		case "hint":
			s.Hints = append(s.Hints, tree.Hint{Name: a.Vals[0]})
		case "with":
			for _, v := range a.Vals {
				parameters = append(parameters, parameter(t, v))
			}
		}
	}
	if d.Cmd == "prepare" {
		count, columns, err := engine.Prepare(context.Background(), s, m, d.Input)
		if err != nil {
			return failure(err)
		}
		out := fmt.Sprintf("%d parameters\n", count)
		for _, c := range columns {
			out += fmt.Sprintf("%s base=%d\n", c.Name, c.Type.Base)
		}
		return out
	}
	sink := &record{}
	err := engine.Query(context.Background(), s, m, d.Input, parameters, sink)
	var out strings.Builder
	if paths {
		for _, line := range log {
			out.WriteString(line + "\n")
		}
	}
	if err != nil {
		return out.String() + failure(err)
	}
	return out.String() + answer(sink, types)
}

func failure(err error) string {
	if f, ok := fault.Of(err); ok {
		return fmt.Sprintf("error %d (%s): %s\n", f.Code, f.State, f.Message)
	}
	return "error without a code: " + err.Error() + "\n"
}

func answer(sink *record, types bool) string {
	var out strings.Builder
	if sink.columns == nil {
		fmt.Fprintf(&out, "ok affected=%d info=%q\n", sink.done.Affected, sink.done.Info)
		return out.String()
	}
	var names []string
	for _, c := range sink.columns {
		name := c.Name
		if types {
			name += fmt.Sprintf(":%d", c.Type.Base)
		}
		names = append(names, name)
	}
	out.WriteString(strings.Join(names, ", ") + "\n")
	for _, row := range sink.rows {
		out.WriteString(row + "\n")
	}
	return out.String()
}
