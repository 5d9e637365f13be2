// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// branch is one step of a query over several tables, with those whose rows it takes.
type branch struct {
	Operation string    `json:"operation"`
	Cost      float64   `json:"estimated_cost,omitempty"`
	Rows      float64   `json:"estimated_rows,omitempty"`
	Actual    *actual   `json:"actual,omitempty"`
	Details   []detail  `json:"details,omitempty"`
	Inputs    []*branch `json:"inputs,omitempty"`
}

// detail is a property of a branch, or of the only table of a statement.
type detail struct {
	About string `json:"about"`
	Text  string `json:"text"`
}

// actual is the work of a branch.
type actual struct {
	Rows         int64 `json:"rows"`
	Loops        int64 `json:"loops"`
	MemoryPeak   int64 `json:"memory_bytes,omitempty"`
	BytesSpilled int64 `json:"spilled_bytes,omitempty"`
}

// describer makes branches of the nodes of a query.
type describer struct {
	ctx     context.Context // of the statement
	request *execute.QueryRequest
	nodes   map[algebra.Node]execute.NodeCounts // nil: the query was not run
	samples *evaluate.Context
	// dependent says that the rows at hand are read anew for each outer row: what a span shows is that of some value.
	dependent bool
	most      int // rows that are wanted of the scan that comes next; negative: all
}

// Query explains a query over several tables to the request's sink. Errors: those of execute.Query.
func Query(ctx context.Context, request *execute.QueryRequest, o Options) error {
	d := &describer{ctx: ctx, request: request, samples: &evaluate.Context{}, most: -1}
	values := append(append([]datum.Datum(nil), request.Context.Parameters...), request.Query.Samples...)
	d.samples.Begin(values, request.Context.NowUS, request.Context.Session)
	var total *branch
	if o.Analyze {
		run := *request
		run.Sink, run.Nodes = nowhere{}, true
		begun := time.Now() // lint:clock the duration is for people
		summary, err := execute.Query(ctx, &run)
		if err != nil {
			return err
		}
		d.nodes = summary.Nodes
		total = &branch{Operation: fmt.Sprintf("Total: %d rows sent, %d entries examined, %d seeks, %.3f ms",
			summary.Rows, summary.Counts.Examined, summary.Counts.Seeks,
			float64(time.Since(begun).Microseconds())/1000)}
	}
	list := []*branch{d.block(request.Query.Root)}
	for _, s := range request.Query.Spools {
		list = append(list, &branch{Operation: "Materialize " + s.Name, Inputs: []*branch{d.block(s.Block)}})
	}
	subqueries := 0
	for of := range request.Query.InExpressions() {
		kind := "run once"
		if len(of.Outer) > 0 {
			kind = "dependent: run for each combination of outer values"
		}
		subqueries++
		inner := d.describeNested(len(of.Outer) > 0, func() *branch { return d.block(of.Block) })
		list = append(list, &branch{Operation: fmt.Sprintf("Subquery %d (%s)", subqueries, kind),
			Inputs: []*branch{inner}})
	}
	if total != nil {
		list = append(list, total)
	}
	return sendTree(list, request.Sink, o.Format)
}

// block describes a SELECT: what is above its FROM first.
func (d *describer) block(b *algebra.Block) *branch {
	s := b.Select
	var steps []string
	add := func(is bool, step string) {
		if is {
			steps = append(steps, step)
		}
	}
	limit, offset, err := s.Limits(d.samples)
	add(err == nil && limit >= 0, fmt.Sprintf("Limit/Offset: %d/%d row(s)", limit, offset))
	add(len(s.Order) > 0 && !b.Sorted, fmt.Sprintf("Sort by %d expression(s)", len(s.Order)))
	add(s.Distinct, "Remove duplicates")
	add(len(s.Windows) > 0, fmt.Sprintf("Window functions: %d", len(s.Windows)))
	add(s.Having != nil, "Filter: HAVING")
	if g := s.Groups; g != nil {
		add(len(g.Keys) == 0, "Aggregate")
		add(len(g.Keys) > 0, fmt.Sprintf("Group by %d expression(s), aggregate", len(g.Keys)))
	}
	top := &branch{Operation: "Rows fetched before execution"}
	if b.From != nil {
		d.most = -1
		if b.Ends && err == nil && limit >= 0 {
			d.most = limit + offset
		}
		top = d.node(b.From)
	}
	for i := len(steps) - 1; i >= 0; i-- {
		top = &branch{Operation: steps[i], Inputs: []*branch{top}}
	}
	return top
}

