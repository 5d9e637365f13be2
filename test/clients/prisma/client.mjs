// SPDX-License-Identifier: Apache-2.0
//
// Prisma's client after its quick start and its pages on relations, transactions, aggregates and raw queries. tables.sql is what
// `prisma migrate` writes for schema.prisma.

import fs from "node:fs";
import { createRequire } from "node:module";
import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { createConnection } from "mariadb";
import { sections, show } from "../show.mjs";

const { PrismaClient, Prisma } = createRequire(import.meta.url)("@prisma/client");

async function start() {
  const address = { host: process.env.SQL_HOST, port: Number(process.env.SQL_PORT), user: "root" };
  const admin = await createConnection({ ...address, multipleStatements: true });
  await admin.query("CREATE DATABASE IF NOT EXISTS prisma; USE prisma");
  for (const statement of fs.readFileSync(new URL("tables.sql", import.meta.url), "utf8").split(/;\s*\n/)) if (statement.trim()) await admin.query(statement);
  await admin.end();
  return new PrismaClient({ adapter: new PrismaMariaDb({ ...address, database: "prisma", connectionLimit: 5 }) });
}

async function refused(label, call) {
  try {
    show(label, ["NOT REFUSED", await call()]);
  } catch (e) {
    show(label, [e.name, e.code, (e.message ?? "").trim().split("\n").at(-1)]);
  }
}

const without = (rows, ...names) => JSON.parse(JSON.stringify(rows, (k, v) => names.includes(k) ? undefined : typeof v === "bigint" ? `${v}n` : v));

