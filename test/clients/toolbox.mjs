// SPDX-License-Identifier: Apache-2.0
//
// A workshop's tools and their repairs in one table, with DynamoDB-Toolbox. Usage: node toolbox.mjs section. The files of testdata/toolbox say
// what each section prints.

import { ConditionalCheckFailedException, CreateTableCommand, DynamoDBClient, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  $add, $append, $delete, $get, $prepend, $remove, $set, $subtract, $sum, any, anyOf, BatchDeleteRequest, BatchGetCommand, BatchGetRequest, BatchPutRequest,
  BatchWriteCommand, binary, boolean, ConditionCheck, DeleteItemCommand, DeleteTransaction, DynamoDBToolboxError, Entity, executeBatchGet, executeBatchWrite, executeTransactGet, executeTransactWrite, GetItemCommand,
  GetTransaction, item, list, map, number, prefix, PutItemCommand, PutTransaction, QueryCommand, record, ScanCommand, set, string, Table, UpdateAttributesCommand,
  UpdateItemCommand, UpdateTransaction,
} from "dynamodb-toolbox";
import { endpoint, sections, show } from "./show.mjs";

const client = new DynamoDBClient({ endpoint, region: "us-east-1" });
const WorkshopTable = new Table({
  name: "workshop",
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "string" },
  indexes: {
    byState: { type: "global", partitionKey: { name: "state", type: "string" }, sortKey: { name: "price", type: "number" } },
    byMaker: { type: "local", sortKey: { name: "maker", type: "string" } },
  },
  documentClient: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
});

const Tool = new Entity({
  name: "Tool",
  table: WorkshopTable,
  timestamps: false,
  schema: item({
    room: string().key().transform(prefix("ROOM")).savedAs("pk"),
    id: string().key().transform(prefix("TOOL")).savedAs("sk"),
    maker: string(),
    state: string().enum("free", "lent", "broken").default("free"),
    price: number().required(),
    serial: number().big().optional(),
    uses: number().default(0),
    labels: set(string()).optional(),
    history: list(map({ who: string(), days: number() })).default([]),
    size: map({ length: number(), unit: string().const("cm") }).optional(),
    prices: record(string(), number()).optional(),
    photo: binary().optional(),
    sharp: boolean().optional(),
    extra: any().optional(),
    code: anyOf(string(), number()).optional(),
  }),
});

const Repair = new Entity({
  name: "Repair", table: WorkshopTable, timestamps: false,
  schema: item({ room: string().key().transform(prefix("ROOM")).savedAs("pk"), on: string().key().transform(prefix("REPAIR")).savedAs("sk"), tool: string(), cost: number() }),
});

async function built() {
  await client.send(new CreateTableCommand({
    TableName: "workshop",
    AttributeDefinitions: [["pk", "S"], ["sk", "S"], ["state", "S"], ["price", "N"], ["maker", "S"]].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }, { AttributeName: "sk", KeyType: "RANGE" }],
    GlobalSecondaryIndexes: [{ IndexName: "byState", KeySchema: [{ AttributeName: "state", KeyType: "HASH" }, { AttributeName: "price", KeyType: "RANGE" }], Projection: { ProjectionType: "ALL" } }],
    LocalSecondaryIndexes: [{ IndexName: "byMaker", KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }, { AttributeName: "maker", KeyType: "RANGE" }], Projection: { ProjectionType: "KEYS_ONLY" } }],
    BillingMode: "PAY_PER_REQUEST",
  }));
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { TableName: "workshop" });
}

const tool = (i, more) => ({ room: "a", id: `t${String(i).padStart(2, "0")}`, maker: ["fox", "elk", "owl"][i % 3], price: 10 + i, ...more });
const put = (value, options) => Tool.build(PutItemCommand).item(value).options(options ?? {}).send();

async function failed(label, call) {
  try {
    await call();
  } catch (e) {
    show(label, [e instanceof DynamoDBToolboxError ? e.code : e instanceof ConditionalCheckFailedException, e.name, e.message]);
    return e;
  }
  show(label, "NOT REFUSED");
}

