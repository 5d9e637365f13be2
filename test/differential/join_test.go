// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/source"
)

// bareSource shows tables without their indexes, all rows of which are read at each scan.
type bareSource struct{ relational.Source }

func (s bareSource) Table(database, name string) (relational.Table, bool, error) {
	t, ok, err := s.Source.Table(database, name)
	if !ok || err != nil {
		return nil, false, err
	}
	return bareTable{t}, true, nil
}

type bareTable struct{ relational.Table }

func (bareTable) Indexes() []relational.Index { return nil }

func (bareTable) Joined([]string, bool) error { return nil }

func (t bareTable) Scan(ctx context.Context, r relational.ScanRequest) (relational.Rows, error) {
	return t.Table.Scan(ctx, relational.ScanRequest{Columns: r.Columns, AllowFiltering: true})
}

// joiner makes statements over two tables, which stand as x and y.
type joiner struct {
	x, y generator
}

// qualified is a column of one of the two.
func qualified(g *generator, alias string, of class) (string, bool) {
	c, ok := g.column(of)
	return alias + "." + c.name, ok
}

// pair is columns of the two that have values in common.
func (j *joiner) pair() (a, b string) {
	for {
		of := j.x.pickClass(number, number, text, text, moment, day, truth)
		a, isA := qualified(&j.x, "x", of)
		b, isB := qualified(&j.y, "y", of)
		if isA && isB {
			return a, b
		}
	}
}

// filter is a condition on one of the two.
func filter(g *generator, alias string) string {
	of := g.pickClass(number, number, text, moment)
	name, ok := qualified(g, alias, of)
	if !ok {
		return "TRUE"
	}
	switch g.random.IntN(5) {
	case 0:
		return name + " IS " + g.pick("", "NOT ") + "NULL"
	case 1:
		return fmt.Sprintf("%s IN (%s, %s)", name, g.constant(of), g.constant(of))
	case 2:
		return fmt.Sprintf("%s BETWEEN %s AND %s", name, g.constant(of), g.constant(of))
	}
	return name + g.pick(" = ", " < ", " >= ", " <> ", " > ") + g.constant(of)
}

func (j *joiner) statement() string {
	x, y := &j.x, &j.y
	a, b := j.pair()
	first, second := x.of.key[0], y.of.key[0]
	hint := "SELECT /*+ _l_allow_filtering_ */ "
	from := fmt.Sprintf(" FROM %s x ", x.of.name)
	on := fmt.Sprintf("%s y ON %s = %s", y.of.name, a, b)
	if x.chance(30) {
		c, d := j.pair()
		on += fmt.Sprintf(" AND %s %s %s", c, x.pick("=", "<", ">=", "<=>"), d)
	}
	if x.chance(30) {
		on += " AND " + filter(y, "y")
	}
	where := " WHERE " + filter(x, "x")
	if x.chance(40) {
		where += x.pick(" AND ", " OR ") + filter(x, "x")
	}
	columns := fmt.Sprintf("x.%s, %s, ", first, a)
	switch x.random.IntN(8) {
	case 0:
		return hint + columns + "1" + from + where + fmt.Sprintf(" AND %s IN (SELECT %s FROM %s y WHERE %s)", a, b, y.of.name, filter(y, "y"))
	case 1:
		return hint + columns + "1" + from + where + fmt.Sprintf(" AND %sEXISTS (SELECT 1 FROM %s y WHERE %s = %s AND %s)", x.pick("", "NOT "), y.of.name, b, a, filter(y, "y"))
	case 2:
		return hint + columns + fmt.Sprintf("(SELECT MAX(y.%s) FROM %s y WHERE %s = %s)", second, y.of.name, b, a) + from + where
	case 3:
		return hint + a + ", COUNT(*), MIN(y." + second + ")" + from + x.pick("JOIN ", "LEFT JOIN ") + on + where + " GROUP BY " + a
	case 4:
		return hint + "x." + first + ", y." + second + from + x.pick("JOIN ", "LEFT JOIN ") + on + where + " AND " + filter(y, "y")
	}
	return hint + columns + b + ", y." + second + from + x.pick("JOIN ", "LEFT JOIN ") + on + where
}

// TestJoins compares joins and nested statements that use keys and indexes with the same over whole tables.
func TestJoins(t *testing.T) {
	seed := firstSeed(t)
	random := rand.New(rand.NewPCG(seed, 2))
	db, session := fill(t, random)
	tables := shapes()
	ask := func(statement string, bare bool) *answer {
		a := &answer{}
		from := source.New(source.Options{DB: db, Definition: definition.Of, Session: session})
		defer from.Close()
		var s relational.Source = from
		if bare {
			s = bareSource{from}
		}
		a.err = relational.New(relational.Options{}).Query(t.Context(), relational.Session{User: "ann", Database: weft.DefaultDatabase}, s, statement, nil, a)
		return a
	}
	total, errors, empty, met := statements(t)/5, 0, 0, 0
	for i := 0; i < total && met < differencesMax; i++ {
		j := &joiner{generator{random: random, of: &tables[random.IntN(len(tables))]}, generator{random: random, of: &tables[random.IntN(len(tables))]}}
		statement := j.statement()
		found, all := ask(statement, false), ask(statement, true)
		switch {
		case all.err != nil:
			errors++
		case len(all.rows) == 0:
			empty++
		}
		if !found.same(all, false) {
			met++
			t.Errorf("seed %d, statement %d:\n%s\nonly by keys and indexes: %v\nonly over whole tables: %v", seed, i, statement, found.without(all), all.without(found))
		}
	}
	t.Logf("seed %d: %d statements, %d empty, %d errors", seed, total, empty, errors)
	if errors*10 > total || empty*3 > total*2 {
		t.Errorf("seed %d: %d of %d statements are errors and %d have no rows: the generator is of no use", seed, errors, total, empty)
	}
}
