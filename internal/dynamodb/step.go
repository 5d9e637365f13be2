// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
)

// checkOrder lists AWS's checks of the requests of one operation, in order, before it looks for the table.
type checkOrder struct {
	// action is the action that the principal needs on the table; "" for requests of several tables, whose parts have
	// actions of their own.
	action string
	// leading returns the partition keys that the request is about, for policies; nil: it is about no single ones.
	leading func() []string
	// rows returns the items and keys of the request; nil: there is one at most, which is a member.
	rows func() []value.Row
	// indexed is the index of a statement of PartiQL, which has no member for it.
	indexed *text
	// fullScan, selected and returned return what policies can ask about statements of PartiQL, which have no members
	// for it; nil: the members say it.
	fullScan func() (string, bool)
	selected func() string
	returned func() ([]string, bool)
	// legacyKeys returns the key conditions of a Query that has no expression for them.
	legacyKeys func() []expression.KeyCondition

	words
	members []field
	steps   []step
	// index wants the index of a walk to be there; nil: the request is no walk.
	index func(*schema.Table) error
	// walkedKey is the key that a Query walks by.
	walkedKey func(*schema.Table) []schema.KeyPart

	// Those of the members that are of a sort, in their order; nil if there is none.
	expressions []expressionMember
	legacy      []member
	names       *nameMap
	values      *valueMap
	attributes  *attributes
}

// words is how an operation puts faults.
type words struct {
	// terse says that faults of single members name the member as the model does and leave its value out.
	terse bool
	// alone says that of several faults one of an enumeration is reported alone. That and terse are so only if the
	// request has a key.
	alone bool
	// enclosed says that faults of the request as a whole, too, stand behind "1 validation error detected: ".
	enclosed bool
	// older says that faults of attribute values have the words that they had before the summer of 2026.
	older bool
	// startKey says that the attribute values are those of a start key; withReason, that the report says what is wrong
	// with one. A faulty number, and with a reason a member that comes twice, is reported as everywhere.
	startKey, withReason bool
}

// field is a member of an operation's requests.
type field struct {
	name     string
	member   member
	required bool
	// rule adds what is wrong with the member by itself; nil if nothing can be.
	rule func(r *request, c *exception.Constraints)
}

// optional is a member without rules.
func optional(name string, m member) field { return field{name: name, member: m} }

// required is a member that must be there.
func required(name string, m member) field { return field{name: name, member: m, required: true} }

// table is TableName, which must be there.
func table(t *tableName) field {
	const name = "TableName"
	return field{name, t, true, func(r *request, c *exception.Constraints) { t.constrain(r, c, name) }}
}

// oneOf is an enumeration.
func oneOf(name string, t *text, values []string) field {
	return field{name, t, false, func(_ *request, c *exception.Constraints) { c.OneOf(true, t.value, name, values) }}
}

// withLength is a text of at least one and at most so many characters.
func withLength(name string, t *text, most int) field {
	return field{name, t, false, func(_ *request, c *exception.Constraints) { c.Length(true, t.value, name, most) }}
}

// inRange is a number with bounds; an upper one that is negative is none.
func inRange(name string, n *integer, least int64, most func(*Options) int64) field {
	return field{name, n, false, func(r *request,
		c *exception.Constraints) {
		c.Between(true, n.n, name, least, most(&r.limits))
	}}
}

func noUpperBound(*Options) int64   { return -1 }
func lastSegment(o *Options) int64  { return int64(o.SegmentsMax) - 1 }
func mostSegments(o *Options) int64 { return int64(o.SegmentsMax) }

// legacyField is a parameter that was there before expressions.
func legacyField(name string, m interface {
	member
	Constrain(faults *exception.Constraints, parameter string)
}) field {
	return field{name, m, false, func(_ *request, c *exception.Constraints) { m.Constrain(c, name) }}
}

// The members that many operations have.
func capacity(m *returnConsumedCapacity) field {
	return oneOf("ReturnConsumedCapacity", &m.text, []string{"INDEXES", "TOTAL", "NONE"})
}
func metrics(m *returnItemCollectionMetrics) field {
	return oneOf("ReturnItemCollectionMetrics", &m.text, []string{"SIZE", "NONE"})
}
func onFailure(m *returnOnFailure) field {
	return oneOf("ReturnValuesOnConditionCheckFailure", &m.text, []string{"ALL_OLD", "NONE"})
}
func operator(t *text) field   { return oneOf("ConditionalOperator", t, []string{"OR", "AND"}) }
func names(m *nameMap) field   { return optional("ExpressionAttributeNames", m) }
func values(m *valueMap) field { return optional("ExpressionAttributeValues", m) }

