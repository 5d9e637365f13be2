// SPDX-License-Identifier: Apache-2.0

package access

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/schema"
)

// TestData runs the scripts in testdata:
//
//	table       the primary key, then an index on each line, for the commands that follow
//	statistics  rows=n: of the table; complete=id: an index that lacks no rows
//	tree, alternatives  the same for programs; all paths
//	choose      a condition: the path. index=name or primary forces one, wanted=(a,b), points=n, order=(a,-b), limit=n and drops are the query's
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var table *schema.Table
		var statistics Statistics
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "table":
				var err error
				statistics = Statistics{}
				if table, err = parseTable(strings.Split(strings.TrimSpace(d.Input), "\n")); err != nil {
					return err.Error()
				}
				return ""
			case "statistics":
				statistics = readStatistics(t, d)
				return ""
			case "choose":
				return choose(t, d, table, statistics)
			case "tree", "alternatives":
				return explain(t, d, table, statistics)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func readStatistics(t *testing.T, d *datadriven.TestData) Statistics {
	var rows, complete int
	d.MaybeScanArgs(t, "rows", &rows)
	d.MaybeScanArgs(t, "complete", &complete)
	s := Statistics{Rows: float64(rows), Indexes: map[uint32]IndexStatistics{}}
	var distinct []int
	d.MaybeScanArgs(t, "distinct", &distinct)
	x := IndexStatistics{Complete: d.HasArg("complete")}
	for _, n := range distinct {
		x.Distinct = append(x.Distinct, float64(n))
	}
	var percent []int
	d.MaybeScanArgs(t, "shares", &percent)
	for _, n := range percent {
		x.Shares = append(x.Shares, float64(n)/100)
	}
	s.Indexes[uint32(complete)] = x
	return s
}

// explain shows the tree of the chosen path, or all paths with what they cost.
func explain(t *testing.T, d *datadriven.TestData, table *schema.Table, s Statistics) string {
	where, err := parseCondition(d.Input)
	if err != nil {
		return err.Error()
	}
	q := Query{Where: where}
	d.MaybeScanArgs(t, "index", &q.Index)
	scanOrder(t, d, &q)
	paths, err := Alternatives(table, q, s)
	if err != nil {
		return err.Error()
	}
	var text strings.Builder
	for i := range paths {
		if d.Cmd == "alternatives" {
			fmt.Fprintf(&text, "%q %s %+v\n", paths[i].Index.Name, paths[i].Kind(), paths[i].Expected())
			continue
		}
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(paths[i].Tree()); err != nil {
			return err.Error()
		}
		break
	}
	return text.String()
}

// scanOrder reads order=(a,-b), limit=n, matches=n and drops.
func scanOrder(t *testing.T, d *datadriven.TestData, q *Query) {
	var columns []string
	d.MaybeScanArgs(t, "order", &columns)
	for _, column := range columns {
		name, descending := strings.CutPrefix(column, "-")
		q.Order = append(q.Order, Ordering{name, descending})
	}
	d.MaybeScanArgs(t, "limit", &q.Limit)
	q.Drops = d.HasArg("drops")
	matches := 0
	d.MaybeScanArgs(t, "matches", &matches)
	q.Matches = float64(matches)
}

func choose(t *testing.T, d *datadriven.TestData, table *schema.Table, s Statistics) string {
	where, err := parseCondition(d.Input)
	if err != nil {
		return err.Error()
	}
	q := Query{Where: where, Primary: d.HasArg("primary")}
	d.MaybeScanArgs(t, "index", &q.Index)
	d.MaybeScanArgs(t, "wanted", &q.Wanted)
	d.MaybeScanArgs(t, "points", &q.PointsMax)
	scanOrder(t, d, &q)
	p, err := Choose(table, q, s)
	if err != nil {
		return err.Error()
	}
	return p.Explain()
}

func TestChooseWithoutStatisticsOrCondition(t *testing.T) {
	table, err := parseTable([]string{"a S"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Choose(table, Query{}, Statistics{})
	if err != nil || len(p.Scan.Spans) != 1 || p.Scan.Spans[0].Start != nil || p.Scan.Spans[0].End != nil ||
		p.Filter != nil || !p.Covering {
		t.Fatalf("%+v, %v", p, err)
	}
}
