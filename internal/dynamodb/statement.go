// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/security/permission"
)

// tally is the cost of one request. It is used again with the memory of the request.
type tally struct {
	digest.Cost
	statement func(dst []byte, raw bool) []byte // what the request is, without values
	to        *digest.Table                     // nil: nobody wants to know
	begun     time.Time
	waits     database.Waits
	text      []byte

	ctx    context.Context // of the request
	body   []byte          // the client's
	hidden bool            // the body is not what the client sent
}

// begin begins a request anew.
func (t *tally) begin(ctx context.Context, to *digest.Table, body []byte) {
	t.Cost, t.to = digest.Cost{}, to
	if to != nil {
		t.begun, t.ctx, t.body = time.Now(), ctx, body
		t.waits.Reset()
	}
}

// end forgets the request.
func (t *tally) end() {
	t.ctx, t.body, t.hidden = nil, nil, false
	if cap(t.text) > 2*rawMax {
		t.text = nil
	}
}

// waiting returns the context for a write, which may wait for its items.
func (t *tally) waiting(ctx context.Context) context.Context {
	if t.to == nil {
		return ctx
	}
	return t.waits.Context(ctx)
}

// addCost adds the request to the others of its statement.
func (r *request) addCost(err error) {
	t := r.tally
	defer t.end()
	if t.to == nil || r.uncounted {
		return
	}
	now := time.Now()
	t.Took, t.Waited = now.Sub(t.begun), t.waits.Waited()
	t.Failed = err != nil && !isAnswer(exception.Of(err).Kind)
	t.text = t.statement(t.text[:0], true)
	id := t.to.ID(digest.DynamoDB, r.api.databaseName(), t.text)
	entry := t.to.Find(id)
	if entry == nil {
		t.text = t.statement(t.text[:0], false)
		entry = t.to.Note(id, digest.DynamoDB, r.api.databaseName(), t.text, now)
	}
	entry.Add(&t.Cost, now)
	if r.api.Slow != nil && t.Took >= r.api.Slow() {
		r.keepSlow()
	}
}

// isAnswer reports whether an exception is an answer of the request rather than its failure: a condition is false.
func isAnswer(k exception.Kind) bool {
	return k == exception.KindConditionFailed || k == exception.KindDuplicateItem
}

// keepSlow keeps the request as a slow one, as far as its body has room.
func (r *request) keepSlow() {
	t := r.tally
	text := append(append([]byte(r.operation), ' '), t.body[:min(len(t.body), digest.SlowTextMax)]...)
	if t.hidden {
		text = t.statement(nil, false)
	}
	from := permission.FromContext(t.ctx)
	slow := digest.Statement{API: digest.DynamoDB, User: from.User, Database: r.api.databaseName(),
		Text: string(bytes.ToValidUTF8(text[:min(len(text), digest.SlowTextMax)], nil)), Begun: t.begun, Cost: t.Cost}
	if from.Address.IsValid() {
		slow.Host = from.Address.String()
	}
	t.to.KeepSlow(&slow)
}

// observe counts how many items a read has examined and returned, and tells Observe.
func (r *request) observe(examined, returned int64) {
	r.tally.Examined, r.tally.Returned = examined, returned
	if r.api.Observe != nil {
		r.api.Observe(r.operation, examined, returned)
	}
}

// observeWalk counts what a page of a Query or Scan has done, and tells Observe and ObserveWalk.
func (r *request) observeWalk(counts *database.Counts) {
	r.observe(counts.Looked(), counts.Returned)
	r.tally.Seeks, r.tally.Whole = counts.Seeks, counts.Whole > 0
	if r.api.ObserveWalk != nil {
		r.api.ObserveWalk(r.operation, *counts)
	}
}

// Statements are written from what was parsed, so that placeholders and the parameters that were there before
// expressions make no difference. Nothing more is written behind digest.TextMax, but for a few words. A statement that
// is known already is found by what it is made of, which costs less: its raw form holds the expressions as they came,
// and the names that placeholders stand for.

// rawMax is the length beyond which nothing is added to a raw form.
const rawMax = 8 << 10

// isFull reports whether enough was written.
func isFull(dst []byte, raw bool) bool {
	if raw {
		return len(dst) > rawMax
	}
	return len(dst) > digest.TextMax
}

// nameMax is the number of bytes of a name in a statement. Names come from clients and may be longer than all else.
const nameMax = 255

// statementNotation leaves values out.
func statementNotation() expr.Notation {
	return expr.Notation{Name: appendName, Literal: func(dst []byte, _ value.Value) []byte { return appendMark(dst) }}
}

// appendName appends the name of an attribute.
func appendName(dst []byte, name string) []byte {
	if len(dst) > digest.TextMax {
		return dst
	}
	if len(name) > nameMax {
		name = strings.ToValidUTF8(name[:nameMax], "") + "…"
	}
	return expr.Notation{}.AppendPath(dst, &expr.Path{Name: name})
}

