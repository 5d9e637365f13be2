// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The parts of CreateTable's and UpdateTable's bodies, in the order in which they are printed.
type (
	attributeDefinition struct{ AttributeName, AttributeType string }
	keySchemaElement    struct{ AttributeName, KeyType string }
	projection          struct{ ProjectionType string }
	tag                 struct{ Key, Value string }
	indexDefinition     struct {
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
		AttributeDefinitions        []attributeDefinition `json:",omitempty"`
		GlobalSecondaryIndexUpdates []indexUpdate
	}
	createTable struct {
		TableName              string
		BillingMode            string
		AttributeDefinitions   []attributeDefinition
		KeySchema              []keySchemaElement
		LocalSecondaryIndexes  []indexDefinition `json:",omitempty"`
		GlobalSecondaryIndexes []indexDefinition `json:",omitempty"`
		Tags                   []tag             `json:",omitempty"`
	}
)

// keySchema lists a key's attributes; in a key of more than two, which CreateTable refuses, all but the first are RANGE.
func keySchema(key Key) []keySchemaElement {
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

// definitions lists the types of the attributes of keys, each once.
func (s *study) definitions(keys ...Key) []attributeDefinition {
	var list []attributeDefinition
	for _, key := range keys {
		for _, name := range key {
			if !slices.ContainsFunc(list, func(d attributeDefinition) bool { return d.AttributeName == name }) {
				list = append(list, attributeDefinition{name, s.keyType(name)})
			}
		}
	}
	return list
}

// createIndex is the UpdateTable that adds an index.
func (s *study) createIndex(name string, key Key) Statement {
	index := indexDefinition{name, keySchema(key), projection{"ALL"}}
	return statement("UpdateTable", updateTable{s.Table.Name, s.definitions(key), []indexUpdate{{Create: &index}}})
}

// dropIndex is the UpdateTable that removes an index.
func (s *study) dropIndex(name string) Statement {
	return statement("UpdateTable", updateTable{TableName: s.Table.Name, GlobalSecondaryIndexUpdates: []indexUpdate{{Delete: &indexName{name}}}})
}

// createTable is the CreateTable of a copy of the table with another key. Its name is the table's with -2 behind it. Local indexes keep
// their sort keys.
func (s *study) createTable(key Key, hashed bool) Statement {
	c := createTable{TableName: s.Table.Name + "-2", BillingMode: "PAY_PER_REQUEST", KeySchema: keySchema(key)}
	keys := []Key{key}
	for _, x := range s.Table.Indexes {
		d := indexDefinition{x.Name, keySchema(x.Key), projection{"ALL"}}
		if x.Local && len(key) == 2 && x.Key[0] != key[0] {
			d.KeySchema[0].AttributeName = key[0]
		}
		if x.Local {
			c.LocalSecondaryIndexes = append(c.LocalSecondaryIndexes, d)
		} else {
			c.GlobalSecondaryIndexes = append(c.GlobalSecondaryIndexes, d)
		}
		var names Key
		for _, k := range d.KeySchema {
			names = append(names, k.AttributeName)
		}
		keys = append(keys, names)
	}
	c.AttributeDefinitions = s.definitions(keys...)
	if hashed {
		c.Tags = []tag{{"weft:distribution", "hash"}}
	}
	return statement("CreateTable", c)
}

// statement writes a request's body.
func statement(operation string, input any) Statement {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(input); err != nil { // strings and slices only: it can't fail
		return Statement{Operation: operation}
	}
	return Statement{Operation: operation, Input: json.RawMessage(bytes.TrimSpace(b.Bytes()))}
}

// indexName makes a name for an index out of its key, of the characters and the length that DynamoDB allows, unlike the names there are.
func (s *study) indexName(c *candidate) string {
	const bytesMax = 60
	name := "by-" + strings.Join(c.key.Attributes(), "-")
	if c.plan != nil {
		name = "z-" + strings.Join(c.key.Attributes(), "-")
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r) {
			return r
		}
		return '_'
	}, name)
	name = name[:min(len(name), bytesMax)]
	for n := 2; slices.ContainsFunc(s.Table.Indexes, func(x Index) bool { return x.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", strings.TrimRight(name, "-0123456789"), n)
	}
	return name
}
