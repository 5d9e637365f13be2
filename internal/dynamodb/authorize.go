// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"cmp"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/security/permission"
)

// enclosure is the request that a part of a transaction or a batch is in; the zero value, for a request of its own.
type enclosure struct {
	operation string // of a transaction
	capacity  string // its ReturnConsumedCapacity
}

// authorize wants the caller to be allowed what the request does with its table, whether that is there or not: a caller
// without the right does not learn which.
func (t *target) authorize(ctx context.Context, in enclosure) error {
	guard := t.api.Guard
	if guard == nil {
		return nil
	}
	principal, table := permission.FromContext(ctx), (*schema.Table)(nil)
	if t.pinned {
		table = t.pin.Descriptor()
	} else {
		table = &schema.Table{Database: t.api.databaseName(), Name: t.name}
	}
	if ok, err := guard.MayDoAll(ctx, principal, table); ok || err != nil {
		return err
	}
	part := ""
	x, _ := t.order.find([]byte("IndexName")).(*text)
	if x = cmp.Or(x, t.order.indexed); x != nil && x.has {
		part = "/index/" + x.value
	}
	return exception.Authorization(guard.Ask(ctx, principal, t.order.action, table, part, func(r *permission.Request) {
		r.Values = func(name string) ([]string, bool) { return t.conditionKey(name, in) }
	}))
}

// conditionKey returns the values of one of AWS's condition keys.
func (t *target) conditionKey(name string, in enclosure) ([]string, bool) {
	switch name {
	case "dynamodb:leadingkeys":
		if !t.pinned || t.order.leading == nil {
			return nil, false
		}
		return t.order.leading(), true
	case "dynamodb:attributes":
		names := t.attributeNames()
		return names, len(names) > 0
	case "dynamodb:select":
		if t.order.selected != nil {
			return one(t.order.selected())
		}
		return one(t.selection())
	case "dynamodb:fulltablescan":
		if t.order.fullScan == nil {
			return nil, false
		}
		text, ok := t.order.fullScan()
		return []string{text}, ok
	case "dynamodb:returnvalues":
		if t.order.returned != nil {
			return t.order.returned()
		}
		return t.returnedParts()
	case "dynamodb:returnconsumedcapacity":
		if m, ok := t.order.find([]byte("ReturnConsumedCapacity")).(*text); ok {
			in.capacity = m.value
		}
		return one(orNone(in.capacity))
	case "dynamodb:enclosingoperation":
		return one(in.operation)
	}
	return nil, false
}

func one(value string) ([]string, bool) {
	if value == "" {
		return nil, false
	}
	return []string{value}, true
}

func orNone(value string) string {
	return cmp.Or(value, "NONE")
}

// selection is Select, or what a request without it selects; "" for one that shows no items.
func (r *request) selection() string {
	selected, _ := r.order.find([]byte("Select")).(*text)
	switch {
	case r.order.find([]byte("ProjectionExpression")) == nil:
		return ""
	case selected != nil && selected.has:
		return selected.value
	case r.order.has("ProjectionExpression") ||
		r.order.find([]byte("AttributesToGet")) != nil && r.order.has("AttributesToGet"):
		return "SPECIFIC_ATTRIBUTES"
	case r.order.find([]byte("IndexName")) != nil && r.order.has("IndexName"):
		return "ALL_PROJECTED_ATTRIBUTES"
	}
	return "ALL_ATTRIBUTES"
}

// returnedParts says which parts of its item a write returns, all of which a policy must allow; ok is false for one
// that can't return any. The item that a failed condition shows counts as one that was asked for.
func (r *request) returnedParts() (parts []string, ok bool) {
	for _, name := range []string{"ReturnValues", "ReturnValuesOnConditionCheckFailure"} {
		m, found := r.order.find([]byte(name)).(*text)
		if ok = ok || found; found && m.has && m.value != "NONE" {
			parts = append(parts, m.value)
		}
	}
	if len(parts) == 0 {
		parts = []string{"NONE"}
	}
	return parts, ok
}

// attributeNames are the names of the attributes that the request is about: of its items and keys, and in its
// expressions.
func (t *target) attributeNames() (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, row := range t.rows() {
		for a := row.Attributes(t.names()); a.Next(); {
			add(string(a.Name()))
		}
	}
	for _, e := range t.order.expressions {
		for path := range e.paths() {
			add(path.Name)
		}
		switch e := e.(type) {
		case *updateExpression:
			if e.tree != nil {
				for path := range e.tree.Reads() {
					add(path.Name)
				}
			}
		case *keyConditionExpression:
			for i := range e.conditions {
				add(e.conditions[i].Attribute)
			}
		}
	}
	if t.order.legacyKeys != nil {
		for _, condition := range t.order.legacyKeys() {
			add(condition.Attribute)
		}
	}
	return names
}

// names is the dictionary of the table; without a table, rows spell their names.
func (t *target) names() value.Names {
	if t.pinned {
		return t.pin.Names()
	}
	return nil
}

// rows are the items and keys of the request.
func (t *target) rows() (rows []value.Row) {
	switch {
	case t.order.rows != nil:
		return t.order.rows()
	case t.order.attributes == nil || !t.order.attributes.has || t.order.startKey || !t.pinned:
		return nil
	}
	return []value.Row{t.itemRow(nil)}
}

// leadingKeys are the values of the partition key in the items and keys of the request.
func (t *target) leadingKeys() (keys []string) {
	part := leadingPart(&t.pin.Descriptor().Primary)
	for _, row := range t.rows() {
		keys = append(keys, permission.KeyText(itemkey.Value(row, t.names(), part)))
	}
	return keys
}

// leadingKey is the value of the partition key that a query walks: of its index, if it has that.
func (q *query) leadingKey() []string {
	x, ok := q.pin.Descriptor().Index(q.indexName.value)
	if !ok {
		return []string{""}
	}
	part := leadingPart(x)
	for _, condition := range append(q.legacyKeys(), q.keyCondition.conditions...) {
		if condition.Op == expression.KeyEqual && itemkey.Means(part, condition.Attribute) {
			return []string{permission.KeyText(condition.A, true)}
		}
	}
	return []string{""} // no policy names it
}

// legacyKeys are KeyConditions. Their faults are reported later.
func (q *query) legacyKeys() []expression.KeyCondition {
	if !q.keyConditions.IsGiven() {
		return nil
	}
	list, _ := q.keyConditions.Keys()
	return list
}

// leadingPart is the first part of a key that clients state.
func leadingPart(x *schema.Index) *schema.KeyPart {
	return &x.Stated()[0]
}
