// SPDX-License-Identifier: Apache-2.0

package dynamodb

// This file is the table of the order in which AWS finds faults before it looks for the table that a request is about,
// for each operation and for each part of a batch or a transaction:
//
//   - JSON of the wrong type comes first, in the order of the body.
//   - Then the members are judged one by one, in the order of their first lines here; all their faults are reported
//     together. Expressions stand behind those, in the order in which they are parsed.
//   - Then come the steps, of which the first fault is reported.
//   - Then the caller must be allowed the action.
//
// It is AWS's validation since the summer of 2026: PutItem, UpdateItem and DeleteItem have the new one whole, the
// operations that read in part, BatchWriteItem and the transactions hardly.

func (g *getItem) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:GetItem", leading: g.leadingKeys,
		words: words{terse: true},
		members: []field{
			capacity(&g.capacity), table(&g.table), required("Key", &g.key),
			legacyField("AttributesToGet", &g.attributesToGet),
			optional("ConsistentRead", &g.consistent), optional("ProjectionExpression", &g.projection.expression),
			names(&g.names),
		},
		steps: []step{{g.checkForms, 0}, {g.checkPlaceholders, 0}, {g.checkAttributes, 0}, {g.parseExpressions, 0},
			{g.parseLegacy, 0}},
	}
}

func (p *putItem) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:PutItem", leading: p.leadingKeys,
		words: words{terse: true, enclosed: true},
		members: []field{
			capacity(&p.capacity), table(&p.table), returnValues(&p.returnValues), required("Item", &p.item),
			onFailure(&p.onFailure),
			metrics(&p.metrics), legacyField("Expected", &p.expected), operator(&p.operator),
			optional("ConditionExpression", &p.condition), names(&p.names), values(&p.values),
		},
		steps: []step{{p.checkReturnValues, 0}, {p.checkForms, 0}, {p.checkPlaceholders, 0}, {p.checkAttributes, 0},
			{p.checkSize, bare},
			{p.parseExpressions, 0}, {p.parseLegacy, 0}},
	}
}

func (u *updateItem) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:UpdateItem", leading: u.leadingKeys,
		words: words{terse: true, alone: true, enclosed: true},
		members: []field{
			capacity(&u.capacity), table(&u.table), returnValues(&u.returnValues), required("Key", &u.key),
			onFailure(&u.onFailure), metrics(&u.metrics),
			legacyField("Expected", &u.expected), legacyField("AttributeUpdates", &u.updates), operator(&u.operator),
			optional("UpdateExpression", &u.update), optional("ConditionExpression", &u.condition), names(&u.names),
			values(&u.values),
		},
		steps: []step{{u.checkForms, 0}, {u.checkPlaceholders, 0}, {u.checkAttributes, 0}, {u.parseExpressions, 0},
			{u.parseLegacyUpdate, 0}, {u.parseLegacy, 0}},
	}
}

func (d *deleteItem) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:DeleteItem", leading: d.leadingKeys,
		words: words{terse: true, enclosed: true},
		members: []field{
			capacity(&d.capacity), table(&d.table), returnValues(&d.returnValues), required("Key", &d.key),
			onFailure(&d.onFailure), metrics(&d.metrics),
			legacyField("Expected", &d.expected), operator(&d.operator),
			optional("ConditionExpression", &d.condition), names(&d.names), values(&d.values),
		},
		steps: []step{{d.checkReturnValues, 0}, {d.checkForms, 0}, {d.checkPlaceholders, 0}, {d.checkAttributes, 0},
			{d.parseExpressions, 0}, {d.parseLegacy, 0}},
	}
}

func (q *query) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:Query", leading: q.leadingKey, legacyKeys: q.legacyKeys,
		words: words{terse: true, startKey: true, withReason: true},
		members: []field{
			capacity(&q.capacity), table(&q.table), withLength("IndexName", &q.indexName, indexNameMax),
			oneOf("Select", &q.selected, selectionModes),
			inRange("Limit", &q.limit, 1, noUpperBound), legacyField("QueryFilter", &q.legacyFilter),
			legacyField("KeyConditions", &q.keyConditions),
			legacyField("AttributesToGet", &q.attributesToGet), operator(&q.operator),
			optional("KeyConditionExpression", &q.keyCondition), optional("FilterExpression", &q.filter),
			optional("ProjectionExpression", &q.projection.expression), names(&q.names), values(&q.values),
			optional("ExclusiveStartKey", &q.startKey), optional("ConsistentRead", &q.consistent),
			optional("ScanIndexForward", &q.forward),
		},
		steps: []step{{q.checkForms, 0}, {q.checkOperator, 0}, {q.checkPlaceholders, 0}, {q.parseLegacy, 0},
			{q.checkAttributes, 0},
			{q.checkSelect, enclosed}, {q.parseExpressions, 0}, {q.checkKeyCondition, 0}},
		index: q.wantIndex, walkedKey: q.statedKey,
	}
}

