// SPDX-License-Identifier: Apache-2.0
//
// A game's players and scores, with the AWS SDK for JavaScript. Usage: node javascript.mjs section. The files of testdata/javascript say what
// each section prints.

import {
  BatchGetItemCommand, ConditionalCheckFailedException, CreateTableCommand, DeleteTableCommand, DescribeTableCommand, DescribeTimeToLiveCommand, DuplicateItemException,
  DynamoDBClient, DynamoDBServiceException, GetItemCommand, IdempotentParameterMismatchException, ListTagsOfResourceCommand, paginateListTables, PutItemCommand, ResourceInUseException,
  ResourceNotFoundException, TagResourceCommand, TransactionCanceledException, UntagResourceCommand, UpdateTableCommand, UpdateTimeToLiveCommand,
  waitUntilTableExists, waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  BatchExecuteStatementCommand, BatchGetCommand, BatchWriteCommand, DeleteCommand, DynamoDBDocument, DynamoDBDocumentClient, ExecuteStatementCommand,
  ExecuteTransactionCommand, GetCommand, NumberValue, paginateQuery, paginateScan, PutCommand,
  QueryCommand, ScanCommand, TransactGetCommand, TransactWriteCommand, UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { endpoint, refused, sections, show } from "./show.mjs";

const client = new DynamoDBClient({ endpoint, region: "us-east-1" });
const docs = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
const patience = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 };

async function scores() {
  await client.send(new CreateTableCommand({
    TableName: "scores",
    AttributeDefinitions: [{ AttributeName: "game", AttributeType: "S" }, { AttributeName: "player", AttributeType: "S" }, { AttributeName: "points", AttributeType: "N" }],
    KeySchema: [{ AttributeName: "game", KeyType: "HASH" }, { AttributeName: "player", KeyType: "RANGE" }],
    GlobalSecondaryIndexes: [{
      IndexName: "best", KeySchema: [{ AttributeName: "game", KeyType: "HASH" }, { AttributeName: "points", KeyType: "RANGE" }], Projection: { ProjectionType: "ALL" },
    }],
    BillingMode: "PAY_PER_REQUEST",
  }));
  const { state } = await waitUntilTableExists(patience, { TableName: "scores" });
  return state;
}

async function filled() {
  await scores();
  const puts = [];
  for (let i = 0; i < 60; i++) {
    const tens = Math.floor(i / 10);
    puts.push({ PutRequest: { Item: { game: i % 2 ? "chess" : "go", player: `p${String(i).padStart(2, "0")}`, points: (i * 37) % 100, club: `club ${tens}` } } });
  }
  while (puts.length > 0) {
    let wanted = { scores: puts.splice(0, 25) };
    while (wanted && Object.keys(wanted).length > 0) {
      wanted = (await docs.send(new BatchWriteCommand({ RequestItems: wanted }))).UnprocessedItems;
    }
  }
}

