// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// itemsOfWorker is the number of items each worker has to itself. Nobody else writes them, so it knows what each of
// them must be.
const itemsOfWorker = 40

// worker is one client. It writes until the server dies.
type worker struct {
	name    string
	client  *dynamodb.Client
	rng     *rand.Rand
	written int // numbers the values, so that no two are alike

	known    [itemsOfWorker]document  // the items as last acknowledged
	open     map[int]document         // by item: what the one write without an answer would have made of it
	together bool                     // that write was a transaction: all of open, or nothing
	counters *[countersCount]*counter // shared with the other workers
	transact bool                     // the server has transactions

	acked, unknown int
	expired        []itemKey // items that were acknowledged and whose time had come then
}

// counter is an item that every worker adds to.
type counter struct {
	acked, unknown atomic.Int64 // additions since it was last looked at
	base           int64        // what it held then
}

const (
	countersCount = 3
	counterName   = "counter"
)

// run writes until a request has no answer. An answer that can't be right is returned.
func (w *worker) run(ctx context.Context) error {
	for {
		done, err := w.step(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if !done {
			return nil
		}
	}
}

// step does one random request; done is false if it had no answer.
func (w *worker) step(ctx context.Context) (done bool, err error) {
	at := w.rng.IntN(itemsOfWorker)
	switch p := w.rng.IntN(100); {
	case p < 25:
		return w.put(ctx, at)
	case p < 45:
		return w.update(ctx, at)
	case p < 55:
		return w.conditionalPut(ctx, at)
	case p < 65:
		return w.delete(ctx, at)
	case p < 75:
		return w.batch(ctx)
	case p < 82 && w.transact:
		return w.transaction(ctx)
	case p < 90:
		return w.count(ctx)
	case p < 95:
		return w.putExpired(ctx)
	}
	return w.get(ctx, at)
}

func (w *worker) key(at int) itemKey { return itemKey{w.name, at} }

// fresh makes a new state of an item, with a value that was never written before.
func (w *worker) fresh(at int) document {
	d := w.key(at).document().with(document{"v": w.value(), "user": "Su" + strconv.Itoa(w.rng.IntN(4)),
		"at": "N" + strconv.Itoa(w.rng.IntN(1000))})
	if w.rng.IntN(5) > 0 {
		d["color"], d["weight"] = w.color(), "N"+strconv.Itoa(w.rng.IntN(50)-10)
	}
	if w.rng.IntN(4) == 0 {
		d["flag"] = "Sset"
	}
	d["late"] = lateValue(w.rng)
	return d
}

func (w *worker) value() string {
	w.written++
	return fmt.Sprintf("S%s.%d", w.name, w.written)
}

func (w *worker) color() string { return "S" + colors[w.rng.IntN(len(colors))] }

func lateValue(rng *rand.Rand) string { return "Sl" + strconv.Itoa(rng.IntN(10)) }

// settle takes down how a write ended that would have made changes of items. refused reports whether a false condition
// may be the answer.
func (w *worker) settle(err error, changes map[int]document, refused bool) (done bool, bad error) {
	var failed *types.ConditionalCheckFailedException
	var answer smithy.APIError
	switch {
	case err == nil && refused:
		return true, fmt.Errorf("a write was done although its condition was false: %v", changes)
	case err == nil:
		w.acked++
		for at, d := range changes {
			w.known[at] = d
		}
		return true, nil
	case errors.As(err, &failed) && refused:
		return true, nil
	case errors.As(err, &answer):
		return false, fmt.Errorf("an answer that should not be: %w", err)
	}
	w.unknown++
	if !refused {
		w.open = changes
	}
	return false, nil
}

func (w *worker) put(ctx context.Context, at int) (bool, error) {
	d := w.fresh(at)
	_, err := w.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: d.attributes()})
	return w.settle(err, map[int]document{at: d}, false)
}

// expiredSuffix ends the partition keys of items whose time has come when they are written: each key is written once.
const expiredSuffix = "-expired"

// putExpired writes an item that the server deletes soon after, or has deleted.
func (w *worker) putExpired(ctx context.Context) (bool, error) {
	w.written++
	key := itemKey{w.name + expiredSuffix, w.written}
	d := key.document().with(document{timeName: "N" + strconv.FormatInt(time.Now().Unix()-1, 10)})
	_, err := w.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: d.attributes()})
	done, bad := w.settle(err, nil, false)
	if done {
		w.expired = append(w.expired, key)
	}
	return done, bad
}

// update changes the value, moves the item in the ordered index, and sets or removes the attribute of the sparse one.
func (w *worker) update(ctx context.Context, at int) (bool, error) {
	before := w.known[at]
	if before == nil {
		before = w.key(at).document()
	}
	changes := document{"v": w.value(), "hits": "N" + strconv.Itoa(before.number("hits")+1)}
	values := map[string]types.AttributeValue{":v": &types.AttributeValueMemberS{Value: changes["v"][1:]},
		":one": &types.AttributeValueMemberN{Value: "1"}}
	set, remove := "SET v = :v", ""
	if w.rng.IntN(2) == 0 {
		changes["color"] = w.color()
		values[":c"] = &types.AttributeValueMemberS{Value: changes["color"][1:]}
		set += ", color = :c"
	}
	switch w.rng.IntN(3) {
	case 0:
		changes["flag"] = "Sset"
		values[":f"] = &types.AttributeValueMemberS{Value: "set"}
		set += ", flag = :f"
	case 1:
		changes["flag"] = ""
		remove = " REMOVE flag"
	}
	_, err := w.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: w.key(at).document().attributes(),
		UpdateExpression: aws.String(set + remove + " ADD hits :one"), ExpressionAttributeValues: values,
	})
	return w.settle(err, map[int]document{at: before.with(changes)}, false)
}

