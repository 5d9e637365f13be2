// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Node is one step of a statement, with those whose rows it takes.
type Node struct {
	Operation string   `json:"operation"`
	Cost      float64  `json:"estimated_cost,omitempty"`
	Rows      float64  `json:"estimated_rows,omitempty"`
	Actual    *Actual  `json:"actual,omitempty"`
	Details   []Detail `json:"details,omitempty"`
	Inputs    []*Node  `json:"inputs,omitempty"`
}

// Detail is a property of a Node.
type Detail struct {
	About string `json:"about"`
	Text  string `json:"text"`
}

// Actual is the work of a Node.
type Actual struct {
	Rows         int64 `json:"rows"`
	Loops        int64 `json:"loops"`
	MemoryPeak   int64 `json:"memory_bytes,omitempty"`
	BytesSpilled int64 `json:"spilled_bytes,omitempty"`
}

func (n *Node) add(about, format string, args ...any) {
	n.Details = append(n.Details, Detail{about, fmt.Sprintf(format, args...)})
}

// line is the operation with its figures, as MySQL writes them.
func (n *Node) line() string {
	text := "-> " + n.Operation
	switch {
	case n.Rows > 0:
		text += fmt.Sprintf("  (cost=%s rows=%s)", count(n.Cost), count(n.Rows))
	case n.Cost > 0:
		text += fmt.Sprintf("  (cost=%s)", count(n.Cost))
	}
	if a := n.Actual; a != nil {
		text += fmt.Sprintf(" (actual rows=%d loops=%d)", a.Rows, a.Loops)
		if a.MemoryPeak > 0 || a.BytesSpilled > 0 {
			text += fmt.Sprintf(" (memory=%d spilled=%d)", a.MemoryPeak, a.BytesSpilled)
		}
	}
	return text
}

// describer makes a tree of the nodes of a query.
type describer struct {
	ctx      context.Context // of the statement
	request  *execute.Request
	settings plan.Settings
	nodes    map[algebra.Node]execute.NodeCounts // nil: the query was not run
	samples  *evaluate.Context
	// dependent says that the rows at hand are read anew for each outer row: a span is the span of some value.
	dependent bool
	most      int // rows that are wanted of the scan that comes next; negative: all
}

// inner describes the queries that are kept, and those in expressions.
func (d *describer) inner() (list []*Node) {
	for _, s := range d.request.Query.Spools {
		list = append(list, &Node{Operation: "Materialize " + s.Name, Inputs: []*Node{d.block(s.Block)}})
	}
	subqueries := 0
	for of := range d.request.Query.InExpressions() {
		kind := "run once"
		if len(of.Outer) > 0 {
			kind = "dependent: run for each combination of outer values"
		}
		subqueries++
		inner := d.describeNested(len(of.Outer) > 0, func() *Node { return d.block(of.Block) })
		list = append(list, &Node{Operation: fmt.Sprintf("Subquery %d (%s)", subqueries, kind), Inputs: []*Node{inner}})
	}
	return list
}

// block describes a SELECT over nodes.
func (d *describer) block(b *algebra.Block) *Node {
	top := &Node{Operation: "Rows fetched before execution"}
	if b.From != nil {
		d.most = -1
		if limit, offset, err := b.Select.Limits(d.samples); b.Ends && err == nil && limit >= 0 {
			d.most = limit + offset
		}
		top = d.node(b.From)
	}
	return d.upper(b.Select, b.Sorted, top).top
}

// steps are the steps of a SELECT above its rows, and these; nil: it has none of the kind.
type steps struct{ top, group, distinct, sort, rows *Node }

// upper puts the steps of a SELECT above its rows.
func (d *describer) upper(s *plan.Select, sorted bool, rows *Node) (of steps) {
	of.top, of.rows = rows, rows
	add := func(is bool, step string, args ...any) *Node {
		if !is {
			return nil
		}
		of.top = &Node{Operation: fmt.Sprintf(step, args...), Inputs: []*Node{of.top}}
		return of.top
	}
	if g := s.Groups; g != nil && len(g.Keys) == 0 {
		of.group = add(true, "Aggregate")
	} else if g != nil {
		of.group = add(true, "Group by %d expression(s), aggregate", len(g.Keys))
	}
	add(s.Having != nil, "Filter: HAVING")
	add(len(s.Windows) > 0, "Window functions: %d", len(s.Windows))
	of.distinct = add(s.Distinct, "Remove duplicates")
	of.sort = add(len(s.Order) > 0 && !sorted, "Sort by %d expression(s)", len(s.Order))
	limit, offset, err := s.Limits(d.samples)
	add(err == nil && limit >= 0, "Limit/Offset: %d/%d row(s)", limit, offset)
	return of
}

