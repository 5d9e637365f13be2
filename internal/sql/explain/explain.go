// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// Options say what is asked of EXPLAIN.
type Options struct {
	// Analyze runs the statement, too, and drops its rows.
	Analyze bool
	// Format is "" and "traditional" for a property a row, "json" for one document, "tree" for one text.
	Format string
}

// Query explains a query to the request's sink. It is not refused for being inefficient: that is said. Errors: those of
// execute.Query.
func Query(ctx context.Context, request *execute.Request, o Options) error {
	list, err := describe(ctx, request, o.Analyze)
	if err != nil {
		return err
	}
	return send(list, request.Sink, o.Format)
}

// Write explains a statement that writes: what it does, with details, and the query that finds what it writes; nil:
// there is none. Errors: those of Query, and 1235 for ANALYZE, since that would write.
func Write(ctx context.Context, does string, details []Detail, query *execute.Request, o Options,
	sink result.Sink) error {
	if o.Analyze {
		return fault.New(fault.NotSupported,
			"EXPLAIN ANALYZE would run this statement, and it writes: use EXPLAIN without ANALYZE")
	}
	top := &Node{Operation: does, Details: details}
	list := []*Node{top}
	if query != nil {
		found, err := describe(ctx, query, false)
		if err != nil {
			return err
		}
		top.Inputs, list = found[:1], append(list, found[1:]...)
	}
	return send(list, sink, o.Format)
}

// describe makes the tree of a query, those of the queries in it, and the sum of its work.
func describe(ctx context.Context, request *execute.Request, analyze bool) (list []*Node, err error) {
	d := &describer{ctx: ctx, request: request, samples: &evaluate.Context{}, most: -1,
		settings: request.Settings.WithDefaults()}
	values := append(append([]datum.Datum(nil), request.Context.Parameters...), request.Query.Samples...)
	d.samples.Begin(values, request.Context.NowUS, request.Context.Session)
	var of steps
	single := request.Query.Single
	if single != nil { // before it is run, which may lead to another path
		if of, err = d.single(single); err != nil {
			return nil, err
		}
	}
	var total *Node
	if analyze {
		if total, err = d.analyze(&of); err != nil {
			return nil, err
		}
	}
	if single == nil {
		of.top = d.block(request.Query.Root)
	}
	list = append([]*Node{of.top}, d.inner()...)
	if total != nil {
		list = append(list, total)
	}
	return list, nil
}

// analyze runs the query and sums up its work, which it notes in the tree of a single SELECT.
func (d *describer) analyze(single *steps) (total *Node, err error) {
	run := *d.request
	run.Sink, run.Nodes = result.Nowhere{}, true
	begun := time.Now() // lint:clock the duration is for people
	summary, err := execute.Query(d.ctx, &run)
	if err != nil {
		return nil, err
	}
	took := time.Since(begun)
	d.nodes = summary.Nodes
	if run.Query.Single != nil {
		single.note(&summary)
	}
	return &Node{Operation: fmt.Sprintf("Total: %d rows sent, %d entries examined, %d seeks, %.3f ms", summary.Rows,
		summary.Read.Examined, summary.Read.Seeks, float64(took.Microseconds())/1000)}, nil
}

// send tells trees to a sink: as one text, as JSON, or as rows of an operation or property and what is said of it.
func send(list []*Node, sink result.Sink, format string) error {
	switch format {
	case "json":
		text, err := json.MarshalIndent(map[string]any{"query": list}, "", "  ")
		if err != nil {
			return err
		}
		return sendRows(sink, []result.Column{texts("EXPLAIN", 1<<16)}, []string{string(text)})
	case "tree":
		var text strings.Builder
		walk(list, "", func(n *Node, indent string) {
			text.WriteString(indent + n.line() + "\n")
			for _, one := range n.Details {
				text.WriteString(indent + "     " + one.About + ": " + one.Text + "\n")
			}
		})
		return sendRows(sink, []result.Column{texts("EXPLAIN", 1<<16)}, []string{text.String()})
	}
	var rows [][]string
	walk(list, "", func(n *Node, indent string) {
		rows = append(rows, []string{"plan", indent + n.line()})
		for _, one := range n.Details {
			rows = append(rows, []string{one.About, one.Text})
		}
	})
	return sendRows(sink, []result.Column{texts("Property", 64), texts("Value", 4096)}, rows...)
}

// walk visits trees, each node with the blanks of its depth.
func walk(list []*Node, indent string, visit func(n *Node, indent string)) {
	for _, n := range list {
		visit(n, indent)
		walk(n.Inputs, indent+"    ", visit)
	}
}

func texts(name string, length int) result.Column {
	return result.Column{Name: name, OriginalName: name, Type: datum.Type{Base: datum.Varchar, Length: length}}
}

// sendRows sends an answer of texts.
func sendRows(sink result.Sink, columns []result.Column, rows ...[]string) error {
	if err := sink.Columns(columns); err != nil {
		return err
	}
	for _, row := range rows {
		data := make([]datum.Datum, len(row))
		for i := range row {
			data[i] = datum.TextString(row[i])
		}
		if err := sink.Row(data); err != nil {
			return err
		}
	}
	return sink.Done(result.Done{})
}
