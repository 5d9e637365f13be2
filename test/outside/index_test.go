// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// sqlType is a type of columns with values of it and literals to compare it with, as SQL writes them.
type sqlType struct {
	name   string
	values []string
	others []string // of other types, and those that no row has
}

// sqlTypes are all types that may stand in keys. It is immutable.
var sqlTypes = []sqlType{
	{"BOOLEAN", []string{"TRUE", "FALSE"}, []string{"0", "1", "2", "'1'"}},
	{"TINYINT", []string{"-128", "-1", "0", "3", "127"}, []string{"'3'", "2.5", "300", "1e0", "TRUE", "'x'"}},
	{"SMALLINT", []string{"-32768", "0", "3", "32767"}, []string{"'3'", "2.5", "70000", "'x'"}},
	{"INT", []string{"-5", "0", "3", "7", "2147483647"}, []string{"'3'", "2.5", "9999999999", "3e0", "TRUE"}},
	{"BIGINT", []string{"-9223372036854775808", "0", "3", "9007199254740993", "9223372036854775807"},
		[]string{"'3'", "2.5", "9007199254740992", "9007199254740992e0", "1e30"}},
	{"BIGINT UNSIGNED", []string{"0", "3", "9223372036854775808", "18446744073709551615"},
		[]string{"-1", "'3'", "2.5", "1e30"}},
	{"DECIMAL(12,3)", []string{"-1.500", "0", "0.001", "3", "123456789.125"},
		[]string{"'3'", "1.5e0", "-1.5", "3.0005"}},
	{"FLOAT", []string{"-1.5", "0", "0.25", "3", "1e20"}, []string{"'3'", "0.1", "3.0"}},
	{"DOUBLE", []string{"-1.5", "0", "0.1", "3", "1e300"}, []string{"'0.1'", "0.10", "0.1e0", "3"}},
	{"VARCHAR", []string{"''", "'A'", "'a'", "'ab'", "'a%b'", "'abc'", "'é'", "'3'", "'2001-05-02 00:00:00'"},
		[]string{"3", "0", "'zz'"}},
	{"CHAR(8)", []string{"'A'", "'a'", "'ab'", "'3'"}, []string{"3", "'zz'"}},
	{"VARBINARY", []string{"x'00'", "x'41'", "x'4142'", "x'ff'"}, []string{"'A'", "65", "x'43'"}},
	{"BINARY(2)", []string{"x'0041'", "x'4142'", "x'ffff'"}, []string{"'AB'", "x'43'"}},
	{"TIMESTAMP", []string{"'1969-12-31 23:59:59.5'", "'2001-05-02 00:00:00'", "'2001-05-02 00:00:00.001'",
		"'2024-02-29 12:00:00'"},
		[]string{"988761600000", "'2001-05-02'", "988761600000.5", "'2010-01-01'", "DATE '2001-05-02'", "'soon'"}},
	{"DATE", []string{"'1969-12-31'", "'2001-05-02'", "'2024-02-29'"},
		[]string{"'2001-05-02 00:00:00'", "'2001-05-02 10:00:00'", "TIMESTAMP '2001-05-02 00:00:00'", "11444"}},
	{"TIME", []string{"'-01:00:00'", "'00:00:00'", "'10:20:30.5'"}, []string{"'10:20:30'", "102030"}},
}

// indexKinds are the indexes of a table (id, c, n, m), c of any type. Those of one line stand side by side. It is
// immutable.
var indexKinds = [][]string{
	{"INDEX i (c)"},
	{"INDEX i (c DESC)"},
	{"INDEX i (c, n)"},
	{"INDEX i (n, c)"},
	{"INDEX i (n DESC, c DESC)"},
	{"INDEX i (c) INCLUDE (n, m)"},
	{"INDEX i (c) WITH (SPARSE='true')"},
	{"INDEX i (n, c) INCLUDE (m) WITH (SPARSE='true')"},
	{"INDEX i (c) WITH (INDEX_COVERED_TYPE='COVERED_ALL_COLUMNS_IN_SCHEMA')"},
	{"INDEX i (hash32(c), c)"},
	{"INDEX i (hash8(c, n), n)"},
	{"INDEX i (reverse(c))"},
	{"INDEX i (ZORDER(c))"},
	{"INDEX i (ZORDER(c, n))"},
	{"INDEX i (ZORDER(n, c)) INCLUDE (m)"},
	{"INDEX i (ZORDER(c, n)) WITH (SPARSE='true')"},
	{"INDEX i (m, ZORDER(c, n))"},
	{"INDEX i (c)", "INDEX j (ZORDER(c))"},
	{"INDEX i (ZORDER(c, n)) WITH (SPARSE='true')", "INDEX j (c DESC, n)"},
	{"INDEX i (hash32(c), c)", "INDEX j (n, c)"},
	{"INDEX i (reverse(c))", "INDEX j (c)"},
}

