// SPDX-License-Identifier: Apache-2.0
//
// Knex's quick start: schema builder, queries, updates, transactions.

import fs from "node:fs";
import path from "node:path";
import makeKnex from "knex";
import { failed, sections, show } from "./show.mjs";

const connection = { host: process.env.SQL_HOST, port: Number(process.env.SQL_PORT), user: "root" };

async function start() {
  const admin = makeKnex({ client: "mysql2", connection });
  await admin.raw("CREATE DATABASE shop");
  await admin.destroy();
  return makeKnex({ client: "mysql2", connection: { ...connection, database: "shop" } });
}

// The files of a project's folder of migrations, in order.
const files = {
  "1_users.cjs": `exports.up = (knex) => knex.schema.createTable("users", (t) => {
    t.increments();
    t.string("email").unique().notNullable();
    t.integer("n").defaultTo(0).index();
    t.enu("kind", ["a", "b"]);
    t.timestamps(true, true);
    t.text("bio"); t.json("j"); t.decimal("m", 8, 2); t.boolean("ok").defaultTo(true); t.uuid("u"); t.datetime("d"); t.float("f"); t.bigInteger("b").unsigned();
  });
  exports.down = (knex) => knex.schema.dropTable("users");`,
  "2_posts.cjs": `exports.up = (knex) => knex.schema.createTable("posts", (t) => {
    t.increments();
    t.integer("user_id").unsigned().references("id").inTable("users").onDelete("CASCADE");
  });
  exports.down = (knex) => knex.schema.dropTable("posts");`,
  "3_zip.cjs": `exports.up = (knex) => knex.schema.alterTable("users", (t) => { t.string("zip", 10); t.index(["zip", "n"]); });
  exports.down = (knex) => knex.schema.alterTable("users", (t) => { t.dropIndex(["zip", "n"]); t.dropColumn("zip"); });`,
  "4_wider.cjs": `exports.up = (knex) => knex.schema.alterTable("users", (t) => t.string("email", 300).notNullable().alter());
  exports.down = () => {};`,
  "5_renamed.cjs": `exports.up = (knex) => knex.schema.alterTable("users", (t) => t.renameColumn("bio", "about"));
  exports.down = () => {};`,
};

await sections({
  async changes() {
    const knex = await start();
    await knex.schema.createTable("people", (t) => { t.increments(); t.string("name", 40); t.integer("code").index(); t.date("born"); });
    await knex("people").insert([{ name: "Ann", code: 12, born: "1983-02-28" }, { name: "Bo", code: null, born: null }]);
    await knex.schema.alterTable("people", (t) => { t.string("code", 20).alter(); t.datetime("born").alter(); t.renameColumn("name", "full_name"); });
    await knex.schema.renameTable("people", "persons");
    show("columns", Object.entries(await knex("persons").columnInfo()).map(([name, c]) => [name, c.type, c.maxLength]));
    show("rows", await knex("persons").where("code", "12").select("full_name", "code").select(knex.raw("CAST(born AS CHAR) AS born")));
    await failed("no number", async () => {
      await knex("persons").insert({ full_name: "Cy", code: "x1" });
      await knex.schema.alterTable("persons", (t) => t.integer("code").alter());
    });
    show("kept", await knex("persons").orderBy("id").pluck("code"));
    await knex.destroy();
  },

  async migrations() {
    const knex = await start();
    const directory = fs.mkdtempSync(path.join(process.env.TMPDIR, "knex"));
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, name), text);
    const migrate = makeKnex({ client: "mysql2", connection: { ...connection, database: "shop" }, migrations: { directory, loadExtensions: [".cjs"] }, log: { warn() {}, error() {} } }).migrate;
    for (let i = 0; i < 4; i++) show("up", await migrate.up());
    await failed("no user", () => knex("posts").insert({ user_id: 99 }));
    await failed("up", () => migrate.up());
    show("list", (await migrate.list()).map((of) => of.length));
    show("insert", await knex("users").insert({ email: "a@example.com" }));
    await failed("duplicate", () => knex("users").insert({ email: "a@example.com" }));
    show("ignore", await knex("users").insert({ email: "a@example.com" }).onConflict("email").ignore());
    await knex("users").insert({ email: "a@example.com", n: 7 }).onConflict("email").merge();
    show("merge", await knex("users").where({ email: "a@example.com" }).first("id", "n", "ok"));
    show("rollback", await migrate.rollback(undefined, true));
    await knex.destroy();
    process.exit(0);
  },

  async quickstart() {
    const knex = await start();
    await knex.schema.createTable("users", (table) => {
      table.bigint("id").primary();
      table.string("user_name", 100);
      table.integer("age");
      table.boolean("active");
      table.decimal("balance", 10, 2);
      table.json("settings");
    });
    show("has table", [await knex.schema.hasTable("users"), await knex.schema.hasTable("nowhere"), await knex.schema.hasColumn("users", "age")]);
    await knex("users").insert({ id: 1, user_name: "Tim", age: 30, active: true, balance: "10.50", settings: JSON.stringify({ theme: "dark" }) });
    await knex("users").insert([{ id: 2, user_name: "Ann", age: 41, active: false, balance: 3 }, { id: 3, user_name: "Bo", age: 25, active: true, balance: 0.25 }]);
    show("all", await knex("users").select("*").orderBy("id"));
    show("where", await knex("users").where({ id: 2 }).first("user_name", "age"));
    show("whereIn", await knex("users").whereIn("id", [1, 3]).pluck("user_name"));
    show("range", await knex("users").where("id", ">", 1).andWhere("id", "<", 9).orderBy("id", "desc").limit(1).select("id"));
    show("count", await knex("users").count({ n: "*" }).sum({ years: "age" }).max({ oldest: "age" }));
    show("update", await knex("users").where("id", 1).update({ age: 31 }));
    show("increment", await knex("users").where("id", 1).increment("age", 2));
    show("after it", await knex("users").where("id", 1).first("age"));
    show("upsert", await knex("users").insert({ id: 1, user_name: "Tom" }).onConflict("id").merge());
    show("after it", await knex("users").where("id", 1).first("id", "user_name"));
    show("delete", await knex("users").where("id", 3).del());
    await knex.schema.alterTable("users", (table) => table.string("email"));
    await knex.schema.alterTable("users", (table) => table.index(["user_name"], "by_name"));
    await knex("users").where("id", 1).update({ email: "tom@example.com" });
    show("by index", await knex("users").where("user_name", "Tom").select("email"));
    show("columns", await knex("users").columnInfo("age"));
    await knex.schema.dropTable("users");
    show("has table", await knex.schema.hasTable("users"));
    await knex.destroy();
  },

  async transactions() {
    const knex = await start();
    await knex.schema.createTable("accounts", (table) => {
      table.string("id").primary();
      table.integer("cents");
    });
    await knex.transaction(async (t) => {
      await t("accounts").insert([{ id: "a", cents: 100 }, { id: "b", cents: 0 }]);
      await t("accounts").where({ id: "a" }).decrement("cents", 30);
      await t("accounts").where({ id: "b" }).increment("cents", 30);
    });
    show("committed", await knex("accounts").select().orderBy("id"));
    await knex.transaction(async (t) => {
      await t("accounts").where({ id: "a" }).update({ cents: 0 });
      throw new Error("changed my mind");
    }).catch((e) => show("rolled back", e.message));
    show("after it", await knex("accounts").select().orderBy("id"));
    await knex.destroy();
  },
});