// node describes a node of a FROM.
func (d *describer) node(node algebra.Node) *Node {
	b := &Node{}
	var estimate algebra.Estimate
	switch n := node.(type) {
	case *algebra.Scan:
		estimate = n.Estimate
		d.scan(b, n, n.Source)
	case *algebra.Virtual:
		b.Operation = "Table scan on " + n.Alias + ", a virtual table"
	case *algebra.Derived:
		if n.Spool != nil {
			b.Operation = "Read " + n.Alias + " from materialized " + n.Spool.Name
			break
		}
		b.Operation, b.Inputs = "Table scan on "+n.Alias, []*Node{d.block(n.Block)}
	case *algebra.Join:
		estimate = n.Estimate
		d.join(b, n)
	case *algebra.Filter:
		estimate = n.Estimate
		b.Operation, b.Inputs = "Filter: "+conditions(n.Trees), []*Node{d.node(n.Of)}
	case *algebra.Combine:
		b.Operation, b.Inputs = setName(n.Kind, n.All), []*Node{d.block(n.Left), d.block(n.Right)}
	case *algebra.Recursive:
		b.Operation, b.Inputs = "Repeat "+n.Name+
			" until it has no more rows", []*Node{d.block(n.Seed), d.block(n.Step)}
	case *algebra.Working:
		b.Operation = "Scan new records on " + n.Alias
	case *algebra.Values:
		b.Operation = fmt.Sprintf("Values: %d row(s)", len(n.Rows))
	}
	b.Cost, b.Rows = estimate.Cost, estimate.Rows
	if d.nodes != nil {
		c := d.nodes[node]
		b.Actual = &Actual{Rows: c.Rows, Loops: c.Opens, MemoryPeak: c.MemoryPeak, BytesSpilled: c.BytesSpilled}
	}
	return b
}

// scan describes how a table is read by a source.
func (d *describer) scan(b *Node, n *algebra.Scan, source *plan.Source) {
	x := plan.Execution{Pinned: d.request.Pinned[n.Table], Context: d.samples, Settings: d.request.Settings,
		Explain: true}
	var access plan.Access
	need := n.Need
	if need.RowsMax = -1; d.most >= 0 {
		need.RowsMax, d.most = d.most, -1
	}
	b.Operation = "Table scan on " + n.Alias
	if err := source.Bind(&x, &need, &access); err != nil {
		b.add("error", "%v", err)
		return
	}
	d.access(b, x.Pinned, n.Alias, source, &access)
	for i := range b.Details {
		if b.Details[i].About == "span" && d.dependent {
			b.Details[i].Text += " (example: it differs for each outer row)"
		}
	}
	switch {
	case access.Query.Near != nil:
		b.add("order", "nearest first, by a search over the curve: it ends after %d rows", need.RowsMax)
	case access.Ends(&need):
		b.add("order", "that of the index: reading ends after %d rows", need.RowsMax)
	case len(n.Sorted) > 0 && access.Sorted:
		b.add("order", "that of the index, as the join or the groups need")
	case len(n.Sorted) > 0:
		b.add("order", "sorted, as the join or the groups need")
	}
	if d.nodes != nil {
		c := d.nodes[n].Read
		b.add("examined", "%d entries, %d bytes, %d seeks; %d met its conditions", c.Examined, c.Bytes, c.Seeks,
			c.Accepted)
	}
}

// join describes a join.
func (d *describer) join(b *Node, n *algebra.Join) {
	kind := [...]string{"inner", "left", "full", "semi", "anti", "anti"}[n.Kind]
	right := func() *Node { return d.node(n.Right) }
	switch n.Method {
	case algebra.Hash:
		b.Operation = fmt.Sprintf("Hash %s join by %d expression(s)", kind, len(n.LeftKeys))
		side := "right"
		if n.BuildLeft {
			side = "left"
		}
		b.add("keeps", "the %s side in memory, and in files beyond its budget", side)
		if n.IsLoose {
			b.add("keys", "some have no type: if numbers and texts meet, rows are compared pair by pair")
		}
	case algebra.Merge:
		b.Operation = fmt.Sprintf("Merge %s join by %d expression(s)", kind, len(n.LeftKeys))
	case algebra.Lookup:
		b.Operation = "Batched key access " + kind + " join"
		right = func() *Node { return d.batches(n) }
	default:
		b.Operation = "Nested loop " + kind + " join"
	}
	if len(n.On) > 0 {
		b.add("on", "%d further condition(s)", len(n.On))
	}
	left := d.node(n.Left)
	if n.Method == algebra.Lookup {
		left = &Node{Operation: "Batch input rows", Inputs: []*Node{left}}
	}
	b.Inputs = []*Node{left, d.describeNested(n.Method == algebra.Lookup || len(n.Outer) > 0, right)}
}

// batches describes how the keys of many rows are looked up at once.
func (d *describer) batches(n *algebra.Join) *Node {
	scan := n.Right.(*algebra.Scan)
	looked := d.node(scan)
	looked.Details = nil
	d.scan(looked, scan, n.Batches[0].Source)
	if _, of, ok := strings.Cut(looked.Operation, " on "); ok {
		looked.Operation = "Multi-range index lookup on " + of
	}
	looked.add("batch", "up to %d keys at once", n.Batches[len(n.Batches)-1].Keys)
	return looked
}

// describeNested describes what may depend on outer rows.
func (d *describer) describeNested(depends bool, describe func() *Node) *Node {
	before := d.dependent
	d.dependent = before || depends
	defer func() { d.dependent = before }()
	return describe()
}

func setName(kind tree.SetKind, all bool) string {
	name := map[tree.SetKind]string{tree.Union: "Union", tree.Intersect: "Intersect", tree.Except: "Except"}[kind]
	if all {
		return name + " all"
	}
	return name + ", duplicates removed"
}

// conditions writes conditions that all have to be met.
func conditions(list []tree.Expression) string {
	written := make([]string, len(list))
	for i, e := range list {
		written[i] = string(tree.AppendExpression(nil, e))
	}
	return strings.Join(written, " AND ")
}