// predicates are conditions on c, and on c and n.
func (of *sqlType) predicates() (list []string) {
	literals := slices.Concat(of.values, of.others)
	for _, x := range literals {
		for _, operator := range []string{"=", "<>", "<", "<=", ">", ">=", "<=>"} {
			list = append(list, "c "+operator+" "+x)
		}
		list = append(list, x+" < c", "NOT (c > "+x+")", "c = "+x+" AND n = 1", "c >= "+x+" AND n BETWEEN 0 AND 1",
			"c < "+x+" OR n = 2", "c IN ("+x+", NULL)")
	}
	for i, x := range literals {
		y := literals[(i+2)%len(literals)]
		list = append(list, "c BETWEEN "+x+" AND "+y, "c NOT BETWEEN "+x+" AND "+y, "c IN ("+x+", "+y+")",
			"c NOT IN ("+x+", "+y+")",
			"c > "+x+" AND c < "+y, "c = "+x+" OR c = "+y, "(c, n) = ("+x+", 1)", "(c, n) IN (("+x+", 0), ("+y+", 2))",
			"(c, n) > ("+x+", 1)",
			"c >= "+x+" AND n = 1 OR c = "+y+" AND n < 2")
	}
	return append(list, "c IS NULL", "c IS NOT NULL", "c <=> NULL", "c = NULL", "n = 1 AND c IS NULL", "c LIKE 'a%'",
		"c LIKE '%b'", "c LIKE 'a\\%b'", "c", "NOT c", "c IS TRUE",
		"n = 1", "n BETWEEN 0 AND 1", "n IS NULL AND m > 2")
}

// predicateShare is the part of the predicates that a change's tests ask: every third one. A long run asks them all.
const predicateShare = 3

// TestAnswersWithIndexes asks tables the same with and without indexes: all types, kinds of indexes and conditions, and
// indexes made before and after the rows. SELECT, UPDATE and DELETE find the same rows.
func TestAnswersWithIndexes(t *testing.T) {
	rounds.SkipRace(t)
	for _, of := range sqlTypes {
		t.Run(of.name, func(t *testing.T) {
			h, predicates := newHarness(t), rounds.Share(t, predicateShare, of.predicates())
			plain := h.table(t, "plain", &of, nil, false)
			expected := h.answers(plain, predicates)
			indexed := 0
			for number, kinds := range indexKinds {
				for _, before := range []bool{true, false} {
					name := fmt.Sprintf("t%d%t", number, before)
					if h.table(t, name, &of, kinds, before) == "" {
						continue // such as reverse(..) of a time
					}
					indexed++
					if before {
						h.compare(t, name, kinds, every(3, number, predicates), every(3, number, expected))
					} else {
						h.compare(t, name, kinds, predicates, expected)
						if strings.Contains(kinds[0], "SPARSE") && slices.Contains(of.values, "''") {
							continue // rows with an empty text can't be written any more
						}
						h.compareWrites(t, name, kinds, predicates, expected)
					}
					h.must(t, "DROP TABLE "+name)
				}
			}
			if indexed < 2*(len(indexKinds)-2) {
				t.Errorf("only %d tables with indexes could be made", indexed)
			}
		})
	}
}

// TestAnswersWithColumnInKey is the same for a column that is in the primary key, beside indexes that hold it as well.
func TestAnswersWithColumnInKey(t *testing.T) {
	rounds.SkipRace(t)
	for _, of := range sqlTypes {
		t.Run(of.name, func(t *testing.T) {
			if of.name == "VARBINARY" {
				t.Skip("it can stand at the end of a key only")
			}
			h := newHarness(t)
			// no key is empty
			of.values = slices.DeleteFunc(slices.Clone(of.values), func(x string) bool { return x == "''" })
			predicates := rounds.Share(t, predicateShare, of.predicates())
			create := "CREATE TABLE %s (id INT, c " + of.name + ", n INT, m INT, PRIMARY KEY(%s))"
			fill := func(name string) {
				for i := range rowCount {
					h.must(t, fmt.Sprintf("INSERT INTO %s (id, c, n, m) VALUES (%d, %s, %s, %d)", name, i,
						of.values[i%len(of.values)], number(i), i))
				}
			}
			h.must(t, fmt.Sprintf(create, "plain", "id"))
			fill("plain")
			expected := h.answers("plain", predicates)
			for i, key := range []string{"c, id", "c DESC, id", "id, c", "hash32(c), c, id"} {
				for j, kinds := range [][]string{nil, {"INDEX i (ZORDER(c, n))"}, {"INDEX i (n, c)"}} {
					name := fmt.Sprintf("t%d%d", i, j)
					h.must(t, fmt.Sprintf(create, name, key))
					fill(name)
					if h.index(name, kinds) != nil {
						t.Fatalf("%s: no index", name)
					}
					h.compare(t, name, append([]string{"PRIMARY KEY(" + key + ")"}, kinds...), predicates,
						expected)
				}
			}
		})
	}
}

