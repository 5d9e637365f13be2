// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"strings"

	"github.com/weftdb/weft/internal/sql/execute"
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
	return whileStale(func() error {
		defer s.ends()
		switch of := read.Of.(type) {
		case tree.Query:
			return s.explainQuery(ctx, of, c, options)
		case *tree.Insert, *tree.Update, *tree.Delete:
			return s.explainWrite(ctx, of, c, options)
		}
		return fault.New(fault.NotSupported, "EXPLAIN is for SELECT, INSERT, UPDATE and DELETE")
	})
}

func (s *Session) explainQuery(ctx context.Context, of tree.Query, c *call, o explain.Options) error {
	settings := s.planSettings()
	if !o.Analyze {
		settings.Inefficient = plan.AllowInefficient // it is said, not refused
	}
	q, err := s.compileRead(of, c, settings, func() string { return string(tree.AppendQuery(nil, of)) })
	if err != nil {
		return err
	}
	if q.Single == nil {
		s.tell(q.notes)
	}
	if err := q.begin(ctx, s, c); err != nil {
		return err
	}
	return explain.Query(ctx, &s.request, o)
}

// explainWrite answers EXPLAIN of a statement that writes.
func (s *Session) explainWrite(ctx context.Context, of tree.Statement, c *call, o explain.Options) error {
	w, err := s.compileWrite(of, c)
	if err != nil {
		return err
	}
	var names []string
	for _, t := range w.tables {
		names = append(names, t.Name)
	}
	does := "Delete from "
	var details []explain.Detail
	switch of := of.(type) {
	case *tree.Update:
		does = "Update "
	case *tree.Insert:
		does = "Insert into "
		details = []explain.Detail{{About: "class", Text: "writes each row by its key"}, {About: "existing key",
			Text: modify.OnDuplicate(of.Rule, w.tables[0], w.mode, s.values.Insert == variable.ByTable)}}
	}
	var request *execute.Request
	if w.query != nil {
		if err := w.query.begin(ctx, s, c); err != nil {
			return err
		}
		request = &s.request
	}
	return explain.Write(ctx, does+strings.Join(names, ", "), details, request, o, c.sink)
}
