// SPDX-License-Identifier: Apache-2.0
//
// A lending library, with ElectroDB: readers and their loans in one table. Usage: node electrodb.mjs section. The files of testdata/electrodb
// say what each section prints.

import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import { createConversions, CustomAttributeType, ElectroError, Entity, Service } from "electrodb";
import { endpoint, sections, show } from "./show.mjs";

const client = new DynamoDBClient({ endpoint, region: "us-east-1" });
const table = "library";
const string = (more) => ({ type: "string", ...more });

const Reader = new Entity({
  model: { entity: "reader", version: "1", service: "library" },
  attributes: {
    branch: string({ required: true }),
    readerId: string({ required: true }),
    name: string({ required: true, validate: (v) => v.length > 1 }),
    email: string({ set: (v) => v?.toLowerCase() }),
    level: { type: ["guest", "member", "patron"], default: "guest" },
    fees: { type: "number", default: 0 },
    likes: { type: "set", items: "string" },
    notes: { type: "list", items: { type: "map", properties: { text: { type: "string" }, stars: { type: "number" } } } },
    address: { type: "map", properties: { town: { type: "string" }, zip: { type: "string" } } },
    settings: { type: "any" },
    active: { type: "boolean", default: () => true },
  },
  indexes: {
    primary: { pk: { field: "pk", composite: ["readerId"] }, sk: { field: "sk", composite: [] } },
    byBranch: { collection: "desk", index: "gsi1", pk: { field: "gsi1pk", composite: ["branch"] }, sk: { field: "gsi1sk", composite: ["name"] } },
  },
}, { client, table });

const Loan = new Entity({
  model: { entity: "loan", version: "1", service: "library" },
  attributes: {
    branch: string({ required: true }), readerId: string({ required: true }), bookId: string({ required: true }), due: string({ required: true }),
    renewals: { type: "number", default: 0 }, state: { type: ["out", "late", "back"], default: "out" },
  },
  indexes: {
    primary: { collection: "file", pk: { field: "pk", composite: ["readerId"] }, sk: { field: "sk", composite: ["bookId"] } },
    byDue: { collection: "desk", index: "gsi1", pk: { field: "gsi1pk", composite: ["branch"] }, sk: { field: "gsi1sk", composite: ["due", "bookId"] } },
  },
}, { client, table });

const Card = new Entity({
  model: { entity: "card", version: "1", service: "library" },
  attributes: { readerId: string({ required: true }), number: { type: "number", required: true } },
  indexes: { primary: { collection: "file", pk: { field: "pk", composite: ["readerId"] }, sk: { field: "sk", composite: ["number"] } } },
}, { client, table });

const library = new Service({ reader: Reader, loan: Loan, card: Card }, { client, table });

async function built() {
  await client.send(new CreateTableCommand({
    TableName: table,
    AttributeDefinitions: ["pk", "sk", "gsi1pk", "gsi1sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }, { AttributeName: "sk", KeyType: "RANGE" }],
    GlobalSecondaryIndexes: [{
      IndexName: "gsi1", KeySchema: [{ AttributeName: "gsi1pk", KeyType: "HASH" }, { AttributeName: "gsi1sk", KeyType: "RANGE" }], Projection: { ProjectionType: "ALL" },
    }],
    BillingMode: "PAY_PER_REQUEST",
  }));
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { TableName: table });
}

const reader = (readerId, name, more) => ({ branch: "harbour", readerId, name, ...more });
const loan = (readerId, i, more) => ({ branch: "harbour", readerId, bookId: `b${String(i).padStart(3, "0")}`, due: `2026-${String(1 + (i % 12)).padStart(2, "0")}-01`, ...more });

// failed prints the error of ElectroDB and, below it, the one that the SDK had.
async function failed(label, call) {
  try {
    await call();
  } catch (e) {
    show(label, [e instanceof ElectroError, e.code, e.message, e.cause?.name]);
    return;
  }
  show(label, "NOT REFUSED");
}

