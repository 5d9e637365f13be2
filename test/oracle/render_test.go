// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Render makes the body. All random choices of wording are the writer's.
func (r *Request) Render(w *writer) {
	r.Body = w.object(r.members(w))
}

func (r *Request) members(w *writer) map[string]string {
	m := map[string]string{}
	switch {
	case r.Operation == "BatchExecuteStatement":
		m["Statements"] = r.statements(w)
	case strings.HasPrefix(r.Operation, "Batch"):
		m["RequestItems"] = r.batchMembers(w)
	case strings.HasPrefix(r.Operation, "Transact"):
		m["TransactItems"] = r.transactMembers(w)
	case r.Operation == "ExecuteTransaction":
		m["TransactStatements"] = r.statements(w)
	case r.Verb != "":
		r.statement(m, w)
	default:
		r.single(m, w)
		r.Values = w.placeholders(m)
	}
	set(m, "ReturnConsumedCapacity", r.Capacity)
	set(m, "ReturnItemCollectionMetrics", r.Metrics)
	set(m, "ClientRequestToken", r.Token)
	for name, text := range r.Members {
		if m[name] = text; text == "" {
			delete(m, name)
		}
	}
	return m
}

// single adds the members that requests about one table have, and the parts of batches and transactions.
func (r *Request) single(m map[string]string, w *writer) {
	set(m, "TableName", r.Table)
	set(m, "IndexName", r.Index)
	setItem(m, "Key", r.Key)
	setItem(m, "Item", r.Item)
	setItem(m, "ExclusiveStartKey", r.Start)
	set(m, "ReturnValues", r.ReturnValues)
	set(m, "ReturnValuesOnConditionCheckFailure", r.OnFailure)
	set(m, "Select", r.Select)
	if r.Consistent {
		m["ConsistentRead"] = "true"
	}
	if r.Backward {
		m["ScanIndexForward"] = "false"
	}
	if r.Limit > 0 {
		m["Limit"] = strconv.Itoa(r.Limit)
	}
	if r.Condition != nil {
		m["ConditionExpression"] = quote(w.condition(r.Condition))
	}
	if r.Filter != nil {
		m["FilterExpression"] = quote(w.condition(r.Filter))
	}
	if r.KeyTests != nil {
		m["KeyConditionExpression"] = quote(w.keyTests(r.KeyTests))
	}
	if r.Projection != nil {
		m["ProjectionExpression"] = quote(w.projection(r.Projection))
	}
	if r.Actions != nil {
		m["UpdateExpression"] = quote(w.update(r.Actions))
	}
}

func set(m map[string]string, name, text string) {
	if text != "" {
		m[name] = quote(text)
	}
}

func setItem(m map[string]string, name string, item Item) {
	if item != nil {
		m[name] = string(item.appendJSON(nil, true))
	}
}

// batchMembers is RequestItems. The options of a table of BatchGetItem are those of its first part.
func (r *Request) batchMembers(w *writer) string {
	tables := map[string][]string{}
	options := map[string]map[string]string{}
	for _, part := range r.Parts {
		item := map[string]string{}
		setItem(item, "Key", part.Key)
		setItem(item, "Item", part.Item)
		text := ""
		switch part.Operation {
		case "Get":
			text = item["Key"]
		case "Delete":
			text = w.object(map[string]string{"DeleteRequest": w.object(item)})
		default:
			text = w.object(map[string]string{"PutRequest": w.object(item)})
		}
		if tables[part.Table] == nil && part.Operation == "Get" {
			m := map[string]string{}
			(&Request{Consistent: part.Consistent, Projection: part.Projection}).single(m, w)
			w.placeholders(m)
			options[part.Table] = m
		}
		tables[part.Table] = append(tables[part.Table], text)
	}
	members := map[string]string{}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		members[table] = "[" + strings.Join(tables[table], ",") + "]"
		if m := options[table]; m != nil {
			m["Keys"] = members[table]
			members[table] = w.object(m)
		}
	}
	return w.object(members)
}

// transactMembers is TransactItems.
func (r *Request) transactMembers(w *writer) string {
	var elements []string
	for _, part := range r.Parts {
		m := map[string]string{}
		part.single(m, w)
		part.Values = w.placeholders(m)
		for name, text := range part.Members {
			m[name] = text
		}
		elements = append(elements, w.object(map[string]string{part.Operation: w.object(m)}))
	}
	return "[" + strings.Join(elements, ",") + "]"
}

// object is a JSON object of members in any order.
func (w *writer) object(m map[string]string) string {
	names := slices.Sorted(maps.Keys(m))
	w.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(name) + ":")
		if w.rng.IntN(20) == 0 {
			b.WriteString(" \n")
		}
		b.WriteString(m[name])
	}
	b.WriteByte('}')
	return b.String()
}
