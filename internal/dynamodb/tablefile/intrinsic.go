// SPDX-License-Identifier: Apache-2.0

package tablefile

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// call is the value of an intrinsic function at a node; nil for AWS::NoValue.
func (t *template) call(n *yaml.Node, function string, argument *yaml.Node) (*yaml.Node, error) {
	var text string
	var err error
	switch {
	case function == "Ref" && argument.Value == "AWS::NoValue":
		return nil, nil
	case function == "Ref":
		text, err = t.reference(n, argument.Value)
	case function == "Sub":
		text, err = t.substitute(n, argument)
	case function == "GetAtt":
		text, err = t.attribute(n, argument)
	case function == "Join":
		text, err = t.join(n, argument)
	default:
		err = faultAt(n, "Fn::%s is worked out by CloudFormation alone: write its value here", function)
	}
	return scalar(text, n.Line), err
}

// reference is the value of a parameter, a pseudo parameter or a table.
func (t *template) reference(n *yaml.Node, name string) (string, error) {
	switch name {
	case "AWS::Region":
		return t.options.Region, nil
	case "AWS::AccountId":
		return t.options.AccountID, nil
	case "AWS::StackName":
		return t.options.Stack, nil
	case "AWS::Partition":
		return "aws", nil
	}
	if parameter := member(member(t.root, "Parameters"), name); parameter != nil {
		if value := member(parameter, "Default"); value != nil && value.Kind == yaml.ScalarNode {
			return value.Value, nil
		}
		return "", faultAt(n, "the parameter %s has no default: give it one, or write its value here", name)
	}
	if resource := member(member(t.root, "Resources"), name); resource != nil && isTable(resource) {
		return t.nameOf(name, resource)
	}
	return "", faultAt(n, "%s is neither a parameter nor a table of this template: write its value here", name)
}

// nameOf is the name of a table.
func (t *template) nameOf(id string, resource *yaml.Node) (string, error) {
	given := member(member(resource, "Properties"), "TableName")
	if given == nil {
		return id, nil
	}
	return t.text(given)
}

// text resolves a value that must be a text.
func (t *template) text(n *yaml.Node) (string, error) {
	resolved, err := t.resolve(n)
	if err != nil {
		return "", err
	}
	if resolved == nil || resolved.Kind != yaml.ScalarNode {
		return "", faultAt(n, "a text is wanted here, not %s", kindOf(n))
	}
	return resolved.Value, nil
}

// substitute is Fn::Sub of a text, or of one and an object of its own variables.
func (t *template) substitute(n, argument *yaml.Node) (string, error) {
	var own *yaml.Node
	if argument.Kind == yaml.SequenceNode && len(argument.Content) == 2 {
		argument, own = target(argument.Content[0]), target(argument.Content[1])
	}
	if argument.Kind != yaml.ScalarNode {
		return "", faultAt(n, "Fn::Sub takes a text, or a text and an object")
	}
	var out strings.Builder
	for rest := argument.Value; ; {
		before, after, found := strings.Cut(rest, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, behind, closed := strings.Cut(after, "}")
		if !closed {
			return "", faultAt(n, "${%s has no end", after)
		}
		value, err := t.variable(n, own, name)
		if err != nil {
			return "", err
		}
		out.WriteString(value)
		rest = behind
	}
}

// variable is the value of ${name}.
func (t *template) variable(n, own *yaml.Node, name string) (string, error) {
	if literal, found := strings.CutPrefix(name, "!"); found {
		return "${" + literal + "}", nil
	}
	if value := member(own, name); value != nil {
		return t.text(value)
	}
	if strings.Contains(name, ".") {
		return t.attribute(n, scalar(name, n.Line))
	}
	return t.reference(n, name)
}

// attribute is Fn::GetAtt: of tables, whose ARN is known before they are made.
func (t *template) attribute(n, argument *yaml.Node) (string, error) {
	path := argument.Value
	if argument.Kind == yaml.SequenceNode {
		parts := make([]string, len(argument.Content))
		for i, part := range argument.Content {
			parts[i] = part.Value
		}
		path = strings.Join(parts, ".")
	}
	id, name, _ := strings.Cut(path, ".")
	resource := member(member(t.root, "Resources"), id)
	if resource == nil || !isTable(resource) || name != "Arn" {
		return "", faultAt(n, "%s is known to CloudFormation alone: write its value here", path)
	}
	table, err := t.nameOf(id, resource)
	return fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/%s", t.options.Region, t.options.AccountID, table), err
}

// join is Fn::Join of a separator and a list.
func (t *template) join(n, argument *yaml.Node) (string, error) {
	if argument.Kind != yaml.SequenceNode || len(argument.Content) != 2 {
		return "", faultAt(n, "Fn::Join takes a separator and a list")
	}
	elements := target(argument.Content[1])
	if elements.Kind != yaml.SequenceNode || len(elements.Content) == 0 {
		return "", faultAt(n, "Fn::Join takes a separator and a list")
	}
	parts := make([]string, len(elements.Content))
	for i, element := range elements.Content {
		var err error
		if parts[i], err = t.text(element); err != nil {
			return "", err
		}
	}
	return strings.Join(parts, argument.Content[0].Value), nil
}
