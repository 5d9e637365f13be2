// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Querier is the part of *dynamodb.Client that Query needs.
type Querier interface {
	Query(ctx context.Context, input *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput,
		error)
}

// Where gives conditions on attributes of the schema, all of which must hold. An attribute that is not named has no
// bounds.
type Where map[string]Condition

// Query says what to read of one partition.
type Query struct {
	// Partition is the value of the partition key: a Go value as in Condition, or an attribute value of the SDK.
	Partition any
	// Where bounds the attributes; nil takes all items that have an address.
	Where Where
	// Or are alternatives: an item is taken if it meets Where or one of these.
	Or []Where
	// Backward reads in descending order of the address.
	Backward bool
	// Limit is the number of items a page has at most. 0 is no limit: Query then reads to the end, or to RequestsMax.
	Limit int
	// Token is the Token of the page before; "" starts at the beginning.
	Token string
	// Projection, Filter, Names and Values go to the server as ProjectionExpression, FilterExpression,
	// ExpressionAttributeNames and ExpressionAttributeValues. Names must not begin with "#zd" and values not with
	// ":zd". Whatever else the kit must see is added to the projection, and taken out of the items again.
	Projection string
	Filter     string
	Names      map[string]string
	Values     map[string]types.AttributeValue
	// Consistent asks for strongly consistent reads, which a global secondary index refuses.
	Consistent bool
	// JunkMax is the longest run of items outside of the bounds that a request should read: if there is a longer one,
	// the next requests ask for less. About the number of items that cost as much as a request. Default 40.
	JunkMax int
	// RequestItemsMax is the number of items one request reads at most. Default 1000; a server reads no more than 1 MB
	// whatever this is.
	RequestItemsMax int
	// RequestsMax ends a page after so many requests, however few items were found. Default: no bound.
	RequestsMax int
}

// Defaults and bounds of the number of items that a request asks for.
const (
	junkDefault         = 40
	requestItemsFirst   = 40
	requestItemsLeast   = 10
	requestItemsDefault = 1000
)

// Counts is the work of a page.
type Counts struct {
	Requests int   // queries sent
	Jumps    int   // those of them that left the rest of the one before unread and jumped in elsewhere
	Read     int64 // items that the server read, its ScannedCount: it is these that are paid for
	Junk     int64 // items that came but are outside of the bounds
	Returned int64 // items handed on
	// Capacity is the sum of the capacity units that the server says it consumed.
	Capacity float64
}

// Page is the result of Query.
type Page struct {
	Items []Item
	// Token goes on behind this page; "" if there is no more. A page may be empty and have a Token.
	Token  string
	Counts Counts
}

// Query reads one page of the items inside the bounds, in the order of the curve. Errors wrap ErrQuery, ErrToken, or
// are the SDK's; with one of the SDK's the page holds what was found before, and a Token to go on from.
func (x *Index) Query(ctx context.Context, from Querier, q Query) (Page, error) {
	w, err := x.walk(&q)
	if err != nil {
		return Page{}, err
	}
	for !w.done && !w.isFull() {
		if err := w.request(ctx, from); err != nil {
			return w.page(err)
		}
	}
	return w.page(nil)
}

// All reads all items inside the bounds, page after page. It ends after the first error. q.Limit, if not 0, is the
// number of items after which a page ends, not the walk.
func (x *Index) All(ctx context.Context, from Querier, q Query) iter.Seq2[Item, error] {
	if q.Limit == 0 {
		q.Limit = requestItemsDefault
	}
	return func(yield func(Item, error) bool) {
		for {
			page, err := x.Query(ctx, from, q)
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if q.Token = page.Token; q.Token == "" {
				return
			}
		}
	}
}

// walk is a running Query.
type walk struct {
	index     *Index
	query     *Query
	partition types.AttributeValue
	region    region
	shape     projection
	print     string // binds tokens to this query
	at        position
	done      bool
	items     []Item
	counts    Counts
	size      int // items to ask for
	run       int // items of junk since the last match
	longest   int // run of the request
}

func (x *Index) walk(q *Query) (*walk, error) {
	w := &walk{index: x, query: q, size: requestItemsFirst}
	if q.JunkMax == 0 {
		q.JunkMax = junkDefault
	}
	if q.RequestItemsMax == 0 {
		q.RequestItemsMax = requestItemsDefault
	}
	if q.Limit < 0 || q.JunkMax < 0 || q.RequestItemsMax < 0 || q.RequestsMax < 0 {
		return nil, fmt.Errorf("%w: bounds must not be negative", ErrQuery)
	}
	var err error
	if w.partition, err = attributeValue(q.Partition); err != nil {
		return nil, fmt.Errorf("%w: partition: %w", ErrQuery, err)
	}
	if w.region, err = x.region(q); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrQuery, err)
	}
	if w.shape, err = x.project(q); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrQuery, err)
	}
	w.print = w.fingerprint()
	if w.at, err = w.start(); err != nil {
		return nil, err
	}
	w.done = w.region.boxes.Empty()
	return w, nil
}

func (w *walk) isFull() bool {
	return w.query.Limit > 0 && len(w.items) >= w.query.Limit ||
		w.query.RequestsMax > 0 && w.counts.Requests >= w.query.RequestsMax
}

