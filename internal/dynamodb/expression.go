// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/expr"
)

// expressionMember is a member that is an expression.
type expressionMember interface {
	member
	source() string
	parse(placeholders *expression.Substitutions) error
	// appendPaths appends the paths that must not lead into keys. What an update does to the table's key, and a query's filter to walked, the key
	// that it walks by, is told in other words, later.
	appendPaths(dst []expr.Path, table *weft.Descriptor, walked []weft.KeyPart) []expr.Path
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
		paths []expr.Path
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
	e.paths, err = expression.ParseProjection(e.value, p)
	return err
}

func (e *updateExpression) parse(p *expression.Substitutions) (err error) {
	e.tree, err = expression.ParseUpdate(e.value, p)
	return err
}

func (e *conditionExpression) appendPaths(dst []expr.Path, _ *weft.Descriptor, _ []weft.KeyPart) []expr.Path {
	for path := range expr.Paths(e.tree) {
		dst = append(dst, *path)
	}
	return dst
}

func (e *filterExpression) appendPaths(dst []expr.Path, _ *weft.Descriptor, walked []weft.KeyPart) []expr.Path {
	for path := range expr.Paths(e.tree) {
		if !itemkey.Has(walked, path.Name) {
			dst = append(dst, *path)
		}
	}
	return dst
}

func (e *keyConditionExpression) appendPaths(dst []expr.Path, _ *weft.Descriptor, _ []weft.KeyPart) []expr.Path {
	return dst
}

func (e *projectionExpression) appendPaths(dst []expr.Path, _ *weft.Descriptor, _ []weft.KeyPart) []expr.Path {
	return append(dst, e.paths...)
}

func (e *updateExpression) appendPaths(dst []expr.Path, table *weft.Descriptor, _ []weft.KeyPart) []expr.Path {
	if e.tree == nil {
		return dst
	}
	for _, path := range e.tree.Touched() {
		if !itemkey.Has(table.Primary.Visible(), path.Name) {
			dst = append(dst, path)
		}
	}
	return dst
}

// parseExpressions parses the expressions in the order in which the table of checks has them. What it finds late is told last.
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
	if err := r.placeholders.CheckValues(); err != nil || values == nil {
		return err
	}
	return values.fault
}

// checkNestedPaths refuses paths into key attributes of the table and of its indexes.
func (r *request) checkNestedPaths(table *weft.Descriptor) error {
	nested := false
	for _, e := range r.order.expressions {
		nested = nested || strings.ContainsAny(e.source(), ".[")
	}
	if !nested {
		return nil
	}
	var walked []weft.KeyPart
	if r.order.walkedKey != nil {
		walked = r.order.walkedKey(table)
	}
	var paths []expr.Path
	for _, e := range slices.Backward(r.order.expressions) {
		paths = e.appendPaths(paths, table, walked)
	}
	for i := range paths {
		if len(paths[i].Steps) == 0 {
			continue
		}
		if sort := itemkey.SortOf(table, paths[i].Name); sort != "" {
			return exception.Validationf("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s", sort, paths[i].Name)
		}
	}
	return nil
}