func (s *scan) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:Scan",
		words:  words{terse: true, startKey: true},
		members: []field{
			capacity(&s.capacity), table(&s.table), withLength("IndexName", &s.indexName, indexNameMax),
			oneOf("Select", &s.selected, selectionModes),
			inRange("Limit", &s.limit, 1, noUpperBound), inRange("Segment", &s.segment, 0, lastSegment),
			inRange("TotalSegments", &s.segments, 1, mostSegments), legacyField("ScanFilter", &s.legacyFilter),
			legacyField("AttributesToGet", &s.attributesToGet), operator(&s.operator),
			optional("FilterExpression", &s.filter), optional("ProjectionExpression", &s.projection.expression),
			names(&s.names), values(&s.values),
			optional("ExclusiveStartKey", &s.startKey), optional("ConsistentRead", &s.consistent),
		},
		steps: []step{{s.checkForms, 0}, {s.checkOperator, 0}, {s.checkPlaceholders, 0}, {s.parseLegacy, 0},
			{s.checkAttributes, 0},
			{s.checkSelect, enclosed}, {s.checkSegments, 0}, {s.parseExpressions, 0}},
		index: s.wantIndex,
	}
}

func (b *batchGetItem) checks() checkOrder {
	return checkOrder{
		words:   words{terse: true},
		members: []field{capacity(&b.capacity), required("RequestItems", part{b.readTables, b.requested.IsGiven})},
		steps:   []step{{b.checkNames, 0}, {b.checkKeys, 0}, {b.checkTables, 0}, {b.checkElements, 0}},
	}
}

func (t *tableKeys) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:BatchGetItem", leading: t.leadingKeys, rows: t.elementRows,
		words: words{terse: true},
		members: []field{
			required("Keys", part{t.readKeys, t.hasElements}), legacyField("AttributesToGet", &t.attributesToGet),
			optional("ConsistentRead", &t.consistent), optional("ProjectionExpression", &t.projection.expression),
			names(&t.names),
		},
		steps: []step{{t.checkForms, 0}, {t.checkPlaceholders, 0}, {t.parseExpressions, 0}, {t.parseLegacy, 0}},
	}
}

func (b *batchWriteItem) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			capacity(&b.capacity), metrics(&b.metrics),
			optional("RequestItems", part{b.readTables, b.requested.IsGiven}),
		},
		steps: []step{{b.checkPresence, 0}, {b.checkNames, 0}, {b.checkCounts, 0}, {b.checkElements, 0}},
	}
}

func (t *tableWrites) checks() checkOrder {
	return checkOrder{action: "dynamodb:BatchWriteItem", leading: t.leadingKeys, rows: t.elementRows,
		words: words{older: true}}
}

// Of a transaction, its own members are judged together with those of its actions; then come the steps of one action
// after the other.
func (t *transactGetItems) checks() checkOrder {
	return checkOrder{
		words:   words{older: true},
		members: []field{required("TransactItems", part{t.readActions, t.items.IsGiven}), capacity(&t.capacity)},
	}
}

func (t *transactWriteItems) checks() checkOrder {
	return checkOrder{
		words: words{older: true},
		members: []field{
			required("TransactItems", part{t.readActions, t.items.IsGiven}),
			withLength("ClientRequestToken", &t.token, tokenMax), capacity(&t.capacity),
			metrics(&t.metrics),
		},
	}
}

func (g *getAction) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:GetItem", leading: g.leadingKeys,
		words: words{older: true},
		members: []field{
			table(&g.table), required("Key", &g.attributes),
			optional("ProjectionExpression", &g.projection.expression), names(&g.names),
		},
		steps: g.steps(),
	}
}

func (c *checkAction) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:ConditionCheckItem", leading: c.leadingKeys,
		words: words{older: true},
		members: []field{
			table(&c.table), required("Key", &c.attributes), required("ConditionExpression", &c.condition),
			onFailure(&c.onFailure),
			names(&c.names), values(&c.values),
		},
		steps: c.steps(),
	}
}

func (p *putAction) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:PutItem", leading: p.leadingKeys,
		words: words{older: true},
		members: []field{
			table(&p.table), required("Item", &p.attributes), onFailure(&p.onFailure),
			optional("ConditionExpression", &p.condition), names(&p.names), values(&p.values),
		},
		steps: p.steps(),
	}
}

func (d *deleteAction) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:DeleteItem", leading: d.leadingKeys,
		words: words{older: true},
		members: []field{
			table(&d.table), required("Key", &d.attributes), onFailure(&d.onFailure),
			optional("ConditionExpression", &d.condition), names(&d.names), values(&d.values),
		},
		steps: d.steps(),
	}
}

func (u *updateAction) checks() checkOrder {
	return checkOrder{
		action: "dynamodb:UpdateItem", leading: u.leadingKeys,
		words: words{older: true},
		members: []field{
			table(&u.table), required("Key", &u.attributes), required("UpdateExpression", &u.updateExpression),
			onFailure(&u.onFailure),
			optional("ConditionExpression", &u.condition), names(&u.names), values(&u.values),
		},
		steps: u.steps(),
	}
}

func (a *action) steps() []step {
	return []step{{a.checkForms, 0}, {a.checkPlaceholders, 0}, {a.checkAttributes, 0}, {a.parseExpressions, 0}}
}