// node describes a node of a FROM.
func (d *describer) node(node algebra.Node) *branch {
	b := &branch{}
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
		b.Operation, b.Inputs = "Table scan on "+n.Alias, []*branch{d.block(n.Block)}
	case *algebra.Join:
		estimate = n.Estimate
		d.join(b, n)
	case *algebra.Filter:
		estimate = n.Estimate
		b.Operation, b.Inputs = "Filter: "+conditions(n.Trees), []*branch{d.node(n.Of)}
	case *algebra.Combine:
		b.Operation, b.Inputs = setName(n.Kind, n.All), []*branch{d.block(n.Left), d.block(n.Right)}
	case *algebra.Recursive:
		b.Operation, b.Inputs = "Repeat "+n.Name+
			" until it has no more rows", []*branch{d.block(n.Seed), d.block(n.Step)}
	case *algebra.Working:
		b.Operation = "Scan new records on " + n.Alias
	case *algebra.Values:
		b.Operation = fmt.Sprintf("Values: %d row(s)", len(n.Rows))
	}
	b.Cost, b.Rows = estimate.Cost, estimate.Rows
	if d.nodes != nil {
		c := d.nodes[node]
		b.Actual = &actual{Rows: c.Rows, Loops: c.Opens, MemoryPeak: c.MemoryPeak, BytesSpilled: c.BytesSpilled}
	}
	return b
}

// scan describes how a table is read by a source.
func (d *describer) scan(b *branch, n *algebra.Scan, source *plan.Source) {
	x := plan.Execution{Pinned: d.request.Pinned[n.Table], Context: d.samples, Settings: d.request.Settings,
		Explain: true}
	var access plan.Access
	need := n.Need
	if need.RowsMax = -1; d.most >= 0 {
		need.RowsMax, d.most = d.most, -1
	}
	b.Operation = "Table scan on " + n.Alias
	if err := source.Bind(&x, &need, &access); err != nil {
		b.Details = append(b.Details, detail{"error", err.Error()})
		return
	}
	r := report{settings: d.request.Settings.WithDefaults()}
	r.access(d.ctx, x.Pinned, source, &access)
	b.Details = r.details
	for i := range b.Details {
		if b.Details[i].About == "span" && d.dependent {
			b.Details[i].Text += " (example: it differs for each outer row)"
		}
	}
	if access.Query.Near != nil {
		b.Details = append(b.Details, detail{"order",
			fmt.Sprintf("nearest first, by a search over the curve: it ends after %d rows", need.RowsMax)})
	} else if access.Ends(&need) {
		b.Details = append(b.Details, detail{"order",
			fmt.Sprintf("that of the index: reading ends after %d rows", need.RowsMax)})
	} else if len(n.Sorted) > 0 {
		how := "that of the index, as the join or the groups need"
		if !access.Sorted {
			how = "sorted, as the join or the groups need"
		}
		b.Details = append(b.Details, detail{"order", how})
	}
	if access.Class != plan.Nothing {
		index := indexName(access.Plan.Explain().Index)
		switch access.Class {
		case plan.Get, plan.MultiGet:
			b.Operation = "Row lookup on " + n.Alias + " using " + index
		case plan.Range:
			if access.Plan.Bound > 0 {
				b.Operation = "Index range scan on " + n.Alias + " using " + index
			}
		}
	}
	if d.nodes != nil {
		c := d.nodes[n].Read
		b.Details = append(b.Details, detail{"examined",
			fmt.Sprintf("%d entries, %d bytes, %d seeks; %d met its conditions", c.Examined, c.Bytes, c.Seeks,
				c.Accepted)})
	}
}

