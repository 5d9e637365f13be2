// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/testdb"
)

// typedMembers are the members of each operation's requests, one a line, with their types in Amazon's model. A step "0"
// is a list's first element, "a" a map's.
const typedMembers = `
GetItem TableName String
GetItem Key Map<AttributeValue>
GetItem Key.a Value
GetItem AttributesToGet List
GetItem AttributesToGet.0 String
GetItem ConsistentRead Boolean
GetItem ReturnConsumedCapacity String
GetItem ExpressionAttributeNames Map<java.lang.String>
GetItem ExpressionAttributeNames.a String
GetItem ProjectionExpression String
PutItem TableName String
PutItem Item Map<AttributeValue>
PutItem Item.a Value
PutItem Expected Map<ExpectedAttributeValue>
PutItem Expected.a Element<ExpectedAttributeValue>
PutItem Expected.a.Exists Boolean
PutItem Expected.a.Value ValueField
PutItem Expected.a.ComparisonOperator String
PutItem Expected.a.AttributeValueList List
PutItem Expected.a.AttributeValueList.0 Value
PutItem ReturnConsumedCapacity String
PutItem ReturnItemCollectionMetrics String
PutItem ReturnValues String
PutItem ReturnValuesOnConditionCheckFailure String
PutItem ConditionExpression String
PutItem ConditionalOperator String
PutItem ExpressionAttributeNames Map<java.lang.String>
PutItem ExpressionAttributeNames.a String
PutItem ExpressionAttributeValues Map<AttributeValue>
PutItem ExpressionAttributeValues.a Value
DeleteItem Key Map<AttributeValue>
DeleteItem Key.a Value
DeleteItem Expected.a Element<ExpectedAttributeValue>
UpdateItem Key.a Value
UpdateItem AttributeUpdates Map<AttributeValueUpdate>
UpdateItem AttributeUpdates.a Element<AttributeValueUpdate>
UpdateItem AttributeUpdates.a.Value ValueField
UpdateItem AttributeUpdates.a.Action String
UpdateItem UpdateExpression String
Query TableName String
Query IndexName String
Query ExclusiveStartKey Map<AttributeValue>
Query ExclusiveStartKey.a Value
Query AttributesToGet List
Query ConsistentRead Boolean
Query ScanIndexForward Boolean
Query Limit Integer
Query Select String
Query QueryFilter Map<Condition>
Query QueryFilter.a Element<Condition>
Query QueryFilter.a.ComparisonOperator String
Query QueryFilter.a.AttributeValueList List
Query QueryFilter.a.AttributeValueList.0 Value
Query KeyConditions Map<Condition>
Query KeyConditions.a Element<Condition>
Query FilterExpression String
Query KeyConditionExpression String
Query ExpressionAttributeValues.a Value
Scan ExclusiveStartKey Map<AttributeValue>
Scan Segment Integer
Scan TotalSegments Integer
Scan ScanFilter Map<Condition>
Scan ScanFilter.a Element<Condition>
BatchGetItem RequestItems Map<KeysAndAttributes>
BatchGetItem RequestItems.a Element<KeysAndAttributes>
BatchGetItem RequestItems.a.Keys List
BatchGetItem RequestItems.a.Keys.0 MapInList<AttributeValue>
BatchGetItem RequestItems.a.Keys.0.a Value
BatchGetItem RequestItems.a.AttributesToGet List
BatchGetItem RequestItems.a.AttributesToGet.0 String
BatchGetItem RequestItems.a.ConsistentRead Boolean
BatchGetItem RequestItems.a.ExpressionAttributeNames Map<java.lang.String>
BatchGetItem RequestItems.a.ProjectionExpression String
BatchGetItem ReturnConsumedCapacity String
BatchWriteItem RequestItems Map<java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>
BatchWriteItem RequestItems.a ListInMap
BatchWriteItem RequestItems.a.0 Element<WriteRequest>
BatchWriteItem RequestItems.a.0.PutRequest Field<PutRequest>
BatchWriteItem RequestItems.a.0.PutRequest.Item Map<AttributeValue>
BatchWriteItem RequestItems.a.0.PutRequest.Item.a Value
BatchWriteItem RequestItems.a.0.DeleteRequest Field<DeleteRequest>
BatchWriteItem RequestItems.a.0.DeleteRequest.Key Map<AttributeValue>
BatchWriteItem ReturnItemCollectionMetrics String
TransactGetItems TransactItems List
TransactGetItems TransactItems.0 Element<TransactGetItem>
TransactGetItems TransactItems.0.Get Field<Get>
TransactGetItems TransactItems.0.Get.TableName String
TransactGetItems TransactItems.0.Get.Key Map<AttributeValue>
TransactGetItems TransactItems.0.Get.ExpressionAttributeNames Map<java.lang.String>
TransactWriteItems TransactItems List
TransactWriteItems ClientRequestToken String
TransactWriteItems TransactItems.0 Element<TransactWriteItem>
TransactWriteItems TransactItems.0.Put Field<Put>
TransactWriteItems TransactItems.0.Put.Item Map<AttributeValue>
TransactWriteItems TransactItems.0.Put.Item.a Value
TransactWriteItems TransactItems.0.Delete Field<Delete>
TransactWriteItems TransactItems.0.Update Field<Update>
TransactWriteItems TransactItems.0.Update.UpdateExpression String
TransactWriteItems TransactItems.0.ConditionCheck Field<ConditionCheck>
TransactWriteItems TransactItems.0.ConditionCheck.ExpressionAttributeValues Map<AttributeValue>
ExecuteStatement Statement String
ExecuteStatement Parameters List
ExecuteStatement Parameters.0 Value
ExecuteStatement ConsistentRead Boolean
ExecuteStatement Limit Integer
ExecuteStatement NextToken String
ExecuteStatement ReturnConsumedCapacity String
ExecuteStatement ReturnValuesOnConditionCheckFailure String
BatchExecuteStatement Statements List
BatchExecuteStatement Statements.0 Element<BatchStatementRequest>
BatchExecuteStatement Statements.0.Statement String
BatchExecuteStatement Statements.0.Parameters List
BatchExecuteStatement Statements.0.Parameters.0 Value
BatchExecuteStatement Statements.0.ConsistentRead Boolean
BatchExecuteStatement ReturnConsumedCapacity String
ExecuteTransaction TransactStatements List
ExecuteTransaction TransactStatements.0 Element<ParameterizedStatement>
ExecuteTransaction TransactStatements.0.Parameters.0 Value
ExecuteTransaction ClientRequestToken String
`

