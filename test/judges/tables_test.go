// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// class is what kind of values an expression has.
type class int

const (
	integer class = iota
	text
	exact // DECIMAL
	date
)

// field is a column.
type field struct {
	name string
	of   class
	null bool
}

// table is a table of the tests. All have few different values, so that joins find partners.
type table struct {
	name    string
	create  string
	indexes []string
	fields  []field
	rows    int
}

// tables are those that all judges hold. Weft reads x by its own indexes, too.
func tables() []table {
	return []table{
		{"a", "CREATE TABLE a (id INT NOT NULL, x INT, y BIGINT, s VARCHAR(20), p DECIMAL(10,2), t DATE, PRIMARY KEY (id))",
			[]string{"CREATE INDEX ax ON a (x)", "CREATE INDEX asy ON a (s, y)"},
			[]field{{"id", integer, false}, {"x", integer, true}, {"y", integer, true}, {"s", text, true},
				{"p", exact, true}, {"t", date, true}}, 30},
		{"b", "CREATE TABLE b (id INT NOT NULL, a_id INT, x INT, s VARCHAR(20), p DECIMAL(12,3), PRIMARY KEY (id))",
			[]string{"CREATE INDEX ba ON b (a_id)", "CREATE INDEX bp ON b (p)"},
			[]field{{"id", integer, false}, {"a_id", integer, true}, {"x", integer, true}, {"s", text, true},
				{"p", exact, true}}, 40},
		{"c", "CREATE TABLE c (k VARCHAR(10) NOT NULL, n INT NOT NULL, v INT, s VARCHAR(20), t DATE, PRIMARY KEY (k, n))",
			[]string{"CREATE INDEX cv ON c (v)"},
			[]field{{"k", text, false}, {"n", integer, false}, {"v", integer, true}, {"s", text, true},
				{"t", date, true}}, 25},
	}
}

var (
	texts  = []string{"ash", "bay", "elm", "fir", "oak", "yew", "a%b", "Oak"}
	exacts = []string{"0", "1.5", "2.25", "-3.10", "7.00", "2.26", "9.99"}
	dates  = []string{"2024-01-31", "2024-02-29", "2023-12-25", "2024-03-01"}
)

// constant is a literal of a class.
func constant(r *rand.Rand, of class) string {
	switch of {
	case text:
		return "'" + texts[r.IntN(len(texts))] + "'"
	case exact:
		return exacts[r.IntN(len(exacts))]
	case date:
		return "DATE '" + dates[r.IntN(len(dates))] + "'"
	}
	return fmt.Sprint(r.IntN(12) - 2)
}

// insert is a statement with all rows of a table.
func (t *table) insert(r *rand.Rand) string {
	var b strings.Builder
	for i := range t.rows {
		values := make([]string, len(t.fields))
		for j, f := range t.fields {
			switch {
			case f.name == "id":
				values[j] = fmt.Sprint(i)
			case f.name == "k":
				values[j] = "'" + texts[i%5] + "'"
			case f.name == "n":
				values[j] = fmt.Sprint(i / 5)
			case f.null && r.IntN(6) == 0:
				values[j] = "NULL"
			case f.of == date:
				values[j] = "'" + dates[r.IntN(len(dates))] + "'"
			default:
				values[j] = constant(r, f.of)
			}
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + strings.Join(values, ", ") + ")")
	}
	return "INSERT INTO " + t.name + " VALUES " + b.String()
}
