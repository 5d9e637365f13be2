// SPDX-License-Identifier: Apache-2.0
//
// Cats up for adoption and who wants them, with Dynamoose, which makes its tables itself. Usage: node dynamoose.mjs section. The files of
// testdata/dynamoose say what each section prints.

import dynamoose from "dynamoose";
import { endpoint, sections, show } from "./show.mjs";

dynamoose.aws.ddb.set(new dynamoose.aws.ddb.DynamoDB({ endpoint, region: "us-east-1" }));
const sdk = dynamoose.aws.ddb();
const waiting = { enabled: true, check: { timeout: 60000, frequency: 200 } };

const catSchema = new dynamoose.Schema({
  shelter: { type: String, hashKey: true },
  id: { type: String, rangeKey: true },
  name: { type: String, required: true, validate: (v) => v.length > 1 },
  kind: { type: String, enum: ["stray", "house"], default: "stray", index: { name: "byKind", type: "global", rangeKey: "age", project: true } },
  age: { type: Number, index: { name: "byAge", type: "local" } },
  born: Date,
  colours: { type: Set, schema: [String] },
  weights: { type: Array, schema: [Number] },
  chip: Buffer,
  home: { type: Object, schema: { town: String, street: { type: String, default: "unknown" } } },
  tame: Boolean,
  visits: Number,
}, { saveUnknown: ["extra.**"] });

const Cat = dynamoose.model("Cat", catSchema);
const Wish = dynamoose.model("Wish", new dynamoose.Schema({ who: String, cat: String, left: { type: Number, default: 3 } }));
const home = (models, options) => new dynamoose.Table("shelter", models, { waitForActive: waiting, throughput: "ON_DEMAND", prefix: "", ...options });
const cat = (i, more) => ({ shelter: i % 2 ? "north" : "south", id: `c${String(i).padStart(2, "0")}`, name: `Cat ${i}`, age: i % 7, kind: i % 3 ? "stray" : "house", ...more });
const ids = (found) => found.map((c) => c.id).join(" ");

// plainly is what a document holds.
const plainly = (document) => document && { ...document };

async function failed(label, call) {
  try {
    await call();
  } catch (e) {
    show(label, [e.name, e.message]);
    return e;
  }
  show(label, "NOT REFUSED");
}

async function filled() {
  home([Cat]);
  const { unprocessedItems } = await Cat.batchPut(Array.from({ length: 24 }, (_, i) => cat(i)));
  show("unprocessed", unprocessedItems);
}

