// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/partiql"
	"github.com/weftdb/weft/internal/security/permission"
)

// Lengths in requests of PartiQL, in characters, and how many statements there may be.
const (
	partiqlTextMax  = 8192
	partiqlTokenMax = 32768
	partiqlBatchMax = 25
)

// partiqlStatement is one statement of PartiQL: a request of its own, or a part of one. It is read, planned and written
// as the older operations are.
type partiqlStatement struct {
	walk
	text       text
	parameters parameters
	onFailure  returnOnFailure

	tree   *partiql.Statement
	where  itemkey.Where
	apart  bool // where is set
	about  partiqlExpressions
	item   value.Row // of an INSERT; nil: not built yet
	write  database.Write
	result database.WriteResult
}

// partiqlExpressions are the expressions of a statement, for readers of requests' expressions.
type partiqlExpressions struct {
	condition filterExpression
	update    updateExpression
}

// parameters are the values of a statement's question marks.
type parameters struct {
	has   bool
	count int
	fault *attributejson.ValueError
	list  []value.Value
}

func (p *parameters) IsGiven() bool { return p.has }

func (p *parameters) read(r *request) error {
	p.has, r.reader.Narrow = true, true
	defer func() { r.reader.Narrow = false }()
	if err := r.reader.BeginArray(); err != nil {
		return err
	}
	for {
		ok, err := r.reader.NextElement()
		if err != nil || !ok {
			return err
		}
		if p.count++; p.fault != nil {
			err = r.reader.CheckValue()
		} else {
			if p.list == nil {
				p.list = make([]value.Value, 0, 4)
			}
			start := len(r.arena)
			r.arena, err = r.reader.Value(r.arena)
			p.list = append(p.list, value.Value(r.arena[start:len(r.arena):len(r.arena)]))
		}
		if fault, ok := err.(*attributejson.ValueError); ok {
			p.fault, err = fault, nil
		}
		if err != nil {
			return err
		}
	}
}

// constrain judges the list by itself.
func (p *parameters) constrain(_ *request, c *exception.Constraints) {
	if p.count == 0 {
		c.Add("'[]'", "parameters", "Member must have length greater than or equal to 1")
	}
}

// fields are the members that each statement has.
func (s *partiqlStatement) fields() []field {
	statement := withLength("Statement", &s.text, partiqlTextMax)
	statement.required = true
	return []field{statement, {"Parameters", &s.parameters, false, s.parameters.constrain},
		optional("ConsistentRead", &s.consistent), onFailure(&s.onFailure)}
}

// checkOrder lists the checks of a statement; more are members that only some of its requests have.
func (s *partiqlStatement) checkOrder(more ...field) checkOrder {
	return checkOrder{
		leading: s.leadingKeys, indexed: &s.indexName, rows: s.writtenRows, fullScan: s.isFullScan,
		selected: s.selection, returned: s.returnedParts,
		members: append(s.fields(), more...), steps: []step{{s.parse, 0}}, index: s.wantIndexed,
		expressions: []expressionMember{&s.projection.expression, &s.about.condition, &s.about.update},
	}
}

func (s *partiqlStatement) checks() checkOrder { return s.checkOrder() }

// partiqlActions are the actions that statements need, by their verbs. // immutable
var partiqlActions = [...]string{partiql.Select: "dynamodb:PartiQLSelect", partiql.Insert: "dynamodb:PartiQLInsert",
	partiql.Update: "dynamodb:PartiQLUpdate",
	partiql.Delete: "dynamodb:PartiQLDelete", partiql.Exists: "dynamodb:PartiQLSelect"}

// parse reads the text.
func (s *partiqlStatement) parse() (err error) {
	if s.parameters.fault != nil {
		return exception.Validation(s.parameters.fault.OlderText())
	}
	if s.tree, err = partiql.Parse(s.text.value, s.parameters.list); err != nil {
		return err
	}
	t := s.tree
	s.order.action = partiqlActions[t.Verb]
	s.table.value, s.indexName.value, s.indexName.has = t.Table, t.Index, t.Index != ""
	s.about.condition.tree, s.about.update.tree = t.Where, t.Update
	s.about.condition.value, s.about.update.value = s.text.value, s.text.value
	for i := range t.Columns {
		s.projection.expression.list = append(s.projection.expression.list, t.Columns[i].Path)
	}
	if t.Index != "" && t.Verb != partiql.Select && t.Verb != partiql.Exists {
		return exception.Validation(t.Verb.String() + " is not supported on an index: name the table alone")
	}
	var c exception.Constraints
	if s.table.constrain(&s.request, &c, "TableName"); c.Err() != nil {
		return c.Err()
	}
	return s.parseOrder()
}

