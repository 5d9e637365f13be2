// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/base64"
	"slices"
	"strings"
)

// Which types of literals operators and functions take at each place. "" is any. // immutable
var operandTypes = map[string][]string{
	"<": {"S N B", "S N B"}, "<=": {"S N B", "S N B"}, ">": {"S N B", "S N B"}, ">=": {"S N B", "S N B"},
	"BETWEEN": {"S N B", "S N B", "S N B"}, "begins_with": {"S B", "S B"}, "contains": {"S B SS NS BS L", ""},
	"size": {"S B SS NS BS L M"}, "attribute_type": {"", "S"}, "+": {"N", "N"}, "-": {"N", "N"},
	"list_append": {"L", "L"},
}

// staticFaults lists what is wrong with a request, or with a part of one of the operation, whatever is stored; DynamoDB
// tells one of them.
func (r *Request) staticFaults(operation string) []string {
	older := keepsOlder(operation)
	texts := slices.Concat(r.Key.faults(older), r.Item.faults(older), r.Start.faults(older),
		r.placeholderFaults(operation), r.expressionFaults())
	return append(enclosed(operation, texts), r.Item.tooLarge()...)
}

// placeholderFaults lists what is wrong with the values of placeholders.
func (r *Request) placeholderFaults(operation string) (texts []string) {
	// but for what a value contains: no number, or a member that comes twice
	enclosed := func(v *Value, text string) bool {
		return keepsOlder(operation) || v.Type != "N" && !strings.HasSuffix(text, "contains duplicates.")
	}
	for placeholder, v := range r.Values {
		for _, text := range v.faults(keepsOlder(operation)) {
			if enclosed(v, text) {
				text = "ExpressionAttributeValues contains invalid value: " + text + " for key " + placeholder
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// expressionFaults lists what is wrong with the expressions.
func (r *Request) expressionFaults() (texts []string) {
	texts = append(texts, prefixed("Invalid ConditionExpression: ", r.Condition.faults())...)
	texts = append(texts, prefixed("Invalid FilterExpression: ", r.Filter.faults())...)
	texts = append(texts, prefixed("Invalid ProjectionExpression: ", clashes(r.Projection))...)
	texts = append(texts, prefixed("Invalid UpdateExpression: ", actionFaults(r.Actions))...)
	for _, test := range r.KeyTests {
		operands := []Operand{&Path{Name: test.Name}}
		for _, v := range test.Values {
			operands = append(operands, v)
		}
		texts = append(texts, prefixed("Invalid KeyConditionExpression: ",
			(&Condition{Op: test.Op, Operands: operands}).faults())...)
	}
	return texts
}

// scalarFaults refuses paths that lead into keys of the table or of its indexes. An index that is not there is told
// before them, and so is that an UpdateItem changes the table's key.
func (t *Table) scalarFaults(r *Request) (texts []string) {
	x, keys := t.index(r.Index), t.key()
	if x == nil {
		return nil
	}
	for _, x := range t.Indexes {
		keys = append(keys, x.key()...)
	}
	refuse := func(paths []Path, allowed []string) {
		for _, path := range paths {
			if len(path.Steps) > 0 && slices.Contains(namesOf(keys), path.Name) &&
				!slices.Contains(allowed, path.Name) {
				texts = append(texts, "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: …")
			}
		}
	}
	refuse(slices.Concat(r.Projection, r.Condition.paths()), nil)
	updated := len(texts)
	// that the table's key can't be changed is told later
	refuse(r.touched("SET", "REMOVE", "ADD", "DELETE"), namesOf(t.key()))
	if touched := t.touchFaults(r); r.Operation == "UpdateItem" && len(texts) > updated && len(touched) > 0 {
		texts = append(texts[:updated], touched...)
	}
	var walked []string
	if r.Operation == "Query" {
		walked = namesOf(x.key()) // that they have no place in a filter, too
	}
	refuse(r.Filter.paths(), walked)
	return texts
}

func prefixed(prefix string, texts []string) []string {
	for i := range texts {
		texts[i] = prefix + texts[i]
	}
	return texts
}

// faults lists what is wrong with a condition by itself.
func (c *Condition) faults() (texts []string) {
	if c == nil {
		return nil
	}
	for _, part := range c.Parts {
		texts = append(texts, part.faults()...)
	}
	texts = append(texts, callFaults(c.Op, c.Operands)...)
	if len(c.Operands) > 1 {
		first, isPath := c.Operands[0].(*Path)
		for _, o := range c.Operands[1:] {
			if other, ok := o.(*Path); ok && isPath && other.key() == first.key() {
				texts = append(texts, "The first operand must be distinct from the remaining operands for this operator or function; operator: "+
					c.Op+", first operand: "+first.text())
			}
		}
	}
	if c.Op == "BETWEEN" {
		texts = append(texts, boundFaults(c.Operands[1], c.Operands[2])...)
	}
	return texts
}

func callFaults(op string, operands []Operand) (texts []string) {
	wanted := operandTypes[op]
	for i, o := range operands {
		if call, ok := o.(*Call); ok {
			texts = append(texts, callFaults(call.Function, call.Operands)...)
		}
		if i < len(wanted) && wanted[i] != "" {
			if kind := staticType(o); kind != "" && !slices.Contains(strings.Fields(wanted[i]), kind) {
				texts = append(texts, "Incorrect operand type for operator or function; operator or function: "+op+
					", operand type: "+kind)
			}
		}
	}
	if op == "attribute_type" {
		if v, ok := operands[1].(*Value); ok && v.Type == "S" &&
			!slices.Contains(strings.Fields("S N B BOOL NULL L M SS NS BS"), v.Text) {
			texts = append(texts, "Invalid attribute type name found; type: "+v.Text+
				", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}")
		}
	}
	return texts
}

// staticType is the type that an operand has for every item, or "".
func staticType(o Operand) string {
	switch o := o.(type) {
	case *Value:
		return o.Type
	case *Call:
		switch o.Function {
		case "size", "+", "-":
			return "N"
		case "list_append":
			return "L"
		}
	}
	return ""
}

func boundFaults(low, high Operand) []string {
	a, okA := low.(*Value)
	b, okB := high.(*Value)
	if !okA || !okB || !isScalar(a.Type) || !isScalar(b.Type) {
		return nil
	}
	rule := "same data type for lower and upper bounds"
	if a.Type == b.Type {
		if order(a, b) <= 0 {
			return nil
		}
		rule = "upper bound to be greater than or equal to lower bound"
	}
	return []string{"The BETWEEN operator requires " + rule + "; lower bound operand: AttributeValue: " + a.bound() +
		", upper bound operand: AttributeValue: " + b.bound()}
}

func (v *Value) bound() string {
	content := v.Text
	switch v.Type {
	case "N":
		content = v.Number.String()
	case "B":
		content = base64.StdEncoding.EncodeToString([]byte(v.Text))
	}
	return "{" + v.Type + ":" + content + "}"
}

// longNames are types as the texts about ADD and DELETE have them. // immutable
var longNames = map[string]string{"S": "STRING", "N": "NUMBER", "B": "BINARY", "BOOL": "BOOLEAN", "NULL": "NULL",
	"L": "LIST", "M": "MAP"}

func actionFaults(actions []Action) (texts []string) {
	var paths []Path
	for _, verb := range []string{"SET", "REMOVE", "ADD", "DELETE"} {
		for _, a := range actions {
			if a.Verb != verb {
				continue
			}
			paths = append(paths, a.Path)
			v, isValue := a.To.(*Value)
			switch {
			case verb == "SET":
				if call, ok := a.To.(*Call); ok {
					texts = append(texts, callFaults(call.Function, call.Operands)...)
				}
			case isValue && !v.isSet() && (verb == "DELETE" || v.Type != "N"):
				texts = append(texts, "Incorrect operand type for operator or function; operator: "+verb+
					", operand type: "+longNames[v.Type]+
					", typeSet: ALLOWED_FOR_"+verb+"_OPERAND")
			}
		}
	}
	texts = append(texts, clashes(paths)...)
	slices.Reverse(paths) // which of two sections is told first is left open
	return append(texts, clashes(paths)...)
}