// returnValues is ReturnValues, of which terse messages spell one as AWS does.
func returnValues(t *text) field {
	return field{"ReturnValues", t, false, func(_ *request, c *exception.Constraints) {
		all := []string{"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"}
		if slices.Contains(all, t.value) {
			return
		}
		if c.Terse {
			all[len(all)-1] = "UPDATE_NEW"
		}
		c.Enum(t.value, "ReturnValues", all)
	}}
}

// selectionModes are the values of Select. // immutable
var selectionModes = []string{"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"}

// step is one check of a request as a whole.
type step struct {
	check func() error
	how   stepMode
}

// stepMode is how a step's fault is reported.
type stepMode uint8

const (
	enclosed stepMode = 1 << iota // behind "1 validation error detected: "
	bare                          // not behind that, although the operation's other faults are
)

// complete fills in the members by sort.
func (o checkOrder) complete() *checkOrder {
	for i := range o.members {
		switch m := o.members[i].member.(type) {
		case *nameMap:
			o.names = m
		case *valueMap:
			o.values = m
		case *attributes:
			o.attributes = m
		case expressionMember:
			o.expressions = append(o.expressions, m)
		}
		if slices.Contains(legacyNames, o.members[i].name) {
			o.legacy = append(o.legacy, o.members[i].member)
		}
	}
	return &o
}

// find returns the member of that name, nil if requests have none.
func (o *checkOrder) find(name []byte) member {
	for i := range o.members {
		if o.members[i].name == string(name) {
			return o.members[i].member
		}
	}
	return nil
}

// has reports whether a request has the member of that name.
func (o *checkOrder) has(name string) bool {
	m := o.find([]byte(name))
	return m != nil && m.IsGiven()
}

// newerDepthMax is the number of lists and maps around a value up to which AWS's newer validation reads a request. It
// leaves one with a deeper value to the older validation, whose words differ.
const newerDepthMax = 61

// olderWords are the words of the validation that all operations had before the summer of 2026. // immutable
var olderWords = words{older: true}

// words is how the faults of a request are put.
func (r *request) words() *words {
	if r.reader.Deepest() > newerDepthMax {
		return &olderWords
	}
	return &r.order.words
}

// constrain adds the faults of single members.
func (r *request) constrain(c *exception.Constraints) {
	for i := range r.order.members {
		f := &r.order.members[i]
		switch {
		case f.rule == nil && !f.required:
		case !f.member.IsGiven():
			if f.required {
				c.Null(f.name)
			}
		case f.rule != nil:
			f.rule(r, c)
		}
	}
}

// check judges a request: its members, then its steps.
func (r *request) check() error {
	c := r.beginConstraints()
	r.constrain(c)
	if err := c.Err(); err != nil {
		return err
	}
	return r.takeSteps()
}

// beginConstraints is for faults of members.
func (r *request) beginConstraints() *exception.Constraints {
	w := r.words()
	keyless := w.alone && !r.order.attributes.has
	r.constraints = exception.Constraints{Terse: w.terse && !keyless, Alone: w.alone && !keyless}
	return &r.constraints
}

// takeSteps judges the request as a whole.
func (r *request) takeSteps() error {
	for i := range r.order.steps {
		s := &r.order.steps[i]
		err := s.check()
		if err == nil {
			continue
		}
		if w := r.words(); s.how&enclosed != 0 && !w.older || w.enclosed && s.how&bare == 0 {
			return exception.Enclose(err)
		}
		return err
	}
	r.judged = true
	return nil
}

// checkAttributes tells what is wrong with the values of an item or a key.
func (r *request) checkAttributes() error {
	if r.order.attributes == nil {
		return nil
	}
	fault := r.order.attributes.fault
	if e, ok := fault.(*attributejson.ValueError); ok {
		return r.words().valueFault(e)
	}
	return fault
}

// valueFault puts a faulty attribute value into words.
func (w *words) valueFault(fault *attributejson.ValueError) error {
	switch {
	case w.older:
		return exception.Validation(fault.OlderText())
	case w.startKey && !fault.Number && !(fault.Repeat && w.withReason):
		return w.startKeyFault(fault.Text)
	}
	return exception.Validation(fault.Text)
}

// startKeyFault refuses a start key.
func (w *words) startKeyFault(reason string) error {
	if w.withReason {
		return exception.Validation(startKeyInvalid + ": " + reason)
	}
	return exception.Validation(startKeyInvalid)
}

const startKeyInvalid = "The provided starting key is invalid"

// placeholderFault puts the faulty value of a placeholder into words.
func (w *words) placeholderFault(placeholder string, fault *attributejson.ValueError) error {
	text := fault.Text
	switch {
	case w.older:
		text = fault.OlderText()
	case fault.Number || fault.Repeat:
		return exception.Validation(text)
	}
	return exception.Validation("ExpressionAttributeValues contains invalid value: " + text + " for key " + placeholder)
}

