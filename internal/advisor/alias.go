// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"github.com/weftdb/weft/internal/advisor/design"
	"github.com/weftdb/weft/internal/advisor/report"
)

// What the advisor is handed; see package design.
type (
	// Design is all that the advisor judges.
	Design = design.Design
	// Table describes a table.
	Table = design.Table
	// Index is a secondary index.
	Index = design.Index
	// Key names the attributes of a key.
	Key = design.Key
	// Shape is a query without its literals.
	Shape = design.Shape
	// Bound is what a query says of one attribute.
	Bound = design.Bound
	// Operator is how a query binds an attribute.
	Operator = design.Operator
	// Attribute is what is known of an attribute beyond the sample.
	Attribute = design.Attribute
	// Heat is a count for one partition key.
	Heat = design.Heat
	// Sizes are sizes of items.
	Sizes = design.Sizes
	// Row is one item of the sample.
	Row = design.Row
	// Field is one attribute of an item.
	Field = design.Field
	// Value is the value of one attribute.
	Value = design.Value
)

// What the advisor answers; see package report.
type (
	// Report is what Advise found.
	Report = report.Report
	// Finding is one thing that is wrong or would pay.
	Finding = report.Finding
	// Figure is one line of evidence.
	Figure = report.Figure
	// Cost is what patterns cost together.
	Cost = report.Cost
	// PatternCost is what one pattern costs.
	PatternCost = report.PatternCost
	// Statement is a request of DynamoDB's API.
	Statement = report.Statement
	// Severity says how much a finding matters.
	Severity = report.Severity
)

// part and argument are a key attribute taken apart.
type (
	part     = design.Part
	argument = design.Argument
)

// Operators and severities.
const (
	Equal    = design.Equal
	Range    = design.Range
	Prefix   = design.Prefix
	Exists   = design.Exists
	Contains = design.Contains

	Advice   = report.Advice
	Warning  = report.Warning
	Critical = report.Critical
)
