// SPDX-License-Identifier: Apache-2.0
//
// Drizzle's get started: migrations in the form that drizzle-kit writes, applied by its migrator, then queries.

import fs from "node:fs";
import path from "node:path";
import { eq, relations, sql } from "drizzle-orm";
import { bigint, int, mysqlTable, serial, text, timestamp, varchar } from "drizzle-orm/mysql-core";
import { drizzle } from "drizzle-orm/mysql2";
import { migrate } from "drizzle-orm/mysql2/migrator";
import mysql from "mysql2/promise";
import { failed, schema, sections, show } from "./show.mjs";

const users = mysqlTable("users_table", {
  id: serial().primaryKey(),
  name: varchar({ length: 255 }).notNull(),
  age: int().notNull(),
  email: varchar({ length: 255 }).notNull().unique(),
  created: timestamp("created_at").notNull().defaultNow(),
});
const posts = mysqlTable("posts", {
  id: bigint({ mode: "number", unsigned: true }).autoincrement().primaryKey(),
  userId: bigint("user_id", { mode: "number", unsigned: true }).notNull().references(() => users.id, { onDelete: "cascade" }),
  title: text(),
});
const tables = {
  users, posts,
  ofUsers: relations(users, ({ many }) => ({ posts: many(posts) })),
  ofPosts: relations(posts, ({ one }) => ({ user: one(users, { fields: [posts.userId], references: [users.id] }) })),
};

// What drizzle-kit generates for the two tables, in two steps.
const generated = {
  "0000_users": `CREATE TABLE \`users_table\` (
	\`id\` serial AUTO_INCREMENT NOT NULL,
	\`name\` varchar(255) NOT NULL,
	\`age\` int NOT NULL,
	\`email\` varchar(255) NOT NULL,
	\`created_at\` timestamp NOT NULL DEFAULT (now()),
	CONSTRAINT \`users_table_id\` PRIMARY KEY(\`id\`),
	CONSTRAINT \`users_table_email_unique\` UNIQUE(\`email\`)
);
`,
  "0001_posts": `CREATE TABLE \`posts\` (
	\`id\` bigint unsigned AUTO_INCREMENT NOT NULL,
	\`user_id\` bigint unsigned NOT NULL,
	\`title\` text,
	CONSTRAINT \`posts_id\` PRIMARY KEY(\`id\`)
);
--> statement-breakpoint
ALTER TABLE \`posts\` ADD CONSTRAINT \`posts_user_id_users_table_id_fk\` FOREIGN KEY (\`user_id\`) REFERENCES \`users_table\`(\`id\`) ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX \`user_idx\` ON \`posts\` (\`user_id\`);`,
};

function folder() {
  const migrationsFolder = fs.mkdtempSync(path.join(process.env.TMPDIR, "drizzle"));
  fs.mkdirSync(path.join(migrationsFolder, "meta"));
  const entries = Object.keys(generated).map((tag, idx) => ({ idx, version: "5", when: 1700000000000 + idx, tag, breakpoints: true }));
  fs.writeFileSync(path.join(migrationsFolder, "meta", "_journal.json"), JSON.stringify({ version: "7", dialect: "mysql", entries }));
  for (const [tag, text] of Object.entries(generated)) fs.writeFileSync(path.join(migrationsFolder, `${tag}.sql`), text);
  return migrationsFolder;
}

async function start() {
  const pool = mysql.createPool(await schema("dz"));
  const db = drizzle(pool, { schema: tables, mode: "default" });
  const migrationsFolder = folder();
  await migrate(db, { migrationsFolder });
  await migrate(db, { migrationsFolder });
  return { pool, db };
}

await sections({
  async migrations() {
    const { pool, db } = await start();
    show("applied", (await pool.query("SELECT COUNT(*) AS n FROM __drizzle_migrations"))[0]);
    for (const name of ["users_table", "posts"]) show(name, (await pool.query(`SHOW CREATE TABLE ${name}`))[0][0]["Create Table"]);
    await pool.end();
  },

  async queries() {
    const { pool, db } = await start();
    show("insert", await db.insert(users).values({ name: "John", age: 30, email: "john@example.com" }).$returningId());
    await failed("duplicate", () => db.insert(users).values({ name: "John", age: 30, email: "john@example.com" }));
    await db.insert(users).values({ name: "John", age: 31, email: "john@example.com" }).onDuplicateKeyUpdate({ set: { age: 31 } });
    show("select", await db.select({ id: users.id, name: users.name, age: users.age }).from(users).where(eq(users.email, "john@example.com")));
    await db.insert(posts).values([{ userId: 1, title: "a" }, { userId: 1, title: "b" }]);
    await failed("no user", () => db.insert(posts).values({ userId: 9, title: "c" }));
    show("join", await db.select({ name: users.name, posts: sql`count(*)` }).from(users).innerJoin(posts, eq(posts.userId, users.id)).where(eq(users.id, 1)).groupBy(users.name));
    show("nested transaction", await db.transaction(async (t) => {
      await t.update(users).set({ age: 40 }).where(eq(users.id, 1));
      await t.transaction(async (inner) => {
        await inner.update(users).set({ age: 41 }).where(eq(users.id, 1));
        inner.rollback();
      }).catch(() => 0);
      return t.select({ age: users.age }).from(users).where(eq(users.id, 1));
    }));
    show("relational query", (await db.query.users.findMany({ with: { posts: { columns: { title: true } } } })).map((u) => [u.name, u.posts]));
    await db.delete(users).where(eq(users.id, 1));
    show("posts left", await db.$count(posts));
    await pool.end();
  },
});
