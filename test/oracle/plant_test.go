// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// body is a request's or an answer's JSON, taken apart.
type body map[string]any

// plant is one rule that a database breaks. spoil gets what a request and its answer are, and changes either; do
// answers a request. It returns whether it broke something this time.
type plant struct {
	name string
	// before changes a request; nil leaves it. false means that there is nothing to change.
	before func(operation string, request body) bool
	// after changes the answer to a request; nil leaves it.
	after func(operation string, request, answer body) bool
	// lost says that the request is answered by {} without having been done.
	lost func(operation string, request body) bool
	// every is the number of occasions that are let pass before one is used; 0 uses all.
	every int
}

// list is a member that is a list.
func (b body) list(name string) []any {
	l, _ := b[name].([]any)
	return l
}

func (b body) text(name string) string {
	s, _ := b[name].(string)
	return s
}

func (b body) object(name string) body {
	m, _ := b[name].(map[string]any)
	return m
}

// rename changes the text of a member.
func (b body) rename(name, from, to string) bool {
	if b.text(name) != from {
		return false
	}
	b[name] = to
	return true
}

// without drops a member.
func (b body) without(name string) bool {
	_, found := b[name]
	delete(b, name)
	return found
}

// addUnit makes a capacity wrong.
func addUnit(capacity body, units float64) bool {
	n, ok := capacity["CapacityUnits"].(float64)
	if ok {
		capacity["CapacityUnits"] = n + units
	}
	return ok
}

