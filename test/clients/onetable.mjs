// SPDX-License-Identifier: Apache-2.0
//
// Accounts, their users and invoices in one table, with DynamoDB OneTable. Usage: node onetable.mjs section. The files of testdata/onetable
// say what each section prints.

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { Model, OneTableError, Table } from "dynamodb-onetable";
import { endpoint, plain, sections, show } from "./show.mjs";

const client = new DynamoDBClient({ endpoint, region: "us-east-1" });

const schema = {
  format: "onetable:1.1.0",
  version: "0.0.1",
  indexes: { primary: { hash: "pk", sort: "sk" }, gs1: { hash: "gs1pk", sort: "gs1sk", project: "all" }, ls1: { type: "local", sort: "email", project: ["name"] } },
  models: {
    Account: { pk: { type: String, value: "account#${name}" }, sk: { type: String, value: "account#" }, name: { type: String, required: true }, balance: { type: Number, default: 0 }, plan: { type: String, enum: ["free", "paid"], default: "free" } },
    User: {
      pk: { type: String, value: "account#${account}" }, sk: { type: String, value: "user#${email}" },
      gs1pk: { type: String, value: "user#" }, gs1sk: { type: String, value: "${status}#${email}" },
      account: { type: String, required: true }, email: { type: String, required: true }, name: { type: String }, status: { type: String, default: "idle", enum: ["idle", "active"] },
      born: { type: Date }, tags: { type: Set }, address: { type: Object, schema: { town: { type: String }, zip: { type: String } } }, scores: { type: Array, items: { type: Number } },
      photo: { type: Buffer }, logins: { type: Number, default: 0 }, checked: { type: Boolean },
    },
    Invoice: { pk: { type: String, value: "account#${account}" }, sk: { type: String, value: "invoice#${number}" }, account: { type: String }, number: { type: String }, cents: { type: Number } },
    Login: { pk: { type: String, value: "login#${id}" }, sk: { type: String, value: "login#" }, id: { type: String }, handle: { type: String, unique: true }, until: { type: Number, ttl: true } },
  },
  params: { isoDates: true, timestamps: false },
};

const table = new Table({ client, name: "accounts", schema, partial: true, logger: false, hidden: false });
const [Account, User, Invoice, Login] = ["Account", "User", "Invoice", "Login"].map((name) => table.getModel(name));

async function failed(label, call) {
  try {
    show(label, ["NOT REFUSED", await call()]);
  } catch (e) {
    show(label, [e instanceof OneTableError || e.constructor.name, e.code, e.message.split("\n")[0], e.context?.err?.name]);
  }
}

async function users(count) {
  const batch = {};
  for (let i = 0; i < count; i++) await User.create({ account: "acme", email: `u${String(i).padStart(2, "0")}@acme`, name: `User ${i}`, status: i % 3 ? "idle" : "active" }, { batch: i < 20 ? batch : undefined });
  await table.batchWrite(batch);
}