// join describes a join.
func (d *describer) join(b *branch, n *algebra.Join) {
	kind := [...]string{"inner", "left", "full", "semi", "anti", "anti"}[n.Kind]
	right := func() *branch { return d.node(n.Right) }
	switch n.Method {
	case algebra.Hash:
		b.Operation = fmt.Sprintf("Hash %s join by %d expression(s)", kind, len(n.LeftKeys))
		side := "right"
		if n.BuildLeft {
			side = "left"
		}
		b.Details = append(b.Details, detail{"keeps",
			"the " + side + " side in memory, and in files beyond its budget"})
		if n.IsLoose {
			b.Details = append(b.Details,
				detail{"keys", "some have no type: if numbers and texts meet, rows are compared pair by pair"})
		}
	case algebra.Merge:
		b.Operation = fmt.Sprintf("Merge %s join by %d expression(s)", kind, len(n.LeftKeys))
	case algebra.Lookup:
		b.Operation = "Batched key access " + kind + " join"
		right = func() *branch { return d.batches(n) }
	default:
		b.Operation = "Nested loop " + kind + " join"
	}
	if len(n.On) > 0 {
		b.Details = append(b.Details, detail{"on", fmt.Sprintf("%d further condition(s)", len(n.On))})
	}
	left := d.node(n.Left)
	if n.Method == algebra.Lookup {
		left = &branch{Operation: "Batch input rows", Inputs: []*branch{left}}
	}
	b.Inputs = []*branch{left, d.describeNested(n.Method == algebra.Lookup || len(n.Outer) > 0, right)}
}

// batches describes how the keys of many rows are looked up at once.
func (d *describer) batches(n *algebra.Join) *branch {
	scan := n.Right.(*algebra.Scan)
	looked := d.node(scan)
	looked.Details = nil
	d.scan(looked, scan, n.Batches[0].Source)
	if _, of, ok := strings.Cut(looked.Operation, " on "); ok {
		looked.Operation = "Multi-range index lookup on " + of
	}
	looked.Details = append(looked.Details,
		detail{"batch", fmt.Sprintf("up to %d keys at once", n.Batches[len(n.Batches)-1].Keys)})
	return looked
}

// describeNested describes what may depend on outer rows.
func (d *describer) describeNested(depends bool, describe func() *branch) *branch {
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

// line is the operation with its figures, as MySQL writes them.
func (b *branch) line() string {
	text := "-> " + b.Operation
	if b.Rows > 0 || b.Cost > 0 {
		text += fmt.Sprintf("  (cost=%s rows=%s)", count(b.Cost), count(b.Rows))
	}
	if a := b.Actual; a != nil {
		text += fmt.Sprintf(" (actual rows=%d loops=%d)", a.Rows, a.Loops)
		if a.MemoryPeak > 0 || a.BytesSpilled > 0 {
			text += fmt.Sprintf(" (memory=%d spilled=%d)", a.MemoryPeak, a.BytesSpilled)
		}
	}
	return text
}

// walk visits a tree of branches, each with its depth.
func walk(list []*branch, depth int, visit func(b *branch, depth int)) {
	for _, b := range list {
		visit(b, depth)
		walk(b.Inputs, depth+1, visit)
	}
}

// sendTree tells a tree to a sink: as one text, as JSON, or as rows of an operation or property and what is said of it.
func sendTree(list []*branch, sink result.Sink, format string) error {
	r := &report{}
	switch format {
	case "json":
		text, err := json.MarshalIndent(map[string]any{"query": list}, "", "  ")
		if err != nil {
			return err
		}
		return r.sendText(sink, string(text))
	case "tree":
		var text strings.Builder
		walk(list, 0, func(b *branch, depth int) {
			indent := strings.Repeat("    ", depth)
			text.WriteString(indent + b.line() + "\n")
			for _, one := range b.Details {
				text.WriteString(indent + "     " + one.About + ": " + one.Text + "\n")
			}
		})
		return r.sendText(sink, text.String())
	}
	walk(list, 0, func(b *branch, depth int) {
		indent := strings.Repeat("    ", depth)
		r.add("plan", "%s", indent+b.line())
		for _, one := range b.Details {
			r.add(one.About, "%s", indent+"   "+one.Text)
		}
	})
	return r.send(sink, "")
}
