// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/value"
)

// query walks the items of one partition of a table or an index.
func (a *API) query(ctx context.Context, body, dst []byte) ([]byte, error) {
	return a.queryAs(ctx, body, dst, carriedOut)
}

func (a *API) queryAs(ctx context.Context, body, dst []byte, how explaining) ([]byte, error) {
	r := a.request("Query", layer.RowOf("Query"))
	defer r.release()
	w := walk{request: r, how: how}
	if err := w.open(body); err != nil {
		return nil, err
	}
	bounds, err := w.conditions()
	if err != nil {
		return nil, w.valueFaultOr(err)
	}
	after, err := w.startKey()
	if err != nil {
		return nil, err
	}
	if after != nil {
		if err := w.checkStart(after, bounds); err != nil {
			return nil, err
		}
	}
	return w.run(ctx, weft.Query{Where: expr.Conjunction(bounds...), Reverse: r.backward, After: after}, dst)
}

// conditions judges the conditions on the key and then the filter.
func (w *walk) conditions() ([]expr.Condition, error) {
	if err := w.olderKeys(); err != nil {
		return nil, err
	}
	bounds, err := w.bind(w.keyConditions)
	if err != nil {
		return nil, err
	}
	return bounds, w.checkFilter()
}

// scan walks a whole table or index, or one segment of it.
func (a *API) scan(ctx context.Context, body, dst []byte) ([]byte, error) {
	return a.scanAs(ctx, body, dst, carriedOut)
}

func (a *API) scanAs(ctx context.Context, body, dst []byte, how explaining) ([]byte, error) {
	r := a.request("Scan", layer.RowOf("Scan"))
	defer r.release()
	w := walk{request: r, how: how}
	if err := w.open(body); err != nil {
		return nil, err
	}
	after, err := w.startKey()
	if err != nil {
		return nil, err
	}
	return w.run(ctx, weft.Query{
		After: after, Segment: int(r.segment), Segments: int(r.totalSegments), Boundaries: w.boundaries,
	}, dst)
}

// bind makes the conditions of a walk of the key conditions: every part of the partition key equals a value, then come parts of the sort
// key from the first on, the last of which may be a range.
func (w *walk) bind(conditions []expression.KeyCondition) ([]expr.Condition, error) {
	parts := w.index.Visible()
	if len(conditions) > 2 && len(parts) <= 2 {
		return nil, exception.Validation("Conditions can be of length 1 or 2 only")
	}
	bounds := make([]expr.Condition, 0, len(conditions))
	for i := range parts {
		condition := conditionOn(conditions, &parts[i])
		if condition == nil {
			if i < w.index.PartitionParts || len(bounds) < len(conditions) {
				return nil, missedKey(&parts[i])
			}
			return bounds, nil
		}
		equal := condition.Op == expression.KeyEqual
		if !equal && (i < w.index.PartitionParts || len(bounds)+1 < len(conditions)) {
			return nil, exception.Validation("Query key condition not supported")
		}
		if err := w.checkBound(i, condition); err != nil {
			return nil, err
		}
		bounds = append(bounds, boundOf(&parts[i], condition))
	}
	if len(bounds) < len(conditions) {
		return nil, exception.Validation("Query key condition not supported")
	}
	return bounds, nil
}

func missedKey(part *weft.KeyPart) error {
	return exception.Validationf("Query condition missed key schema element: %s", itemkey.Shown(part))
}

func conditionOn(conditions []expression.KeyCondition, part *weft.KeyPart) *expression.KeyCondition {
	for i := range conditions {
		if itemkey.Means(part, conditions[i].Attribute) {
			return &conditions[i]
		}
	}
	return nil
}

// checkBound refuses values that no key can have.
func (w *walk) checkBound(part int, condition *expression.KeyCondition) error {
	for _, v := range [...]value.Value{condition.A, condition.B} {
		if v.IsMissing() {
			continue
		}
		if !itemkey.Takes(&w.index.Visible()[part], v) {
			return exception.InvalidValue("Condition parameter type does not match schema type")
		}
		if err := itemkey.CheckValue(w.index, part, v); err != nil {
			return err
		}
	}
	return nil
}

// boundOf is a key condition as a condition on the attribute by which items and page keys show the part.
func boundOf(part *weft.KeyPart, condition *expression.KeyCondition) expr.Condition {
	x, a := &expr.Path{Name: itemkey.Shown(part)}, &expr.Literal{Value: condition.A}
	switch condition.Op {
	case expression.KeyBetween:
		return &expr.Between{X: x, Low: a, High: &expr.Literal{Value: condition.B}}
	case expression.KeyBeginsWith:
		return &expr.BeginsWith{X: x, Prefix: a}
	}
	return &expr.Compare{Op: comparisonOf(condition.Op), A: x, B: a}
}

func comparisonOf(op expression.KeyOperator) expr.Comparison {
	switch op {
	case expression.KeyLess:
		return expr.Less
	case expression.KeyLessOrEqual:
		return expr.LessOrEqual
	case expression.KeyGreater:
		return expr.Greater
	case expression.KeyGreaterOrEqual:
		return expr.GreaterOrEqual
	}
	return expr.Equal
}

// checkFilter refuses a filter on key attributes: they belong into the key condition.
func (w *walk) checkFilter() error {
	what := "Filter Expression"
	if w.has&layer.QueryFilter != 0 {
		what = "QueryFilter"
	}
	parts := w.index.Visible()
	for path := range expr.Paths(w.filterTree) {
		for i := range parts {
			if itemkey.Means(&parts[i], path.Name) {
				return exception.Validationf("%s can only contain non-primary key attributes: Primary key attribute: %s", what, path.Name)
			}
		}
	}
	return nil
}

// checkStart wants a start key within what the conditions allow.
func (w *walk) checkStart(after weft.Row, bounds []expr.Condition) error {
	source := expr.Source{Row: after, Names: w.pin.Names()}
	for i, bound := range bounds {
		within, err := expr.Match(bound, source)
		if err != nil {
			return err
		}
		if !within && i < w.index.PartitionParts {
			return exception.Validation("The provided starting key is outside query boundaries based on provided conditions")
		}
		if !within {
			return exception.Validation("The provided starting key does not match the range key predicate")
		}
	}
	return nil
}
