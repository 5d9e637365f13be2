// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/explain"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/variable"
)

// explain answers EXPLAIN.
func (s *Session) explain(ctx context.Context, read *tree.Explain, c *call) error {
	options := explain.Options{Analyze: read.Analyze, Format: read.Format}
	for range stalesMax {
		var err error
		if query, ok := s.operates(read.Of); ok {
			err = s.explainQuery(ctx, query, c, options)
		} else if !tree.IsPlain(read.Of) {
			err = s.explainWrite(ctx, read.Of, c, options)
		} else {
			err = s.explainPlain(ctx, read.Of, c, options)
		}
		if !errors.Is(err, errStale) {
			return err
		}
	}
	return tooOften()
}

// explainPlain answers EXPLAIN of a statement over one table.
func (s *Session) explainPlain(ctx context.Context, of tree.Statement, c *call, o explain.Options) error {
	switch of := of.(type) {
	case *tree.Select:
		return s.explainSelect(ctx, of, c, o)
	case *tree.Update, *tree.Delete:
		return s.explainChange(ctx, of, c, o)
	case *tree.Insert:
		return s.explainInsert(of, c, o)
	}
	return fault.New(fault.NotSupported, "EXPLAIN is for SELECT, INSERT, UPDATE and DELETE")
}

// explainQuery answers EXPLAIN of a query over several tables.
func (s *Session) explainQuery(ctx context.Context, of tree.Query, c *call, o explain.Options) error {
	settings := s.planSettings()
	if !o.Analyze {
		settings.Inefficient = plan.AllowInefficient // it is said, not refused
	}
	text := func() string { return string(tree.AppendQuery(nil, of)) }
	q, err := s.compileQueryBy(of, c, algebra.Options{Parameters: tree.Placeholders(of), Text: text,
		Execution: plan.Execution{Settings: settings}})
	if err != nil {
		return err
	}
	s.tell(q.notes)
	return s.explainQueried(ctx, q, c, o)
}

// explainWrite answers EXPLAIN of a statement that writes what a query finds: it is about the query.
func (s *Session) explainWrite(ctx context.Context, of tree.Statement, c *call, o explain.Options) error {
	w, err := s.compileWrite(of, c)
	if err != nil {
		return err
	}
	if o.Analyze {
		return fault.New(fault.NotSupported,
			"EXPLAIN ANALYZE would run this statement, and it writes: use EXPLAIN without ANALYZE")
	}
	return s.explainQueried(ctx, w.query, c, o)
}

func (s *Session) explainQueried(ctx context.Context, q *queryStatement, c *call, o explain.Options) error {
	request, release, err := q.begin(ctx, s, c)
	defer release()
	if err != nil {
		return err
	}
	return explain.Query(ctx, &request, o)
}

func (s *Session) explainSelect(ctx context.Context, of *tree.Select, c *call, o explain.Options) error {
	compiled, err := s.compileSelectOf(of, func() string { return string(tree.AppendQuery(nil, of)) })
	if err != nil {
		return err
	}
	p, err := compiled.(*selectStatement).begin(ctx, s, c)
	if err != nil {
		return err
	}
	defer p.release()
	return explain.Select(ctx, &s.request, o)
}

func (s *Session) explainInsert(of *tree.Insert, c *call, o explain.Options) error {
	compiled, err := s.compileChange(of)
	if err != nil {
		return err
	}
	ch := compiled.(*change)
	return explain.Insert(modify.OnDuplicate(of.Rule, ch.table, ch.mode, s.values.Insert == variable.ByTable), o,
		c.sink)
}

func (s *Session) explainChange(ctx context.Context, of tree.Statement, c *call, o explain.Options) error {
	compiled, err := s.compileChange(of)
	if err != nil {
		return err
	}
	ch := compiled.(*change)
	finder, ok := ch.statement.(modify.Finder)
	if !ok {
		return fault.New(fault.NotSupported, "EXPLAIN of this statement")
	}
	p, err := s.pin(ch.table.Database, ch.table.Name)
	if err != nil {
		return err
	}
	defer p.release()
	if p.Descriptor() != ch.table.Descriptor {
		return errStale
	}
	source, need, sorts := finder.Finds()
	x := plan.Execution{Pinned: p.Pinned, Context: s.beginExecution(c.parameters), Settings: s.planSettings()}
	return explain.Source(ctx, source, x, need, sorts, o, c.sink)
}
