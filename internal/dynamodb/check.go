// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
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
	return c.Err()
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
		return r.valueFaultOr(err)
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

func (r *request) parseExpressions() (err error) {
	if r.has&(inNames|inValues) != 0 {
		if err := r.placeholders.CheckSyntax(); err != nil {
			return err
		}
	}
	if r.has&inUpdate != 0 {
		if r.updateTree, err = expression.ParseUpdate(r.update, &r.placeholders); err != nil {
			return err
		}
	}
	if r.has&inFilter != 0 {
		if r.filterTree, err = expression.ParseFilter(r.filter, &r.placeholders); err != nil {
			return err
		}
	}
	if r.has&inCondition != 0 {
		if r.conditionTree, err = expression.ParseCondition(r.condition, &r.placeholders); err != nil {
			return err
		}
	}
	if r.has&inKeyCondition != 0 {
		if r.keyConditions, err = expression.ParseKeyCondition(r.keyCondition, &r.placeholders); err != nil {
			return err
		}
	}
	if r.has&inProjection != 0 {
		if r.paths, err = expression.ParseProjection(r.projection, &r.placeholders); err != nil {
			return err
		}
	}
	return r.placeholders.CheckUsed()
}

// checkReturns wants ReturnValues of an operation that has nothing but the item before to show.
func (r *request) checkReturns() error {
	if r.has&inReturnValues != 0 && r.returnValues != "NONE" && r.returnValues != "ALL_OLD" {
		return exception.Validation("ReturnValues can only be ALL_OLD or NONE")
	}
	return nil
}
