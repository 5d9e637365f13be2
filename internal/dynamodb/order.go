// SPDX-License-Identifier: Apache-2.0

package dynamodb

// The order in which AWS finds faults, before it looks for the table: one table for each operation, and for each part of a batch or a transaction.
// JSON of the wrong type comes first, in the order of the body. Then the members are judged one by one in the order of the table, and what is wrong
// with them is told together; members behind the last that has rules of its own stand in the order in which expressions are parsed. Then come the
// steps, of which the first fault is told. So this is AWS's validation since the summer of 2026: PutItem, UpdateItem and DeleteItem have the new one
// whole, the operations that read in part, BatchWriteItem and the transactions hardly.

func (g *getItem) checks() checkOrder {
	return checkOrder{
		words: words{terse: true},
		members: []field{
			optional("ReturnConsumedCapacity", &g.capacity),
			required("TableName", &g.table),
			required("Key", &g.key),
			optional("AttributesToGet", &g.attributesToGet),
			optional("ConsistentRead", &g.consistent),
			optional("ProjectionExpression", &g.projection.expression),
			optional("ExpressionAttributeNames", &g.names),
		},
		steps: []step{{g.checkForms, 0}, {g.checkPlaceholders, 0}, {g.checkAttributes, 0}, {g.parseExpressions, 0}, {g.parseLegacy, 0}},
	}
}

func (p *putItem) checks() checkOrder {
	return checkOrder{
		words: words{terse: true, enclosed: true},
		members: []field{
			optional("ReturnConsumedCapacity", &p.capacity),
			required("TableName", &p.table),
			optional("ReturnValues", &p.returnValues),
			required("Item", &p.item),
			optional("ReturnValuesOnConditionCheckFailure", &p.onFailure),
			optional("ReturnItemCollectionMetrics", &p.metrics),
			optional("Expected", &p.expected),
			optional("ConditionalOperator", &p.operator),
			optional("ConditionExpression", &p.condition),
			optional("ExpressionAttributeNames", &p.names),
			optional("ExpressionAttributeValues", &p.values),
		},
		steps: []step{{p.returnValues.check, 0}, {p.checkForms, 0}, {p.checkPlaceholders, 0}, {p.checkAttributes, 0}, {p.checkSize, bare},
			{p.parseExpressions, 0}, {p.parseLegacy, 0}},
	}
}

func (u *updateItem) checks() checkOrder {
	return checkOrder{
		words: words{terse: true, alone: true, enclosed: true},
		members: []field{
			optional("ReturnConsumedCapacity", &u.capacity),
			required("TableName", &u.table),
			optional("ReturnValues", &u.returnValues),
			required("Key", &u.key),
			optional("ReturnValuesOnConditionCheckFailure", &u.onFailure),
			optional("ReturnItemCollectionMetrics", &u.metrics),
			optional("Expected", &u.expected),
			optional("AttributeUpdates", &u.updates),
			optional("ConditionalOperator", &u.operator),
			optional("UpdateExpression", &u.update),
			optional("ConditionExpression", &u.condition),
			optional("ExpressionAttributeNames", &u.names),
			optional("ExpressionAttributeValues", &u.values),
		},
		steps: []step{{u.checkForms, 0}, {u.checkPlaceholders, 0}, {u.checkAttributes, 0}, {u.parseExpressions, 0}, {u.parseLegacyUpdate, 0}, {u.parseLegacy, 0}},
	}
}

func (d *deleteItem) checks() checkOrder {
	return checkOrder{
		words: words{terse: true, enclosed: true},
		members: []field{
			optional("ReturnConsumedCapacity", &d.capacity),
			required("TableName", &d.table),
			optional("ReturnValues", &d.returnValues),
			required("Key", &d.key),
			optional("ReturnValuesOnConditionCheckFailure", &d.onFailure),
			optional("ReturnItemCollectionMetrics", &d.metrics),
			optional("Expected", &d.expected),
			optional("ConditionalOperator", &d.operator),
			optional("ConditionExpression", &d.condition),
			optional("ExpressionAttributeNames", &d.names),
			optional("ExpressionAttributeValues", &d.values),
		},
		steps: []step{{d.returnValues.check, 0}, {d.checkForms, 0}, {d.checkPlaceholders, 0}, {d.checkAttributes, 0}, {d.parseExpressions, 0}, {d.parseLegacy, 0}},
	}
}

func (q *query) checks() checkOrder {
	return checkOrder{
		words: words{terse: true, bareNumbers: true, startKey: true, withReason: true},
		members: []field{
			optional("ReturnConsumedCapacity", &q.capacity),
			required("TableName", &q.table),
			optional("IndexName", &q.indexName),
			optional("Select", &q.selected),
			optional("Limit", &q.limit),
			optional("QueryFilter", &q.legacyFilter),
			optional("KeyConditions", &q.keyConditions),
			optional("AttributesToGet", &q.attributesToGet),
			optional("ConditionalOperator", &q.operator),
			optional("KeyConditionExpression", &q.keyCondition),
			optional("FilterExpression", &q.filter),
			optional("ProjectionExpression", &q.projection.expression),
			optional("ExpressionAttributeNames", &q.names),
			optional("ExpressionAttributeValues", &q.values),
			optional("ExclusiveStartKey", &q.startKey),
			optional("ConsistentRead", &q.consistent),
			optional("ScanIndexForward", &q.forward),
		},
		steps: []step{{q.checkForms, 0}, {q.checkOperator, 0}, {q.checkSelect, enclosed | attributesFirst}, {q.checkPlaceholders, 0},
			{q.parseExpressions, attributesFirst}, {q.parseLegacy, 0}, {q.checkKeyCondition, attributesFirst}, {q.checkAttributes, 0}},
		walkedKey: q.statedKey,
	}
}

