// SPDX-License-Identifier: Apache-2.0

// Package tablefile reads definitions of tables from files: CreateTable requests, descriptions of DescribeTable,
// templates of CloudFormation and plans of Terraform. Each definition becomes requests of DynamoDB's API.
//
// Knows: those formats, JSON and YAML, the intrinsic functions of CloudFormation whose values are in the template.
// Never: files, databases, whether a request is right.
package tablefile

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Options are the values that templates may refer to.
type Options struct {
	// Region and AccountID stand for AWS::Region and AWS::AccountId, Stack for AWS::StackName.
	Region, AccountID, Stack string
}

// Table is a table as a file defines it.
type Table struct {
	Name string
	Line int // where its definition begins
	// Requests make the table: CreateTable, then those of settings that it does not take.
	Requests []Request
	// Passed names the properties that became no request, since they are about AWS alone.
	Passed []string
}

// Request is a request of DynamoDB's API.
type Request struct {
	Operation string
	Body      json.RawMessage
}

// Error is a fault of a file.
type Error struct {
	Line int // from 1 on; 0 if it is not known
	Text string
}

// Error names the line.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

func faultAt(n *yaml.Node, format string, args ...any) error {
	return &Error{n.Line, fmt.Sprintf(format, args...)}
}

// Read reads the definitions of a file, JSON or YAML, whose form is told by its members. Errors: *Error.
func Read(text []byte, o Options) (tables []Table, err error) {
	documents, err := parse(text)
	if err != nil {
		return nil, err
	}
	for _, document := range documents {
		more, err := readDocument(document, o)
		if err != nil {
			return nil, err
		}
		tables = append(tables, more...)
	}
	if len(tables) == 0 {
		return nil, &Error{Text: "it defines no table"}
	}
	return tables, nil
}

func readDocument(n *yaml.Node, o Options) (tables []Table, err error) {
	if n.Kind == yaml.SequenceNode {
		for _, element := range n.Content {
			more, err := readDocument(element, o)
			if err != nil {
				return nil, err
			}
			tables = append(tables, more...)
		}
		return tables, nil
	}
	for _, wrapper := range []string{"Table", "TableDescription"} { // of the answers of DescribeTable and CreateTable
		if inner := member(n, wrapper); inner != nil {
			n = inner
		}
	}
	switch {
	case member(n, "TableName") != nil:
		table, err := definition(n, n.Line)
		return []Table{table}, err
	case member(n, "Resources") != nil:
		return (&template{root: n, options: o}).tables()
	case member(n, "planned_values") != nil:
		return modules(member(member(n, "planned_values"), "root_module"))
	case member(n, "values") != nil:
		return modules(member(member(n, "values"), "root_module"))
	}
	return nil, faultAt(n, "there is neither a CreateTable request nor the output of describe-table, a template of "+
		"CloudFormation, or the output of terraform show -json")
}
