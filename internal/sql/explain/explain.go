// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
)

// Options say what is asked of EXPLAIN.
type Options struct {
	// Analyze runs the statement, too, and drops its rows.
	Analyze bool
	// Format is "" and "traditional" for a property a row, "json" for one document, "tree" for one text.
	Format string
}

// Select explains a SELECT to the request's sink. The statement is not refused for being inefficient: that is said.
// Errors: those of execute.Select.
func Select(ctx context.Context, request *execute.Request, o Options) error {
	r := report{settings: request.Settings.WithDefaults()}
	s := request.Statement
	if s.Source.Table == nil {
		r.add("class", "%s", plan.Nothing)
	} else if err := r.describeSelect(ctx, request); err != nil {
		return err
	}
	if o.Analyze {
		if err := r.analyze(ctx, request); err != nil {
			return err
		}
	}
	return r.send(request.Sink, o.Format)
}

// Source explains how an UPDATE or DELETE finds its rows. Errors: those of plan's Bind, and 1235 for ANALYZE, since
// that would write.
func Source(ctx context.Context, source *plan.Source, x plan.Execution, need plan.Need, sorts bool, o Options,
	sink result.Sink) error {
	if o.Analyze {
		return fault.New(fault.NotSupported,
			"EXPLAIN ANALYZE would run this statement, and it writes: use EXPLAIN without ANALYZE")
	}
	r := report{settings: x.Settings.WithDefaults()}
	var access plan.Access
	x.Explain = true
	if err := source.Bind(&x, &need, &access); err != nil {
		return err
	}
	r.access(ctx, x.Pinned, source, &access)
	if sorts && (len(need.Order) == 0 || !access.Sorted) {
		r.add("order", "sorted in memory")
	}
	return r.send(sink, o.Format)
}

// Insert explains an INSERT, which chooses no path: what it does about a key that is there.
func Insert(does string, o Options, sink result.Sink) error {
	if o.Analyze {
		return fault.New(fault.NotSupported,
			"EXPLAIN ANALYZE would run this statement, and it writes: use EXPLAIN without ANALYZE")
	}
	r := report{}
	r.add("class", "writes each row by its key")
	r.add("existing key", "%s", does)
	return r.send(sink, o.Format)
}

// analyze runs the statement and adds what that took.
func (r *report) analyze(ctx context.Context, request *execute.Request) error {
	run := *request
	run.Sink = nowhere{}
	begun := time.Now() // lint:clock the duration is for people
	summary, err := execute.Select(ctx, &run)
	if err != nil {
		return err
	}
	r.actual(&summary, time.Since(begun))
	return nil
}

// nowhere drops rows.
type nowhere struct{}

// Columns is result.Sink's.
func (nowhere) Columns([]result.Column) error { return nil }

// Row is result.Sink's.
func (nowhere) Row([]datum.Datum) error { return nil }

// Done is result.Sink's.
func (nowhere) Done(result.Done) error { return nil }
