// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"slices"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// checkKeys judges the shape of a key schema. A global index may have up to four attributes of either type; the texts
// about more than one are from memory.
func checkKeys(schema []Key, global bool) error {
	if schema[0].KeyType != "HASH" {
		return exception.Validationf("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
	}
	if !global && len(schema) > 1 && schema[1].AttributeName == schema[0].AttributeName {
		return exception.Validationf("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	if !global && len(schema) > 1 && schema[1].KeyType != "RANGE" {
		return exception.Validationf("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
	}
	hashes := hashCount(schema)
	for i, k := range schema {
		if i >= hashes && k.KeyType == "HASH" {
			return exception.Validationf(
				"Invalid KeySchema: HASH key attributes must stand before RANGE key attributes")
		}
		if slices.ContainsFunc(schema[:i], func(other Key) bool { return other.AttributeName == k.AttributeName }) {
			return sameNames(schema, k.AttributeName)
		}
	}
	if hashes > keysMax/2 || len(schema)-hashes > keysMax/2 {
		return exception.InvalidValue("An index has at most %d HASH and %d RANGE key attributes", keysMax/2, keysMax/2)
	}
	return nil
}

func sameNames(schema []Key, name string) error {
	if len(schema) == 2 {
		return exception.Validationf("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return exception.InvalidValue("Two elements of the KeySchema have the same name: %s", name)
}

// hashCount returns how many elements at the beginning are of the type HASH.
func hashCount(schema []Key) int {
	n := slices.IndexFunc(schema, func(k Key) bool { return k.KeyType != "HASH" })
	if n < 0 {
		return len(schema)
	}
	return n
}

// typesOf maps the defined attributes to their types. The text is from memory.
func typesOf(definitions []Attribute) (map[string]string, error) {
	types := make(map[string]string, len(definitions))
	for _, d := range definitions {
		if _, twice := types[d.AttributeName]; twice {
			return nil, exception.InvalidValue("Duplicate AttributeName in AttributeDefinitions: %s", d.AttributeName)
		}
		types[d.AttributeName] = d.AttributeType
	}
	return types, nil
}

// checkTableKeys wants the table's key attributes to be defined, and then a key of the right shape. That fewer are
// defined than the key has is noticed first: so it is when one attribute stands there twice.
func (c *Create) checkTableKeys(types map[string]string) error {
	if len(c.keys) > len(types) {
		return exception.Validation("Invalid KeySchema: Some index key attribute have no definition")
	}
	if err := checkDefined(c.keys, types); err != nil {
		return err
	}
	return checkKeys(c.keys, false)
}

func checkDefined(schema []Key, types map[string]string) error {
	for _, k := range schema {
		if _, ok := types[k.AttributeName]; !ok {
			defined := make([]string, 0, len(types))
			for name := range types {
				defined = append(defined, name)
			}
			slices.Sort(defined)
			return exception.InvalidValue(
				"Some index key attributes are not defined in AttributeDefinitions. Keys: %s, AttributeDefinitions: %s",
				listText(namesOf(schema)), listText(defined))
		}
	}
	return nil
}

// keysText is a key with its attributes' types as messages about other types show it.
func keysText(schema []Key, typeOf func(name string) string) string {
	elements := make([]string, len(schema))
	for i, k := range schema {
		elements[i] = "SchemaElement: key{" + k.AttributeName + ":" + typeOf(k.AttributeName) + ":" + k.KeyType + "}"
	}
	return "Schema:" + listText(elements)
}

func namesOf(schema []Key) []string {
	names := make([]string, len(schema))
	for i, k := range schema {
		names[i] = k.AttributeName
	}
	return names
}

// checkUsed wants every definition to be a key of something.
func (c *Create) checkUsed() error {
	used := namesOf(c.keys)
	for _, list := range [][]IndexMember{c.LocalSecondaryIndexes, c.GlobalSecondaryIndexes} {
		for i := range list {
			used = append(used, namesOf(list[i].keys)...)
		}
	}
	slices.Sort(used)
	used = slices.Compact(used)
	if len(used) == len(c.attributes) {
		return nil
	}
	if len(c.LocalSecondaryIndexes)+len(c.GlobalSecondaryIndexes) == 0 {
		return exception.InvalidValue("Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions")
	}
	defined := make([]string, len(c.attributes))
	for i, d := range c.attributes {
		defined[i] = d.AttributeName
	}
	return exception.InvalidValue("Some AttributeDefinitions are not used. AttributeDefinitions: %s, keys used: %s",
		listText(defined), listText(used))
}