// parseOrder refuses an order of all items.
func (s *partiqlStatement) parseOrder() error {
	if len(s.tree.Order) > 0 && s.tree.Where == nil {
		return exception.Validation("Must have WHERE clause in the statement when using ORDER BY clause.")
	}
	return nil
}

// takeApart finds what the statement says about the key that it reads by. The index is there.
func (s *partiqlStatement) takeApart() (err error) {
	x, _ := s.pin.Descriptor().Index(s.indexName.value)
	if !s.apart {
		s.where, err = itemkey.TakeApart(x, s.tree.Where)
		s.apart = err == nil
	}
	return err
}

// leadingKeys are the values of the partition key that the statement is about.
func (s *partiqlStatement) leadingKeys() (keys []string) {
	x, ok := s.pin.Descriptor().Index(s.indexName.value)
	if !ok {
		return []string{""} // no policy names it
	}
	if s.tree.Verb == partiql.Insert {
		return s.target.leadingKeys()
	}
	if s.takeApart() != nil {
		return []string{""}
	}
	for _, v := range s.where.Leading(x) {
		keys = append(keys, permission.KeyText(v, true))
	}
	return keys
}

// writtenRows are the items that the statement writes whole.
func (s *partiqlStatement) writtenRows() []value.Row {
	if s.tree.Verb != partiql.Insert {
		return nil
	}
	if s.buildItem() != nil {
		return nil
	}
	return []value.Row{s.item}
}

// isFullScan reports whether the statement reads all of a table; ok is false if it does not read.
func (s *partiqlStatement) isFullScan() (text string, ok bool) {
	switch {
	case s.tree.Verb != partiql.Select:
		return "", false
	case s.pinned && s.takeApart() == nil && s.where.Bound:
		return "false", true
	}
	return "true", true
}

// selection is the Select of a request like a SELECT.
func (s *partiqlStatement) selection() string {
	switch {
	case s.tree.Verb.Writes():
		return ""
	case s.tree.Columns != nil:
		return "SPECIFIC_ATTRIBUTES"
	case s.indexName.has:
		return "ALL_PROJECTED_ATTRIBUTES"
	}
	return "ALL_ATTRIBUTES"
}

// returnedParts is the ReturnValues of a request like a write.
func (s *partiqlStatement) returnedParts() (parts []string, ok bool) {
	if !s.tree.Verb.Writes() {
		return nil, false
	}
	if s.onFailure.wantsItem() {
		parts = append(parts, s.onFailure.value)
	}
	if s.tree.Returning != "" {
		parts = append(parts, string(s.tree.Returning))
	}
	if parts == nil {
		parts = []string{"NONE"}
	}
	return parts, true
}

// appendStatement appends what the statement is, without values.
func (s *partiqlStatement) appendStatement(dst []byte, _ bool) []byte {
	if !s.judged {
		return append(dst, s.operation...)
	}
	t, n := s.tree, statementNotation()
	dst = s.appendTable(append(append(append(dst, s.operation...), ' '), t.Verb.String()...))
	if t.Index != "" {
		dst = append(append(dst, '.'), t.Index[:min(len(t.Index), nameMax)]...)
	}
	dst = appendCondition(dst, " WHERE ", t.Where)
	if len(t.Columns) > 0 {
		dst = n.AppendPaths(append(dst, " PROJECT "...), s.projection.expression.list)
	}
	if t.Update != nil {
		dst = n.AppendUpdate(append(dst, ' '), t.Update)
	}
	return dst
}

// executeStatement is a request for one statement.
type executeStatement struct {
	partiqlStatement
	nextToken text
}

func (e *executeStatement) checks() checkOrder {
	return e.checkOrder(capacity(&e.capacity), inRange("Limit", &e.limit, 1, noUpperBound),
		withLength("NextToken", &e.nextToken, partiqlTokenMax))
}

func (a *API) executeStatement(ctx context.Context, body, dst []byte) ([]byte, error) {
	return a.executeStatementAs(ctx, body, dst, carriedOut)
}

func (a *API) executeStatementAs(ctx context.Context, body, dst []byte, how explainMode) (_ []byte, err error) {
	e := take[executeStatement](a, &a.pools.execute, "ExecuteStatement")
	defer e.release(&err)
	e.how, e.uncounted = how, how != carriedOut
	if err := e.read(ctx, body); err != nil {
		return nil, err
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	if e.tree.Verb == partiql.Exists {
		return nil, exception.Validation("EXISTS is only supported in ExecuteTransaction")
	}
	if how != carriedOut && e.tree.Verb != partiql.Select {
		return nil, exception.Validation("Only SELECT can be explained, not " + e.tree.Verb.String())
	}
	if err := e.open(ctx, enclosure{}); err != nil {
		return nil, err
	}
	if e.tree.Verb == partiql.Select {
		return e.answerRead(ctx, dst)
	}
	return e.answerWrite(ctx, dst)
}
