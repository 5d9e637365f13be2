// SPDX-License-Identifier: Apache-2.0
//
// dynamodb-admin, a web console that people use with DynamoDB Local, unmodified against Weft.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { dynamo, startBrowser, startServer } from "./harness.mjs";

const program = new URL("dynamodb-admin/node_modules/.bin/dynamodb-admin", import.meta.url).pathname;

/** freePort asks the system for one. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

test("dynamodb-admin lists tables, shows items and a table's description", { skip: existsSync(program) ? false : "dynamodb-admin is not installed here" }, async () => {
  const [server, browser, port] = await Promise.all([startServer("serve", "--engine", "mem"), startBrowser(), freePort()]);
  const admin = spawn(program, ["--port", String(port), "--host", "127.0.0.1"], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, DYNAMO_ENDPOINT: server.dynamo, AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x", AWS_REGION: "us-east-1" },
  });
  try {
    await new Promise((resolve, reject) => {
      createInterface({ input: admin.stdout }).on("line", (line) => line.includes("listening") && resolve());
      admin.once("exit", () => reject(new Error("dynamodb-admin ended")));
    });
    await dynamo(server, "CreateTable", {
      TableName: "things",
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    });
    for (let i = 0; i < 30; i++) await dynamo(server, "PutItem", { TableName: "things", Item: { id: { S: `thing ${String(i).padStart(2, "0")}` }, n: { N: String(i) } } });
    const page = await browser.newPage();
    const faults = [];
    page.on("pageerror", (e) => faults.push(String(e)));
    page.on("response", (r) => r.status() >= 500 && faults.push(`${r.status()} ${r.url()}`));
    const root = `http://127.0.0.1:${port}`;
    await page.goto(root);
    await page.getByText("things").first().click();
    await page.getByText("thing 00").first().waitFor();
    await page.getByText("thing 24").first().waitFor();
    await page.goto(`${root}/tables/things/meta`);
    await page.getByText("KeySchema").first().waitFor();
    await page.goto(`${root}/tables/things/items/thing%2003`);
    await page.getByText("thing 03").first().waitFor();
    assert.deepEqual(faults, []);
  } finally {
    admin.kill();
    await browser.close();
    await server.stop();
  }
});
