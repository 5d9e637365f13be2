// SPDX-License-Identifier: Apache-2.0
//
// mysql2, the driver of most programs for Node.js. It sends every number of a prepared statement as a DOUBLE.

import mysql from "mysql2/promise";
import { sections, show } from "./show.mjs";

const address = { host: process.env.SQL_HOST, port: Number(process.env.SQL_PORT), user: "root" };

// failed prints code, number, state and message of the error that a call must end with.
async function failed(label, call) {
  try {
    show(label, ["NOT REFUSED", await call()]);
  } catch (e) {
    show(label, [e.code, e.errno, e.sqlState, e.sqlMessage]);
  }
}

async function shop() {
  const c = await mysql.createConnection(address);
  await c.query("CREATE DATABASE shop");
  await c.changeUser({ database: "shop" });
  await c.query("CREATE TABLE item (id BIGINT, name VARCHAR(40), price DECIMAL(10,2), made TIMESTAMP, sold BOOLEAN, tags JSON, weight DOUBLE, seen DATE, at TIME, code VARBINARY, stock INT, PRIMARY KEY (id))");
  await c.query("INSERT INTO item VALUES (?), (?)", [
    [1, "chair", "49.90", new Date("2024-01-02T03:04:05Z"), true, '{"legs": 4}', 6.5, "2024-01-02", "03:04:05", Buffer.from([0, 255]), 3],
    [9007199254740991, "größe 'quoted' \\ 😀", null, null, false, null, null, null, null, null, null],
  ]);
  return c;
}