func (s *scan) checks() checkOrder {
	return checkOrder{
		words: words{terse: true, bareNumbers: true, startKey: true},
		members: []field{
			optional("ReturnConsumedCapacity", &s.capacity),
			required("TableName", &s.table),
			optional("IndexName", &s.indexName),
			optional("Select", &s.selected),
			optional("Limit", &s.limit),
			optional("Segment", &s.segment),
			optional("TotalSegments", &s.segments),
			optional("ScanFilter", &s.legacyFilter),
			optional("AttributesToGet", &s.attributesToGet),
			optional("ConditionalOperator", &s.operator),
			optional("FilterExpression", &s.filter),
			optional("ProjectionExpression", &s.projection.expression),
			optional("ExpressionAttributeNames", &s.names),
			optional("ExpressionAttributeValues", &s.values),
			optional("ExclusiveStartKey", &s.startKey),
			optional("ConsistentRead", &s.consistent),
		},
		steps: []step{{s.checkForms, 0}, {s.checkOperator, 0}, {s.checkSelect, enclosed | attributesFirst}, {s.checkSegments, attributesFirst},
			{s.checkPlaceholders, 0}, {s.parseExpressions, attributesFirst}, {s.parseLegacy, 0}, {s.checkAttributes, 0}},
	}
}

// Of a batch, what is wrong with its names of tables and with the number of its elements is told behind its own steps.
func (b *batchGetItem) checks() checkOrder {
	return checkOrder{
		words:   words{terse: true},
		members: []field{optional("ReturnConsumedCapacity", &b.capacity), required("RequestItems", part{b.readTables, b.requested.given})},
		steps:   []step{{b.checkNames, 0}, {b.checkKeys, 0}, {b.checkTables, 0}, {b.checkElements, 0}},
	}
}

func (t *tableKeys) checks() checkOrder {
	return checkOrder{
		words: words{terse: true},
		members: []field{
			required("Keys", part{t.readKeys, t.listGiven}),
			optional("AttributesToGet", &t.attributesToGet),
			optional("ConsistentRead", &t.consistent),
			optional("ProjectionExpression", &t.projection.expression),
			optional("ExpressionAttributeNames", &t.names),
		},
		steps: []step{{t.checkForms, 0}, {t.checkPlaceholders, 0}, {t.parseExpressions, 0}, {t.parseLegacy, 0}},
	}
}

func (b *batchWriteItem) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			optional("ReturnConsumedCapacity", &b.capacity),
			optional("ReturnItemCollectionMetrics", &b.metrics),
			optional("RequestItems", part{b.readTables, b.requested.given}),
		},
		steps: []step{{b.checkGiven, 0}, {b.checkNames, 0}, {b.checkCounts, 0}, {b.checkElements, 0}},
	}
}

func (t *tableWrites) checks() checkOrder { return checkOrder{words: words{older: true}} }

// Of a transaction, its own members are judged together with those of its actions; then come the steps of one action after the other.
func (t *transactGetItems) checks() checkOrder {
	return checkOrder{
		words:   words{older: true},
		members: []field{required("TransactItems", part{t.readActions, t.items.given}), optional("ReturnConsumedCapacity", &t.capacity)},
	}
}

func (t *transactWriteItems) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			required("TransactItems", part{t.readActions, t.items.given}),
			optional("ClientRequestToken", &t.token),
			optional("ReturnConsumedCapacity", &t.capacity),
			optional("ReturnItemCollectionMetrics", &t.metrics),
		},
	}
}

func (g *getAction) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			required("TableName", &g.table),
			required("Key", &g.attributes),
			optional("ProjectionExpression", &g.projection.expression),
			optional("ExpressionAttributeNames", &g.names),
		},
		steps: g.steps(),
	}
}

func (c *checkAction) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			required("TableName", &c.table),
			required("Key", &c.attributes),
			required("ConditionExpression", &c.condition),
			optional("ReturnValuesOnConditionCheckFailure", &c.onFailure),
			optional("ExpressionAttributeNames", &c.names),
			optional("ExpressionAttributeValues", &c.values),
		},
		steps: c.steps(),
	}
}

func (p *putAction) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			required("TableName", &p.table),
			required("Item", &p.attributes),
			optional("ReturnValuesOnConditionCheckFailure", &p.onFailure),
			optional("ConditionExpression", &p.condition),
			optional("ExpressionAttributeNames", &p.names),
			optional("ExpressionAttributeValues", &p.values),
		},
		steps: p.steps(),
	}
}

func (d *deleteAction) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			required("TableName", &d.table),
			required("Key", &d.attributes),
			optional("ReturnValuesOnConditionCheckFailure", &d.onFailure),
			optional("ConditionExpression", &d.condition),
			optional("ExpressionAttributeNames", &d.names),
			optional("ExpressionAttributeValues", &d.values),
		},
		steps: d.steps(),
	}
}

func (u *updateAction) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			required("TableName", &u.table),
			required("Key", &u.attributes),
			required("UpdateExpression", &u.updateExpression),
			optional("ReturnValuesOnConditionCheckFailure", &u.onFailure),
			optional("ConditionExpression", &u.condition),
			optional("ExpressionAttributeNames", &u.names),
			optional("ExpressionAttributeValues", &u.values),
		},
		steps: u.steps(),
	}
}

func (a *action) steps() []step {
	return []step{{a.checkForms, 0}, {a.checkPlaceholders, 0}, {a.checkAttributes, 0}, {a.parseExpressions, 0}}
}
