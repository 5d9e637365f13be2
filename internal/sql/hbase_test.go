// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// hbase does what HBase's clients do to tables.
//
//	hbase-table t f g    makes a table with column families
//	hbase-put t          puts cells, a row a line: its key as text, then family:qualifier=hexadecimal digits
func (h *harness) hbase(d *datadriven.TestData) string {
	name := d.CmdArgs[0].Key
	if d.Cmd == "hbase-table" {
		type family struct{ Name string }
		stored := struct {
			Namespace, Name string
			Families        []family
			Enabled         bool
		}{"", name, nil, true}
		for _, argument := range d.CmdArgs[1:] {
			stored.Families = append(stored.Families, family{argument.Key})
		}
		raw, err := json.Marshal(stored)
		if err != nil {
			h.t.Fatal(err)
		}
		_, err = h.db.CreateTable(h.t.Context(), database.TableSpec{
			Name: name, Key: database.Columns("ROW", schema.Binary),
			Cells: &cell.Rules{Versions: 3, MarkersMS: 3_600_000}, Dialect: map[string]json.RawMessage{"hbase": raw},
		})
		if err != nil {
			return err.Error() + "\n"
		}
		return "ok\n"
	}
	for line := range strings.Lines(d.Input) {
		if err := h.hbasePut(name, strings.Fields(line)); err != nil {
			return err.Error() + "\n"
		}
	}
	return "ok\n"
}

func (h *harness) hbasePut(name string, fields []string) error {
	pin, err := h.db.PinIn("", name)
	if err != nil {
		return err
	}
	defer pin.Release()
	var key value.RowBuilder
	key.Reset(pin.Names())
	if err := key.Set([]byte("ROW"), value.AppendBinary(nil, []byte(fields[0]))); err != nil {
		return err
	}
	update := &expr.Update{}
	for _, field := range fields[1:] {
		column, digits, ok := strings.Cut(field, "=")
		b, err := hex.DecodeString(digits)
		if !ok || err != nil {
			return fmt.Errorf("%s is not family:qualifier=digits: %v", field, err)
		}
		update.Set = append(update.Set, expr.SetAction{Path: expr.Path{Name: column},
			To: &expr.Literal{Value: value.AppendBinary(nil, b)}})
	}
	return pin.Write(h.t.Context(), &database.Write{Op: database.OpUpdate, Row: key.AppendTo(nil), Update: update},
		&database.WriteResult{})
}

// TestMappedColumnsAnswerAsDeclaredOnes asks a mapped HBase table, whose rows are written as bytes, and a table of
// SQL's own with the same rows and indexes the same random questions.
func TestMappedColumnsAnswerAsDeclaredOnes(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	h := newHarness(t, testdb.Open(t))
	h.command(t, &datadriven.TestData{Cmd: "hbase-table", CmdArgs: []datadriven.CmdArg{{Key: "mapped"}, {Key: "f"}}})
	ask := func(text string) string { return h.command(t, &datadriven.TestData{Cmd: "sql", Input: text}) }
	declared := []struct{ name, mapped, own string }{
		{"n", "HLONG", "BIGINT"}, {"i", "HINTEGER", "INT"}, {"h", "HSHORT", "SMALLINT"}, {"x", "HFLOAT", "FLOAT"},
		{"d", "HDOUBLE", "DOUBLE"}, {"s", "HSTRING", "VARCHAR"}, {"b", "HBOOLEAN", "BOOLEAN"},
	}
	columns, maps := "", ""
	for _, c := range declared {
		columns, maps = columns+", f_"+c.name+" "+c.own, maps+", f:"+c.name+" "+c.mapped
	}
	must := func(text string) {
		if said := ask(text); strings.Contains(said, "ERROR") {
			t.Fatal(text, said)
		}
	}
	must("CREATE TABLE own (ROW VARBINARY PRIMARY KEY" + columns + ") WITH (VERSIONS='3')")
	must("ALTER TABLE mapped MAP DYNAMIC COLUMN " + maps[2:])
	of := func(table, text string) string {
		if table == "own" {
			text = strings.ReplaceAll(text, "f:", "f_")
		}
		return strings.ReplaceAll(text, "TABLE", table)
	}
	keys := []string{"f:n", "f:i DESC, f:s", "f:h, f:b", "f:x", "f:d, f:n", "f:s DESC", "f:b, f:d", "ZORDER(f:n, f:d)",
		"ZORDER(f:h, f:s, f:x)", "hash32(f:i), f:i"}
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	index := func(table string) {
		for _, key := range keys[:5] { // a table has no more
			must("CREATE INDEX ON " + table + " (" + of(table, key) + ")")
		}
	}
	late := random.IntN(2) == 0
	for _, table := range []string{"own", "mapped"} {
		if !late {
			index(table)
		}
	}
	for range 150 {
		r := newMappedRow(random)
		must("INSERT INTO own (ROW" + of("own", r.names) + ") VALUES ('" + r.key + "'" + r.values + ")")
		if err := h.hbasePut("mapped", append([]string{r.key}, r.cells...)); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"own", "mapped"} {
		if late {
			index(table)
		}
	}
	for range 400 {
		question := randomQuestion(random)
		own, mapped := ask(of("own", question)), ask(of("mapped", question))
		if own != of("own", mapped) {
			t.Fatalf("%s\nown:\n%s\nmapped:\n%s", question, own, mapped)
		}
	}
}

