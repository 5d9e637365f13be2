// SPDX-License-Identifier: Apache-2.0

package layer

import "strings"

// Step is one check of a request as a whole.
type Step uint8

// The steps. Fault does those that need no more than the members; the caller does the others.
const (
	CheckReturns      Step = iota // ReturnValues is one that the operation can answer
	CheckForms                    // expressions and their older form don't mix
	CheckPlaceholders             // placeholders come with an expression
	WantItems                     // a BatchWriteItem has RequestItems
	CheckSelect                   // Select goes with the projection and the index
	CheckSegments                 // Segment goes with TotalSegments
	WantKeyCondition              // a Query has one
	CheckOperator                 // the caller's: ConditionalOperator comes with what it joins
	ParseExpressions              // the caller's: placeholders, then each expression, then that all placeholders are used
	ParseOlder                    // the caller's: the older form of expressions
)

// AfterValues says whether a faulty value of an item or a key is told before the step's fault.
func (r *Row) AfterValues(s Step) bool {
	startKey := r.Takes&ExclusiveStartKey != 0
	return s >= CheckSelect && s != CheckOperator && (s != ParseOlder || !startKey)
}

// Given is what a request has.
type Given struct {
	Has                    Members
	ReturnValues, Select   string
	Segment, TotalSegments int64
}

// Fault is what a step finds wrong in a request, as the operation's row words it, or "".
func (r *Row) Fault(s Step, g *Given) string {
	fault := ""
	switch s {
	case CheckReturns:
		if g.Has&ReturnValues != 0 && g.ReturnValues != "NONE" && g.ReturnValues != "ALL_OLD" {
			fault = "ReturnValues can only be ALL_OLD or NONE"
		}
	case CheckForms:
		fault = g.mixture()
	case CheckPlaceholders:
		fault = r.placeholders(g)
	case WantItems:
		if g.Has&RequestItems == 0 {
			fault = "The requestItems parameter is required for " + r.Operation
		}
	case CheckSelect:
		fault = r.selection(g)
	case CheckSegments:
		fault = g.segments()
	case WantKeyCondition:
		if g.Has&(KeyCondition|KeyConditions) == 0 {
			fault = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
		}
	}
	return fault
}

// Encloses says whether a step's fault stands behind "1 validation error detected: ".
func (r *Row) Encloses(s Step) bool { return r.Enclosed || s == CheckSelect }

// mixture names the older parameters and the expressions of a request that has both. KeyConditions may stand beside expressions, unless there is a
// KeyConditionExpression.
func (g *Given) mixture() string {
	older, expressions := g.Has&Older, g.Has&Expressions
	if g.Has&KeyCondition == 0 {
		older &^= KeyConditions
	}
	if older == 0 || expressions == 0 {
		return ""
	}
	return "Can not use both expression and non-expression parameters in the same request: " +
		"Non-expression parameters: {" + strings.Join(older.List(), ", ") + "} Expression parameters: {" + strings.Join(expressions.List(), ", ") + "}"
}

// placeholders refuses placeholders for no expression.
func (r *Row) placeholders(g *Given) string {
	expressions := g.Has & Expressions
	if g.Has&Names != 0 && expressions == 0 {
		return "ExpressionAttributeNames can only be specified when using expressions"
	}
	if g.Has&Values == 0 || expressions&^Projection != 0 {
		return ""
	}
	const text = "ExpressionAttributeValues can only be specified when using expressions"
	if r.Enclosed {
		return text
	}
	possible := (r.Takes & Expressions &^ Projection).List()
	if len(possible) > 1 {
		return text + ": " + strings.Join(possible, " and ") + " are null"
	}
	return text + ": " + strings.Join(possible, "") + " is null"
}

// selection judges Select by what else is in the request.
func (r *Row) selection(g *Given) string {
	projected := g.Has&Projected != 0
	switch {
	case g.Select == "SPECIFIC_ATTRIBUTES" && !projected:
		return "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
	case g.Select == "ALL_PROJECTED_ATTRIBUTES" && g.Has&IndexName == 0:
		verb := "Scanning"
		if r.Takes&KeyCondition != 0 {
			verb = "Querying"
		}
		return "ALL_PROJECTED_ATTRIBUTES can be used only when " + verb + " using an IndexName"
	case !projected || g.Select == "" || g.Select == "SPECIFIC_ATTRIBUTES":
		return ""
	}
	parameter, what := "ProjectionExpression", g.Select
	if g.Has&Projection == 0 {
		parameter = "AttributesToGet"
	}
	if g.Select == "COUNT" {
		what = "only the Count"
	}
	return "Cannot specify the " + parameter + " when choosing to get " + what
}

// segments judges Segment and TotalSegments together.
func (g *Given) segments() string {
	switch {
	case g.Has&Segment != 0 && g.Has&TotalSegments == 0:
		return "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"
	case g.Has&Segment == 0 && g.Has&TotalSegments != 0:
		return "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"
	case g.Has&Segment != 0 && g.Segment >= g.TotalSegments:
		return "The Segment parameter is zero-based and must be less than parameter TotalSegments"
	}
	return ""
}
