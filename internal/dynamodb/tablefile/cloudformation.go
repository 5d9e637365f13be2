// SPDX-License-Identifier: Apache-2.0

package tablefile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// template is a template of CloudFormation.
type template struct {
	root    *yaml.Node
	options Options
	depth   int // of what is being resolved
	calls   int // of resolve
}

// Types of resources.
const (
	tableType       = "AWS::DynamoDB::Table"
	globalTableType = "AWS::DynamoDB::GlobalTable"
	simpleTableType = "AWS::Serverless::SimpleTable"
)

// tables reads the tables among the resources.
func (t *template) tables() (tables []Table, err error) {
	resources := member(t.root, "Resources")
	if resources.Kind != yaml.MappingNode {
		return nil, faultAt(resources, "Resources can't be %s: write an object", kindOf(resources))
	}
	for i := 0; i+1 < len(resources.Content); i += 2 {
		id, resource := resources.Content[i], resources.Content[i+1]
		if !isTable(resource) {
			continue
		}
		properties, err := t.properties(id.Value, resource)
		if err != nil {
			return nil, err
		}
		table, err := definition(properties, id.Line)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

func isTable(resource *yaml.Node) bool {
	kind := textOf(resource, "Type")
	return kind == tableType || kind == globalTableType || kind == simpleTableType
}

// properties are the properties of a table, their values resolved as far as they are of use. A table without a name is
// called as its resource is.
func (t *template) properties(id string, resource *yaml.Node) (*yaml.Node, error) {
	out := &yaml.Node{Kind: yaml.MappingNode, Line: resource.Line}
	given := member(resource, "Properties")
	if given != nil && given.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(given.Content); i += 2 {
			name, value := given.Content[i], given.Content[i+1]
			if name.Value == "PrimaryKey" { // see simpleKey
				continue
			}
			if properties[name.Value] != 0 {
				resolved, err := t.resolve(value)
				if err != nil {
					return nil, err
				}
				if value = resolved; value == nil {
					continue // AWS::NoValue
				}
			}
			out.Content = append(out.Content, name, value)
		}
	}
	add := func(name string, value *yaml.Node) {
		out.Content = append(out.Content, scalar(name, value.Line), value)
	}
	if member(out, "TableName") == nil {
		add("TableName", scalar(id, resource.Line))
	}
	switch textOf(resource, "Type") {
	case globalTableType: // its capacities are others
		out.Content = slices.Concat(out.Content, pair("BillingMode", payPerRequest, resource.Line))
	case simpleTableType:
		keys, err := t.simpleKey(given)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, keys...)
	}
	return out, nil
}

// simpleKey is the key of a table of SAM, as other tables have it.
func (t *template) simpleKey(given *yaml.Node) ([]*yaml.Node, error) {
	name, kind, line := "id", "String", 0
	if key := member(given, "PrimaryKey"); key != nil {
		resolved, err := t.resolve(key)
		if err != nil {
			return nil, err
		}
		name, kind, line = textOf(resolved, "Name"), textOf(resolved, "Type"), key.Line
	}
	one := func(name string, members ...*yaml.Node) []*yaml.Node {
		inner := &yaml.Node{Kind: yaml.MappingNode, Line: line, Content: members}
		return []*yaml.Node{scalar(name, line), {Kind: yaml.SequenceNode, Line: line, Content: []*yaml.Node{inner}}}
	}
	attribute := pair("AttributeName", name, line)
	return slices.Concat(
		one("AttributeDefinitions", slices.Concat(attribute, pair("AttributeType", kind[:min(1, len(kind))], line))...),
		one("KeySchema", slices.Concat(attribute, pair("KeyType", "HASH", line))...)), nil
}

func scalar(text string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: line}
}

func pair(name, value string, line int) []*yaml.Node {
	return []*yaml.Node{scalar(name, line), scalar(value, line)}
}

// depthMax bounds how deep values may refer to others.
const depthMax = 64

// resolve returns a value without intrinsic functions; nil for AWS::NoValue.
func (t *template) resolve(n *yaml.Node) (*yaml.Node, error) {
	t.calls++
	if t.depth++; t.depth > depthMax || t.calls > nodesMax {
		return nil, faultAt(n, "its values refer to each other without an end")
	}
	defer func() { t.depth-- }()
	n = target(n)
	if function, argument := intrinsic(n); function != "" {
		return t.call(n, function, argument)
	}
	if n.Kind == yaml.ScalarNode {
		return n, nil
	}
	out := *n
	out.Content = nil
	for i, element := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		value, err := t.resolve(element)
		switch {
		case err != nil:
			return nil, err
		case value == nil:
		case n.Kind == yaml.MappingNode:
			out.Content = append(out.Content, n.Content[i-1], value)
		default:
			out.Content = append(out.Content, value)
		}
	}
	return &out, nil
}

// intrinsic returns the function that a node calls, in the short form of YAML or the long one; "" if it calls none.
func intrinsic(n *yaml.Node) (function string, argument *yaml.Node) {
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 {
		name, found := strings.CutPrefix(n.Content[0].Value, "Fn::")
		if found || name == "Ref" || name == "Condition" {
			return name, target(n.Content[1])
		}
	}
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		plain := *n
		plain.Tag = "!!str"
		return n.Tag[1:], &plain
	}
	return "", nil
}
