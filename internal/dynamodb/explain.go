// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// explainMode reports whether a Query or Scan is run, explained, or both.
type explainMode int

const (
	carriedOut explainMode = iota
	explained
	analyzed // carried out and explained, without its items
)

// Explain judges a Query or Scan as Do does and appends, in place of its answer, the JSON of a weft.Explanation: which
// index is read, how, and what that is expected to take. With analyze the page is read, too, and what that took is
// reported as Actual; LastEvaluatedKey is there as in the answer. Nothing is written. The error is always an
// *exception.Error.
func (a *API) Explain(ctx context.Context, operation string, body []byte, analyze bool, dst []byte) ([]byte, error) {
	how := explained
	if analyze {
		how = analyzed
	}
	o := FindOperation(operation)
	if o == nil || o.explain == nil {
		return nil, exception.Validation("Only Query, Scan and ExecuteStatement can be explained, not " + operation)
	}
	answer, err := o.explain(a, ctx, body, dst, how)
	if err != nil {
		return nil, exception.Of(err)
	}
	return answer, nil
}

// explain appends the report on the walk.
func (w *walk) explain(ctx context.Context, q database.Query, dst []byte) ([]byte, error) {
	look := w.pin.Explain
	if w.how == analyzed {
		look = w.pin.Analyze
	}
	e, err := look(ctx, q)
	if err != nil {
		return nil, w.fault(&q, err)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // conditions hold < and >
	if err := encoder.Encode(e); err != nil {
		return nil, err
	}
	dst = append(dst, bytes.TrimSpace(text.Bytes())...)
	n := e.Actual
	if n != nil {
		w.observeWalk(&n.Counts)
	}
	if n == nil || !n.More && (q.ExaminedMax == 0 || n.LookedAt < int64(q.ExaminedMax) || w.single) {
		return dst, nil
	}
	return append(w.appendLastKey(dst[:len(dst)-1], n.LastKey, n.Boundaries), '}'), nil
}
