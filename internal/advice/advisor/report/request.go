// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
)

// The parts of CreateTable's and UpdateTable's bodies, in the order in which they are printed.
type (
	keySchemaElement struct{ AttributeName, KeyType string }
	projection       struct{ ProjectionType string }
	tag              struct{ Key, Value string }
	indexDefinition  struct {
		IndexName  string
		KeySchema  []keySchemaElement
		Projection projection
	}
	indexName   struct{ IndexName string }
	indexUpdate struct {
		Create *indexDefinition `json:",omitempty"`
		Delete *indexName       `json:",omitempty"`
	}
	updateTable struct {
		TableName                   string
		AttributeDefinitions        []Definition `json:",omitempty"`
		GlobalSecondaryIndexUpdates []indexUpdate
	}
	createTable struct {
		TableName              string
		BillingMode            string
		AttributeDefinitions   []Definition
		KeySchema              []keySchemaElement
		LocalSecondaryIndexes  []indexDefinition `json:",omitempty"`
		GlobalSecondaryIndexes []indexDefinition `json:",omitempty"`
		Tags                   []tag             `json:",omitempty"`
	}
)

// Definition is the type of a key attribute: S, N or B.
type Definition struct{ AttributeName, AttributeType string }

// NewIndex is an index to be made, with a projection of everything. Key is the partition key, then perhaps the sort
// key.
type NewIndex struct {
	Name string
	Key  []string
}

// NewTable is a table to be made.
type NewTable struct {
	Name        string
	Key         []string
	Definitions []Definition
	Local       []NewIndex
	Global      []NewIndex
	Hashed      bool // with the tag weft:distribution=hash
}

// CreateIndex is the UpdateTable that adds an index to a table. definitions are the definitions of the index's key.
func CreateIndex(table string, definitions []Definition, x NewIndex) Statement {
	created := x.definition()
	return statement("UpdateTable", updateTable{table, definitions, []indexUpdate{{Create: &created}}})
}

// DropIndex is the UpdateTable that removes an index from a table.
func DropIndex(table, name string) Statement {
	return statement("UpdateTable", updateTable{TableName: table,
		GlobalSecondaryIndexUpdates: []indexUpdate{{Delete: &indexName{name}}}})
}

// CreateTable is the CreateTable of a table that is billed per request.
func CreateTable(t NewTable) Statement {
	c := createTable{TableName: t.Name, BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: t.Definitions,
		KeySchema: keySchema(t.Key)}
	for _, x := range t.Local {
		c.LocalSecondaryIndexes = append(c.LocalSecondaryIndexes, x.definition())
	}
	for _, x := range t.Global {
		c.GlobalSecondaryIndexes = append(c.GlobalSecondaryIndexes, x.definition())
	}
	if t.Hashed {
		c.Tags = []tag{{"weft:distribution", "hash"}}
	}
	return statement("CreateTable", c)
}

func (x NewIndex) definition() indexDefinition {
	return indexDefinition{x.Name, keySchema(x.Key), projection{"ALL"}}
}

// keySchema lists a key's attributes: the first is HASH, the next RANGE.
func keySchema(key []string) []keySchemaElement {
	var list []keySchemaElement
	for i, name := range key {
		kind := "RANGE"
		if i == 0 {
			kind = "HASH"
		}
		list = append(list, keySchemaElement{name, kind})
	}
	return list
}

// statement writes a request's body.
func statement(operation string, input any) Statement {
	return Statement{Operation: operation, Input: bytes.TrimSpace(encode(input))}
}