await sections({
  async crud() {
    const prisma = await start();
    const user = await prisma.user.create({ data: { name: "Alice", email: "alice@prisma.io", posts: { create: { title: "Hello World", content: "This is my first post!", published: true } } }, include: { posts: true } });
    show("created", without(user, "createdAt"));
    show("time", user.createdAt instanceof Date && Math.abs(Date.now() - user.createdAt) < 60_000);
    show("all", without(await prisma.user.findMany({ include: { posts: true } }), "createdAt"));
    show("many", await prisma.user.createMany({ data: [{ email: "bob@prisma.io", role: "ADMIN" }, { email: "eve@prisma.io" }, { email: "bob@prisma.io" }], skipDuplicates: true }));
    await refused("same email", () => prisma.user.create({ data: { email: "bob@prisma.io" } }));
    show("unique", without(await prisma.user.findUnique({ where: { email: "bob@prisma.io" } }), "createdAt"));
    show("filters", (await prisma.user.findMany({ where: { OR: [{ email: { startsWith: "b" } }, { name: { contains: "lic" } }], NOT: { role: "USER" } }, orderBy: { id: "desc" }, select: { id: true, role: true } })));
    show("page", await prisma.user.findMany({ skip: 1, take: 1, orderBy: { email: "asc" }, select: { email: true } }));
    show("cursor", await prisma.user.findMany({ cursor: { id: 1 }, skip: 1, take: 5, orderBy: { id: "asc" }, select: { email: true } }));
    show("updated", without(await prisma.user.update({ where: { id: 1 }, data: { name: "Alicia" } }), "createdAt"));
    show("updateMany", await prisma.user.updateMany({ where: { role: "USER" }, data: { name: "user" } }));
    show("upsert", (await Promise.all(["u@prisma.io", "bob@prisma.io"].map((email) => prisma.user.upsert({ where: { email }, update: { name: "there" }, create: { email, name: "new" } })))).map((u) => u.name));
    await refused("no such user", () => prisma.user.update({ where: { id: 99 }, data: { name: "x" } }));
    await refused("has posts", () => prisma.user.delete({ where: { id: 1 } }));
    show("deleted", (await prisma.user.delete({ where: { email: "eve@prisma.io" } })).email);
    show("deleteMany", await prisma.post.deleteMany());
    await prisma.$disconnect();
  },

  async relations() {
    const prisma = await start();
    await prisma.user.create({
      data: {
        email: "a@b", profile: { create: { bio: "I like turtles" } },
        posts: { create: [{ title: "p1", categories: { create: [{ name: "Databases" }, { name: "Big Data" }] } }, { title: "p2", published: true, categories: { connectOrCreate: { where: { name: "Databases" }, create: { name: "Databases" } } } }] },
      },
    });
    show("loaded", without(await prisma.user.findMany({ include: { profile: true, posts: { include: { categories: { orderBy: { name: "asc" } } }, orderBy: { id: "asc" } }, _count: { select: { posts: true } } } }), "createdAt"));
    await prisma.post.update({ where: { id: 1 }, data: { categories: { disconnect: { name: "Big Data" }, create: { name: "New" } }, views: { increment: 5 } } });
    show("post", await prisma.post.findUnique({ where: { id: 1 }, include: { categories: { orderBy: { id: "asc" } }, author: { select: { email: true } } } }));
    const joined = (relationLoadStrategy) => prisma.user.findMany({ relationLoadStrategy, include: { profile: true, posts: { include: { categories: { orderBy: { name: "asc" } } }, orderBy: { id: "desc" }, take: 5 } } });
    show("in one statement", without(await joined("join"), "createdAt"));
    show("in several", without(await joined("query"), "createdAt"));
    show("some", await prisma.user.count({ where: { posts: { some: { categories: { some: { name: "New" } } } } } }));
    show("every", await prisma.user.count({ where: { posts: { every: { published: true } } } }));
    show("none", await prisma.category.findMany({ where: { posts: { none: {} } } }));
    show("is", await prisma.post.findMany({ where: { author: { is: { profile: { bio: { contains: "turtles" } } } } }, orderBy: [{ author: { email: "asc" } }, { id: "desc" }], select: { id: true } }));
    show("by count", await prisma.category.findMany({ orderBy: [{ posts: { _count: "desc" } }, { name: "asc" }], select: { name: true, _count: true } }));
    await prisma.user.update({ where: { id: 1 }, data: { posts: { updateMany: { where: { published: false }, data: { title: "renamed" } }, deleteMany: [{ id: 2 }] }, profile: { upsert: { create: { bio: "x" }, update: { bio: "changed" } } } } });
    show("nested writes", without(await prisma.user.findFirst({ include: { posts: true, profile: true } }), "createdAt"));
    await refused("no author", () => prisma.post.create({ data: { title: "x", authorId: 99 } }));
    await prisma.post.deleteMany();
    await prisma.user.delete({ where: { id: 1 } });
    show("profiles left", await prisma.profile.count());
    await prisma.$disconnect();
  },

  async types() {
    const prisma = await start();
    const data = { id: "t", big: 9007199254740993n, size: 18446744073709551615n, price: "12.50", ratio: 0.1, data: { a: [1, { b: null }], c: "x" }, raw: new Uint8Array([0, 255, 39]), day: new Date("2024-02-29"), at: new Date("2024-02-29T12:13:14.567Z"), small: -3 };
    const created = await prisma.thing.create({ data });
    const read = await prisma.thing.findUnique({ where: { id: "t" } });
    for (const row of [created, read]) show("thing", { ...row, changed: row.changed instanceof Date, price: row.price.toFixed(2) });
    show("found", [await prisma.thing.count({ where: { price: { gte: "12.5" }, big: { gt: 9007199254740992n }, day: new Date("2024-02-29"), at: { lt: new Date("2024-02-29T12:13:14.568Z") } } }), await prisma.thing.count({ where: { data: { path: "$.c", equals: "x" } } }), await prisma.thing.count({ where: { raw: new Uint8Array([0, 255, 39]) } })]);
    show("null", (await prisma.thing.update({ where: { id: "t" }, data: { data: Prisma.DbNull, raw: null, day: null, price: { multiply: 2 } } })).price.toFixed(2));
    await refused("too large", () => prisma.thing.update({ where: { id: "t" }, data: { small: 40000 } }));
    await prisma.$disconnect();
  },

  async transactions() {
    const prisma = await start();
    await prisma.$transaction([prisma.user.create({ data: { email: "1" } }), prisma.user.create({ data: { email: "2" } })]);
    await refused("batch", () => prisma.$transaction([prisma.user.create({ data: { email: "3" } }), prisma.user.create({ data: { email: "1" } })]));
    await prisma.$transaction(async (tx) => {
      await tx.user.update({ where: { email: "1" }, data: { name: "changed" } });
      throw new Error("changed my mind");
    }).catch((e) => show("rolled back", e.message));
    show("isolation", await prisma.$transaction((tx) => tx.user.count(), { isolationLevel: Prisma.TransactionIsolationLevel.Serializable, maxWait: 5000, timeout: 10000 }));
    show("users", await prisma.user.findMany({ select: { email: true, name: true }, orderBy: { email: "asc" } }));
    await prisma.$disconnect();
  },

  async aggregates() {
    const prisma = await start();
    await prisma.user.create({ data: { email: "a", posts: { create: [1, 2, 3, 4].map((views) => ({ title: `t${views % 2}`, views, published: views > 2 })) } } });
    show("aggregate", await prisma.post.aggregate({ _sum: { views: true }, _avg: { views: true }, _min: { title: true }, _max: { views: true }, _count: { _all: true, content: true } }));
    show("groups", await prisma.post.groupBy({ by: ["title"], _sum: { views: true }, _count: true, where: { views: { gt: 0 } }, having: { views: { _avg: { gt: 1 } } }, orderBy: { title: "asc" } }));
    show("distinct", await prisma.post.findMany({ distinct: ["title"], orderBy: { title: "asc" }, select: { title: true } }));
    show("raw", await prisma.$queryRaw`SELECT title, COUNT(*) AS n, SUM(views) AS total FROM Post WHERE views > ${1} GROUP BY title ORDER BY title`);
    show("raw in", await prisma.$queryRaw`SELECT id, published, views FROM Post WHERE id IN (${Prisma.join([1, 3])}) ORDER BY id`);
    show("execute", await prisma.$executeRaw`UPDATE Post SET content = ${"x"} WHERE published = ${true}`);
    await refused("raw fault", () => prisma.$queryRawUnsafe("SELECT nothing FROM Post"));
    await prisma.$disconnect();
  },
});