// mappedRow is a row as SQL writes it, and as HBase's clients do.
type mappedRow struct {
	key, names, values string
	cells              []string
}

// someIntegers are values where orders of bytes and of numbers part.
var someIntegers = []int64{0, 1, -1, 2, -2, 127, -128, 255, 256, -256, 32767, -32768}

func newMappedRow(random *rand.Rand) mappedRow {
	r := mappedRow{key: fmt.Sprintf("%03d", random.IntN(120))}
	add := func(name, value string, bytes []byte) {
		if random.IntN(4) > 0 {
			r.names, r.values, r.cells = r.names+", f:"+name, r.values+", "+
				value, append(r.cells, fmt.Sprintf("f:%s=%x", name, bytes))
		}
	}
	integer := func() int64 { return someIntegers[random.IntN(len(someIntegers))] }
	n, i, x, s, b := integer(), integer(), float64(integer())/4, strings.Repeat(string(rune('a'+random.IntN(3))),
		random.IntN(3)), random.IntN(2)
	add("n", fmt.Sprint(n), binary.BigEndian.AppendUint64(nil, uint64(n)))
	add("i", fmt.Sprint(i), binary.BigEndian.AppendUint32(nil, uint32(i)))
	add("h", fmt.Sprint(n), binary.BigEndian.AppendUint16(nil, uint16(n)))
	add("x", fmt.Sprint(x), binary.BigEndian.AppendUint32(nil, math.Float32bits(float32(x))))
	add("d", fmt.Sprint(-x), binary.BigEndian.AppendUint64(nil, math.Float64bits(-x)))
	add("b", fmt.Sprint(b), []byte{byte(-b)})
	// a row has one cell at least
	r.names, r.values, r.cells = r.names+", f:s", r.values+", '"+s+"'", append(r.cells, fmt.Sprintf("f:s=%x", s))
	return r
}

// randomQuestion asks for rows in a certain order, so that answers can be compared as they are.
func randomQuestion(random *rand.Rand) string {
	numbers := []string{"f:n", "f:i", "f:h", "f:x", "f:d"}
	condition := func() string {
		c, low := numbers[random.IntN(len(numbers))], someIntegers[random.IntN(len(someIntegers))]
		switch random.IntN(7) {
		case 0:
			return fmt.Sprintf("%s = %d", c, low)
		case 1:
			return fmt.Sprintf("%s BETWEEN %d AND %d", c, low, low+int64(random.IntN(300)))
		case 2:
			return fmt.Sprintf("%s IN (%d, %d, 1.5)", c, low, someIntegers[random.IntN(len(someIntegers))])
		case 3:
			return c + " IS NULL"
		case 4:
			return []string{"f:s = 'a'", "f:s LIKE 'b%'", "f:s > 'a'", "f:b", "NOT f:b", "f:b = 1"}[random.IntN(6)]
		case 5:
			return "ROW > '060'"
		}
		return fmt.Sprintf("%s %s %d", c, []string{"<", "<=", ">", ">=", "<>"}[random.IntN(5)], low)
	}
	where := condition()
	for range random.IntN(3) {
		where = "(" + where + []string{" AND ", " OR "}[random.IntN(2)] + condition() + ")"
	}
	c := numbers[random.IntN(len(numbers))]
	switch random.IntN(4) {
	case 0:
		return "SELECT /*+ _l_allow_filtering_ */ min(" + c + "), max(" + c + "), sum(" + c +
			"), count(*) FROM TABLE WHERE " + where
	case 1:
		return "SELECT /*+ _l_allow_filtering_ */ " + c + ", count(*) FROM TABLE WHERE " + where + " GROUP BY " + c +
			" ORDER BY " + c
	case 2:
		return "SELECT /*+ _l_allow_filtering_ */ a.ROW, b.ROW, b." + c + " FROM TABLE a JOIN TABLE b ON a.f:n = b." +
			c + " WHERE a.ROW < '040' ORDER BY a.ROW, b.ROW"
	}
	return fmt.Sprintf("SELECT /*+ _l_allow_filtering_ */ * FROM TABLE WHERE %s ORDER BY %s %s, ROW LIMIT %d", where, c,
		[]string{"", "DESC"}[random.IntN(2)], 1+random.IntN(40))
}

// TestTimesOfMappedColumnsAreNumbers wants the times of cells to be described to clients as numbers, though the names
// match the wildcard of their family.
func TestTimesOfMappedColumnsAreNumbers(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	h.command(t, &datadriven.TestData{Cmd: "hbase-table", CmdArgs: []datadriven.CmdArg{{Key: "t"}, {Key: "f"}}})
	h.command(t, &datadriven.TestData{Cmd: "sql", Input: "ALTER TABLE t MAP DYNAMIC COLUMN f:s HSTRING"})
	p, err := h.session("times").Prepare(t.Context(),
		[]byte("SELECT /*+ _l_versions_(2) */ f:s, f:s_l_ts, f:q, f:q_l_ts FROM t WHERE ROW = 'r'"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i, want := range []datum.Base{datum.Varchar, datum.BigInt, datum.Varbinary, datum.BigInt} {
		if c := p.Columns()[i]; c.Type.Base != want {
			t.Errorf("column %s has the type %v, not %v", c.Name, c.Type.Base, want)
		}
	}
}
