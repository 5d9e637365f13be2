// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"iter"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
)

// expressionMember is a member that is an expression.
type expressionMember interface {
	member
	source() string
	parse(placeholders *expression.Substitutions) error
	// paths are all paths in it.
	paths() iter.Seq[*expr.Path]
}

// The expressions, with what they mean. That may come from the parameters that were there before expressions, too.
type (
	conditionExpression struct {
		text
		tree expr.Condition
	}
	filterExpression struct {
		text
		tree expr.Condition
	}
	keyConditionExpression struct {
		text
		conditions []expression.KeyCondition
	}
	projectionExpression struct {
		text
		list []expr.Path
	}
	updateExpression struct {
		text
		tree *expr.Update
	}
)

func (e *conditionExpression) parse(p *expression.Substitutions) (err error) {
	e.tree, err = expression.ParseCondition(e.value, p)
	return err
}

func (e *filterExpression) parse(p *expression.Substitutions) (err error) {
	e.tree, err = expression.ParseFilter(e.value, p)
	return err
}

func (e *keyConditionExpression) parse(p *expression.Substitutions) (err error) {
	e.conditions, err = expression.ParseKeyCondition(e.value, p)
	return err
}

func (e *projectionExpression) parse(p *expression.Substitutions) (err error) {
	e.list, err = expression.ParseProjection(e.value, p)
	return err
}

func (e *updateExpression) parse(p *expression.Substitutions) (err error) {
	e.tree, err = expression.ParseUpdate(e.value, p)
	return err
}

func (e *conditionExpression) paths() iter.Seq[*expr.Path]    { return expr.Paths(e.tree) }
func (e *filterExpression) paths() iter.Seq[*expr.Path]       { return expr.Paths(e.tree) }
func (e *keyConditionExpression) paths() iter.Seq[*expr.Path] { return expr.Paths(nil) } // keys know nothing else
func (e *projectionExpression) paths() iter.Seq[*expr.Path]   { return pointers(e.list) }

func (e *updateExpression) paths() iter.Seq[*expr.Path] {
	if e.tree == nil {
		return pointers(nil)
	}
	return e.tree.Paths()
}

func pointers(list []expr.Path) iter.Seq[*expr.Path] {
	return func(yield func(*expr.Path) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// parseExpressions parses the expressions in the order in which the table of checks has them. Faults that are found
// late are reported last.
func (r *request) parseExpressions() error {
	if err := r.checkPlaceholderMaps(); err != nil {
		return err
	}
	var late error
	for _, e := range r.order.expressions {
		if !e.IsGiven() {
			continue
		}
		err := e.parse(&r.placeholders)
		if fault, ok := err.(*expression.Error); ok && fault.Late {
			late = err
		} else if err != nil {
			return err
		}
	}
	if err := r.placeholders.CheckUsed(); err != nil {
		return err
	}
	return late
}

// checkPlaceholderMaps judges the placeholders of names and then those of values, whose contents come last.
func (r *request) checkPlaceholderMaps() error {
	names, values := r.order.names, r.order.values
	if names == nil || !names.has && (values == nil || !values.has) {
		return nil
	}
	if names.has && names.empty {
		return exception.Validation("ExpressionAttributeNames must not be empty")
	}
	if err := r.placeholders.CheckNames(); err != nil {
		return err
	}
	if values != nil && values.has && values.empty {
		return exception.Validation("ExpressionAttributeValues must not be empty")
	}
	if err := r.placeholders.CheckValues(); err != nil || values == nil || values.fault == nil {
		return err
	}
	return r.words().placeholderFault(values.faulty, values.fault)
}

// checkNestedPaths refuses paths into key attributes of the table and of its indexes.
func (r *request) checkNestedPaths(table *schema.Table) error {
	for i := len(r.order.expressions) - 1; i >= 0; i-- { // slices.Backward would allocate
		if e := r.order.expressions[i]; strings.ContainsAny(e.source(), ".[") {
			if err := r.checkPaths(e, table); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPaths is checkNestedPaths for one expression. An update of the table's key, and a query's filter on the key that
// it walks by, are reported in other words: the latter later, the former before a path into the key of an index.
func (r *request) checkPaths(e expressionMember, table *schema.Table) error {
	var passed []schema.KeyPart
	switch e.(type) {
	case *updateExpression:
		passed = table.Primary.Visible()
	case *filterExpression:
		if r.order.walkedKey != nil {
			passed = r.order.walkedKey(table)
		}
	}
	for path := range e.paths() {
		if sort := itemkey.SortOf(table, path.Name); len(path.Steps) > 0 && sort != "" &&
			!itemkey.Has(passed, path.Name) {
			if update, ok := e.(*updateExpression); ok && r.order.action == "dynamodb:UpdateItem" {
				if err := checkTouched(table, update.tree); err != nil {
					return err
				}
			}
			return exception.Validationf(
				"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s",
				sort, path.Name)
		}
	}
	return nil
}
