// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/legacy"
)

// older is what a request has of the parameters that were there before expressions.
type older struct {
	expected, filter, keys legacy.Conditions // filter is QueryFilter or ScanFilter
	updates                legacy.Updates
	names                  legacy.Names
	operator               string
}

// readOlder reads one of the older parameters.
func (r *request) readOlder(m layer.Members) error {
	if r.old == nil {
		r.old = new(older)
	}
	switch m {
	case layer.Expected:
		return r.old.expected.ReadExpected(&r.reader)
	case layer.QueryFilter, layer.ScanFilter:
		return r.old.filter.Read(&r.reader)
	case layer.KeyConditions:
		return r.old.keys.Read(&r.reader)
	case layer.AttributeUpdates:
		return r.old.updates.Read(&r.reader)
	case layer.AttributesToGet:
		return r.old.names.Read(&r.reader)
	}
	text, err := r.reader.String()
	r.old.operator = string(text)
	return err
}

// constrainOlder adds the faults of one of the older parameters.
func (r *request) constrainOlder(c *exception.Constraints, m layer.Members) {
	var faults []legacy.Fault
	switch m {
	case layer.Expected:
		faults = r.old.expected.AppendFaults(nil, "expected")
	case layer.QueryFilter, layer.ScanFilter:
		faults = r.old.filter.AppendFaults(nil, exception.LowerFirst(m.Name()))
	case layer.KeyConditions:
		faults = r.old.keys.AppendFaults(nil, "keyConditions")
	case layer.AttributeUpdates:
		faults = r.old.updates.AppendFaults(nil, "attributeUpdates")
	case layer.AttributesToGet:
		faults = r.old.names.AppendFaults(nil, "AttributesToGet")
	case layer.ConditionalOperator:
		faults = legacy.AppendOperatorFaults(nil, true, r.old.operator)
	}
	for _, f := range faults {
		c.Add(f.Shown, f.Member, f.Rule)
	}
}

// checkOperator refuses a ConditionalOperator of a Query or Scan without a filter.
func (r *request) checkOperator() error {
	if r.has&layer.ConditionalOperator == 0 {
		return nil
	}
	return r.old.filter.CheckJoin(r.old.operator)
}

// parseOlder judges the meaning of the older parameters and makes the same trees of them that expressions make.
func (r *request) parseOlder() (err error) {
	if r.old == nil {
		return nil
	}
	if r.has&layer.AttributesToGet != 0 {
		if r.paths, err = r.old.names.Paths(); err != nil {
			return err
		}
	}
	if r.has&layer.AttributeUpdates != 0 {
		if r.updateTree, err = r.old.updates.Update(); err != nil {
			return err
		}
	}
	if r.has&layer.KeyConditions != 0 {
		if err := r.old.keys.CheckKeys(); err != nil {
			return err
		}
	}
	walks := r.rules.Takes&(layer.QueryFilter|layer.ScanFilter) != 0
	if walks && r.has&layer.Filter == 0 {
		r.filterTree, err = r.old.filter.Condition(r.old.operator)
		return err
	}
	if r.rules.Takes&layer.Expected != 0 {
		r.conditionTree, err = r.old.expected.Condition(r.old.operator)
	}
	return err
}

// olderKeys turns KeyConditions into key conditions. A part of the partition key that has none is told before an operator that no key can use.
func (w *walk) olderKeys() (err error) {
	if w.has&layer.KeyConditions == 0 {
		return nil
	}
	if w.keyConditions, err = w.old.keys.Keys(); err == nil {
		return nil
	}
	given := slices.Collect(w.old.keys.Attributes())
	partition := w.index.Partition()
	for i := range partition {
		if !slices.ContainsFunc(given, func(name string) bool { return itemkey.Means(&partition[i], name) }) {
			return itemkey.Missed(&partition[i])
		}
	}
	return err
}
