// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/weftdb/weft/test/history/check"
)

// Items have a key k, a value v, and g, the same for all, so that an index by g and v lists all items by their values.

// verb is what is done to one item.
type verb uint8

const (
	get verb = iota
	put
	set // an update
	add
	remove
	hold // a condition alone, as transactions have it
)

// demand is a condition.
type demand uint8

const (
	anything demand = iota
	nothing         // there is no item
	equal           // the value is was
)

// action is what a request does to one item.
type action struct {
	verb   verb
	key    int
	value  int64 // what is put or set, or added
	demand demand
	was    int64
	shows  string // ReturnValues of a request on one item: "", "ALL_OLD" or "ALL_NEW"
}

// request is one request of a history.
type request struct {
	kind    requestKind
	actions []action // one, unless it is a transaction; none for a read of the index
}

type requestKind uint8

const (
	single requestKind = iota
	transaction
	indexRead
)

// absent is the value of an item that is not there.
const absent = int64(-1 << 62)

// hidden stands for a value that an answer did not show.
const hidden = absent + 1

// reply is what is known of a request's end.
type reply struct {
	outcome itemOutcome
	failed  []bool  // of a false condition: whose it was, by action
	values  []int64 // by action, or by key for a read of the index
}

type itemOutcome uint8

const (
	done itemOutcome = iota
	refused
	conflict // with another transaction: nothing was done
	unknown
)

// itemTable is the table of the items, and its index.
const (
	itemTable = "items"
	itemIndex = `,"GlobalSecondaryIndexes":[{"IndexName":"byvalue","KeySchema":[{"AttributeName":"g","KeyType":"HASH"},{"AttributeName":"v","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]`
)

// items are the items of one history in a table, beginning at a key.
type items struct {
	caller
	first int // key of the first item
	count int
}

// stored is an item in an answer.
type stored struct{ K, V struct{ N string } }

func (s *stored) value() int64 {
	if s == nil || s.V.N == "" {
		return absent
	}
	n, err := strconv.ParseInt(s.V.N, 10, 64)
	if err != nil {
		return hidden + 1 // no value that is ever written
	}
	return n
}

// group is the attribute g of all items of the history.
func (s items) group() string { return fmt.Sprintf(`{"S":"all%d"}`, s.first) }

// do sends a request. An answer that can't be is bad.
func (s items) do(ctx context.Context, r *request) (_ reply, bad error) {
	switch {
	case r.kind == indexRead:
		return s.readIndex(ctx)
	case r.kind == transaction && r.actions[0].verb == get:
		return s.readMany(ctx, r)
	case r.kind == transaction:
		return s.writeMany(ctx, r)
	}
	return s.doOne(ctx, &r.actions[0])
}

// singles are the operations on one item, by verb. // immutable
var singles = [...]string{get: "GetItem", put: "PutItem", set: "UpdateItem", add: "UpdateItem", remove: "DeleteItem"}

func (s items) doOne(ctx context.Context, a *action) (reply, error) {
	body := "{" + s.members(a)
	switch {
	case a.verb == get:
		body += `,"ConsistentRead":true`
	case a.shows != "":
		body += `,"ReturnValues":"` + a.shows + `"`
	}
	if a.demand != anything {
		body += `,"ReturnValuesOnConditionCheckFailure":"ALL_OLD"`
	}
	text, err := s.call(ctx, singles[a.verb], []byte(body+"}"))
	var answer struct{ Item, Attributes *stored }
	if err != nil {
		return s.lost(err)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return reply{}, err
	}
	seen := hidden
	switch {
	case a.verb == get:
		seen = answer.Item.value()
	case a.shows != "":
		seen = answer.Attributes.value()
	}
	return reply{outcome: done, values: []int64{seen}}, nil
}

// lost is the reply to a request that did not work.
func (s items) lost(err error) (reply, error) {
	outcome, bad := outcomeOf(err)
	if outcome != check.Aborted {
		return reply{outcome: unknown}, bad
	}
	r, _ := errors.AsType[*refusal](err)
	if len(r.Reasons) == 0 {
		if r.name() != "ConditionalCheckFailedException" {
			return reply{outcome: conflict}, nil
		}
		value, bad := valueOf(r.Item)
		return reply{outcome: refused, failed: []bool{true}, values: []int64{value}}, bad
	}
	lost := reply{outcome: refused}
	for _, reason := range r.Reasons {
		if reason.Code == "TransactionConflict" {
			return reply{outcome: conflict}, nil
		}
		value := hidden
		if reason.Code == "ConditionalCheckFailed" {
			if value, bad = valueOf(reason.Item); bad != nil {
				return reply{}, bad
			}
		}
		lost.failed = append(lost.failed, reason.Code == "ConditionalCheckFailed")
		lost.values = append(lost.values, value)
	}
	return lost, nil
}

// valueOf is the value of the item that an exception shows; it shows none if there is none.
func valueOf(item json.RawMessage) (int64, error) {
	if item == nil {
		return absent, nil
	}
	var found stored
	err := json.Unmarshal(item, &found)
	return found.value(), err
}