// request asks for the next items and takes what it gets.
func (w *walk) request(ctx context.Context, from Querier) error {
	out, err := from.Query(ctx, w.input())
	if err != nil {
		return err
	}
	w.counts.Requests++
	w.counts.Read += int64(out.ScannedCount)
	if w.at.jumped {
		w.counts.Jumps++
	}
	if out.ConsumedCapacity != nil {
		w.counts.Capacity += aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	w.longest = 0
	before := len(w.items)
	for i, item := range out.Items {
		if err := w.take(item); err != nil {
			w.items = w.items[:before]
			return err
		}
		if w.query.Limit > 0 && len(w.items) == w.query.Limit && (i+1 < len(out.Items) || out.LastEvaluatedKey != nil) {
			w.at = position{key: w.index.keyOf(item)}
			w.shape.strip(item)
			return nil
		}
		w.shape.strip(item)
	}
	return w.advance(out.LastEvaluatedKey)
}

// take hands on an item if it is inside.
func (w *walk) take(item Item) error {
	address, err := w.index.addressIn(item)
	if err != nil {
		return err
	}
	match, err := w.region.match(address, item)
	if err != nil {
		return err
	}
	if !match {
		w.counts.Junk++
		w.run++
		w.longest = max(w.longest, w.run)
		return nil
	}
	w.run = 0
	w.items = append(w.items, item)
	w.counts.Returned++
	return nil
}

// advance finds out where to go on behind the last key that the server has looked at, and how far to go.
func (w *walk) advance(last Item) error {
	if last == nil {
		w.done = true
		return nil
	}
	address, err := w.index.addressIn(last)
	if err != nil {
		return err
	}
	w.pace()
	next, in, ok := w.region.next(address, w.query.Backward)
	switch {
	case !ok:
		w.done = true
	case in:
		w.at = position{key: last}
	default:
		w.at, w.run = position{from: next, jumped: true}, 0
	}
	return nil
}

// pace decides how much to ask for next: less after a long run of junk, more while there is little of it at the end.
func (w *walk) pace() {
	switch {
	case w.longest > w.query.JunkMax:
		w.size = max(w.size/2, requestItemsLeast)
	case w.run <= w.query.JunkMax/4:
		w.size *= 2
	}
	w.size = min(w.size, w.query.RequestItemsMax)
}

// input is the request for the items at and behind the position.
func (w *walk) input() *dynamodb.QueryInput {
	s, q := &w.index.schema, w.query
	low, high := w.bounds()
	condition := "#zdp = :zdp AND #zda BETWEEN :zdl AND :zdh"
	names := map[string]string{"#zdp": s.Partition, "#zda": s.Address}
	values := Item{":zdp": w.partition, ":zdl": &types.AttributeValueMemberB{Value: low},
		":zdh": &types.AttributeValueMemberB{Value: high}}
	if high == nil {
		condition = "#zdp = :zdp AND #zda >= :zdl"
		delete(values, ":zdh")
	}
	maps.Copy(names, w.shape.names)
	maps.Copy(values, q.Values)
	size := min(w.size, w.query.RequestItemsMax)
	if q.Limit > 0 {
		size = min(size, max(q.Limit-len(w.items)+q.JunkMax/2, 1))
	}
	input := &dynamodb.QueryInput{
		TableName: &s.Table, KeyConditionExpression: &condition, ExpressionAttributeNames: names,
		ExpressionAttributeValues: values,
		ScanIndexForward:          aws.Bool(!q.Backward), Limit: aws.Int32(int32(size)),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal, ExclusiveStartKey: w.at.key,
	}
	input.IndexName, input.FilterExpression, input.ProjectionExpression = some(s.Index), some(q.Filter),
		some(w.shape.expression)
	if q.Consistent {
		input.ConsistentRead = aws.Bool(true)
	}
	return input
}

// some is the text, nil if there is none.
func some(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// bounds are the first and the last sort key to ask for, both included. high is nil where every address from low on may
// follow.
func (w *walk) bounds() (low, high []byte) {
	low, high = w.region.boxes.Low(), w.region.boxes.High()
	if w.at.from != nil && w.query.Backward {
		high = w.at.from
	} else if w.at.from != nil {
		low = w.at.from
	}
	return low, w.index.behind(high)
}

// behind is an upper bound of all addresses that begin with z. The bound itself is no address if there is a tail, and z
// if there is none.
func (x *Index) behind(z []byte) []byte {
	if len(x.schema.Tail) == 0 {
		return z
	}
	end := slices.Clone(z)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end
		}
	}
	return nil
}

// addressIn is the address of an item or key that the server returned.
func (x *Index) addressIn(item Item) ([]byte, error) {
	address, ok := item[x.schema.Address].(*types.AttributeValueMemberB)
	if !ok || len(address.Value) < x.plan.Bytes() {
		return nil, fmt.Errorf("%w: the server returned an item whose %q is no address of this schema: it was written with another one", ErrItem, x.schema.Address)
	}
	return address.Value, nil
}

// keyOf is the key from which the server goes on behind item.
func (x *Index) keyOf(item Item) Item {
	key := Item{x.schema.Partition: item[x.schema.Partition], x.schema.Address: item[x.schema.Address]}
	for _, name := range x.schema.TableKey {
		key[name] = item[name]
	}
	return key
}
