// SPDX-License-Identifier: Apache-2.0

package tablefile

import (
	"encoding/json"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// shape is the shape of a property.
type shape uint8

const (
	text shape = iota + 1
	number
	truth
	object
	list
)

// properties are those that become requests, of tables and what is in them. What bears a name is of one shape wherever
// it stands. // immutable
var properties = map[string]shape{
	"TableName": text, "AttributeDefinitions": list, "AttributeName": text, "AttributeType": text, "KeySchema": list,
	"KeyType": text, "LocalSecondaryIndexes": list, "GlobalSecondaryIndexes": list, "IndexName": text,
	"Projection": object, "ProjectionType": text, "NonKeyAttributes": list, "BillingMode": text,
	"ProvisionedThroughput": object, "ReadCapacityUnits": number, "WriteCapacityUnits": number,
	"OnDemandThroughput": object, "MaxReadRequestUnits": number, "MaxWriteRequestUnits": number,
	"StreamSpecification": object, "StreamEnabled": truth, "StreamViewType": text, "TableClass": text,
	"DeletionProtectionEnabled": truth, "Tags": list, "Key": text, "Value": text, "TimeToLiveSpecification": object,
	"Enabled": truth, "PointInTimeRecoverySpecification": object, "PointInTimeRecoveryEnabled": truth,
	"RecoveryPeriodInDays": number,
	// Those of descriptions.
	"BillingModeSummary": object, "TableClassSummary": object,
}

// described are members of descriptions that say nothing of how the table was made. // immutable
var described = map[string]bool{
	"TableStatus": true, "CreationDateTime": true, "TableSizeBytes": true, "ItemCount": true, "TableArn": true,
	"TableId": true, "LatestStreamLabel": true, "LatestStreamArn": true, "TableClassSummary": true,
	"WarmThroughput": true, "ArchivalSummary": true, "RestoreSummary": true, "GlobalTableVersion": true,
}

// definition reads a table from an object with DynamoDB's properties, whose definition begins in a line.
func definition(n *yaml.Node, line int) (Table, error) {
	table := Table{Line: line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if name := n.Content[i].Value; properties[name] == 0 && !described[name] {
			table.Passed = append(table.Passed, name)
		}
	}
	members, err := pick(n)
	if err != nil {
		return table, err
	}
	return table, table.make(members)
}

// pick makes a JSON object of the properties of a node that are known.
func pick(n *yaml.Node) (map[string]any, error) {
	picked := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i].Value, target(n.Content[i+1])
		if properties[name] == 0 || value.Kind == yaml.ScalarNode && value.Tag == "!!null" {
			continue
		}
		var err error
		if picked[name], err = valueOf(name, value); err != nil {
			return nil, err
		}
	}
	return picked, nil
}

// valueOf is the value of a property. Numbers and truth values may be texts, as templates have them.
func valueOf(name string, n *yaml.Node) (any, error) {
	switch want := properties[name]; {
	case want == object && n.Kind == yaml.MappingNode:
		return pick(n)
	case want == list && n.Kind == yaml.SequenceNode:
		return elements(n)
	case want == text && n.Kind == yaml.ScalarNode:
		return n.Value, nil
	case want == number && n.Kind == yaml.ScalarNode:
		if x, err := strconv.ParseFloat(n.Value, 64); err == nil && x == float64(int64(x)) {
			return int64(x), nil
		}
	case want == truth && n.Kind == yaml.ScalarNode:
		if x, err := strconv.ParseBool(n.Value); err == nil {
			return x, nil
		}
	}
	return nil, faultAt(n, "%s can't be %s: write %s", name, kindOf(n), map[shape]string{text: "a text",
		number: "a number", truth: "true or false", object: "an object", list: "a list"}[properties[name]])
}

// elements are the elements of a list: objects with properties, or names.
func elements(n *yaml.Node) (all []any, err error) {
	for _, element := range n.Content {
		var one any
		switch element = target(element); element.Kind {
		case yaml.MappingNode:
			one, err = pick(element)
		case yaml.ScalarNode:
			one = element.Value
		default:
			err = faultAt(element, "a list can't stand in a list")
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

const payPerRequest = "PAY_PER_REQUEST"

// make makes the requests of a table with the properties.
func (t *Table) make(members map[string]any) error {
	t.Name, _ = members["TableName"].(string)
	settleBilling(members)
	if stream, ok := members["StreamSpecification"].(map[string]any); ok && stream["StreamEnabled"] == nil {
		stream["StreamEnabled"] = true // templates leave it out
	}
	expiry, recovery := take(members, "TimeToLiveSpecification"), take(members, "PointInTimeRecoverySpecification")
	if err := t.add("CreateTable", members); err != nil {
		return err
	}
	if expiry["Enabled"] == true {
		if err := t.add("UpdateTimeToLive", map[string]any{"TableName": t.Name, "TimeToLiveSpecification": map[string]any{
			"AttributeName": expiry["AttributeName"], "Enabled": true}}); err != nil {
			return err
		}
	}
	if recovery["PointInTimeRecoveryEnabled"] != true {
		return nil
	}
	return t.add("UpdateContinuousBackups", map[string]any{"TableName": t.Name,
		"PointInTimeRecoverySpecification": recovery})
}

func (t *Table) add(operation string, members map[string]any) error {
	body, err := json.Marshal(members)
	t.Requests = append(t.Requests, Request{operation, body})
	return err
}

// take removes an object.
func take(members map[string]any, name string) map[string]any {
	taken, _ := members[name].(map[string]any)
	delete(members, name)
	return taken
}

// settleBilling says how a table is paid for in the way of requests: descriptions have other members, and templates
// may have those of both ways.
func settleBilling(members map[string]any) {
	if summary := take(members, "BillingModeSummary"); summary["BillingMode"] != nil {
		members["BillingMode"] = summary["BillingMode"]
	}
	if summary := take(members, "TableClassSummary"); summary["TableClass"] != nil {
		members["TableClass"] = summary["TableClass"]
	}
	if members["BillingMode"] == nil && members["ProvisionedThroughput"] == nil {
		members["BillingMode"] = payPerRequest
	}
	if members["BillingMode"] != payPerRequest {
		return
	}
	delete(members, "ProvisionedThroughput")
	indexes, _ := members["GlobalSecondaryIndexes"].([]any)
	for _, index := range indexes {
		if index, ok := index.(map[string]any); ok {
			delete(index, "ProvisionedThroughput")
		}
	}
}