await sections({
  async tables() {
    const table = home([Cat], { initialize: false });
    await table.initialize();
    const { Table: t } = await sdk.describeTable({ TableName: "shelter" });
    show("keys", [t.KeySchema, t.TableStatus, t.BillingModeSummary?.BillingMode]);
    show("indexes", [...t.GlobalSecondaryIndexes, ...t.LocalSecondaryIndexes].map((i) => [i.IndexName, i.KeySchema.map((k) => k.AttributeName), i.Projection.ProjectionType]));
    show("create request", Object.keys(await table.create({ return: "request" })).sort());
  },

  async indexes() {
    await home([Cat], { initialize: false }).initialize();
    const wider = dynamoose.model("Cat2", new dynamoose.Schema({ shelter: { type: String, hashKey: true }, id: { type: String, rangeKey: true }, name: { type: String, index: { name: "byName", type: "global" } } }));
    await home([wider], { initialize: false, update: ["indexes"] }).initialize();
    const after = (await sdk.describeTable({ TableName: "shelter" })).Table;
    show("after", after.GlobalSecondaryIndexes.map((i) => [i.IndexName, i.IndexStatus]));
  },

  async items() {
    home([Cat]);
    const made = await Cat.create({ ...cat(1), born: new Date("2024-02-29T12:00:00Z"), colours: new Set(["grey", "white"]), weights: [3.5, 4], chip: Buffer.from([1, 255]), home: { town: "Porto" }, tame: true, extra: { any: { thing: [1] } } });
    show("made", plainly(made));
    show("found", plainly(await Cat.get({ shelter: "north", id: "c01" })));
    show("part", plainly(await Cat.get({ shelter: "north", id: "c01" }, { attributes: ["name", "home"], consistent: true })));
    show("absent", await Cat.get({ shelter: "north", id: "c99" }));
    await failed("twice", () => Cat.create(cat(1)));
    await failed("invalid", () => Cat.create(cat(3, { kind: "wild" })));
    show("updated", plainly(await Cat.update({ shelter: "north", id: "c01" }, { $SET: { name: "Tom", "home": { town: "Faro" } }, $ADD: { age: 2, weights: 5 }, $REMOVE: ["tame"] })));
    show("sets", plainly(await Cat.update({ shelter: "north", id: "c01" }, { $ADD: { colours: new Set(["black"]) } })));
    show("upserted", plainly(await Cat.update({ shelter: "north", id: "c50" }, { name: "New", visits: 1 })));
    made.name = "Saved";
    await made.save();
    show("saved", (await Cat.get({ shelter: "north", id: "c01" })).name);
    await Cat.delete({ shelter: "north", id: "c50" });
    await made.delete();
    show("left", (await Cat.scan().exec()).count);
  },

  async conditions() {
    home([Cat]);
    await Cat.create(cat(1));
    const update = (condition) => Cat.update({ shelter: "north", id: "c01" }, { $ADD: { visits: 1 } }, { condition });
    await update(new dynamoose.Condition().where("kind").eq("stray").and().where("age").between(0, 3));
    await update(new dynamoose.Condition().where("name").beginsWith("Cat").or().where("age").gt(100));
    await update(new dynamoose.Condition().filter("name").contains("1").filter("visits").not().eq(9));
    await update(new dynamoose.Condition().where("kind").in(["stray", "house"]).where("tame").not().exists());
    show("visits", (await Cat.get({ shelter: "north", id: "c01" })).visits);
    const e = await failed("update", () => update(new dynamoose.Condition().where("kind").eq("house")));
    show("kind", e.$metadata?.httpStatusCode);
    await failed("delete", () => Cat.delete({ shelter: "north", id: "c01" }, { condition: new dynamoose.Condition().where("age").gt(50) }));
  },

  async query() {
    await filled();
    show("begins", ids(await Cat.query("shelter").eq("north").where("id").beginsWith("c0").exec()));
    show("between", ids(await Cat.query("shelter").eq("south").where("id").between("c04", "c10").exec()));
    show("newest", ids(await Cat.query("shelter").eq("south").sort("descending").limit(3).exec()));
    show("index", (await Cat.query("kind").eq("house").where("age").ge(4).using("byKind").exec()).map((c) => [c.age, c.id]).sort());
    show("local", ids(await Cat.query("shelter").eq("north").where("age").lt(2).using("byAge").exec()));
    show("filter", ids(await Cat.query("shelter").eq("north").filter("kind").eq("house").attributes(["id"]).exec()));
    show("count", await Cat.query("shelter").eq("north").count().exec());
    const sizes = [];
    let page = await Cat.query("shelter").eq("north").limit(5).exec();
    for (;; page = await Cat.query("shelter").eq("north").limit(5).startAt(page.lastKey).exec()) {
      sizes.push(page.length);
      if (!page.lastKey) break;
    }
    show("pages", sizes);
    show("all", (await Cat.query("shelter").eq("south").limit(5).all().exec()).length);
    show("scan", [(await Cat.scan().exec()).length, ids(await Cat.scan("age").eq(6).exec()).split(" ").sort()]);
    show("parallel", (await Cat.scan().parallel(3).all().exec()).length);
  },

  async batches() {
    await filled();
    const found = await Cat.batchGet([{ shelter: "north", id: "c01" }, { shelter: "south", id: "c02" }, { shelter: "south", id: "c77" }]);
    show("found", [found.map((c) => c.id).sort(), found.unprocessedKeys]);
    show("deleted", await Cat.batchDelete([{ shelter: "north", id: "c01" }, { shelter: "south", id: "c02" }]));
    show("left", (await Cat.scan().count().exec()).count);
  },

  async transactions() {
    home([Cat]);
    const wishes = new dynamoose.Table("wishes", [Wish], { initialize: false, waitForActive: waiting, throughput: "ON_DEMAND" });
    await wishes.initialize();
    await Wish.create({ who: "ana", cat: "c01" });
    const adopt = () => dynamoose.transaction([Cat.transaction.create(cat(1)), Wish.transaction.update({ who: "ana" }, { $ADD: { left: -1 } }, { condition: new dynamoose.Condition().where("left").gt(0) })]);
    await adopt();
    const e = await failed("again", adopt);
    show("reasons", e.CancellationReasons?.map((r) => r.Code));
    show("read", (await dynamoose.transaction([Cat.transaction.get({ shelter: "north", id: "c01" }), Wish.transaction.get("ana")])).map((d) => d.name ?? d.left));
    await dynamoose.transaction([Cat.transaction.condition({ shelter: "north", id: "c01" }, new dynamoose.Condition().where("age").eq(1)), Wish.transaction.delete("ana")]);
    show("left", (await Wish.scan().exec()).count);
  },

  async settings() {
    const Visit = dynamoose.model("Visit", new dynamoose.Schema({ id: String }));
    const table = new dynamoose.Table("visits", [Visit], { waitForActive: waiting, throughput: { read: 4, write: 2 }, expires: { ttl: 3600000, attribute: "until" }, tags: { team: "cats" }, tableClass: "infrequentAccess", update: true, initialize: false });
    await table.initialize();
    const before = Math.floor(Date.now() / 1000);
    const made = await Visit.create({ id: "v1" });
    const until = made.until instanceof Date ? made.until.getTime() / 1000 : made.until;
    show("expires", [until >= before + 3599, (await Visit.get("v1")).id]);
    show("expiry", (await sdk.describeTimeToLive({ TableName: "visits" })).TimeToLiveDescription.AttributeName);
    const { Table: t } = await sdk.describeTable({ TableName: "visits" });
    show("table", [t.TableClassSummary?.TableClass, t.ProvisionedThroughput.ReadCapacityUnits, t.ProvisionedThroughput.WriteCapacityUnits]);
    show("tags", (await sdk.listTagsOfResource({ ResourceArn: t.TableArn })).Tags);
    const Again = dynamoose.model("Visit", new dynamoose.Schema({ id: String }));
    await new dynamoose.Table("visits", [Again], { waitForActive: waiting, throughput: { read: 5, write: 2 }, expires: { ttl: 3600000, attribute: "until" }, tags: { stage: "live" }, tableClass: "standard", update: true, initialize: false }).initialize();
    const after = (await sdk.describeTable({ TableName: "visits" })).Table;
    show("after", [after.TableClassSummary?.TableClass, after.ProvisionedThroughput.ReadCapacityUnits, (await sdk.listTagsOfResource({ ResourceArn: t.TableArn })).Tags]);
  },
});
