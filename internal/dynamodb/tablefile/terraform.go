// SPDX-License-Identifier: Apache-2.0

package tablefile

import (
	"strconv"

	"go.yaml.in/yaml/v3"
)

// modules reads the tables of a module of Terraform, and of those below it.
func modules(module *yaml.Node) (tables []Table, err error) {
	for _, resource := range contentOf(member(module, "resources")) {
		if textOf(resource, "type") != "aws_dynamodb_table" || textOf(resource, "mode") == "data" {
			continue
		}
		table, err := planned(resource)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	for _, child := range contentOf(member(module, "child_modules")) {
		more, err := modules(target(child))
		if err != nil {
			return nil, err
		}
		tables = append(tables, more...)
	}
	return tables, nil
}

// contentOf returns the elements of a list; none of another value.
func contentOf(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// planned reads a resource aws_dynamodb_table.
func planned(resource *yaml.Node) (Table, error) {
	table, v := Table{Line: resource.Line}, member(resource, "values")
	name := textOf(v, "name")
	if name == "" {
		return table, faultAt(resource, "the name of %s is known after terraform apply alone: write it in the "+
			"configuration, or take terraform show -json of the state", textOf(resource, "address"))
	}
	members := map[string]any{"TableName": name, "KeySchema": keySchema(v)}
	for _, one := range [][2]string{{"billing_mode", "BillingMode"}, {"table_class", "TableClass"}} {
		if given := textOf(v, one[0]); given != "" {
			members[one[1]] = given
		}
	}
	setThroughput(members, v)
	if textOf(v, "deletion_protection_enabled") == "true" {
		members["DeletionProtectionEnabled"] = true
	}
	if textOf(v, "stream_enabled") == "true" {
		members["StreamSpecification"] = map[string]any{"StreamEnabled": true, "StreamViewType": textOf(v, "stream_view_type")}
	}
	var attributes []any
	for _, a := range contentOf(member(v, "attribute")) {
		attributes = append(attributes, map[string]any{"AttributeName": textOf(a, "name"), "AttributeType": textOf(a, "type")})
	}
	members["AttributeDefinitions"] = attributes
	if indexes := plannedIndexes(v, "global_secondary_index", ""); indexes != nil {
		members["GlobalSecondaryIndexes"] = indexes
	}
	if indexes := plannedIndexes(v, "local_secondary_index", textOf(v, "hash_key")); indexes != nil {
		members["LocalSecondaryIndexes"] = indexes
	}
	if tags := plannedTags(member(v, "tags")); tags != nil {
		members["Tags"] = tags
	}
	for _, ttl := range contentOf(member(v, "ttl")) {
		members["TimeToLiveSpecification"] = map[string]any{"AttributeName": textOf(ttl, "attribute_name"),
			"Enabled": textOf(ttl, "enabled") == "true"}
	}
	for _, recovery := range contentOf(member(v, "point_in_time_recovery")) {
		members["PointInTimeRecoverySpecification"] = map[string]any{
			"PointInTimeRecoveryEnabled": textOf(recovery, "enabled") == "true"}
	}
	for _, other := range []string{"server_side_encryption", "replica", "import_table"} {
		if len(contentOf(member(v, other))) > 0 {
			table.Passed = append(table.Passed, other)
		}
	}
	return table, table.make(members)
}

// keySchema is the key of a table or an index: hash_key and range_key, or blocks of them.
func keySchema(v *yaml.Node) (schema []any) {
	for _, one := range [][2]string{{"hash_key", "HASH"}, {"range_key", "RANGE"}} {
		if name := textOf(v, one[0]); name != "" {
			schema = append(schema, map[string]any{"AttributeName": name, "KeyType": one[1]})
		}
	}
	for _, block := range contentOf(member(v, "key_schema")) {
		if len(schema) < 2 {
			schema = append(schema, map[string]any{"AttributeName": textOf(block, "attribute_name"),
				"KeyType": textOf(block, "key_type")})
		}
	}
	return schema
}

// setThroughput sets what is provisioned, if anything is.
func setThroughput(members map[string]any, v *yaml.Node) {
	read, _ := strconv.ParseInt(textOf(v, "read_capacity"), 10, 64) // without one, it is 0
	write, _ := strconv.ParseInt(textOf(v, "write_capacity"), 10, 64)
	if read > 0 && write > 0 {
		members["ProvisionedThroughput"] = map[string]any{"ReadCapacityUnits": read, "WriteCapacityUnits": write}
	}
}

// plannedIndexes reads the blocks of indexes. Those of local ones have no hash key of their own.
func plannedIndexes(v *yaml.Node, block, hash string) (indexes []any) {
	for _, x := range contentOf(member(v, block)) {
		schema := keySchema(x)
		if hash != "" {
			schema = append([]any{map[string]any{"AttributeName": hash, "KeyType": "HASH"}}, schema...)
		}
		projection := map[string]any{"ProjectionType": textOf(x, "projection_type")}
		var names []any
		for _, name := range contentOf(member(x, "non_key_attributes")) {
			names = append(names, name.Value)
		}
		if names != nil {
			projection["NonKeyAttributes"] = names
		}
		index := map[string]any{"IndexName": textOf(x, "name"), "KeySchema": schema, "Projection": projection}
		if hash == "" {
			setThroughput(index, x)
		}
		indexes = append(indexes, index)
	}
	return indexes
}

func plannedTags(v *yaml.Node) (tags []any) {
	if v == nil || v.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		tags = append(tags, map[string]any{"Key": v.Content[i].Value, "Value": v.Content[i+1].Value})
	}
	return tags
}
