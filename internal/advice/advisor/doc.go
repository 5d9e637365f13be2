// SPDX-License-Identifier: Apache-2.0

// Package advisor judges the keys of a table. It is handed a Design: the table and its indexes in DynamoDB's terms, the
// shapes of the queries (from a Log or from a file of access patterns, see Parse), a sample of items, and what was
// counted per key. Advise answers with findings: what is wrong or what would pay, the figures, what it costs before and
// after, and the request that changes it.
//
// # What a finding rests on
//
// Costs are index entries read per second, entries written per second and bytes stored. A path through a key is priced
// by the planner itself, package access: an index that might be made is handed to it as one that is there, with figures
// of its own (see layout). So an index that is proposed for a query is the one that the query takes once it is made.
// The shares that bounds keep come from the pattern, else from the values and the sample, else from how many items came
// back, else from Distinct; what had to be assumed is said in the finding's evidence. For Z-order indexes the planner
// gets the sample's keys, with codecs learned from its values.
//
// # Adding a rule
//
// A rule is a function from the study (the design with its sample counted) to findings, in a file of its own, and one
// line in the table in advise.go. Its tests are documents and findings in testdata.
//
// Knows: key schemas, names of computed keys, query shapes, samples, counts; the planner's question and its answer.
// Never: where they come from, how they are shown in a console, clocks, stores.
package advisor