// wantsNothing says that a write can only be answered by {} if it is answered at all.
func (b body) wantsNothing() bool {
	wanted := []string{"ConditionExpression", "ReturnValues", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics"}
	return !slices.ContainsFunc(wanted, func(name string) bool { return b[name] != nil })
}

// plants are the rules that are broken. // immutable
var plants = []plant{
	{name: "an index forgets an entry", every: 5, after: func(operation string, request, answer body) bool {
		items := answer.list("Items")
		if request.text("IndexName") == "" || len(items) == 0 || request["FilterExpression"] != nil {
			return false
		}
		answer["Items"], answer["Count"], answer["ScannedCount"] = items[1:], len(items)-1, len(items)-1
		return true
	}},
	{name: "old for new", before: func(operation string, request body) bool {
		return operation == "UpdateItem" && request.rename("ReturnValues", "ALL_NEW", "ALL_OLD")
	}},
	{name: "all for what was updated", before: func(operation string, request body) bool {
		return operation == "UpdateItem" && request.rename("ReturnValues", "UPDATED_NEW", "ALL_NEW")
	}},
	{name: "new for old, of what was updated", before: func(operation string, request body) bool {
		return operation == "UpdateItem" && request.rename("ReturnValues", "UPDATED_OLD", "UPDATED_NEW")
	}},
	{name: "a unit too much", every: 20,
		after: func(_ string, _, answer body) bool { return addUnit(answer.object("ConsumedCapacity"), 1) }},
	{name: "half a unit too little for a consistent read", after: func(operation string, request, answer body) bool {
		return request["ConsistentRead"] == true && addUnit(answer.object("ConsumedCapacity"), -0.5)
	}},
	{name: "an index's unit is missing", every: 3, after: func(_ string, _, answer body) bool {
		return answer.object("ConsumedCapacity").without("GlobalSecondaryIndexes")
	}},
	{name: "a unit of a batch too much", after: func(_ string, _, answer body) bool {
		list := answer.list("ConsumedCapacity")
		return len(list) > 0 && addUnit(list[0].(map[string]any), 1)
	}},
	{name: "no LastEvaluatedKey", every: 5,
		after: func(_ string, _, answer body) bool { return answer.without("LastEvaluatedKey") }},
	{name: "two items change places", every: 5, after: func(operation string, _, answer body) bool {
		items := answer.list("Items")
		if len(items) < 2 || same(items[0], items[1]) {
			return false
		}
		items[0], items[1] = items[1], items[0]
		return true
	}},
	{name: "the direction is not looked at",
		before: func(_ string, request body) bool { return request.without("ScanIndexForward") }},
	{name: "the limit is not looked at",
		before: func(operation string, request body) bool { return operation == "Query" && request.without("Limit") }},
	{name: "the start is not looked at", before: func(operation string, request body) bool {
		return operation == "Query" && request.without("ExclusiveStartKey")
	}},
	{name: "what was filtered out is not counted", after: func(_ string, request, answer body) bool {
		changed := request["FilterExpression"] != nil && answer["Count"] != answer["ScannedCount"]
		answer["ScannedCount"] = answer["Count"]
		return changed && answer["Count"] != nil
	}},
	{name: "the condition is not looked at", every: 3, before: func(_ string, request body) bool {
		needless := []string{"ExpressionAttributeNames", "ExpressionAttributeValues", "UpdateExpression", "Expected"}
		other := slices.ContainsFunc(needless, func(name string) bool { return request[name] != nil })
		condition := request.text("ConditionExpression")
		return !other && len(condition) < 1000 && strings.Contains(condition, "exists") &&
			request.without("ConditionExpression")
	}},
	{name: "the item of a false condition is not shown", after: func(_ string, _, answer body) bool {
		return answer["__type"] != nil && answer.without("Item")
	}},
	{name: "a put is lost", every: 3, lost: func(operation string, request body) bool {
		return operation == "PutItem" && request.wantsNothing()
	}},
	{name: "a delete is lost", lost: func(operation string, request body) bool {
		return operation == "DeleteItem" && request.wantsNothing()
	}},
	{name: "an update is lost", lost: func(operation string, request body) bool {
		return operation == "UpdateItem" && request.wantsNothing()
	}},
	{name: "a batch leaves one out", every: 5, before: func(operation string, request body) bool {
		tables := request.object("RequestItems")
		for table, list := range tables {
			if writes, ok := list.([]any); ok && len(writes) > 1 && operation == "BatchWriteItem" {
				tables[table] = writes[1:]
				return true
			}
		}
		return false
	}},
	{name: "a batch finds one too few", every: 3, after: func(_ string, _, answer body) bool {
		for table, list := range answer.object("Responses") {
			if items := list.([]any); len(items) > 0 {
				answer.object("Responses")[table] = items[1:]
				return true
			}
		}
		return false
	}},
	{name: "numbers are not normal", every: 20, after: func(operation string, _, answer body) bool {
		for _, v := range answer.object("Item") {
			if n := body(v.(map[string]any)).text("N"); n != "" && !strings.Contains(n, ".") {
				v.(map[string]any)["N"] = n + ".0"
				return true
			}
		}
		return false
	}},
	{name: "no metrics of collections", after: func(_ string, _,
		answer body) bool {
		return answer.without("ItemCollectionMetrics")
	}},
	{name: "another exception", every: 10, after: func(_ string, _, answer body) bool {
		return answer.rename("__type", "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
			"com.amazon.coral.validate#ValidationException")
	}},
	{name: "another text", every: 10, after: func(_ string, _, answer body) bool {
		text := answer.text("message")
		answer["message"] = text + "."
		return strings.Contains(text, "schema")
	}},
	{name: "a projection is not looked at", before: func(_ string, request body) bool {
		return request["ExpressionAttributeNames"] == nil && request["Select"] == nil && request["IndexName"] == nil &&
			request.without("ProjectionExpression")
	}},
	{name: "a statement forgets an item", every: 3, after: func(operation string, _, answer body) bool {
		items := answer.list("Items")
		if operation != "ExecuteStatement" || len(items) == 0 {
			return false
		}
		answer["Items"] = items[1:]
		return true
	}},
	{name: "a statement returns new for old", before: func(_ string, request body) bool {
		text := request.text("Statement")
		return strings.HasPrefix(text, "UPDATE") &&
			request.rename("Statement", text, strings.Replace(text, "RETURNING ALL OLD", "RETURNING ALL NEW", 1)) &&
			request.text("Statement") != text
	}},
	{name: "a statement tells another exception", after: func(_ string, _, answer body) bool {
		return answer.rename("__type", "com.amazonaws.dynamodb.v20120810#DuplicateItemException",
			"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException")
	}},
	{name: "a transaction of statements tells another reason", after: func(_ string, _, answer body) bool {
		return slices.ContainsFunc(answer.list("CancellationReasons"), func(reason any) bool {
			return body(reason.(map[string]any)).rename("Code", "DuplicateItem", "ConditionalCheckFailed")
		})
	}},
	{name: "a batch of statements loses an item", after: func(operation string, _, answer body) bool {
		return operation == "BatchExecuteStatement" &&
			slices.ContainsFunc(answer.list("Responses"), func(slot any) bool {
				return body(slot.(map[string]any)).without("Item")
			})
	}},
	{name: "a segment leaves one out", every: 3, after: func(_ string, request, answer body) bool {
		items := answer.list("Items")
		if request["Segment"] == nil || len(items) == 0 {
			return false
		}
		answer["Items"] = items[1:]
		return true
	}},
}

func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// plantIn returns a target that breaks a rule.
func (p *plant) plantIn(do target) target {
	occasions := 0
	due := func() bool {
		occasions++
		return p.every == 0 || occasions%p.every == 0
	}
	return func(operation, text string) ([]byte, bool) {
		var request, answer body
		if strings.Contains(operation, "Table") || json.Unmarshal([]byte(text), &request) != nil {
			return do(operation, text)
		}
		switch {
		case p.lost != nil && p.lost(operation, request) && due():
			return []byte("{}"), false
		case p.before != nil && p.before(operation, request) && due():
			changed, _ := json.Marshal(request)
			return do(operation, string(changed))
		}
		got, failure := do(operation, text)
		if p.after == nil || json.Unmarshal(got, &answer) != nil || !p.after(operation, request, answer) || !due() {
			return got, failure
		}
		changed, _ := json.Marshal(answer)
		return changed, failure
	}
}

// plantSteps is within how many operations a broken rule must be noticed.
const plantSteps = 4000

// TestPlants breaks one rule after the other and wants each to be noticed.
func TestPlants(t *testing.T) {
	if rounds.Race {
		t.Skip("one goroutine compares answers: there is nothing to detect")
	}
	db := testdb.Open(t)
	right := inProcess(t.Context(), db)
	for i := range plants {
		p := &plants[i]
		t.Run(p.name, func(t *testing.T) {
			do := p.plantIn(right)
			for seed, left := uint64(1), plantSteps; left > 0; seed, left = seed+1, left-stepsMax {
				h := newHistory(seed, "plant"+string(rune('a'+i%26))+string(rune('a'+i/26))+string(rune('0'+seed)))
				if d := tryHistory(do, h, stepsMax); d != nil {
					t.Logf("noticed after %d operations: %s", plantSteps-left+len(h.done),
						strings.SplitN(shortest(d.text), "\n", 2)[0])
					return
				}
			}
			t.Fatalf("not noticed within %d operations", plantSteps)
		})
	}
}

func shortest(text string) string { return text[:min(len(text), 300)] }