await sections({
  async tables() {
    show("before", await table.exists());
    await table.createTable();
    for (let status; status !== "ACTIVE";) ({ TableStatus: status } = (await table.describeTable()).Table);
    show("after", [await table.exists(), await table.listTables()]);
    const { Table: t } = await table.describeTable();
    show("keys", [t.KeySchema, t.BillingModeSummary?.BillingMode, t.GlobalSecondaryIndexes.map((i) => [i.IndexName, i.Projection]), t.LocalSecondaryIndexes.map((i) => [i.IndexName, i.KeySchema.map((k) => k.AttributeName), i.Projection])]);
    await failed("again", () => table.createTable());
    await table.updateTable({ remove: { name: "gs1" } });
    for (let left = 1; left;) left = (await table.describeTable()).Table.GlobalSecondaryIndexes?.length ?? 0;
    await table.updateTable({ create: { name: "gs1", hash: "gs1pk", sort: "gs1sk", project: "keys" } });
    for (let status; status !== "ACTIVE";) status = (await table.describeTable()).Table.GlobalSecondaryIndexes?.[0].IndexStatus;
    show("index", "again");
    await table.deleteTable("DeleteTableForever");
    for (let left = true; left;) left = await table.exists();
    show("gone", await table.exists());
  },

  async items() {
    await table.createTable();
    await Account.create({ name: "acme" });
    await failed("twice", () => Account.create({ name: "acme" }));
    show("replaced", await Account.create({ name: "acme", plan: "paid" }, { exists: null }));
    const ana = await User.create({ account: "acme", email: "ana@acme", name: "Ana", born: new Date("1990-05-06T00:00:00Z"), tags: new Set(["x", "y"]), address: { town: "Porto" }, scores: [1, 2.5], photo: Buffer.from([0, 255]), checked: false });
    show("created", ana);
    show("found", await User.get({ account: "acme", email: "ana@acme" }));
    show("absent", await User.get({ account: "acme", email: "zoe@acme" }));
    show("updated", await User.update({ account: "acme", email: "ana@acme" }, { add: { logins: 2 }, set: { "address.zip": "4000", "scores[1]": 3, name: "Ana B" }, remove: ["checked"], delete: { tags: new Set(["x"]) } }));
    show("pushed", (await User.update({ account: "acme", email: "ana@acme" }, { push: { scores: [9] } })).scores);
    show("status", await User.update({ account: "acme", email: "ana@acme", status: "active" }));
    await failed("update of nothing", () => User.update({ account: "acme", email: "zoe@acme", name: "Zoe" }));
    show("upserted", await User.upsert({ account: "acme", email: "ben@acme", name: "Ben" }));
    await failed("condition", () => User.update({ account: "acme", email: "ben@acme", name: "B" }, { where: '${status} = {active}' }));
    show("held", (await User.update({ account: "acme", email: "ben@acme", name: "Benno" }, { where: '(${status} = {idle}) and (attribute_exists(${name}))' })).name);
    show("removed", await User.remove({ account: "acme", email: "ben@acme" }));
    await failed("invalid", () => User.create({ account: "acme", email: "eve@acme", status: "odd" }));
  },

  async query() {
    await table.createTable();
    await users(40);
    const emails = (found) => found.map((u) => u.email.slice(0, 3)).join(" ");
    show("sort key", emails(await User.find({ pk: "account#acme", sk: { begins: "user#u1" } })));
    show("between", emails(await User.find({ pk: "account#acme", sk: { between: ["user#u05", "user#u08@acme"] } })));
    show("index", emails(await User.find({ gs1pk: "user#", gs1sk: { begins: "active#" } }, { index: "gs1" })));
    show("local", emails(await User.find({ pk: "account#acme", email: { ">=": "u37" } }, { index: "ls1" })));
    show("reverse", emails(await User.find({ account: "acme" }, { reverse: true, limit: 3 })));
    show("where", emails(await User.find({ account: "acme" }, { where: '(${status} = {active}) and (${email} > {u30})' })));
    show("count", (await User.find({ account: "acme" }, { count: true })).count);
    const sizes = [];
    let next;
    do {
      const page = await User.find({ account: "acme" }, { limit: 15, next });
      sizes.push(page.length);
      next = page.next;
    } while (next);
    show("pages", sizes);
    show("scan", (await User.scan({ status: "active" })).length);
    const parts = await Promise.all([0, 1].map((segment) => table.scanItems({}, { segments: 2, segment, parse: true, hidden: true })));
    show("segments", parts.flat().length);
    for (const number of ["1", "2"]) await Invoice.create({ account: "acme", number, cents: 100 });
    await Account.create({ name: "acme" });
    const all = await table.queryItems({ pk: "account#acme" }, { parse: true, hidden: true });
    show("kinds", Object.entries(table.groupByType(all, { parse: true })).map(([k, v]) => `${k} ${v.length}`).sort());
  },

  async batches() {
    await table.createTable();
    await users(20);
    const batch = {};
    for (const i of ["00", "05", "77"]) await User.get({ account: "acme", email: `u${i}@acme` }, { batch });
    show("read", (await table.batchGet(batch, { parse: true, hidden: false })).map((u) => u.email).sort());
    const removal = {};
    for (const i of ["00", "05"]) await User.remove({ account: "acme", email: `u${i}@acme` }, { batch: removal });
    show("removed", [await table.batchWrite(removal), (await User.scan({})).length]);
  },

  async transactions() {
    await table.createTable();
    await Account.create({ name: "acme", balance: 10 });
    const pay = async (number, cents) => {
      const transaction = {};
      await Invoice.create({ account: "acme", number, cents }, { transaction });
      await Account.update({ name: "acme" }, { add: { balance: -cents }, where: `\${balance} >= {${cents}}`, transaction });
      await table.transact("write", transaction, { parse: true, hidden: true });
    };
    await pay("1", 7);
    await failed("poor", () => pay("2", 7));
    const read = {};
    await Account.get({ name: "acme" }, { transaction: read });
    await Invoice.get({ account: "acme", number: "1" }, { transaction: read });
    show("read", (await table.transact("get", read, { parse: true, hidden: false })).map(plain));
    await Login.create({ id: "1", handle: "ana" });
    await failed("taken", () => Login.create({ id: "2", handle: "ana" }));
    show("renamed", (await Login.update({ id: "1", handle: "anna" }, { return: "get" })).handle);
    show("free", (await Login.create({ id: "2", handle: "ana" })).handle);
    show("removed", (await Login.remove({ id: "2" })).handle);
    show("model", Login instanceof Model);
  },
});
