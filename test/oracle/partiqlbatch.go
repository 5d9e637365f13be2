// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"slices"
	"strings"
)

// slotCodes are what a batch of statements calls exceptions. // immutable
var slotCodes = map[string]string{"ValidationException": "ValidationError", "DuplicateItemException": "DuplicateItem",
	"ConditionalCheckFailedException": "ConditionalCheckFailed", "ResourceNotFoundException": "ResourceNotFound"}

// statementBatch does the statements of a BatchExecuteStatement one after the other, each as if it came alone.
func (m *Model) statementBatch(r *Request) *Answer {
	known := func(part *Request) bool { return m.tables[part.Table] != nil }
	valid := slices.DeleteFunc(slices.Clone(r.Parts), func(part *Request) bool {
		return !known(part) || len(m.tables[part.Table].requestFaults(part)) > 0 || len(part.Item.faults(true)) > 0
	})
	if m.repeated(&Request{Parts: valid}) {
		return failed(invalid())
	}
	a := &Answer{Members: map[string]string{}}
	var slots []string
	var tables []*Table
	costs := map[string]cost{}
	for _, part := range r.Parts {
		own := m.slot(part)
		slots = append(slots, own.slot(part))
		a.Open = append(a.Open, own.Open...)
		if own.Failure != nil {
			continue
		}
		c, t := costs[part.Table], m.tables[part.Table]
		c.addAll(own.spent)
		if costs[part.Table] = c; !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	if len(a.Open) > 0 {
		a.Open = []string{"Responses"}
	}
	a.Members["Responses"] = "[" + strings.Join(slots, ",") + "]"
	a.addCapacities(r, tables, costs, "")
	return a
}

// slot does one statement.
func (m *Model) slot(part *Request) *Answer {
	if part.Verb != "SELECT" {
		return m.statement(part)
	}
	t := m.tables[part.Table]
	if t == nil {
		return failed(&Failure{Type: "ResourceNotFoundException"})
	}
	if len(t.keyFaults(part.Key)) > 0 {
		return failed(invalid())
	}
	item := t.items[part.Key.String()]
	a := &Answer{Members: map[string]string{"Items": "[]"}, spent: cost{table: readCost(item.Size(), part.Consistent)}}
	if item != nil && (part.Condition == nil || part.Condition.holds(item)) {
		a.Members["Items"] = itemsJSON([]Item{part.project(item)})
	}
	return a
}

// slot is what a batch shows of a statement's answer. Which faults are found before a statement runs, so that its table
// is not named, depends on the words of the fault.
func (a *Answer) slot(part *Request) string {
	table := `"TableName":` + quote(part.Table)
	if a.Failure != nil {
		code := slotCodes[a.Failure.Type]
		if table = "," + table; code == "ValidationError" || code == "ResourceNotFound" {
			table = ""
		}
		return `{"Error":{"Code":` + quote(code) + "}" + table + "}"
	}
	if item := strings.TrimSuffix(strings.TrimPrefix(a.Members["Items"], "["), "]"); item != "" {
		table += `,"Item":` + item
	}
	return "{" + table + "}"
}

// unworded takes the messages out of the slots of a batch, and the tables of those that are invalid.
func unworded(slots any) {
	list, _ := slots.([]any)
	for _, one := range list {
		slot, _ := one.(map[string]any)
		if fault, ok := slot["Error"].(map[string]any); ok {
			if delete(fault, "Message"); fault["Code"] == "ValidationError" {
				delete(slot, "TableName")
			}
		}
	}
}