await sections({
  async items() {
    await built();
    const created = await Reader.create(reader("r1", "Ana", { email: "Ana@Example.ORG", likes: ["sea", "maps"], notes: [{ text: "kind", stars: 5 }], address: { town: "Porto" }, settings: { any: [1, { x: null }] } })).go();
    show("created", { ...created.data, likes: [...created.data.likes].sort() });
    const found = (await Reader.get({ readerId: "r1" }).go()).data;
    show("found", { ...found, likes: [...found.likes].sort() });
    show("part", (await Reader.get({ readerId: "r1" }).go({ attributes: ["name", "fees"], consistent: true })).data);
    show("absent", (await Reader.get({ readerId: "r9" }).go()).data);
    await failed("twice", () => Reader.create(reader("r1", "Ben")).go());
    await failed("invalid", () => Reader.create(reader("r2", "B")).go());
    const updated = await Reader.update({ readerId: "r1" }).add({ fees: 3 }).append({ notes: [{ text: "late", stars: 2 }] }).data((a, o) => {
      o.set(a.address.zip, "4000");
      o.add(a.likes, ["tea"]);
    }).remove(["email"]).go({ response: "all_new" });
    show("updated", { ...updated.data, likes: [...updated.data.likes].sort() });
    const nested = await Reader.update({ readerId: "r1" }).data((a, o) => {
      o.set(a.notes[0].stars, 4);
      o.remove(a.notes[1].text);
    }).delete({ likes: ["sea"] }).go({ response: "updated_new" });
    show("nested", { ...nested.data, likes: [...nested.data.likes].sort() });
    show("subtracted", (await Reader.update({ readerId: "r1" }).subtract({ fees: 1 }).set({ level: "member" }).go({ response: "updated_new" })).data);
    await failed("patch of nothing", () => Reader.patch({ readerId: "r8" }).set({ level: "patron" }).go());
    show("patched", (await Reader.patch({ readerId: "r1" }).set({ active: false }).go({ response: "all_new" })).data.active);
    show("upserted", (await Reader.upsert(reader("r3", "Cho")).add({ fees: 2 }).go({ response: "all_new" })).data);
    await Reader.put(reader("r4", "Dan")).go();
    show("deleted", (await Reader.delete({ readerId: "r4" }).go({ response: "all_old" })).data.name);
    await failed("remove of nothing", () => Reader.remove({ readerId: "r4" }).go());
  },

  async conditions() {
    await built();
    await Loan.put(loan("r1", 1)).go();
    const renew = () => Loan.update({ readerId: "r1", bookId: "b001" }).add({ renewals: 1 }).where(({ renewals, state }, { lt, eq }) => `${lt(renewals, 2)} AND ${eq(state, "out")}`).go({ response: "all_new" });
    show("renewed", [(await renew()).data.renewals, (await renew()).data.renewals]);
    await failed("too often", renew);
    await failed("delete", () => Loan.delete({ readerId: "r1", bookId: "b001" }).where(({ state }, { eq }) => eq(state, "back")).go());
    const shown = await Loan.update({ readerId: "r1", bookId: "b001" }).set({ state: "late" }).where(({ due }, { begins, contains, between }) => `${begins(due, "2026")} AND ${contains(due, "-")} AND ${between(due, "2026-01", "2027")}`).go({ response: "updated_old" });
    show("late", shown.data);
  },

  async query() {
    await built();
    await Loan.put(Array.from({ length: 60 }, (_, i) => loan(`r${i % 2}`, i, { state: i % 5 ? "out" : "late" }))).go();
    const books = (page) => page.data.map((l) => l.bookId).join(" ");
    show("begins", books(await Loan.query.primary({ readerId: "r0" }).begins({ bookId: "b00" }).go()));
    show("between", books(await Loan.query.primary({ readerId: "r1" }).between({ bookId: "b010" }, { bookId: "b020" }).go()));
    show("gte", books(await Loan.query.primary({ readerId: "r1" }).gte({ bookId: "b055" }).go()));
    show("lt", books(await Loan.query.primary({ readerId: "r1" }).lt({ bookId: "b005" }).go()));
    show("newest", books(await Loan.query.primary({ readerId: "r1" }).go({ order: "desc", limit: 3 })));
    show("due", books(await Loan.query.byDue({ branch: "harbour", due: "2026-03-01" }).go({ pages: "all" })));
    show("where", books(await Loan.query.byDue({ branch: "harbour" }).between({ due: "2026-02-01" }, { due: "2026-04-01" }).where(({ state }, { eq }) => eq(state, "late")).go()));
    const sizes = [];
    let cursor = null;
    do {
      const page = await Loan.query.primary({ readerId: "r0" }).go({ cursor, limit: 12 });
      sizes.push(page.data.length);
      cursor = page.cursor;
    } while (cursor !== null);
    show("pages", sizes);
    show("count", (await Loan.query.byDue({ branch: "harbour" }).go({ count: 17 })).data.length);
    show("scan", (await Loan.scan.where(({ state }, { eq }) => eq(state, "late")).go({ pages: "all" })).data.length);
    show("find", books(await Loan.find({ readerId: "r0", bookId: "b004" }).go()));
    show("match", books(await Loan.match({ branch: "harbour", due: "2026-12-01", state: "late" }).go()));
  },

  async collections() {
    await built();
    await Reader.put([reader("r1", "Ana"), reader("r2", "Ben")]).go();
    await Loan.put([loan("r1", 1), loan("r1", 2), loan("r2", 3)]).go();
    await Card.put({ readerId: "r1", number: 77 }).go();
    const file = (await library.collections.file({ readerId: "r1" }).go()).data;
    show("file", { loans: file.loan.map((l) => l.bookId), cards: file.card.map((c) => c.number) });
    const desk = (await library.collections.desk({ branch: "harbour" }).go()).data;
    show("desk", { readers: desk.reader.map((r) => r.name), loans: desk.loan.map((l) => [l.due, l.bookId]) });
    const late = (await library.collections.desk({ branch: "harbour" }).where(({ due }, { gt }) => gt(due, "2026-02-15")).go()).data;
    show("filtered", [late.reader.length, late.loan.map((l) => l.bookId)]);
  },

  async batches() {
    await built();
    const wrote = await Loan.put(Array.from({ length: 130 }, (_, i) => loan("r1", i))).go({ concurrency: 3 });
    show("unprocessed", wrote.unprocessed);
    const keys = Array.from({ length: 131 }, (_, i) => ({ readerId: "r1", bookId: loan("r1", i).bookId }));
    const read = await Loan.get(keys).go({ concurrency: 2, preserveBatchOrder: true });
    show("read", [read.data.length, read.data[7].bookId, read.data[130], read.unprocessed]);
    show("deleted", (await Loan.delete(keys.slice(0, 30)).go()).unprocessed);
    show("left", (await Loan.scan.go({ pages: "all" })).data.length);
  },

  async transactions() {
    await built();
    await Reader.put(reader("r1", "Ana")).go();
    const lend = () => library.transaction.write(({ reader: r, loan: l }) => [
      l.create(loan("r1", 5)).commit({ response: "all_old" }),
      r.update({ readerId: "r1" }).add({ fees: 1 }).where(({ fees }, { lt }) => lt(fees, 5)).commit(),
      r.check({ readerId: "r1" }).where(({ active }, { eq }) => eq(active, true)).commit(),
    ].slice(0, 2)).go();
    show("lent", (await lend()).canceled);
    const again = await lend();
    show("again", [again.canceled, again.data.map((d) => [d.rejected, d.code, d.message, d.item?.bookId])]);
    const read = await library.transaction.get(({ reader: r, loan: l }) => [r.get({ readerId: "r1" }).commit(), l.get({ readerId: "r1", bookId: "b005" }).commit(), l.get({ readerId: "r1", bookId: "b009" }).commit()]).go();
    show("read", [read.canceled, read.data.map((d) => d.item && (d.item.name ?? d.item.bookId)), read.data[0].item.fees]);
  },

  async keys() {
    await built();
    const { pk, sk, gsi1pk, gsi1sk } = Loan.put(loan("R 1", 1)).params().Item;
    show("keys", [pk, sk, gsi1pk, gsi1sk]);
    await Loan.put(loan("R 1", 1)).go();
    const raw = await Loan.query.primary({ readerId: "R 1" }).go({ data: "raw" });
    show("raw", raw.data.Items ?? raw.data);
    const cursor = createConversions(Loan).fromComposite.toCursor({ branch: "harbour", readerId: "R 1", bookId: "b001", due: "2026-02-01" }, { strict: "none" });
    show("cursor", typeof cursor);
    show("custom", typeof CustomAttributeType);
  },
});