// conditionalPut replaces the item if it is what the worker knows, or if it is something else, which must be refused.
func (w *worker) conditionalPut(ctx context.Context, at int) (bool, error) {
	d := w.fresh(at)
	input := &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: d.attributes(),
		ConditionExpression: aws.String("attribute_not_exists(pk)")}
	refused := w.known[at] != nil
	if v := w.known[at]["v"]; v != "" && w.rng.IntN(3) > 0 {
		input.ConditionExpression = aws.String("v = :v")
		input.ExpressionAttributeValues = map[string]types.AttributeValue{
			":v": &types.AttributeValueMemberS{Value: v[1:]}}
		refused = false
	}
	_, err := w.client.PutItem(ctx, input)
	return w.settle(err, map[int]document{at: d}, refused)
}

func (w *worker) delete(ctx context.Context, at int) (bool, error) {
	_, err := w.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(tableName),
		Key: w.key(at).document().attributes()})
	return w.settle(err, map[int]document{at: nil}, false)
}

// several draws new states for a few different items.
func (w *worker) several(count int, deleted bool) map[int]document {
	changes := map[int]document{}
	for _, at := range w.rng.Perm(itemsOfWorker)[:count] {
		changes[at] = w.fresh(at)
		if deleted && w.rng.IntN(4) == 0 {
			changes[at] = nil
		}
	}
	return changes
}

// batch writes several items, each of which may be there or not if there is no answer.
func (w *worker) batch(ctx context.Context) (bool, error) {
	changes := w.several(2+w.rng.IntN(8), true)
	var requests []types.WriteRequest
	for at, d := range changes {
		if d == nil {
			requests = append(requests, types.WriteRequest{
				DeleteRequest: &types.DeleteRequest{Key: w.key(at).document().attributes()}})
		} else {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: d.attributes()}})
		}
	}
	out, err := w.client.BatchWriteItem(ctx,
		&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{tableName: requests}})
	if err == nil && len(out.UnprocessedItems) > 0 {
		return false, fmt.Errorf("%d of %d items were left unprocessed", len(out.UnprocessedItems[tableName]),
			len(requests))
	}
	return w.settle(err, changes, false)
}

// transaction writes several items, all of which are there if one is.
func (w *worker) transaction(ctx context.Context) (bool, error) {
	changes := w.several(2+w.rng.IntN(4), false)
	var items []types.TransactWriteItem
	for at, d := range changes {
		if w.rng.IntN(4) == 0 {
			changes[at] = nil
			items = append(items, types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(tableName),
				Key: w.key(at).document().attributes()}})
		} else {
			items = append(items, types.TransactWriteItem{Put: &types.Put{TableName: aws.String(tableName),
				Item: d.attributes()}})
		}
	}
	_, err := w.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
	done, bad := w.settle(err, changes, false)
	w.together = len(w.open) > 0
	return done, bad
}

// count adds one to a counter, which moves it in the ordered index.
func (w *worker) count(ctx context.Context) (bool, error) {
	at := w.rng.IntN(countersCount)
	_, err := w.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: itemKey{counterName, at}.document().attributes(),
		UpdateExpression:          aws.String("ADD weight :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
	})
	done, bad := w.settle(err, nil, false)
	if done {
		w.counters[at].acked.Add(1)
	} else if bad == nil {
		w.counters[at].unknown.Add(1)
	}
	return done, bad
}

// get reads an item back while others write.
func (w *worker) get(ctx context.Context, at int) (bool, error) {
	out, err := w.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName),
		Key: w.key(at).document().attributes(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		var answer smithy.APIError
		if errors.As(err, &answer) {
			return false, fmt.Errorf("an answer that should not be: %w", err)
		}
		return false, nil
	}
	var found document
	if out.Item != nil {
		found = documentOf(out.Item)
	}
	if !equal(found, w.known[at]) {
		return false, fmt.Errorf("item %v is %v, want %v", w.key(at), found, w.known[at])
	}
	return true, nil
}

// recognize compares the worker's items with what the server holds after the crash, and goes on from there. It returns
// a line for each fault.
func (w *worker) recognize(rows map[itemKey]document) (faults []string) {
	done := 0
	for at := range w.known {
		found := rows[w.key(at)]
		after, wasOpen := w.open[at]
		switch {
		case equal(found, w.known[at]):
		case wasOpen && equal(found, after):
			done++
		case wasOpen:
			faults = append(faults, fmt.Sprintf("item %v is %v; acknowledged: %v; without an answer: %v", w.key(at),
				found, w.known[at], after))
		default:
			faults = append(faults, fmt.Sprintf("item %v is %v; acknowledged: %v", w.key(at), found, w.known[at]))
		}
	}
	if w.together && done > 0 && !w.whole(rows) {
		faults = append(faults, fmt.Sprintf("%s: a part of a transaction was done: %d of %v", w.name, done, w.open))
	}
	for at := range w.known {
		w.known[at] = maps.Clone(rows[w.key(at)])
	}
	w.open, w.together = nil, false
	return faults
}

// whole reports whether every item is what the transaction would have made of it.
func (w *worker) whole(rows map[itemKey]document) bool {
	for at, after := range w.open {
		if !equal(rows[w.key(at)], after) {
			return false
		}
	}
	return true
}
