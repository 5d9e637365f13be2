// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/partiql"
)

// asked is the part of a request that rules look at.
type asked struct {
	operation string
	items     bool     // it is about items, not about tables
	batch     bool     // it may be answered in part
	eventual  bool     // it reads, and not consistently
	tables    []string // that it names
	actions   []string // the tables of a transaction's actions, in their order
}

// itemOperations are the operations on items. // immutable
var itemOperations = []string{"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem",
	"BatchWriteItem", "TransactGetItems", "TransactWriteItems", "ExecuteStatement", "BatchExecuteStatement",
	"ExecuteTransaction"}

// lagging are the operations whose reads can be eventually consistent. // immutable
var lagging = []string{"GetItem", "BatchGetItem", "Query", "Scan"}

// named is the members of requests that name tables.
type named struct {
	TableName     string
	StreamArn     string
	ShardIterator string
	ResourceArn   string
	Statement     string
	// of reads of one table
	ConsistentRead bool
	RequestItems   map[string]json.RawMessage
	Statements     []struct{ Statement string }
	// of transactions that name tables
	TransactItems []map[string]struct{ TableName string }
	// of those that are statements
	TransactStatements []struct{ Statement string }
}

// ask reads what a request names. What can't be read names nothing: the operation refuses it.
func ask(operation string, body []byte) *asked {
	a := &asked{operation: operation, items: slices.Contains(itemOperations, operation),
		batch: operation == "BatchWriteItem" || operation == "BatchGetItem"}
	var n named
	if json.Unmarshal(body, &n) != nil {
		return a
	}
	a.eventual = slices.Contains(lagging, operation) && !n.ConsistentRead
	for _, text := range append(slices.Sorted(maps.Keys(n.RequestItems)), n.TableName, n.StreamArn, n.ShardIterator,
		n.ResourceArn, partiql.TableOf(n.Statement)) {
		a.name(text)
	}
	for _, s := range n.Statements {
		a.name(partiql.TableOf(s.Statement))
	}
	for _, item := range n.TransactItems {
		for _, action := range item {
			a.actions = append(a.actions, tableName(action.TableName))
		}
	}
	for _, s := range n.TransactStatements {
		a.actions = append(a.actions, partiql.TableOf(s.Statement))
	}
	a.tables = append(a.tables, a.actions...)
	return a
}

func (a *asked) name(text string) {
	if name := tableName(text); name != "" {
		a.tables = append(a.tables, name)
	}
}

// tableName is the name of a table, which an ARN may give.
func tableName(text string) string {
	if _, rest, ok := strings.Cut(text, ":table/"); ok {
		text, _, _ = strings.Cut(rest, "/")
	}
	return text
}

// runPart carries out a part of a batch, and answers the rest as unprocessed. If nothing is left, the batch is refused
// as AWS refuses one.
func (r *Rule) runPart(ctx context.Context, request *Request, dst []byte) ([]byte, error) {
	whole, undone, left, err := r.part(request)
	if err != nil || len(undone) == 0 {
		return request.Run(ctx, request.Body, dst)
	}
	if left == 0 {
		return nil, exception.New(exception.KindThroughputExceeded, exceeded)
	}
	body, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	answer, err := request.Run(ctx, body, nil)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(answer, &members); err != nil {
		return nil, err
	}
	member := "UnprocessedItems"
	if request.Operation == "BatchGetItem" {
		member = "UnprocessedKeys"
	}
	if members[member], err = json.Marshal(undone); err != nil {
		return nil, err
	}
	answer, err = json.Marshal(members)
	return append(dst, answer...), err
}

// part takes some elements out of a batch. whole is the request without them, undone what they were, by table, as a
// request for them would have it, and left the number of elements that stay.
func (r *Rule) part(request *Request) (whole, undone map[string]json.RawMessage, left int, err error) {
	var tables map[string]json.RawMessage
	if err := json.Unmarshal(request.Body, &whole); err != nil {
		return nil, nil, 0, err
	}
	if err := json.Unmarshal(whole["RequestItems"], &tables); err != nil {
		return nil, nil, 0, err
	}
	undone = map[string]json.RawMessage{}
	for name, value := range tables {
		stays, goes, n, err := r.divide(name, value)
		if err != nil {
			return nil, nil, 0, err
		}
		if left += n; n == 0 {
			delete(tables, name)
		} else {
			tables[name] = stays
		}
		if goes != nil {
			undone[name] = goes
		}
	}
	whole["RequestItems"], err = json.Marshal(tables)
	return whole, undone, left, err
}

// divide takes some elements out of the part of a batch for one table: a list of writes, or an object with Keys.
func (r *Rule) divide(name string, value json.RawMessage) (stays, goes json.RawMessage, left int, err error) {
	var members map[string]json.RawMessage
	list, wrap := value, func(elements []json.RawMessage) (json.RawMessage, error) { return json.Marshal(elements) }
	if json.Unmarshal(value, &members) == nil {
		list, wrap = members["Keys"], func(elements []json.RawMessage) (json.RawMessage, error) {
			keys, err := json.Marshal(elements)
			whole := maps.Clone(members)
			whole["Keys"] = keys
			if err != nil {
				return nil, err
			}
			return json.Marshal(whole)
		}
	}
	var elements, undone, kept []json.RawMessage
	if err := json.Unmarshal(list, &elements); err != nil {
		return nil, nil, 0, err
	}
	for _, one := range elements {
		if (r.Table == "" || r.Table == tableName(name)) && (r.Share == 0 || rand.Float64() < r.Share) {
			undone = append(undone, one)
		} else {
			kept = append(kept, one)
		}
	}
	if len(undone) > 0 {
		if goes, err = wrap(undone); err != nil {
			return nil, nil, 0, err
		}
	}
	stays, err = wrap(kept)
	return stays, goes, len(kept), err
}