// members are the members of a request, or of an action of a transaction, that say what is done.
func (s items) members(a *action) string {
	key := fmt.Sprintf(`"k":{"N":"%d"}`, s.first+a.key)
	text, values := `"TableName":"`+itemTable+`",`, ""
	switch a.verb {
	case put:
		text += fmt.Sprintf(`"Item":{%s,"v":{"N":"%d"},"g":%s}`, key, a.value, s.group())
	case set:
		text += `"Key":{` + key + `},"UpdateExpression":"SET v = :v, g = :g"`
	case add:
		text += `"Key":{` + key + `},"UpdateExpression":"ADD v :v SET g = :g"`
	default:
		text += `"Key":{` + key + `}`
	}
	if a.verb == set || a.verb == add {
		values = fmt.Sprintf(`":v":{"N":"%d"},":g":%s`, a.value, s.group())
	}
	switch a.demand {
	case nothing:
		text += `,"ConditionExpression":"attribute_not_exists(k)"`
	case equal:
		text += `,"ConditionExpression":"v = :was"`
		if values != "" {
			values += ","
		}
		values += fmt.Sprintf(`":was":{"N":"%d"}`, a.was)
	}
	if values != "" {
		text += `,"ExpressionAttributeValues":{` + values + "}"
	}
	return text
}

// actionNames are the members of a transaction's actions, by verb. // immutable
var actionNames = [...]string{get: "Get", put: "Put", set: "Update", add: "Update", remove: "Delete",
	hold: "ConditionCheck"}

// transact is the body of a transaction.
func (s items) transact(r *request) []byte {
	body := []byte(`{"TransactItems":[`)
	for i := range r.actions {
		a := &r.actions[i]
		more := ""
		if a.demand != anything {
			more = `,"ReturnValuesOnConditionCheckFailure":"ALL_OLD"`
		}
		body = fmt.Appendf(comma(body, i), `{"%s":{%s%s}}`, actionNames[a.verb], s.members(a), more)
	}
	return append(body, "]}"...)
}

func (s items) readMany(ctx context.Context, r *request) (reply, error) {
	text, err := s.call(ctx, "TransactGetItems", s.transact(r))
	if err != nil {
		return s.lost(err)
	}
	var answer struct{ Responses []struct{ Item *stored } }
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Responses) != len(r.actions) {
		return reply{}, fmt.Errorf("%d answers to %d reads: %w", len(answer.Responses), len(r.actions), err)
	}
	found := reply{}
	for _, one := range answer.Responses {
		found.values = append(found.values, one.Item.value())
	}
	return found, nil
}

func (s items) writeMany(ctx context.Context, r *request) (reply, error) {
	if _, err := s.call(ctx, "TransactWriteItems", s.transact(r)); err != nil {
		return s.lost(err)
	}
	found := reply{}
	for range r.actions {
		found.values = append(found.values, hidden)
	}
	return found, nil
}

// readIndex lists all items of the history by the index.
func (s items) readIndex(ctx context.Context) (reply, error) {
	text, err := s.call(ctx, "Query", fmt.Appendf(nil,
		`{"TableName":%q,"IndexName":"byvalue","KeyConditionExpression":"g = :g","ExpressionAttributeValues":{":g":%s}}`, itemTable, s.group()))
	if err != nil {
		return s.lost(err)
	}
	var answer struct{ Items []stored }
	if err := json.Unmarshal(text, &answer); err != nil {
		return reply{}, err
	}
	found := reply{}
	for range s.count {
		found.values = append(found.values, absent)
	}
	for i := range answer.Items {
		key, err := strconv.Atoi(answer.Items[i].K.N)
		if err != nil || key < s.first || key >= s.first+s.count || found.values[key-s.first] != absent {
			return reply{}, fmt.Errorf("an index with an item twice, or with another's: %s", text)
		}
		found.values[key-s.first] = answer.Items[i].value()
	}
	return found, nil
}

// drawer makes the requests of one client.
type drawer struct {
	rng   *rand.Rand
	count int     // items
	seen  []int64 // by key: the last value that it has seen or written
	next  int64   // the next value that is put
	step  int64
	many  bool // transactions and reads of the index, too
}

// draw makes a request.
func (d *drawer) draw() request {
	p := d.rng.IntN(100)
	if !d.many || p < 50 {
		return request{single, []action{d.action(d.rng.IntN(d.count), false)}}
	}
	if p < 65 {
		return request{kind: indexRead}
	}
	r := request{kind: transaction}
	for _, key := range d.rng.Perm(d.count)[:2+d.rng.IntN(d.count-1)] {
		if p < 80 {
			r.actions = append(r.actions, action{verb: get, key: key})
		} else {
			r.actions = append(r.actions, d.action(key, true))
		}
	}
	return r
}

// action draws what is done to an item, conditions included.
func (d *drawer) action(key int, inTransaction bool) action {
	a := action{key: key}
	d.next += d.step
	switch p := d.rng.IntN(100); {
	case inTransaction && p < 30:
		a.verb = hold
	case p < 30:
		return a
	case p < 50:
		a.verb, a.value = put, d.next
	case p < 65:
		a.verb, a.value = set, d.next
	case p < 85:
		a.verb, a.value = add, 1+d.rng.Int64N(9)
	default:
		a.verb = remove
	}
	if a.verb == hold || d.rng.IntN(3) == 0 {
		a.demand, a.was = equal, d.seen[key]
		if a.was == absent {
			a.demand = nothing
		}
	}
	if !inTransaction && a.verb != hold && d.rng.IntN(2) == 0 {
		a.shows = "ALL_OLD"
		if a.verb == set || a.verb == add {
			a.shows = []string{"ALL_OLD", "ALL_NEW"}[d.rng.IntN(2)]
		}
	}
	return a
}

// learn keeps what a reply shows.
func (d *drawer) learn(r *request, found reply) {
	for i, value := range found.values {
		key := i
		if r.kind != indexRead {
			key = r.actions[i].key
			switch a := &r.actions[i]; {
			case found.outcome == done && (a.verb == put || a.verb == set):
				value = a.value
			case found.outcome == done && a.verb == remove:
				value = absent
			}
		}
		if value != hidden {
			d.seen[key] = value
		}
	}
}
