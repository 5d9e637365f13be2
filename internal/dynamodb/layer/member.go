// SPDX-License-Identifier: Apache-2.0

package layer

// Members is a set of members of a request's body.
type Members uint64

// The members.
const (
	TableName Members = 1 << iota
	IndexName
	Key
	Keys
	Item
	RequestItems
	TransactItems
	ClientRequestToken
	ExclusiveStartKey
	ConsistentRead
	ScanIndexForward
	Limit
	Segment
	TotalSegments
	Select
	ReturnValues
	ReturnOnFailure // ReturnValuesOnConditionCheckFailure
	ReturnConsumedCapacity
	ReturnMetrics // ReturnItemCollectionMetrics
	Names         // ExpressionAttributeNames
	Values        // ExpressionAttributeValues
	// Expressions, and then their older form, in the order in which messages list them.
	Projection   // ProjectionExpression
	Update       // UpdateExpression
	Filter       // FilterExpression
	Condition    // ConditionExpression
	KeyCondition // KeyConditionExpression
	AttributesToGet
	AttributeUpdates
	Expected
	QueryFilter
	ScanFilter
	ConditionalOperator
	KeyConditions
	membersEnd

	Expressions = Update | Filter | Condition | KeyCondition | Projection
	Projected   = Projection | AttributesToGet
	Older       = AttributesToGet | AttributeUpdates | Expected | ConditionalOperator | KeyConditions | QueryFilter | ScanFilter
)

// members names the members. // immutable
var members = map[string]Members{
	"TableName": TableName, "IndexName": IndexName, "Key": Key, "Keys": Keys, "Item": Item, "RequestItems": RequestItems,
	"TransactItems": TransactItems, "ClientRequestToken": ClientRequestToken,
	"ExclusiveStartKey": ExclusiveStartKey, "ConsistentRead": ConsistentRead, "ScanIndexForward": ScanIndexForward, "Limit": Limit,
	"Segment": Segment, "TotalSegments": TotalSegments, "Select": Select, "ReturnValues": ReturnValues,
	"ReturnValuesOnConditionCheckFailure": ReturnOnFailure, "ReturnConsumedCapacity": ReturnConsumedCapacity,
	"ReturnItemCollectionMetrics": ReturnMetrics, "ExpressionAttributeNames": Names, "ExpressionAttributeValues": Values,
	"ConditionExpression": Condition, "FilterExpression": Filter, "KeyConditionExpression": KeyCondition,
	"ProjectionExpression": Projection, "UpdateExpression": Update,
	"AttributesToGet": AttributesToGet, "AttributeUpdates": AttributeUpdates, "Expected": Expected,
	"ConditionalOperator": ConditionalOperator, "KeyConditions": KeyConditions, "QueryFilter": QueryFilter, "ScanFilter": ScanFilter,
}

// Of is the member of that name, 0 if there is none.
func Of(name []byte) Members { return members[string(name)] }

// Name is the name of a single member.
func (m Members) Name() string {
	for name, known := range members {
		if known == m {
			return name
		}
	}
	return ""
}

// List names the members of a set in their order.
func (m Members) List() (names []string) {
	for one := TableName; one < membersEnd; one <<= 1 {
		if m&one != 0 {
			names = append(names, one.Name())
		}
	}
	return names
}