// inValue are the members of an attribute value.
const inValue = `S String
N String
B Blob
BOOL Boolean
NULL Boolean
SS List
SS.0 String
NS.0 String
BS.0 Blob
L List
L.0 Element<AttributeValue>
L.0.S String
M Map<AttributeValue>
M.a Element<AttributeValue>
M.a.N String`

const (
	castText   = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"
	objectText = "Start of structure or map found where not expected"
	modelText  = "com.amazonaws.dynamodb.v20120810."
)

// textsOfType are what AWS says of JSON that a member of a type can't have.
func textsOfType(kind string) map[string]string {
	kind, class, _ := strings.Cut(strings.TrimSuffix(kind, ">"), "<")
	full := class
	if !strings.Contains(class, ".") {
		full = modelText + class
	}
	scalars := func(text string) map[string]string {
		return map[string]string{`"23"`: text, "true": text, "false": text, "23": text, "-2147483648": text,
			"34.56": text}
	}
	with := func(texts map[string]string, array, object string) map[string]string {
		if array != "" {
			texts["[]"] = array
		}
		if object != "" {
			texts["{}"] = object
		}
		return texts
	}
	converted := func(to string) map[string]string {
		return map[string]string{"true": "TRUE_VALUE cannot be converted to " + to,
			"false": "FALSE_VALUE cannot be converted to " + to,
			"23":    "NUMBER_VALUE cannot be converted to " + to, "34.56": "DECIMAL_VALUE cannot be converted to " + to,
			`"23"`: "STRING_VALUE cannot be converted to " + to,
			"[]":   "Unrecognized collection type class java.lang." + to, "{}": objectText}
	}
	switch kind {
	case "String":
		texts := converted(kind)
		delete(texts, `"23"`)
		return texts
	case "Integer":
		texts := converted(kind)
		delete(texts, "23")
		delete(texts, "34.56")
		return texts
	case "Boolean":
		texts := converted(kind)
		delete(texts, "true")
		delete(texts, "false")
		texts[`"23"`] = "Unexpected token received from parser"
		return texts
	case "Blob":
		texts := with(scalars("only base-64-encoded strings are convertible to bytes"),
			"Unrecognized collection type class java.nio.ByteBuffer", objectText)
		texts[`"23"`] = "Base64 encoded length is expected a multiple of 4 bytes but found: 2"
		texts[`"=+/="`], texts[`"+/+="`] = "Invalid last non-pad Base64 character dectected",
			"Invalid last non-pad Base64 character dectected"
		return texts
	case "List":
		return with(scalars("Unexpected field type"), "", objectText)
	case "ListInMap":
		return with(scalars(castText), "", objectText)
	case "Map":
		return with(scalars("Unexpected field type"),
			"Unrecognized collection type java.util.Map<java.lang.String, "+full+">", "")
	case "MapInList":
		return with(scalars(castText), "Unrecognized collection type java.util.Map<java.lang.String, "+full+">", "")
	case "Field":
		return with(scalars("Unexpected field type"), "Unrecognized collection type class "+full, "")
	case "Element":
		return with(scalars("Unexpected value type in payload"), "Unrecognized collection type class "+full, "")
	}
	return nil
}

// TestSerialization wants AWS's text for JSON of every wrong type in every member of every operation on items.
func TestSerialization(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	for i := range itemOperations {
		if name := itemOperations[i].Name; !strings.Contains(typedMembers, "\n"+name+" ") {
			t.Errorf("%s has no members", name)
		}
	}
	for line := range strings.Lines(strings.TrimSpace(typedMembers)) {
		words := strings.Fields(line)
		operation, path, kind := words[0], words[1], words[2]
		switch kind {
		case "Value":
			checkType(t, api, operation, path, "Element<AttributeValue>")
		case "ValueField":
			checkType(t, api, operation, path, "Field<AttributeValue>")
		default:
			checkType(t, api, operation, path, kind)
			continue
		}
		for inner := range strings.Lines(inValue) {
			member, kind, _ := strings.Cut(strings.TrimSpace(inner), " ")
			checkType(t, api, operation, path+"."+member, kind)
		}
	}
}

func checkType(t *testing.T, api *API, operation, path, kind string) {
	t.Helper()
	texts := textsOfType(kind)
	if texts == nil {
		t.Fatalf("%s %s: no type %s", operation, path, kind)
	}
	for json, want := range texts {
		body := json
		steps := strings.Split(path, ".")
		for i := len(steps) - 1; i >= 0; i-- {
			if steps[i] == "0" {
				body = "[" + body + "]"
			} else {
				body = `{"` + steps[i] + `":` + body + "}"
			}
		}
		_, err := api.Do(t.Context(), operation, []byte(body), nil)
		if got := show(nil, err); got != "400 SerializationException: "+want {
			t.Errorf("%s %s\n got %s\nwant %s", operation, body, got, want)
		}
	}
}