await sections({
  async quickstart() {
    const c = await shop();
    const [rows, fields] = await c.query("SELECT * FROM item");
    rows.forEach((row) => show("row", row));
    fields.forEach((f) => show(f.name, [f.columnType, f.flags, f.columnLength, f.table, f.schema]));
    const [done] = await c.query("UPDATE item SET stock = stock - 1 WHERE id = 1");
    show("update", [done.affectedRows, done.changedRows, done.warningStatus, done.info]);
    const [[{ stock }]] = await c.query("SELECT stock FROM item WHERE id = 1");
    show("stock", stock);
    await failed("syntax", () => c.query("SELEC 1"));
    await failed("table", () => c.query("SELECT * FROM nowhere"));
    await failed("column", () => c.query("SELECT nothing FROM item"));
    await c.query("SET inefficient_query = 'refuse'");
    await failed("full scan", () => c.query("SELECT id FROM item WHERE stock = 3"));
    await failed("database", () => mysql.createConnection({ ...address, database: "nowhere" }));
    await c.end();
  },

  async prepared() {
    const c = await shop();
    const insert = "INSERT INTO item (id, name, price, made, sold, tags, weight, seen, at, code, stock) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    for (let id = 10; id < 15; id++) {
      const [done] = await c.execute(insert, [id, `item ${id}`, id / 4, new Date(Date.UTC(2024, 0, id)), id % 2 === 0, { id, list: [1, "a", null] }, id / 3, "2024-02-29", "-01:02:03", Buffer.from([id]), id]);
      show("insert", done.affectedRows);
    }
    const [rows] = await c.execute("SELECT * FROM item WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?", [10, 14, 2]);
    rows.forEach((row) => show("row", row));
    for (const [condition, values] of [
      ["id = ?", [12]], ["id = ?", ["12"]], ["id IN (?, ?)", [11, 13]], ["id > ? AND id <= ?", [11.5, 13]], ["id = ?", [9007199254740991]], ["id = ? AND stock = ?", [12, 12]],
      ["id = ? AND price = ?", [12, 3]], ["id = ? AND weight = ?", [12, 4]], ["id = ? AND name = ?", [12, "item 12"]], ["id = ? AND made = ?", [12, new Date(Date.UTC(2024, 0, 12))]],
      ["id = ? AND sold = ?", [12, true]], ["id = ? AND seen = ?", [12, "2024-02-29"]], ["id = ? AND code = ?", [12, Buffer.from([12])]], ["id = ? AND name IS NOT NULL AND ? IS NULL", [12, null]],
      ["id = ?", [12.5]], ["id = ?", [1e300]],
    ]) {
      const [found] = await c.execute(`SELECT id FROM item WHERE ${condition}`, values);
      show(`${condition} of ${values}`, found.map((row) => row.id));
    }
    const [update] = await c.execute("UPDATE item SET stock = stock + ?, price = price * ? WHERE id = ?", [1, 1.5, 12]);
    show("update", [update.affectedRows, update.info]);
    show("after it", (await c.execute("SELECT stock, price FROM item WHERE id = ?", [12]))[0][0]);
    const [deleted] = await c.execute("DELETE FROM item WHERE id = ?", [12]);
    show("delete", deleted.affectedRows);
    show("after it", (await c.execute("SELECT count(*) AS n, sum(stock) AS s FROM item WHERE id >= ?", [10]))[0][0]);
    await failed("prepare", () => c.execute("SELECT nothing FROM item WHERE id = ?", [1]));
    const statement = await c.prepare("SELECT name FROM item WHERE id = ?");
    for (const id of [10, 11]) show("again", (await statement.execute([id]))[0][0].name);
    await statement.close();
    await c.end();
  },

  async transactions() {
    const c = await shop();
    const other = await mysql.createConnection({ ...address, database: "shop" });
    await c.beginTransaction();
    await c.execute("UPDATE item SET stock = ? WHERE id = ?", [100, 1]);
    show("inside", (await c.execute("SELECT stock FROM item WHERE id = 1"))[0][0]);
    show("outside", (await other.execute("SELECT stock FROM item WHERE id = 1"))[0][0]);
    await c.rollback();
    show("rolled back", (await c.query("SELECT stock FROM item WHERE id = 1"))[0][0]);
    await c.beginTransaction();
    await c.execute("UPDATE item SET stock = ? WHERE id = ?", [7, 1]);
    await c.commit();
    show("committed", (await other.query("SELECT stock FROM item WHERE id = 1"))[0][0]);
    await c.end();
    await other.end();
  },

  async streams() {
    const c = await mysql.createConnection({ ...address, multipleStatements: true, supportBigNumbers: true });
    const [results] = await c.query("CREATE DATABASE many; USE many; CREATE TABLE number (n BIGINT, text VARCHAR, PRIMARY KEY (n)); SELECT 1 AS one; SELECT 2 AS two");
    results.slice(3).forEach((rows) => show("answer", rows));
    for (let at = 0; at < 5000; at += 1000) {
      await c.query("INSERT INTO number (n, text) VALUES ?", [Array.from({ length: 1000 }, (_, i) => [at + i, `${at + i}`.repeat(20)])]);
    }
    let count = 0, sum = 0;
    for await (const row of c.connection.query("SELECT * FROM number").stream()) {
      count++;
      sum += row.n;
    }
    show("rows", [count, sum]);
    const long = "x".repeat(17 << 20);
    show("long", (await c.query("SELECT ? AS text", [long]))[0][0].text.length);
    show("long, prepared", (await c.execute("SELECT length(?) AS length", [long]))[0][0].length);
    await c.ping();
    await c.reset();
    await c.end();
  },

  async signin() {
    const ca = await import("node:fs").then((fs) => fs.readFileSync(process.env.SQL_CERTIFICATE));
    for (const [label, user, password, ssl] of [["plain", "ann", "secret"], ["over TLS", "ann", "secret", { ca }], ["wrong", "ann", "Secret"], ["wrong over TLS", "ann", "Secret", { ca }], ["unknown", "bob", "secret"], ["no password", "ann", ""]]) {
      try {
        const c = await mysql.createConnection({ ...address, user, password, ssl });
        show(label, (await c.query("SELECT substring_index(user(), '@', 1) AS user"))[0][0].user);
        await c.changeUser({ user: "eve", password: "apple" });
        show("changed to", (await c.query("SELECT substring_index(user(), '@', 1) AS user"))[0][0].user);
        await c.end();
      } catch (e) {
        show(label, [e.errno, e.sqlMessage]);
      }
    }
  },

  async pool() {
    await (await shop()).end();
    const pool = mysql.createPool({ ...address, database: "shop", connectionLimit: 5 });
    await Promise.all(Array.from({ length: 100 }, (_, i) => pool.execute("INSERT INTO item (id, stock) VALUES (?, ?)", [100 + i, i])));
    show("sum", (await pool.query("SELECT count(*) AS n, sum(stock) AS s FROM item WHERE id BETWEEN 100 AND 199"))[0][0]);
    const counters = Array.from({ length: 50 }, async () => {
      for (;;) {
        const c = await pool.getConnection();
        try {
          await c.beginTransaction();
          await c.execute("UPDATE item SET stock = stock + 1 WHERE id = 1");
          return await c.commit();
        } catch (e) {
          if (e.errno !== 1213) throw e;
          await c.rollback();
        } finally {
          c.release();
        }
      }
    });
    await Promise.all(counters);
    show("counted", (await pool.query("SELECT stock FROM item WHERE id = 1"))[0][0]);
    await pool.end();
  },
});
