// SPDX-License-Identifier: Apache-2.0

package survey_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/advice/advisor"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestProposalsAreWhatThePlannerTakes asks random questions of random tables: an index that the advisor chooses is the
// one that EXPLAIN shows once it is there, at about the cost that the advisor said.
func TestProposalsAreWhatThePlannerTakes(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 12))
	made := 0
	for round := range rounds.Of(t, 12) {
		queries := survey.NewQueries()
		db := testdb.OpenWith(t, database.Options{Walked: queries.Observe})
		c := fillAny(t, db, r)
		q := database.Query{Where: c.question(r), AnyIndex: true}
		ask(t, c.table, q)
		d, err := survey.Of(t.Context(), db, "t")
		if err != nil {
			t.Fatal(err)
		}
		queries.Describe(d)
		d.Shapes[0].Rate, d.Table.SQL = 1, r.IntN(2) == 0
		best := chosenOf(d)
		if best == nil {
			continue
		}
		made++
		c.make(t, db, best, d.Table.SQL)
		pin, err := c.table.Pin()
		if err != nil {
			t.Fatal(err)
		}
		e, err := pin.Explain(t.Context(), q)
		pin.Release()
		if err != nil {
			t.Fatal(err)
		}
		if e.Path.Index != best.Name {
			t.Errorf("seed %d, round %d: %s was chosen for %v, and the planner takes %q", seed, round, best.Key, q.Where,
				e.Path.Index)
		}
		const factor, slack = 2, 200
		if cost := e.Path.Estimate.Cost; cost > factor*best.Total+slack || best.Total > factor*cost+slack {
			t.Errorf("seed %d, round %d: %v on %s costs %v as the advisor says, and %v as EXPLAIN does", seed, round,
				q.Where, best.Key, best.Total, cost)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if made == 0 {
		t.Errorf("seed %d: nothing was proposed", seed)
	}
}

// chosenOf is the index that is chosen for a design with one query; nil if there is none.
func chosenOf(d *design.Design) *report.Candidate {
	for _, c := range advisor.Weigh(d) {
		if c.Chosen && len(c.Together) == 0 {
			return &c
		}
	}
	return nil
}

// filled is a random table: texts of some kinds, and numbers.
type filled struct {
	table *database.Table
	kinds []int // the number of values of each text
	most  []int // what each number is below
}

var filledTypes = map[string]schema.Type{"id": schema.Number, "t0": schema.String, "t1": schema.String,
	"n0": schema.Number, "n1": schema.Number}

func fillAny(t *testing.T, db *database.DB, r *rand.Rand) filled {
	t.Helper()
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("id", schema.Number)})
	if err != nil {
		t.Fatal(err)
	}
	c := filled{table: table}
	for range 2 {
		c.kinds, c.most = append(c.kinds, 20+r.IntN(200)), append(c.most, 1000+r.IntN(100_000))
	}
	for i := range 2000 + r.IntN(2000) {
		d := testdoc.Document{"id": i}
		for j := range 2 {
			d[fmt.Sprint("t", j)] = fmt.Sprint("v", r.IntN(c.kinds[j]))
			d[fmt.Sprint("n", j)] = r.IntN(c.most[j])
		}
		if err := testdoc.Put(t.Context(), table, d); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// question binds one text or both, one number or both, or a text and a number.
func (c *filled) question(r *rand.Rand) expr.Condition {
	text := func(i int) expr.Condition {
		return govalue.Attribute(fmt.Sprint("t", i)).Equal(fmt.Sprint("v", r.IntN(c.kinds[i])))
	}
	number := func(i int) expr.Condition {
		width := c.most[i] / (5 + r.IntN(40))
		low := r.IntN(c.most[i] - width)
		return govalue.Attribute(fmt.Sprint("n", i)).Between(low, low+width)
	}
	switch i := r.IntN(2); r.IntN(4) {
	case 0:
		return text(i)
	case 1:
		return govalue.All(text(0), text(1))
	case 2:
		return govalue.All(number(0), number(1))
	default:
		return govalue.All(text(i), number(r.IntN(2)))
	}
}

// make makes the index, as DynamoDB's API or as SQL does.
func (c *filled) make(t *testing.T, db *database.DB, best *report.Candidate, sql bool) {
	t.Helper()
	x := database.IndexSpec{Name: best.Name}
	if sql {
		x.KeepNulls, x.Projection = true, schema.ProjectKeys
	}
	for _, name := range best.Key {
		if sql { // which says so of each column of a curve
			name = strings.ReplaceAll(name, "codec=quantile", "codec=quantile nulls=first")
		}
		of, ok := filledTypes[name]
		if p := design.ParsePart(name); !ok {
			of = schema.Binary
			if p.Function == "concat" {
				of = schema.String
			}
		}
		part, err := database.Part(name, of)
		if err != nil {
			t.Fatal(err)
		}
		x.Key = append(x.Key, part)
	}
	if err := c.table.AddIndex(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
}
