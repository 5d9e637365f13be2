// SPDX-License-Identifier: Apache-2.0

package survey_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/advice/advisor"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestPlannerTakesProposals follows the advice on a table that is asked one kind of query again and again: the planner
// then takes the index that was proposed, which answers as a scan of the table does, and nothing more is proposed.
func TestPlannerTakesProposals(t *testing.T) {
	between := func(r *rand.Rand, name string, most, width int) expr.Condition {
		low := r.IntN(most - width)
		return govalue.Attribute(name).Between(low, low+width)
	}
	for _, c := range []struct {
		name  string
		rule  string
		query func(r *rand.Rand) database.Query
	}{
		{"one value", "ordered-index", func(r *rand.Rand) database.Query {
			return database.Query{Where: govalue.Attribute("owner").Equal(fmt.Sprint("o", r.IntN(300)))}
		}},
		{"a value and a range", "ordered-index", func(r *rand.Rand) database.Query {
			return database.Query{Where: govalue.All(govalue.Attribute("owner").Equal(fmt.Sprint("o", r.IntN(300))),
				between(r, "price", 100_000, 1000))}
		}},
		{"a rare attribute", "sparse-index", func(r *rand.Rand) database.Query {
			return database.Query{Where: govalue.Attribute("open").AtLeast(fmt.Sprintf("2026-%02d", 1+r.IntN(12)))}
		}},
		{"a box", "zorder-index", func(r *rand.Rand) database.Query {
			return database.Query{Where: govalue.All(between(r, "price", 100_000, 3000),
				between(r, "weight", 50_000, 2000))}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			queries := survey.NewQueries()
			db := testdb.OpenWith(t, database.Options{Walked: queries.Observe})
			r := rand.New(rand.NewPCG(7, 7))
			table := fillOrders(t, db, r)
			for range 100 {
				q := c.query(r)
				q.AnyIndex = true
				ask(t, table, q)
			}
			x := follow(t, db, queries, table, c.rule)
			for range 20 {
				q := c.query(r)
				want := ask(t, table, q)
				q.AnyIndex = true
				if got := ask(t, table, q); got != want {
					t.Fatalf("with %s %d items, by the table %d", x.Name, got, want)
				}
				if index := indexOf(t, table, q); index != x.Name {
					t.Errorf("the planner takes %q instead of %s for %v", index, x.Name, q.Where)
				}
			}
			d, err := survey.Of(t.Context(), db, "orders")
			if err != nil {
				t.Fatal(err)
			}
			queries.Describe(d)
			for _, f := range advisor.Advise(d).Findings {
				if strings.HasPrefix(f.Subject, "new index") && f.Rule == c.rule &&
					!strings.Contains(string(f.Statements[0].Input), x.Name+"-") {
					t.Errorf("%s is proposed after %s was made", f.Subject, x.Name)
				}
			}
		})
	}
}

func fillOrders(t *testing.T, db *database.DB, r *rand.Rand) *database.Table {
	t.Helper()
	table, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "orders", Key: database.Columns("id", schema.Number)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6000 {
		d := testdoc.Document{"id": i, "owner": fmt.Sprint("o", r.IntN(300)), "price": r.IntN(100_000),
			"weight": r.IntN(50_000)}
		if r.IntN(50) == 0 {
			d["open"] = fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28))
		}
		if err := testdoc.Put(t.Context(), table, d); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func ask(t *testing.T, table *database.Table, q database.Query) (items int) {
	t.Helper()
	if err := testdoc.Each(t.Context(), table, q, func(testdoc.Document) bool { items++; return true }); err != nil {
		t.Fatal(err)
	}
	return items
}

func indexOf(t *testing.T, table *database.Table, q database.Query) string {
	t.Helper()
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	e, err := pin.Explain(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return e.Path.Index
}

// follow makes the index that the first finding of a rule proposes, with the types of its request.
func follow(t *testing.T, db *database.DB, queries *survey.Queries, table *database.Table,
	rule string) database.IndexSpec {
	t.Helper()
	d, err := survey.Of(t.Context(), db, "orders")
	if err != nil {
		t.Fatal(err)
	}
	queries.Describe(d)
	report := advisor.Advise(d)
	for _, f := range report.Findings {
		if f.Rule != rule {
			continue
		}
		x := specOf(t, f.Statements[0].Input)
		if err := table.AddIndex(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		return x
	}
	t.Fatalf("no finding of %s:\n%s", rule, report.JSON())
	return database.IndexSpec{}
}

// specOf reads the index that an UpdateTable makes.
func specOf(t *testing.T, input []byte) database.IndexSpec {
	t.Helper()
	var body struct {
		AttributeDefinitions        []struct{ AttributeName, AttributeType string }
		GlobalSecondaryIndexUpdates []struct {
			Create struct {
				IndexName string
				KeySchema []struct{ AttributeName string }
			}
		}
	}
	if err := json.Unmarshal(input, &body); err != nil {
		t.Fatal(err)
	}
	types := map[string]schema.Type{}
	for _, a := range body.AttributeDefinitions {
		types[a.AttributeName] = map[string]schema.Type{"S": schema.String, "N": schema.Number,
			"B": schema.Binary}[a.AttributeType]
	}
	created := body.GlobalSecondaryIndexUpdates[0].Create
	x := database.IndexSpec{Name: created.IndexName}
	for _, k := range created.KeySchema {
		part, err := database.Part(k.AttributeName, types[k.AttributeName])
		if err != nil {
			t.Fatal(err)
		}
		x.Key = append(x.Key, part)
	}
	return x
}
