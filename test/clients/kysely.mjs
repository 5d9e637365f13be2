// SPDX-License-Identifier: Apache-2.0
//
// Kysely's getting started: its Migrator with the migrations of its documentation, then queries, transactions and introspection.

import { Kysely, Migrator, MysqlDialect, NO_MIGRATIONS, sql } from "kysely";
import mysql from "mysql2";
import { failed, schema, sections, show } from "./show.mjs";

const migrations = {
  "1_person": {
    up: (db) => db.schema.createTable("person")
      .addColumn("id", "integer", (c) => c.primaryKey().autoIncrement())
      .addColumn("first_name", "varchar(255)", (c) => c.notNull())
      .addColumn("last_name", "varchar(255)")
      .addColumn("gender", "varchar(50)", (c) => c.notNull())
      .addColumn("created_at", "timestamp", (c) => c.defaultTo(sql`now()`).notNull())
      .execute(),
    down: (db) => db.schema.dropTable("person").execute(),
  },
  "2_pet": {
    up: async (db) => {
      await db.schema.createTable("pet")
        .addColumn("id", "integer", (c) => c.primaryKey().autoIncrement())
        .addColumn("name", "varchar(255)", (c) => c.notNull().unique())
        .addColumn("owner_id", "integer", (c) => c.notNull())
        .addColumn("species", "varchar(50)", (c) => c.notNull())
        .addForeignKeyConstraint("pet_owner_id_fk", ["owner_id"], "person", ["id"], (c) => c.onDelete("cascade"))
        .execute();
      await db.schema.createIndex("pet_owner_id_index").on("pet").column("owner_id").execute();
    },
    down: (db) => db.schema.dropTable("pet").execute(),
  },
};

async function start() {
  const pool = mysql.createPool(await schema("ky"));
  const db = new Kysely({ dialect: new MysqlDialect({ pool }) });
  return { db, migrator: new Migrator({ db, provider: { getMigrations: async () => migrations } }) };
}

function told(label, { error, results }) {
  show(label, error ?? results.map((r) => `${r.migrationName} ${r.direction} ${r.status}`));
}

await sections({
  async migrations() {
    const { db, migrator } = await start();
    told("first", await migrator.migrateUp());
    told("to latest", await migrator.migrateToLatest());
    told("again", await migrator.migrateToLatest());
    show("executed", (await migrator.getMigrations()).map((m) => !!m.executedAt));
    for (const t of await db.introspection.getTables()) {
      show(t.name, t.columns.map((c) => `${c.name} ${c.dataType}${c.isNullable ? "" : " not null"}${c.isAutoIncrementing ? " auto" : ""}${c.hasDefaultValue ? " default" : ""}`));
    }
    told("down", await migrator.migrateTo(NO_MIGRATIONS));
    show("left", (await db.introspection.getTables()).map((t) => t.name));
    await db.destroy();
  },

  async queries() {
    const { db, migrator } = await start();
    await migrator.migrateToLatest();
    const { insertId } = await db.insertInto("person").values({ first_name: "Jennifer", last_name: "Aniston", gender: "woman" }).executeTakeFirstOrThrow();
    show("insertId", insertId);
    await db.insertInto("pet").values([{ name: "Catto", owner_id: 1, species: "cat" }, { name: "Doggo", owner_id: 1, species: "dog" }]).execute();
    await failed("duplicate", () => db.insertInto("pet").values({ name: "Catto", owner_id: 1, species: "cat" }).execute());
    await failed("no owner", () => db.insertInto("pet").values({ name: "Stray", owner_id: 9, species: "cat" }).execute());
    show("join", await db.selectFrom("person").innerJoin("pet", "pet.owner_id", "person.id").select(["first_name", "pet.name as pet_name"]).where("person.id", "=", 1).orderBy("pet.name").execute());
    show("locked", await db.transaction().execute(async (t) => {
      await t.updateTable("person").set({ first_name: "Jen" }).where("id", "=", 1).execute();
      return t.selectFrom("person").select("first_name").where("id", "=", 1).forUpdate().executeTakeFirst();
    }));
    show("deleted", (await db.deleteFrom("person").where("id", "=", 1).executeTakeFirst()).numDeletedRows);
    show("pets left", await db.selectFrom("pet").select(db.fn.countAll().as("n")).executeTakeFirst());
    await db.destroy();
  },
});
