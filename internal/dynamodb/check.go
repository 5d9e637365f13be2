// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/expr"
)

// The values that DynamoDB's enumerations have, in the order in which its messages list them. // immutable
var (
	capacityModes  = []string{"INDEXES", "TOTAL", "NONE"}
	metricsModes   = []string{"SIZE", "NONE"}
	returnsOnWrite = []string{"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"}
	returnsOnFail  = []string{"ALL_OLD", "NONE"}
	selections     = []string{"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"}
)

// Lengths of names in requests, in characters. A table may be named by its ARN.
const (
	tableNameMax = 1024
	indexNameMax = 255
	tokenMax     = 36
)

// checkMembers judges the members one by one, as the framework does. required are those that must be there.
func (r *request) checkMembers(required member) error {
	var c exception.Constraints
	r.constrain(&c, required)
	if err := c.Err(); err != nil {
		return r.typeFaultOr(err)
	}
	return nil
}

// constrain adds the faults of single members.
func (r *request) constrain(c *exception.Constraints, required member) {
	for m := required; m != 0; m &= m - 1 {
		one := m & -m
		if r.has&one == 0 {
			c.Add("null", exception.LowerFirst(nameOf(one)), "Member must not be null")
		}
	}
	has := func(m member) bool { return r.has&m != 0 }
	c.Length(has(inTableName), r.tableName, "tableName", tableNameMax)
	c.Length(has(inIndexName), r.indexName, "indexName", indexNameMax) // shorter ones than Amazon's come through other doors
	c.OneOf(has(inSelect), r.selected, "select", selections)
	c.Between(has(inLimit), r.limit, "limit", 1, -1)
	c.Between(has(inSegment), r.segment, "segment", 0, int64(r.options.SegmentsMax)-1)
	c.Between(has(inTotalSegments), r.totalSegments, "totalSegments", 1, int64(r.options.SegmentsMax))
	c.OneOf(has(inReturnValues), r.returnValues, "returnValues", returnsOnWrite)
	c.OneOf(has(inReturnOnFailure), r.returnOnFailure, "returnValuesOnConditionCheckFailure", returnsOnFail)
	c.OneOf(has(inReturnCapacity), r.returnCapacity, "returnConsumedCapacity", capacityModes)
	c.OneOf(has(inReturnMetrics), r.returnSizes, "returnItemCollectionMetrics", metricsModes)
	c.Length(has(inToken), r.token, "clientRequestToken", tokenMax)
	if r.old != nil {
		r.constrainOlder(c)
	}
}

// parse checks how expressions and their placeholders go together, and parses them.
func (r *request) parse() error {
	if err := r.checkForms(); err != nil {
		return r.typeFaultOr(err)
	}
	if err := r.parseExpressions(); err != nil {
		return r.valueFaultOr(err)
	}
	if r.old != nil {
		if err := r.parseOlder(); err != nil {
			return r.valueFaultOr(err)
		}
	}
	return nil
}

// checkForms refuses a mixture of expressions and their older form, and placeholders for no expression.
func (r *request) checkForms() error {
	expressions := r.has & inExpressions
	if old := r.has & inLegacy; old != 0 && expressions != 0 {
		return mixture(old, expressions)
	}
	if r.has&inNames != 0 && expressions == 0 {
		return exception.Validation("ExpressionAttributeNames can only be specified when using expressions")
	}
	if r.has&inValues != 0 && expressions&^inProjection == 0 {
		possible := (r.accepts & inExpressions &^ inProjection).list()
		verb := "is"
		if len(possible) > 1 {
			verb = "are"
		}
		return exception.Validationf("ExpressionAttributeValues can only be specified when using expressions: %s %s null", strings.Join(possible, " and "), verb)
	}
	return nil
}

// parseExpressions parses in the order in which DynamoDB does. What it finds late is told last.
func (r *request) parseExpressions() error {
	if r.has&(inNames|inValues) != 0 {
		if err := r.checkPlaceholders(); err != nil {
			return err
		}
	}
	var late error
	for _, one := range [...]struct {
		member member
		parse  func(*request) error
	}{
		{inUpdate, (*request).parseUpdate}, {inCondition, (*request).parseCondition}, {inKeyCondition, (*request).parseKeyCondition},
		{inFilter, (*request).parseFilter}, {inProjection, (*request).parseProjection},
	} {
		if r.has&one.member == 0 {
			continue
		}
		err := one.parse(r)
		if fault, ok := err.(*expression.Error); ok && fault.Late {
			late = err
		} else if err != nil {
			return err
		}
	}
	if err := r.placeholders.CheckUsed(); err != nil {
		return err
	}
	return late
}

// checkPlaceholders judges the names of placeholders and then their contents.
func (r *request) checkPlaceholders() error {
	if r.noPlaceholders != nil {
		return r.noPlaceholders
	}
	if err := r.placeholders.CheckSyntax(); err != nil {
		return err
	}
	return r.faultyValues
}

func (r *request) parseUpdate() (err error) {
	r.updateTree, err = expression.ParseUpdate(r.update, &r.placeholders)
	return err
}

func (r *request) parseCondition() (err error) {
	r.conditionTree, err = expression.ParseCondition(r.condition, &r.placeholders)
	return err
}

func (r *request) parseKeyCondition() (err error) {
	r.keyConditions, err = expression.ParseKeyCondition(r.keyCondition, &r.placeholders)
	return err
}

func (r *request) parseFilter() (err error) {
	r.filterTree, err = expression.ParseFilter(r.filter, &r.placeholders)
	return err
}

func (r *request) parseProjection() (err error) {
	r.paths, err = expression.ParseProjection(r.projection, &r.placeholders)
	return err
}

// checkReturns wants ReturnValues of an operation that has nothing but the item before to show.
func (r *request) checkReturns() error {
	if r.has&inReturnValues != 0 && r.returnValues != "NONE" && r.returnValues != "ALL_OLD" {
		return exception.Validation("ReturnValues can only be ALL_OLD or NONE")
	}
	return nil
}

// checkScalars refuses paths into key attributes of the table and of its indexes.
func (r *request) checkScalars(pin weft.Pinned) error {
	if !strings.ContainsAny(r.condition, ".[") && !strings.ContainsAny(r.filter, ".[") && !strings.ContainsAny(r.projection, ".[") && !strings.ContainsAny(r.update, ".[") {
		return nil
	}
	paths := slices.Clone(r.paths)
	for _, tree := range [...]expr.Condition{r.conditionTree, r.filterTree} {
		for path := range expr.Paths(tree) {
			paths = append(paths, *path)
		}
	}
	if r.updateTree != nil {
		paths = append(paths, r.updateTree.Touched()...)
	}
	for i := range paths {
		if len(paths[i].Steps) == 0 {
			continue
		}
		if sort := itemkey.SortOf(pin.Descriptor(), paths[i].Name); sort != "" {
			return exception.Validationf("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s", sort, paths[i].Name)
		}
	}
	return nil
}
