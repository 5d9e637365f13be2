// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
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
func (r *request) readOlder(m member) error {
	if r.old == nil {
		r.old = new(older)
	}
	switch m {
	case inExpected:
		return r.old.expected.ReadExpected(&r.reader)
	case inQueryFilter, inScanFilter:
		return r.old.filter.Read(&r.reader)
	case inKeyConditions:
		return r.old.keys.Read(&r.reader)
	case inAttributeUpdates:
		return r.old.updates.Read(&r.reader)
	case inAttributesToGet:
		return r.old.names.Read(&r.reader)
	}
	text, err := r.reader.String()
	r.old.operator = string(text)
	return err
}

// constrainOlder adds the faults of single members of the older parameters.
func (r *request) constrainOlder(c *exception.Constraints) {
	filter := "queryFilter"
	if r.has&inScanFilter != 0 {
		filter = "scanFilter"
	}
	faults := r.old.expected.AppendFaults(nil, c.At+"expected")
	faults = r.old.filter.AppendFaults(faults, c.At+filter)
	faults = r.old.keys.AppendFaults(faults, c.At+"keyConditions")
	faults = r.old.updates.AppendFaults(faults, c.At+"attributeUpdates")
	faults = r.old.names.AppendFaults(faults, c.At+"attributesToGet")
	c.Append(legacy.AppendOperatorFaults(faults, r.has&inConditionalOperator != 0, r.old.operator))
}

// parseOlder judges the meaning of the older parameters and makes the same trees of them that expressions make.
func (r *request) parseOlder() (err error) {
	if r.has&inAttributesToGet != 0 {
		if r.paths, err = r.old.names.Paths(); err != nil {
			return err
		}
	}
	if r.has&inAttributeUpdates != 0 {
		if r.updateTree, err = r.old.updates.Update(); err != nil {
			return err
		}
	}
	if r.has&inKeyConditions != 0 {
		if err := r.old.keys.CheckKeys(); err != nil {
			return err
		}
	}
	walks := r.accepts&(inQueryFilter|inScanFilter) != 0
	if walks {
		r.filterTree, err = r.old.filter.Condition(r.old.operator)
		return err
	}
	if r.accepts&inExpected != 0 {
		r.conditionTree, err = r.old.expected.Condition(r.old.operator)
	}
	return err
}

// olderKeys turns KeyConditions into key conditions. A part of the partition key that has none is told before an operator that no key can use.
func (w *walk) olderKeys() (err error) {
	if w.has&inKeyConditions == 0 {
		return nil
	}
	if w.keyConditions, err = w.old.keys.Keys(); err == nil {
		return nil
	}
	given := slices.Collect(w.old.keys.Attributes())
	partition := w.index.Partition()
	for i := range partition {
		if !slices.ContainsFunc(given, func(name string) bool { return itemkey.Means(&partition[i], name) }) {
			return missedKey(&partition[i])
		}
	}
	return err
}

// mixture names the older parameters and the expressions of a request that has both.
func mixture(old, expressions member) error {
	return exception.Validationf("Can not use both expression and non-expression parameters in the same request: "+
		"Non-expression parameters: {%s} Expression parameters: {%s}", strings.Join(old.list(), ", "), strings.Join(expressions.list(), ", "))
}
