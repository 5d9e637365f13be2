// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// beginExecution prepares the session's context of expressions for an execution.
func (s *Session) beginExecution(parameters []datum.Datum) *evaluate.Context {
	return s.beginContext(&s.context, parameters)
}

func (s *Session) beginContext(x *evaluate.Context, parameters []datum.Datum) *evaluate.Context {
	x.Begin(parameters, s.engine.options.Now().UnixMicro(), s)
	x.Random = rand.Uint64
	x.Done, x.Memory.Of = s.running.Done(), s.engine.options.Memory
	return x
}

// constant computes an expression without columns. The result is valid until the next execution begins.
func (s *Session) constant(_ context.Context, e tree.Expression, parameters []datum.Datum) (datum.Datum, error) {
	program, err := evaluate.Compile(e, nil)
	if err != nil {
		return datum.Null, err
	}
	return program.Value(s.beginExecution(parameters))
}

// answerScope has the columns of a SHOW's answer.
type answerScope []result.Column

// Resolve is evaluate.Scope's.
func (a answerScope) Resolve(c *tree.Column) (slot int, t datum.Type, err error) {
	for i := range a {
		if strings.EqualFold(a[i].Name, c.Name) {
			return i, a[i].Type, nil
		}
	}
	names := make([]string, len(a))
	for i := range a {
		names[i] = a[i].Name
	}
	return 0, t, fault.New(fault.UnknownColumn, c.Name, "where clause").Meant(c.Name, slices.Values(names))
}

// whereOf reports whether the WHERE of a SHOW takes a row.
func whereOf(where tree.Expression, columns []result.Column, row, parameters []datum.Datum) (bool, error) {
	program, err := evaluate.Compile(where, answerScope(columns))
	if err != nil {
		return false, err
	}
	return program.Truth(&evaluate.Context{Row: row, Parameters: parameters})
}

// matchesShow reports whether the LIKE and WHERE of a SHOW take a pair. Names are matched whatever their case.
func (s *Session) matchesShow(st *tree.Show, name, value string, c *call) (bool, error) {
	condition := st.Where
	if st.Like != nil {
		condition = &tree.Like{
			X:       &tree.Literal{Value: datum.TextString(strings.ToLower(name))},
			Pattern: &tree.Literal{Value: datum.TextString(strings.ToLower(*st.Like))},
		}
	}
	if condition == nil {
		return true, nil
	}
	program, err := evaluate.Compile(condition, answerScope(texts("Variable_name", "Value")))
	if err != nil {
		return false, err
	}
	x := s.beginExecution(c.parameters)
	x.Row = []datum.Datum{text(name), text(value)}
	return program.Truth(x)
}