// The orders in which messages list expressions and the parameters that were there before them. // immutable
var (
	expressionNames = []string{"ProjectionExpression", "UpdateExpression", "FilterExpression", "ConditionExpression",
		"KeyConditionExpression"}
	legacyNames = []string{"AttributesToGet", "AttributeUpdates", "Expected", "QueryFilter", "ScanFilter",
		"ConditionalOperator", "KeyConditions"}
)

// hasAny reports whether a request has one of the members.
func hasAny[M member](list []M) bool {
	return slices.ContainsFunc(list, func(m M) bool { return m.IsGiven() })
}

// checkForms refuses expressions together with the older parameters.
func (r *request) checkForms() error {
	if !hasAny(r.order.legacy) || !hasAny(r.order.expressions) {
		return nil
	}
	return mixtureFault(r.order.has)
}

// mixtureFault names the expressions and the older parameters of a request that has both. KeyConditions may go with
// expressions, unless there is a KeyConditionExpression.
func mixtureFault(has func(name string) bool) error {
	given := func(names []string) (list []string) {
		for _, name := range names {
			if has(name) && (name != "KeyConditions" || has("KeyConditionExpression")) {
				list = append(list, name)
			}
		}
		return list
	}
	older, expressions := given(legacyNames), given(expressionNames)
	if len(older) == 0 || len(expressions) == 0 {
		return nil
	}
	return exception.Validation("Can not use both expression and non-expression parameters in the same request: " +
		"Non-expression parameters: {" + strings.Join(older, ", ") + "} Expression parameters: {" +
		strings.Join(expressions, ", ") + "}")
}

// checkPlaceholders refuses placeholders for no expression.
func (r *request) checkPlaceholders() error {
	names, values := r.order.names, r.order.values
	if names != nil && names.has && !hasAny(r.order.expressions) {
		return exception.Validation("ExpressionAttributeNames can only be specified when using expressions")
	}
	if values == nil || !values.has || slices.ContainsFunc(r.order.expressions,
		func(e expressionMember) bool { return e.IsGiven() && takesValues(e) }) {
		return nil
	}
	text := "ExpressionAttributeValues can only be specified when using expressions"
	if r.words().enclosed {
		return exception.Validation(text)
	}
	var possible []string
	for _, name := range expressionNames[1:] {
		if r.order.find([]byte(name)) != nil {
			possible = append(possible, name)
		}
	}
	verb := " is null"
	if len(possible) > 1 {
		verb = " are null"
	}
	return exception.Validation(text + ": " + strings.Join(possible, " and ") + verb)
}

// takesValues reports whether there may be placeholders of values in an expression: in all but projections.
func takesValues(e expressionMember) bool {
	_, projects := e.(*projectionExpression)
	return !projects
}

// checkReturnValues refuses what only UpdateItem answers.
func (w *itemWrite) checkReturnValues() error {
	if m := &w.returnValues; m.has && m.value != "NONE" && m.value != "ALL_OLD" {
		return exception.Validation("ReturnValues can only be ALL_OLD or NONE")
	}
	return nil
}

// checkOperator refuses a ConditionalOperator without a filter.
func (w *walk) checkOperator() error {
	if !w.operator.has {
		return nil
	}
	return w.legacyFilter.CheckJoin(w.operator.value)
}

// checkSelect judges Select by the rest of the request.
func (w *walk) checkSelect() error {
	projected := w.projects()
	switch {
	case w.selected.value == "SPECIFIC_ATTRIBUTES" && !projected:
		return exception.Validation("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
	case w.selected.value == "ALL_PROJECTED_ATTRIBUTES" && !w.indexName.has:
		verb := "Scanning"
		if w.isQuery() {
			verb = "Querying"
		}
		return exception.Validation("ALL_PROJECTED_ATTRIBUTES can be used only when " + verb + " using an IndexName")
	case !projected || w.selected.value == "" || w.selected.value == "SPECIFIC_ATTRIBUTES":
		return nil
	}
	parameter, selected := "ProjectionExpression", w.selected.value
	if !w.projection.expression.has {
		parameter = "AttributesToGet"
	}
	if selected == "COUNT" {
		selected = "only the Count"
	}
	return exception.Validation("Cannot specify the " + parameter + " when choosing to get " + selected)
}

// checkSegments judges Segment and TotalSegments together.
func (s *scan) checkSegments() error {
	switch {
	case s.segment.has && !s.segments.has:
		return exception.Validation("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case !s.segment.has && s.segments.has:
		return exception.Validation("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	case s.segment.has && s.segment.n >= s.segments.n:
		return exception.Validation("The Segment parameter is zero-based and must be less than parameter TotalSegments")
	}
	return nil
}

// checkKeyCondition wants a Query to have one.
func (q *query) checkKeyCondition() error {
	if !q.keyCondition.has && !q.keyConditions.IsGiven() {
		return exception.Validation("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	return nil
}
