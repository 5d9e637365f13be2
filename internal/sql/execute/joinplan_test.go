// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// fillOrders makes 40 customers, 400 orders and 1,200 lines.
func fillOrders(h *harness) {
	h.must(`CREATE TABLE customer (id BIGINT, city VARCHAR, PRIMARY KEY(id));
		CREATE TABLE orders (id BIGINT, customer BIGINT, day BIGINT, PRIMARY KEY(id));
		CREATE INDEX by_customer ON orders (customer);
		CREATE TABLE line (orderid BIGINT, n BIGINT, part VARCHAR, price BIGINT, PRIMARY KEY(orderid, n));
		CREATE INDEX by_part ON line (part)`)
	for i := range 400 {
		if i < 40 {
			h.must(fmt.Sprintf("INSERT INTO customer(id, city) VALUES (%d, 'c%d')", i, i%5))
		}
		h.must(fmt.Sprintf("INSERT INTO orders(id, customer, day) VALUES (%d, %d, %d)", i, i%40, i%30))
		for n := range 3 {
			h.must(fmt.Sprintf("INSERT INTO line(orderid, n, part, price) VALUES (%d, %d, 'p%d', %d)", i, n,
				(i*3+n)%100, i%7))
		}
	}
}

// TestJoinPlans runs testdata/joinplans, whose command plan prints the order of the tables of queries and the methods
// that join them. The side of a join that is read first stands above the other.
func TestJoinPlans(t *testing.T) {
	h := &harness{t: t, db: testdb.Open(t)}
	h.settings.Spill, h.settings.Inefficient = &spill.Folder{Dir: t.TempDir()}, plan.AllowInefficient
	fillOrders(h)
	datadriven.RunTest(t, "testdata/joinplans", func(t *testing.T, d *datadriven.TestData) string {
		h.t = t
		var out strings.Builder
		for text := range strings.SplitSeq(d.Input, ";\n") {
			if _, err := h.related(text, 0); err != nil {
				fmt.Fprintf(&out, "error: %v\n", err)
				continue
			}
			if root := h.compiled.Root; root.Sorted || root.Grouped {
				fmt.Fprintf(&out, "in the order of ORDER BY: %v, of groups: %v\n", root.Sorted, root.Grouped)
			}
			writePlan(&out, h.compiled.Root.From, 0)
		}
		return out.String()
	})
}

// writePlan writes the joins of a tree.
func writePlan(out *strings.Builder, node algebra.Node, depth int) {
	indent := strings.Repeat("  ", depth)
	switch n := node.(type) {
	case *algebra.Join:
		kind := [...]string{algebra.Inner: "inner", algebra.Left: "left", algebra.Full: "full", algebra.Semi: "semi",
			algebra.Anti: "anti", algebra.AntiNull: "anti"}[n.Kind]
		method := methodNames[n.Method]
		if n.Method == algebra.Loop && len(n.Outer) == 0 {
			method = "pairs"
		}
		if n.BuildLeft {
			method += ", keeps the first"
		}
		fmt.Fprintf(out, "%s%s: %s, %d keys, %d conditions\n", indent, kind, method, len(n.LeftKeys), len(n.On))
		writePlan(out, n.Left, depth+1)
		writePlan(out, n.Right, depth+1)
	case *algebra.Filter:
		fmt.Fprintf(out, "%sfilter: %d conditions\n", indent, len(n.Conditions))
		writePlan(out, n.Of, depth+1)
	case *algebra.Scan:
		fmt.Fprintf(out, "%s%s\n", indent, n.Alias)
	default:
		fmt.Fprintf(out, "%s%T\n", indent, n)
	}
}
