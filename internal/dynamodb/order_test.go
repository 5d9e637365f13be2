// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// checkOrders are the tables of all requests and their parts.
func checkOrders() map[string]*checkOrder {
	return map[string]*checkOrder{
		"GetItem": new(getItem).checks().complete(), "PutItem": new(putItem).checks().complete(),
		"UpdateItem": new(updateItem).checks().complete(),
		"DeleteItem": new(deleteItem).checks().complete(), "Query": new(query).checks().complete(),
		"Scan":         new(scan).checks().complete(),
		"BatchGetItem": new(batchGetItem).checks().complete(), "BatchGetItem.Table": new(tableKeys).checks().complete(),
		"BatchWriteItem":     new(batchWriteItem).checks().complete(),
		"TransactGetItems":   new(transactGetItems).checks().complete(),
		"TransactWriteItems": new(transactWriteItems).checks().complete(), "Get": new(getAction).checks().complete(),
		"ConditionCheck": new(checkAction).checks().complete(), "Put": new(putAction).checks().complete(),
		"ExecuteStatement":      new(executeStatement).checks().complete(),
		"BatchExecuteStatement": new(batchExecuteStatement).checks().complete(),
		"ExecuteTransaction":    new(executeTransaction).checks().complete(),
		"Statement":             new(partiqlStatement).checks().complete(),
		"Delete":                new(deleteAction).checks().complete(), "Update": new(updateAction).checks().complete(),
	}
}

// TestCheckOrders wants the tables to agree in themselves: no name and no member comes twice, and what has placeholders
// has expressions.
func TestCheckOrders(t *testing.T) {
	all := checkOrders()
	for _, o := range itemOperations {
		if all[o.Name] == nil {
			t.Errorf("%s has no table", o.Name)
		}
	}
	for name, order := range all {
		for i := range order.members {
			f := &order.members[i]
			if slices.ContainsFunc(order.members[:i], func(g field) bool { return g.name == f.name }) {
				t.Errorf("%s: %s comes twice", name, f.name)
			}
			if f.member.IsGiven() {
				t.Errorf("%s: %s is given by nobody", name, f.name)
			}
			if _, ok := f.member.(expressionMember); ok != slices.Contains(expressionNames, f.name) {
				t.Errorf("%s: messages don't list %s as it is", name, f.name)
			}
		}
		if order.fullScan == nil && (order.names != nil) != (len(order.expressions) > 0) ||
			order.values != nil && order.names == nil {
			t.Errorf("%s: placeholders without expressions, or expressions without placeholders", name)
		}
		if len(order.legacy) > 0 && len(order.steps) == 0 {
			t.Errorf("%s: nobody judges %T", name, order.legacy[0])
		}
	}
}

// TestEnumerations wants every value of an enumeration to be taken, and no other.
func TestEnumerations(t *testing.T) {
	for _, one := range []struct {
		of     func(*text) field
		values []string
	}{
		{operator, []string{"OR", "AND"}},
		{returnValues, []string{"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"}},
		{func(t *text) field { return capacity(&returnConsumedCapacity{*t}) }, []string{"INDEXES", "TOTAL", "NONE"}},
		{func(t *text) field { return metrics(&returnItemCollectionMetrics{*t}) }, []string{"SIZE", "NONE"}},
		{func(t *text) field { return onFailure(&returnOnFailure{*t}) }, []string{"ALL_OLD", "NONE"}},
		{func(t *text) field { return oneOf("Select", t, selectionModes) }, selectionModes},
	} {
		for _, value := range append(slices.Clone(one.values), "HUH", "UPDATE_NEW", "") {
			var c exception.Constraints
			f := one.of(&text{value, true})
			f.rule(nil, &c)
			if err := c.Err(); (err == nil) != slices.Contains(one.values, value) ||
				err != nil && !strings.Contains(err.Error(), "enum value set: ["+one.values[0]) {
				t.Errorf("%s takes %q: %v", f.name, value, err)
			}
		}
	}
}