// appendMark appends what stands for a value, and for all others behind it in a list.
func appendMark(dst []byte) []byte {
	if before, ok := bytes.CutSuffix(dst, []byte("..., ")); ok {
		return append(before, "..."...)
	}
	if bytes.HasSuffix(dst, []byte("?, ")) {
		return append(dst, "..."...)
	}
	return append(dst, '?')
}

func (t *target) appendStatement(dst []byte, raw bool) []byte {
	return t.appendExpressions(t.appendTable(append(dst, t.operation...)), raw)
}

// appendTable appends the name of the table, unless it can be none.
func (t *target) appendTable(dst []byte) []byte {
	if t.name == "" {
		return dst
	}
	return append(append(dst, ' '), t.name[:min(len(t.name), nameMax)]...)
}

// appendExpressions appends the expressions, as far as they make sense.
func (r *request) appendExpressions(dst []byte, raw bool) []byte {
	if !r.judged {
		return dst
	}
	if raw && hasAny(r.order.expressions) && !hasAny(r.order.legacy) {
		for _, e := range r.order.expressions {
			dst = append(append(dst, 0), e.source()...)
		}
		return append(r.placeholders.AppendNames(dst), 0)
	}
	n := statementNotation()
	for _, e := range r.order.expressions {
		switch e := e.(type) {
		case *keyConditionExpression:
			dst = appendKeyConditions(dst, e.conditions)
		case *filterExpression:
			dst = appendCondition(dst, " FILTER ", e.tree)
		case *conditionExpression:
			dst = appendCondition(dst, " IF ", e.tree)
		case *projectionExpression:
			if len(e.list) > 0 {
				dst = n.AppendPaths(append(dst, " PROJECT "...), e.list)
			}
		case *updateExpression:
			if e.tree != nil && len(e.tree.Touched()) > 0 {
				dst = n.AppendUpdate(append(dst, ' '), e.tree)
			}
		}
	}
	return dst
}

func appendCondition(dst []byte, word string, c expr.Condition) []byte {
	if c == nil {
		return dst
	}
	return statementNotation().AppendCondition(append(dst, word...), c)
}

func appendKeyConditions(dst []byte, list []expression.KeyCondition) []byte {
	word := " KEY "
	for i := range list {
		dst = append(dst, word...)
		word = " AND "
		switch c := &list[i]; c.Op {
		case expression.KeyBetween:
			dst = append(appendName(dst, c.Attribute), " BETWEEN ? AND ?"...)
		case expression.KeyBeginsWith:
			dst = append(appendName(append(dst, "begins_with("...), c.Attribute), ", ?)"...)
		default:
			dst = append(append(append(appendName(dst, c.Attribute), ' '), c.Op.String()...), " ?"...)
		}
	}
	return dst
}

func (w *walk) appendStatement(dst []byte, raw bool) []byte {
	if w.search != nil {
		dst = append(w.appendTable(append(dst, "Search"...)), " ON"...)
		for _, name := range w.search.Columns {
			dst = appendName(append(dst, ' '), name)
		}
	} else {
		dst = w.appendTable(append(dst, w.operation...))
	}
	if !w.judged {
		return dst
	}
	if w.indexName.has {
		dst = append(append(dst, '.'), w.indexName.value...)
	}
	dst = w.appendExpressions(dst, raw)
	if w.selected.value == "COUNT" {
		dst = append(dst, " COUNT"...)
	}
	if w.limit.has {
		dst = append(dst, " LIMIT ?"...)
	}
	return dst
}

// appendStatement appends the tables of the batch, in one order.
func (b *batch) appendStatement(dst []byte, raw bool) []byte {
	tables := append(make([]*batchTable, 0, 8), b.requested.tables...)
	slices.SortFunc(tables, func(x, y *batchTable) int { return strings.Compare(x.name, y.name) })
	dst = append(dst, b.operation...)
	for i, t := range tables {
		if isFull(dst, raw) {
			break
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.appendExpressions(t.appendTable(dst), raw)
	}
	return dst
}

// appendStatement appends the actions. Those that repeat the one before are shown as one.
func (t *transaction[A]) appendStatement(dst []byte, raw bool) []byte {
	dst = append(dst, t.operation...)
	var last []byte
	repeats := false
	for i, one := range t.items.actions {
		if isFull(dst, raw) {
			break
		}
		a, start := one.common(), len(dst)
		if i > 0 {
			dst = append(dst, ',')
		}
		begin := len(dst)
		dst = a.appendExpressions(a.appendTable(append(append(dst, ' '), a.kind...)), raw)
		switch {
		case !bytes.Equal(dst[begin:], last):
			last, repeats = dst[begin:], false
		case repeats:
			dst = dst[:start]
		default:
			dst, repeats = append(dst[:start], ", ..."...), true
		}
	}
	return dst
}