await sections({
  async items() {
    await built();
    await put(tool(1, { serial: 9007199254740993123n, labels: new Set(["iron", "red"]), history: [{ who: "ana", days: 2 }], size: { length: 30.5, unit: "cm" }, prices: { eur: 10, usd: 11.25 }, photo: Uint8Array.of(7, 0), sharp: true, extra: { any: [null, "x"] }, code: 42 }));
    const get = (options) => Tool.build(GetItemCommand).key({ room: "a", id: "t01" }).options(options ?? {}).send();
    show("found", (await get({ attributes: ["maker", "state", "price", "uses", "labels", "history", "size", "prices", "photo", "sharp", "extra", "code"] })).Item);
    const part = await get({ attributes: ["history[0].who", "size.length"], consistent: true, capacity: "TOTAL" });
    show("part", [part.Item, part.ConsumedCapacity]);
    show("absent", (await Tool.build(GetItemCommand).key({ room: "a", id: "t99" }).send()).Item);
    const updated = await Tool.build(UpdateItemCommand).item({
      room: "a", id: "t01", uses: $add(3), price: $sum($get("price"), 5), history: $append([{ who: "ben", days: 1 }]), labels: $add(new Set(["new"])), prices: { eur: 9, jpy: 1600 }, sharp: $remove(),
      size: $set({ length: 31, unit: "cm" }), serial: $remove(),
    }).options({ returnValues: "ALL_NEW" }).send();
    show("updated", updated.Attributes);
    const more = await Tool.build(UpdateItemCommand).item({ room: "a", id: "t01", price: $subtract($get("price"), 1), history: $prepend([{ who: "cho", days: 4 }]), labels: $delete(new Set(["new", "none"])), uses: $get("price", 0) }).options({ returnValues: "UPDATED_NEW" }).send();
    show("more", more.Attributes);
    const attributes = await Tool.build(UpdateAttributesCommand).item({ room: "a", id: "t01", size: { length: 1, unit: "cm" } }).options({ returnValues: "UPDATED_OLD" }).send();
    show("attributes", attributes.Attributes);
    show("deleted", (await Tool.build(DeleteItemCommand).key({ room: "a", id: "t01" }).options({ returnValues: "ALL_OLD" }).send()).Attributes.maker);
    await failed("invalid", () => put(tool(2, { state: "odd" })));
  },

  async conditions() {
    await built();
    await put(tool(1), { condition: { attr: "id", exists: false } });
    await failed("twice", () => put(tool(1), { condition: { attr: "id", exists: false } }));
    const update = (condition, more) => Tool.build(UpdateItemCommand).item({ room: "a", id: "t01", uses: $add(1) }).options({ condition, returnValues: "UPDATED_NEW", ...more }).send();
    const hold = [
      { and: [{ attr: "price", gte: 11 }, { attr: "price", lt: 12 }] },
      { or: [{ attr: "state", eq: "broken" }, { attr: "maker", beginsWith: "el" }] },
      { not: { attr: "maker", contains: "x" } },
      { attr: "price", between: [11, 20] },
      { attr: "state", in: ["free", "lent"] },
      { attr: "maker", size: "maker", gt: 2 },
      { attr: "price", type: "N" },
      { attr: "uses", lte: { attr: "price" } },
    ];
    const uses = [];
    for (const condition of hold) uses.push((await update(condition)).Attributes.uses);
    show("uses", uses);
    const e = await failed("update", () => update({ attr: "state", eq: "lent" }, { returnValuesOnConditionFalse: "ALL_OLD" }));
    show("item", [e.Item?.maker, e.Item?.uses]);
    await failed("delete", () => Tool.build(DeleteItemCommand).key({ room: "a", id: "t01" }).options({ condition: { attr: "price", gt: 100 } }).send());
  },

  async query() {
    await built();
    for (let i = 0; i < 30; i++) await put(tool(i, { state: i % 4 ? "free" : "lent" }));
    await Repair.build(PutItemCommand).item({ room: "a", on: "2026-02-03", tool: "t01", cost: 5 }).send();
    const ids = (answer) => answer.Items.map((i) => i.id ?? i.on).join(" ");
    const query = (q, options, ...entities) => WorkshopTable.build(QueryCommand).query(q).entities(...(entities.length ? entities : [Tool])).options(options ?? {}).send();
    show("begins", ids(await query({ partition: "ROOM#a", range: { beginsWith: "TOOL#t1" } })));
    show("between", ids(await query({ partition: "ROOM#a", range: { between: ["TOOL#t05", "TOOL#t08"] } })));
    show("reverse", ids(await query({ partition: "ROOM#a", range: { lt: "TOOL#t29" } }, { reverse: true, limit: 4 })));
    show("index", ids(await query({ index: "byState", partition: "lent", range: { gte: 20 } })));
    show("local", (await WorkshopTable.build(QueryCommand).query({ index: "byMaker", partition: "ROOM#a", range: { eq: "owl" } }).options({ select: "COUNT" }).send()).Count);
    const filtered = await query({ partition: "ROOM#a" }, { filters: { Tool: { attr: "price", gt: 35 } }, attributes: ["id", "price"] });
    show("filtered", [filtered.Items, filtered.ScannedCount]);
    show("kinds", ids(await query({ partition: "ROOM#a", range: { between: ["REPAIR#", "TOOL#t00"] } }, {}, Repair, Tool)));
    const sizes = [];
    let start;
    do {
      const page = await query({ partition: "ROOM#a", range: { beginsWith: "TOOL#" } }, { limit: 12, exclusiveStartKey: start });
      sizes.push(page.Items.length);
      start = page.LastEvaluatedKey;
    } while (start);
    show("pages", sizes);
    show("all pages", (await query({ partition: "ROOM#a" }, { limit: 7, maxPages: Infinity })).Items.length);
    const scan = (options) => WorkshopTable.build(ScanCommand).entities(Tool).options(options).send();
    const parts = await Promise.all([0, 1, 2].map((segment) => scan({ segment, totalSegments: 3, maxPages: Infinity, limit: 4 })));
    show("segments", parts.flatMap((p) => p.Items).length);
    show("scan", ids(await scan({ filters: { Tool: { attr: "state", eq: "lent" } }, maxPages: Infinity })).split(" ").sort());
  },

  async batches() {
    await built();
    const puts = Array.from({ length: 20 }, (_, i) => Tool.build(BatchPutRequest).item(tool(i)));
    const wrote = await executeBatchWrite(WorkshopTable.build(BatchWriteCommand).requests(...puts, Repair.build(BatchPutRequest).item({ room: "b", on: "1", tool: "t1", cost: 2 })));
    show("unprocessed", wrote.UnprocessedItems);
    await executeBatchWrite(WorkshopTable.build(BatchWriteCommand).requests(Tool.build(BatchDeleteRequest).key({ room: "a", id: "t00" })));
    const { Responses } = await executeBatchGet(WorkshopTable.build(BatchGetCommand).requests(...[0, 7].map((i) => Tool.build(BatchGetRequest).key({ room: "a", id: tool(i).id })), Repair.build(BatchGetRequest).key({ room: "b", on: "1" })));
    show("read", Responses[0].map((i) => i && [i.id ?? i.on, i.price ?? i.cost]));
  },

  async transactions() {
    await built();
    const lend = () => executeTransactWrite(
      Tool.build(PutTransaction).item(tool(1, { state: "lent" })).options({ condition: { attr: "id", exists: false } }),
      Tool.build(UpdateTransaction).item({ room: "a", id: "t02", uses: $add(1), price: 5, maker: "elk", state: "free", history: $set([]) }),
      Tool.build(DeleteTransaction).key({ room: "a", id: "t03" }),
    );
    await lend();
    const e = await failed("again", lend);
    show("reasons", e.CancellationReasons.map((r) => r.Code));
    const check = await failed("check", () => executeTransactWrite(Tool.build(ConditionCheck).key({ room: "a", id: "t02" }).condition({ attr: "uses", gt: 5 }), Tool.build(DeleteTransaction).key({ room: "a", id: "t01" })));
    show("reasons", check.CancellationReasons.map((r) => r.Code));
    const { Responses } = await executeTransactGet(...[1, 2, 3].map((i) => Tool.build(GetTransaction).key({ room: "a", id: tool(i).id })));
    show("read", Responses.map((r) => r.Item && [r.Item.id, r.Item.state, r.Item.uses]));
  },
});