await sections({
  async tables() {
    show("state", await scores());
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: "scores" }));
    show("table", [table.TableName, table.TableStatus, table.ItemCount, table.KeySchema, table.CreationDateTime instanceof Date, table.BillingModeSummary?.BillingMode]);
    show("index", table.GlobalSecondaryIndexes.map((i) => [i.IndexName, i.IndexStatus, i.Projection]));
    for (const name of ["alpha", "beta", "gamma"]) {
      await client.send(new CreateTableCommand({
        TableName: name, AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }], KeySchema: [{ AttributeName: "id", KeyType: "HASH" }], BillingMode: "PAY_PER_REQUEST",
      }));
    }
    const pages = [];
    for await (const page of paginateListTables({ client, pageSize: 3 }, {})) pages.push(page.TableNames);
    show("pages", pages);
    const again = await refused("again", () => scores());
    show("kind", again instanceof ResourceInUseException);
    const absent = await refused("absent", () => client.send(new DescribeTableCommand({ TableName: "delta" })));
    show("kind", absent instanceof ResourceNotFoundException && absent instanceof DynamoDBServiceException);
    show("request", [absent.$fault, absent.$metadata.attempts, /^[0-9A-Z]{52}$/.test(absent.$metadata.requestId)]);
    await client.send(new UpdateTableCommand({ TableName: "scores", GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "best" } }] }));
    await waitUntilTableExists(patience, { TableName: "scores" });
    for (let left = 1; left > 0;) {
      const described = await client.send(new DescribeTableCommand({ TableName: "scores" }));
      left = described.Table.GlobalSecondaryIndexes?.length ?? 0;
    }
    show("indexes", "none");
    show("deleted", (await client.send(new DeleteTableCommand({ TableName: "scores" }))).TableDescription.TableStatus);
    show("state", (await waitUntilTableNotExists(patience, { TableName: "scores" })).state);
  },

  async items() {
    await scores();
    const key = { game: "chess", player: "ana" };
    const item = {
      ...key, points: 12.5, huge: 12345678901234567890n, exact: NumberValue.from("0.12345678901234567890123456789012345678"), photo: Uint8Array.of(0, 255, 16), tags: new Set(["b", "a"]),
      primes: new Set([3, 2]), moves: ["e4", null, { takes: true }], nothing: undefined, blank: "", map: {}, keys: new Set([Uint8Array.of(1), Uint8Array.of(0)]),
    };
    await docs.send(new PutCommand({ TableName: "scores", Item: item }));
    show("plain", (await docs.send(new GetCommand({ TableName: "scores", Key: key, ConsistentRead: true, ProjectionExpression: "points, photo, tags, primes, moves, nothing, blank, #m, #k", ExpressionAttributeNames: { "#m": "map", "#k": "keys" } }))).Item);
    const exact = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: "us-east-1" }), { unmarshallOptions: { wrapNumbers: true } });
    const wrapped = (await exact.send(new GetCommand({ TableName: "scores", Key: key }))).Item;
    show("exact", [wrapped.huge.toBigInt(), wrapped.exact.toString(), wrapped.points.toString()]);
    const unwrapped = (await docs.send(new GetCommand({ TableName: "scores", Key: key }))).Item;
    show("unwrapped", [unwrapped.huge, unwrapped.exact]);
    show("bare", (await client.send(new GetItemCommand({ TableName: "scores", Key: { game: { S: "chess" }, player: { S: "ana" } }, ProjectionExpression: "huge, photo, nothing" }))).Item);
    show("absent", (await docs.send(new GetCommand({ TableName: "scores", Key: { game: "chess", player: "zoe" } }))).Item);

    const updated = await docs.send(new UpdateCommand({
      TableName: "scores", Key: key, UpdateExpression: "SET points = points + :p, moves[0] = :m, moves[7] = :last, #map.best = if_not_exists(nowhere, :zero) REMOVE huge, exact ADD tags :t DELETE primes :two",
      ExpressionAttributeNames: { "#map": "map" },
      ExpressionAttributeValues: { ":p": 0.5, ":m": "d4", ":last": "end", ":zero": 0n, ":t": new Set(["c"]), ":two": new Set([2, 3]) }, ReturnValues: "ALL_NEW",
    }));
    show("updated", updated.Attributes);
    show("status", updated.$metadata.httpStatusCode);
    show("changed", (await docs.send(new UpdateCommand({ TableName: "scores", Key: key, UpdateExpression: "SET moves = list_append(:l, moves)", ExpressionAttributeValues: { ":l": ["start"] }, ReturnValues: "UPDATED_OLD" }))).Attributes);
    show("deleted", (await docs.send(new DeleteCommand({ TableName: "scores", Key: key, ReturnValues: "ALL_OLD", ReturnConsumedCapacity: "INDEXES" }))).ConsumedCapacity);
    const whole = DynamoDBDocument.from(client);
    await whole.put({ TableName: "scores", Item: { ...key, points: 1 } });
    show("whole", (await whole.get({ TableName: "scores", Key: key })).Item);
  },

  async conditions() {
    await scores();
    const put = (more) => docs.send(new PutCommand({ TableName: "scores", Item: { game: "go", player: "ben", points: 3 }, ConditionExpression: "attribute_not_exists(player)", ...more }));
    await put();
    const plain = await refused("plain", () => put());
    show("kind", [plain instanceof ConditionalCheckFailedException, plain.name, plain.$fault, plain.$metadata.httpStatusCode, plain.Item]);
    const shown = await refused("shown", () => put({ ReturnValuesOnConditionCheckFailure: "ALL_OLD" }));
    show("item", shown.Item);
    const update = (condition, values) => docs.send(new UpdateCommand({
      TableName: "scores", Key: { game: "go", player: "ben" }, UpdateExpression: "ADD points :one", ConditionExpression: condition,
      ExpressionAttributeValues: { ":one": 1, ...values }, ReturnValues: "UPDATED_NEW",
    }));
    show("in", (await update("points IN (:a, :b)", { ":a": 3, ":b": 9 })).Attributes);
    show("between", (await update("points BETWEEN :a AND :b AND size(player) = :n", { ":a": 4, ":b": 9, ":n": 3 })).Attributes);
    show("not", (await update("NOT (begins_with(player, :a) OR contains(player, :b))", { ":a": "x", ":b": "z" })).Attributes);
    await refused("type", () => update("attribute_type(points, :s)", { ":s": "S" }));
    await refused("delete", () => docs.send(new DeleteCommand({ TableName: "scores", Key: { game: "go", player: "ben" }, ConditionExpression: "points > :n", ExpressionAttributeValues: { ":n": 100 } })));
    await refused("bad", () => update("points = = :one", {}));
  },

  async query() {
    await filled();
    const query = (more) => docs.send(new QueryCommand({ TableName: "scores", KeyConditionExpression: "game = :g", ...more, ExpressionAttributeValues: { ":g": "go", ...more.ExpressionAttributeValues } }));
    const players = (answer) => answer.Items.map((i) => i.player).join(" ");
    show("prefix", players(await query({ KeyConditionExpression: "game = :g AND begins_with(player, :p)", ExpressionAttributeValues: { ":p": "p1" } })));
    show("between", players(await query({ KeyConditionExpression: "game = :g AND player BETWEEN :a AND :b", ExpressionAttributeValues: { ":a": "p10", ":b": "p20" } })));
    const best = await query({ IndexName: "best", ScanIndexForward: false, Limit: 5 });
    show("best", best.Items.map((i) => [i.points, i.player]));
    show("next", best.LastEvaluatedKey);
    show("then", (await query({ IndexName: "best", ScanIndexForward: false, Limit: 2, ExclusiveStartKey: best.LastEvaluatedKey })).Items.map((i) => [i.points, i.player]));
    show("top", players(await query({ IndexName: "best", KeyConditionExpression: "game = :g AND points >= :n", ExpressionAttributeValues: { ":n": 90 } })));
    const filtered = await query({ FilterExpression: "club = :c", ExpressionAttributeValues: { ":c": "club 3" }, Select: "COUNT" });
    show("filter", [filtered.Count, filtered.ScannedCount, filtered.Items]);
    const counts = [];
    for await (const page of paginateQuery({ client: docs, pageSize: 12 }, { TableName: "scores", KeyConditionExpression: "game = :g", ExpressionAttributeValues: { ":g": "chess" } })) counts.push(page.Count);
    show("pages", counts);
    const indexed = [];
    for await (const page of paginateQuery({ client: docs, pageSize: 7 }, { TableName: "scores", IndexName: "best", KeyConditionExpression: "game = :g AND points < :n", ExpressionAttributeValues: { ":g": "chess", ":n": 50 } })) indexed.push(page.Count);
    show("index pages", indexed);
  },

  async scan() {
    await filled();
    const counts = [];
    for await (const page of paginateScan({ client: docs, pageSize: 25 }, { TableName: "scores" })) counts.push(page.Count);
    show("pages", counts);
    const part = async (Segment) => {
      const found = [];
      for await (const page of paginateScan({ client: docs, pageSize: 5 }, { TableName: "scores", Segment, TotalSegments: 3 })) found.push(...page.Items.map((i) => i.player));
      return found;
    };
    const all = (await Promise.all([0, 1, 2].map(part))).flat();
    show("segments", [all.length, new Set(all).size]);
    const filtered = await docs.send(new ScanCommand({ TableName: "scores", FilterExpression: "points < :n AND club <> :c", ExpressionAttributeValues: { ":n": 10, ":c": "club 0" }, ProjectionExpression: "player" }));
    show("filter", [filtered.ScannedCount, filtered.Items.map((i) => i.player).sort()]);
  },

  async batches() {
    await filled();
    for (let i = 0; i < 48; i++) await client.send(new PutItemCommand({ TableName: "scores", Item: { game: { S: "big" }, player: { S: `b${i}` }, body: { S: "x".repeat(380_000) } } }));
    let wanted = { scores: { Keys: Array.from({ length: 50 }, (_, i) => ({ game: "big", player: `b${i}` })), ProjectionExpression: "player" } };
    const found = [];
    let rounds = 0;
    for (; wanted && Object.keys(wanted).length > 0; rounds++) {
      const answer = await docs.send(new BatchGetCommand({ RequestItems: wanted }));
      found.push(...answer.Responses.scores);
      wanted = answer.UnprocessedKeys;
    }
    show("found", [new Set(found.map((i) => i.player)).size, found.length, rounds > 1]);
    show("mixed", (await docs.send(new BatchWriteCommand({
      RequestItems: { scores: [{ PutRequest: { Item: { game: "a", player: "b" } } }, { DeleteRequest: { Key: { game: "big", player: "b0" } } }] }, ReturnConsumedCapacity: "TOTAL",
    }))).ConsumedCapacity.map((c) => c.TableName));
    await refused("none", () => client.send(new BatchGetItemCommand({ RequestItems: { scores: { Keys: [] } } })), false);
    await refused("no table", () => docs.send(new BatchWriteCommand({ RequestItems: { absent: [{ PutRequest: { Item: { id: 1 } } }] } })));
  },

  async transactions() {
    await scores();
    const entry = (player, points) => ({ Put: { TableName: "scores", Item: { game: "go", player, points }, ConditionExpression: "attribute_not_exists(player)", ReturnValuesOnConditionCheckFailure: "ALL_OLD" } });
    await docs.send(new TransactWriteCommand({ TransactItems: [entry("ana", 10), entry("ben", 20)], ClientRequestToken: "one" }));
    await docs.send(new TransactWriteCommand({ TransactItems: [entry("ana", 10), entry("ben", 20)], ClientRequestToken: "one" }));
    const other = await refused("other payload", () => docs.send(new TransactWriteCommand({ TransactItems: [entry("ana", 11)], ClientRequestToken: "one" })), false);
    show("kind", other instanceof IdempotentParameterMismatchException);
    const failed = await refused("again", () => docs.send(new TransactWriteCommand({ TransactItems: [entry("cho", 5), entry("ben", 6)] })));
    show("kind", failed instanceof TransactionCanceledException);
    show("reasons", failed.CancellationReasons);
    await docs.send(new TransactWriteCommand({
      TransactItems: [
        { Update: { TableName: "scores", Key: { game: "go", player: "ana" }, UpdateExpression: "SET points = points - :n", ConditionExpression: "points >= :n", ExpressionAttributeValues: { ":n": 4 } } },
        { ConditionCheck: { TableName: "scores", Key: { game: "go", player: "ben" }, ConditionExpression: "points = :n", ExpressionAttributeValues: { ":n": 20 } } },
        { Delete: { TableName: "scores", Key: { game: "go", player: "dan" } } },
      ],
    }));
    show("read", (await docs.send(new TransactGetCommand({
      TransactItems: ["ana", "ben", "cho"].map((player) => ({ Get: { TableName: "scores", Key: { game: "go", player } } })),
    }))).Responses);
    show("together", await Promise.allSettled(Array.from({ length: 8 }, () => docs.send(new UpdateCommand({
      TableName: "scores", Key: { game: "go", player: "ana" }, UpdateExpression: "ADD points :n", ExpressionAttributeValues: { ":n": 1 },
    })))).then((all) => all.map((one) => one.status)));
  },

  async settings() {
    await scores();
    const TableName = "scores";
    const before = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    show("expiry", before.TimeToLiveDescription);
    show("set", (await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: "until" } }))).TimeToLiveSpecification);
    const ResourceArn = (await client.send(new DescribeTableCommand({ TableName }))).Table.TableArn;
    await client.send(new TagResourceCommand({ ResourceArn, Tags: [{ Key: "owner", Value: "games" }, { Key: "old", Value: "yes" }] }));
    await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ["old"] }));
    show("tags", (await client.send(new ListTagsOfResourceCommand({ ResourceArn }))).Tags);
  },

  async partiql() {
    await filled();
    const run = (Statement, ...Parameters) => docs.send(new ExecuteStatementCommand({ Statement, ...(Parameters.length ? { Parameters } : {}) }));
    show("item", (await run("SELECT points, club FROM scores WHERE game = ? AND player = ?", "go", "p10")).Items);
    show("query", (await run(`SELECT player FROM "scores"."best" WHERE game = 'go' AND points >= 90 ORDER BY points DESC`)).Items);
    show("updated", (await run("UPDATE scores SET points = points + ? SET moves = ? WHERE game = 'go' AND player = 'p10' RETURNING ALL OLD *", 1, ["e4"])).Items);
    const again = await refused("again", () => run("INSERT INTO scores VALUE {'game': 'go', 'player': 'p10'}"));
    show("kind", again instanceof DuplicateItemException);
    const pages = [];
    for (let NextToken; ;) {
      const page = await docs.send(new ExecuteStatementCommand({ Statement: "SELECT player FROM scores WHERE club = 'club 2'", Limit: 25, NextToken }));
      pages.push(page.Items.length);
      if (!(NextToken = page.NextToken)) break;
    }
    show("pages", pages);
    show("batch", (await docs.send(new BatchExecuteStatementCommand({
      Statements: ["p10", "p11"].map((player) => ({ Statement: "SELECT moves, points FROM scores WHERE game = 'go' AND player = ?", Parameters: [player] })),
    }))).Responses);
    const failed = await refused("transaction", () => docs.send(new ExecuteTransactionCommand({
      TransactStatements: [{ Statement: "DELETE FROM scores WHERE game = 'go' AND player = 'p10' AND points = 0" }, { Statement: "INSERT INTO scores VALUE {'game': 'go', 'player': 'new'}" }],
    })));
    show("reasons", failed.CancellationReasons);
  },
});