// every is each nth of a list, counted from one of them.
func every(n, from int, list []string) (some []string) {
	for i := from % n; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}

const rowCount = 27

// number is n of a row: sometimes NULL.
func number(row int) string {
	if row%5 == 4 {
		return "NULL"
	}
	return fmt.Sprint(row / 3 % 4)
}

// table makes a table (id, c, n, m) with indexes, made before or after its rows. It returns "" if the column can't have
// such an index.
func (h *harness) table(t *testing.T, name string, of *sqlType, kinds []string, before bool) string {
	h.must(t, "CREATE TABLE "+name+" (id INT, c "+of.name+", n INT, m INT, PRIMARY KEY(id))")
	if before && h.index(name, kinds) != nil {
		return ""
	}
	values := append([]string{"NULL"}, of.values...)
	for i := range rowCount {
		_, err := h.query(fmt.Sprintf("INSERT INTO %s (id, c, n, m) VALUES (%d, %s, %s, %d)", name, i,
			values[i%len(values)], number(i), i))
		if err != nil && values[i%len(values)] == "''" {
			return "" // a sparse index has no place for it
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !before && h.index(name, kinds) != nil {
		return ""
	}
	return name
}

// index makes indexes on a table and waits until they are built.
func (h *harness) index(table string, kinds []string) error {
	for _, kind := range kinds {
		name, rest, _ := strings.Cut(strings.TrimPrefix(kind, "INDEX "), " ")
		if _, err := h.query("CREATE INDEX " + name + " ON " + table + rest); err != nil {
			return err
		}
	}
	return h.db.WaitJobs(ctx)
}

// answers are the rows, by their ids, that meet each predicate, or the error.
func (h *harness) answers(table string, predicates []string) []string {
	list := make([]string, len(predicates))
	for i, p := range predicates {
		list[i] = h.answer("SELECT /*+ _l_allow_filtering_ */ id FROM " + table + " WHERE " + p)
	}
	return list
}

// compare asks with and without leave to look at all rows: what is not refused finds what a table without indexes
// finds.
func (h *harness) compare(t *testing.T, table string, made, predicates, expected []string) {
	for i, p := range predicates {
		got := h.answer("SELECT /*+ _l_allow_filtering_ */ id FROM " + table + " WHERE " + p)
		if got != expected[i] {
			t.Errorf("%s: WHERE %s finds %s, and %s without\n%s", strings.Join(made, ", "), p, got, expected[i],
				h.answer("EXPLAIN SELECT id FROM "+table+" WHERE "+p))
		}
		if got := h.answer("SELECT m, id FROM " + table + " WHERE " + p + " ORDER BY id LIMIT 100"); got != refused &&
			byID(got) != byID(expected[i]) {
			t.Errorf("%s: m WHERE %s finds %s, and %s without", strings.Join(made, ", "), p, got, expected[i])
		}
	}
}

// compareWrites changes and deletes the rows of predicates, and takes that back. Not strictly: that refuses to compare
// texts with numbers, which SELECT does.
func (h *harness) compareWrites(t *testing.T, table string, made, predicates, expected []string) {
	h.must(t, "SET sql_mode = ''")
	defer h.must(t, "SET sql_mode = DEFAULT")
	for i, p := range predicates {
		if i%5 != 0 || strings.HasPrefix(expected[i], "error") {
			continue
		}
		want := len(strings.Fields(expected[i]))
		for _, statement := range []string{"UPDATE /*+ _l_allow_filtering_ */ " + table + " SET m = m + 1000 WHERE " +
			p, "DELETE /*+ _l_allow_filtering_ */ FROM " + table + " WHERE " + p} {
			h.must(t, "BEGIN")
			answer, err := h.query(statement)
			if err != nil || int(answer.done.Affected) != want {
				t.Errorf("%s: %s finds %d rows, and %d without: %v", strings.Join(made, ", "), statement,
					answer.done.Affected, want, err)
			}
			h.must(t, "ROLLBACK")
		}
	}
}

// byID drops what stands before the last column of each row.
func byID(rows string) string {
	fields := strings.Fields(rows)
	for i := range fields {
		fields[i] = fields[i][strings.LastIndexByte(fields[i], ',')+1:]
	}
	return strings.Join(fields, " ")
}
