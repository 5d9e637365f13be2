// SPDX-License-Identifier: Apache-2.0

package layer

// Row is what AWS does with the requests of one operation, or with one of the parts that batches and transactions are made of.
type Row struct {
	Operation    string
	Takes, Needs Members
	// Order is that in which the faults of single members are told. A member that is not in it has no rule of its own.
	Order []Members
	// Terse says that such faults name the member as the model does and leave its value out.
	Terse bool
	// Alone says that of several faults one of an enumeration is told alone.
	Alone bool
	// Enclosed says that faults of the request as a whole, too, stand behind "1 validation error detected: ".
	Enclosed bool
	// BareNumbers says that a faulty number is told without the placeholder that holds it.
	BareNumbers bool
	// OlderValues says that faults of attribute values have the words that they had before.
	OlderValues bool
	// Steps are the checks of the request as a whole, in their order.
	Steps []Step
}

// RowOf returns an operation's row.
func RowOf(operation string) *Row {
	for i := range rows {
		if rows[i].Operation == operation {
			return &rows[i]
		}
	}
	return nil
}

const (
	write = TableName | Condition | Names | Values | ReturnValues | ReturnOnFailure | ReturnConsumedCapacity | ReturnMetrics |
		Expected | ConditionalOperator
	walk = TableName | IndexName | ExclusiveStartKey | ConsistentRead | Limit | Select | ReturnConsumedCapacity | Names | Values |
		Filter | Projection | AttributesToGet | ConditionalOperator
	action = TableName | Condition | Names | Values | ReturnOnFailure
)

// rows is the table. Parts of batches and transactions have names of their own. // immutable
var rows = []Row{
	{
		Operation: "GetItem", Terse: true,
		Takes: TableName | Key | ConsistentRead | Projection | Names | ReturnConsumedCapacity | AttributesToGet, Needs: TableName | Key,
		Order: []Members{ReturnConsumedCapacity, TableName, Key, AttributesToGet},
		Steps: []Step{CheckForms, CheckPlaceholders, ParseExpressions, ParseOlder},
	},
	{
		Operation: "PutItem", Terse: true, Enclosed: true,
		Takes: write | Item, Needs: TableName | Item,
		Order: []Members{ReturnConsumedCapacity, TableName, ReturnValues, Item, ReturnOnFailure, ReturnMetrics, Expected, ConditionalOperator},
		Steps: []Step{CheckReturns, CheckForms, CheckPlaceholders, ParseExpressions, ParseOlder},
	},
	{
		Operation: "UpdateItem", Terse: true, Alone: true, Enclosed: true,
		Takes: write | Key | Update | AttributeUpdates, Needs: TableName | Key,
		Order: []Members{ReturnConsumedCapacity, TableName, ReturnValues, Key, ReturnOnFailure, ReturnMetrics, Expected, AttributeUpdates, ConditionalOperator},
		Steps: []Step{CheckForms, CheckPlaceholders, ParseExpressions, ParseOlder},
	},
	{
		Operation: "Query", Terse: true, BareNumbers: true,
		Takes: walk | ScanIndexForward | KeyCondition | KeyConditions | QueryFilter, Needs: TableName,
		Order: []Members{ReturnConsumedCapacity, TableName, IndexName, Select, Limit, QueryFilter, KeyConditions, AttributesToGet, ConditionalOperator},
		Steps: []Step{CheckForms, CheckOperator, CheckSelect, CheckPlaceholders, ParseExpressions, ParseOlder, WantKeyCondition},
	},
	{
		Operation: "DeleteItem", Terse: true, Enclosed: true,
		Takes: write | Key, Needs: TableName | Key,
		Order: []Members{ReturnConsumedCapacity, TableName, ReturnValues, Key, ReturnOnFailure, ReturnMetrics, Expected, ConditionalOperator},
		Steps: []Step{CheckReturns, CheckForms, CheckPlaceholders, ParseExpressions, ParseOlder},
	},
	{
		Operation: "Scan", Terse: true, BareNumbers: true,
		Takes: walk | Segment | TotalSegments | ScanFilter, Needs: TableName,
		Order: []Members{ReturnConsumedCapacity, TableName, IndexName, Select, Limit, Segment, TotalSegments, ScanFilter, AttributesToGet, ConditionalOperator},
		Steps: []Step{CheckForms, CheckOperator, CheckSelect, CheckSegments, CheckPlaceholders, ParseExpressions, ParseOlder},
	},
	{
		Operation: "BatchGetItem", Terse: true,
		Takes: RequestItems | ReturnConsumedCapacity, Needs: RequestItems,
		Order: []Members{ReturnConsumedCapacity, RequestItems},
	},
	{
		Operation: "BatchGetItem.Table", Terse: true,
		Takes: Keys | ConsistentRead | Projection | Names | AttributesToGet, Needs: Keys,
		Order: []Members{Keys, AttributesToGet},
		Steps: []Step{CheckForms, CheckPlaceholders, ParseExpressions, ParseOlder},
	},
	{
		Operation: "BatchWriteItem", OlderValues: true,
		Takes: RequestItems | ReturnConsumedCapacity | ReturnMetrics,
		Order: []Members{ReturnConsumedCapacity, ReturnMetrics},
		Steps: []Step{WantItems},
	},
	{
		Operation: "TransactGetItems", OlderValues: true,
		Takes: TransactItems | ReturnConsumedCapacity, Needs: TransactItems,
		Order: []Members{TransactItems, ReturnConsumedCapacity},
	},
	{
		Operation: "TransactWriteItems", OlderValues: true,
		Takes: TransactItems | ClientRequestToken | ReturnConsumedCapacity | ReturnMetrics, Needs: TransactItems,
		Order: []Members{TransactItems, ClientRequestToken, ReturnConsumedCapacity, ReturnMetrics},
	},
	{
		Operation: "Get", OlderValues: true,
		Takes: TableName | Key | Projection | Names, Needs: TableName | Key,
		Order: []Members{TableName, Key},
		Steps: []Step{CheckForms, CheckPlaceholders, ParseExpressions},
	},
	{
		Operation: "ConditionCheck", OlderValues: true,
		Takes: action | Key, Needs: TableName | Key | Condition,
		Order: []Members{TableName, Key, Condition, ReturnOnFailure},
		Steps: []Step{CheckForms, CheckPlaceholders, ParseExpressions},
	},
	{
		Operation: "Put", OlderValues: true,
		Takes: action | Item, Needs: TableName | Item,
		Order: []Members{TableName, Item, ReturnOnFailure},
		Steps: []Step{CheckForms, CheckPlaceholders, ParseExpressions},
	},
	{
		Operation: "Delete", OlderValues: true,
		Takes: action | Key, Needs: TableName | Key,
		Order: []Members{TableName, Key, ReturnOnFailure},
		Steps: []Step{CheckForms, CheckPlaceholders, ParseExpressions},
	},
	{
		Operation: "Update", OlderValues: true,
		Takes: action | Key | Update, Needs: TableName | Key | Update,
		Order: []Members{TableName, Key, Update, ReturnOnFailure},
		Steps: []Step{CheckForms, CheckPlaceholders, ParseExpressions},
	},
}
