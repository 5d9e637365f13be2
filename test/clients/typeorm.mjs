// SPDX-License-Identifier: Apache-2.0
//
// TypeORM's quick start, with a schema instead of decorators: the table is made from the entity, then repositories and transactions.

import "reflect-metadata";
import { DataSource, EntitySchema } from "typeorm";
import mysql from "mysql2/promise";
import { sections, show } from "./show.mjs";

const address = { host: process.env.SQL_HOST, port: Number(process.env.SQL_PORT) };

const User = new EntitySchema({
  name: "User",
  tableName: "users",
  columns: {
    id: { type: "bigint", primary: true },
    firstName: { type: "varchar", length: 100, nullable: true },
    age: { type: "int", nullable: true },
    isActive: { type: "boolean", nullable: true },
    joined: { type: "timestamp", precision: 3, nullable: true },
  },
});

async function start(synchronize) {
  const source = new DataSource({ type: "mysql", ...address, username: "root", database: "shop", entities: [User], synchronize, timezone: "Z" });
  return source.initialize();
}

async function make() {
  const c = await mysql.createConnection({ ...address, user: "root" });
  await c.query("CREATE DATABASE shop");
  await c.query("CREATE TABLE shop.users (id BIGINT, firstName VARCHAR(100), age INT, isActive BOOLEAN, joined TIMESTAMP, PRIMARY KEY (id))");
  await c.end();
  return start(false);
}

await sections({
  async repository() {
    const source = await make();
    const users = source.getRepository("User");
    await users.insert({ id: "1", firstName: "Tim", age: 30, isActive: true, joined: new Date("2024-01-02T03:04:05.678Z") });
    await users.save([{ id: "2", firstName: "Ann", age: 41, isActive: false }, { id: "3", firstName: "Bo", age: 25, isActive: true }]);
    show("all", await users.find({ order: { id: "ASC" } }));
    show("one", await users.findOneBy({ id: "2" }));
    show("count", await users.count());
    const tim = await users.findOneByOrFail({ id: "1" });
    tim.age = 31;
    await users.save(tim);
    show("saved", await users.findOneBy({ id: "1" }));
    await users.update({ id: "2" }, { firstName: "Anna" });
    show("builder", await users.createQueryBuilder("u").select(["u.id", "u.firstName"]).where("u.id BETWEEN :low AND :high", { low: 2, high: 3 }).orderBy("u.id", "DESC").getMany());
    await users.delete({ id: "3" });
    show("left", await users.count());
    await source.destroy();
  },

  async transactions() {
    const source = await make();
    await source.transaction(async (manager) => {
      await manager.insert("User", { id: "1", age: 1 });
      await manager.update("User", { id: "1" }, { age: 2 });
    });
    show("committed", await source.manager.findOneBy("User", { id: "1" }));
    await source.transaction(async (manager) => {
      await manager.update("User", { id: "1" }, { age: 99 });
      throw new Error("changed my mind");
    }).catch((e) => show("rolled back", e.message));
    show("after it", await source.manager.findOneBy("User", { id: "1" }));
    await source.destroy();
  },

  // The table is made and compared by TypeORM itself, which asks information_schema.
  async synchronize() {
    const c = await mysql.createConnection({ ...address, user: "root" });
    await c.query("CREATE DATABASE shop");
    await c.end();
    for (let i = 0; i < 2; i++) {
      const source = await start(true);
      await source.getRepository("User").save({ id: `${i}`, age: i });
      show("users", await source.getRepository("User").find({ order: { id: "ASC" } }));
      await source.destroy();
    }
  },
});
