// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strconv"
	"strings"

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

// constraints collects what single members get wrong, each by itself, before a request is looked at as a whole.
type constraints struct{ faults []string }

func (c *constraints) add(shown, member, rule string) {
	c.faults = append(c.faults, "Value "+shown+" at '"+member+"' failed to satisfy constraint: "+rule)
}

// lowerFirst is a member's name as constraints write it.
func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// oneOf wants one of an enumeration's values, or nothing.
func (c *constraints) oneOf(given bool, text, member string, values []string) {
	if given && !slices.Contains(values, text) {
		c.add("'"+text+"'", member, "Member must satisfy enum value set: ["+strings.Join(values, ", ")+"]")
	}
}

// between wants a number in a range; most < 0 is no upper bound.
func (c *constraints) between(given bool, n int64, member string, least, most int64) {
	switch {
	case given && n < least:
		c.add("'"+strconv.FormatInt(n, 10)+"'", member, "Member must have value greater than or equal to "+strconv.FormatInt(least, 10))
	case given && most >= 0 && n > most:
		c.add("'"+strconv.FormatInt(n, 10)+"'", member, "Member must have value less than or equal to "+strconv.FormatInt(most, 10))
	}
}

// length wants a text of at least one and at most so many characters, or nothing.
func (c *constraints) length(given bool, text, member string, most int) {
	switch {
	case given && text == "":
		c.add("''", member, "Member must have length greater than or equal to 1")
	case given && len(text) > most:
		c.add("'"+text+"'", member, "Member must have length less than or equal to "+strconv.Itoa(most))
	}
}

func (c *constraints) err() error {
	switch len(c.faults) {
	case 0:
		return nil
	case 1:
		return validation("1 validation error detected: " + c.faults[0])
	}
	return validationf("%d validation errors detected: %s", len(c.faults), strings.Join(c.faults, "; "))
}

// Lengths of names in requests, in characters. A table may be named by its ARN.
const (
	tableNameMax = 1024
	indexNameMax = 255
)

// checkMembers judges the members one by one, as the framework does. required are those that must be there.
func (r *request) checkMembers(required member) error {
	var c constraints
	for m := required; m != 0; m &= m - 1 {
		one := m & -m
		if r.has&one == 0 {
			c.add("null", lowerFirst(nameOf(one)), "Member must not be null")
		}
	}
	has := func(m member) bool { return r.has&m != 0 }
	c.length(has(inTableName), r.tableName, "tableName", tableNameMax)
	c.length(has(inIndexName), r.indexName, "indexName", indexNameMax)
	c.oneOf(has(inSelect), r.selected, "select", selections)
	c.between(has(inLimit), r.limit, "limit", 1, -1)
	c.between(has(inSegment), r.segment, "segment", 0, int64(r.options.SegmentsMax)-1)
	c.between(has(inTotalSegments), r.totalSegments, "totalSegments", 1, int64(r.options.SegmentsMax))
	c.oneOf(has(inReturnValues), r.returnValues, "returnValues", returnsOnWrite)
	c.oneOf(has(inReturnOnFailure), r.returnOnFailure, "returnValuesOnConditionCheckFailure", returnsOnFail)
	c.oneOf(has(inReturnCapacity), r.returnCapacity, "returnConsumedCapacity", capacityModes)
	c.oneOf(has(inReturnMetrics), r.returnSizes, "returnItemCollectionMetrics", metricsModes)
	return c.err()
}

// parse checks how expressions and their placeholders go together, and parses them.
func (r *request) parse() error {
	if err := r.checkForms(); err != nil {
		return r.valueFaultOr(err)
	}
	if err := r.parseExpressions(); err != nil {
		return r.valueFaultOr(err)
	}
	return nil
}

// checkForms refuses a mixture of expressions and their older form, the older form itself, and placeholders for no expression.
func (r *request) checkForms() error {
	expressions := r.has & inExpressions
	if old := r.has & inLegacy; old != 0 {
		if expressions != 0 {
			return validationf("Can not use both expression and non-expression parameters in the same request: "+
				"Non-expression parameters: {%s} Expression parameters: {%s}", strings.Join(old.list(), ", "), strings.Join(expressions.list(), ", "))
		}
		return validationf("The parameter %s is not supported; use an expression instead", old.list()[0])
	}
	if r.has&inNames != 0 && expressions == 0 {
		return validation("ExpressionAttributeNames can only be specified when using expressions")
	}
	if r.has&inValues != 0 && expressions&^inProjection == 0 {
		possible := (r.accepts & inExpressions &^ inProjection).list()
		verb := "is"
		if len(possible) > 1 {
			verb = "are"
		}
		return validationf("ExpressionAttributeValues can only be specified when using expressions: %s %s null", strings.Join(possible, " and "), verb)
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
		return validation("ReturnValues can only be ALL_OLD or NONE")
	}
	return nil
}
