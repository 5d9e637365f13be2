// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"slices"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/expr"
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
	if w.single = itemkey.FindsOne(w.index, w.keyConditions); w.single && after != nil {
		return nil, exception.Validation("The query can return at most one row and cannot be restarted")
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
	bounds, err := itemkey.Bind(w.index, w.keyConditions)
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

// checkFilter refuses a filter on key attributes: they belong into the key condition.
func (w *walk) checkFilter() error {
	what := "Filter Expression"
	if w.has&layer.QueryFilter != 0 {
		what = "QueryFilter"
	}
	parts := w.index.Stated()
	for path := range expr.Paths(w.filterTree) {
		if itemkey.Has(parts, path.Name) {
			return exception.Validationf("%s can only contain non-primary key attributes: Primary key attribute: %s", what, path.Name)
		}
	}
	return nil
}

// checkStart wants a start key within what the conditions allow, those on the sort key first.
func (w *walk) checkStart(after weft.Row, bounds []expr.Condition) error {
	source := expr.Source{Row: after, Names: w.pin.Names()}
	for i, bound := range slices.Backward(bounds) {
		if isImplied(bound, after, w.pin.Names()) {
			continue
		}
		within, err := expr.Match(bound, source)
		if err != nil {
			return err
		}
		if !within && i >= w.index.PartitionParts {
			return exception.Validation("The provided starting key does not match the range key predicate")
		}
		if !within {
			return exception.Validation("The provided starting key is outside query boundaries based on provided conditions")
		}
	}
	return nil
}

// isImplied says whether a condition is on a computed part that a start key leaves out, since its attributes say what it is.
func isImplied(bound expr.Condition, after weft.Row, names weft.Names) bool {
	for path := range expr.Paths(bound) {
		if _, ok := after.Get(names, []byte(path.Name)); !ok {
			return true
		}
	}
	return false
}
