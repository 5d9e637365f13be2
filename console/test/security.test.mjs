// SPDX-License-Identifier: Apache-2.0
//
// What other web pages must not be able to do: call the API, frame the console, or reach it by a name of their own.

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { dynamo, openPage, startBrowser, startServer } from "./harness.mjs";

let server, browser;
before(async () => {
  server = await startServer("serve", "--engine", "mem");
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** ask sends a request with any headers, which fetch does not. */
function ask(method, path, headers = {}, body = "") {
  return new Promise((resolve, reject) => {
    const sent = request(server.admin + path, { method, headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const list = { "X-Amz-Target": "DynamoDB_20120810.ListTables" };

test("a request that changes something must come from the console or a program", async () => {
  const own = { ...list, "X-Weft-Console": "1" };
  assert.equal((await ask("POST", "/api/dynamodb", own, "{}")).status, 200);
  assert.equal((await ask("POST", "/api/dynamodb", { ...own, "Sec-Fetch-Site": "same-origin", Origin: server.admin }, "{}")).status, 200);
  assert.equal((await ask("POST", "/api/dynamodb", list, "{}")).status, 403, "without the header");
  assert.equal((await ask("POST", "/api/dynamodb", { ...own, Origin: "http://evil.example" }, "{}")).status, 403, "another origin");
  assert.equal((await ask("POST", "/api/dynamodb", { ...own, "Sec-Fetch-Site": "cross-site" }, "{}")).status, 403, "another site");
  assert.equal((await ask("POST", "/api/dynamodb", { ...own, "Sec-Fetch-Site": "same-site" }, "{}")).status, 403, "a neighbour");
  assert.equal((await ask("POST", "/api/sql", { Origin: "http://evil.example", "X-Weft-Console": "1" }, '{"statement":"SHOW TABLES"}')).status, 403);
  assert.equal((await ask("POST", "/api/session", { "Sec-Fetch-Site": "cross-site", "X-Weft-Console": "1" }, "{}")).status, 403);
  assert.equal((await ask("OPTIONS", "/api/sql", { Origin: "http://evil.example", "Access-Control-Request-Method": "POST" })).headers["access-control-allow-origin"], undefined);
});

test("names that are not the server's are refused", async () => {
  for (const path of ["/console/", "/api/tables", "/api/overview", "/hot"]) {
    assert.equal((await ask("GET", path, { Host: "rebound.attacker.example:8080" })).status, 421, path);
  }
  assert.equal((await ask("POST", "/api/sql", { Host: "rebound.attacker.example", "X-Weft-Console": "1" }, '{"statement":"SHOW TABLES"}')).status, 421);
});

test("a page of another site can't call the API in a browser", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route("http://evil.example/", (route) => route.fulfill({ contentType: "text/html", body: "<h1>evil</h1>" }));
  await page.goto("http://evil.example/");
  const outcomes = await page.evaluate(async (admin) => {
    const tries = [
      { headers: { "X-Weft-Console": "1", "X-Amz-Target": "DynamoDB_20120810.CreateTable" } },
      { mode: "no-cors", headers: { "Content-Type": "text/plain" } },
    ];
    const outcomes = [];
    for (const one of tries) {
      try {
        const body = '{"TableName":"stolen","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}';
        outcomes.push((await fetch(admin + "/api/dynamodb", { method: "POST", body, ...one })).type);
      } catch {
        outcomes.push("refused");
      }
    }
    return outcomes;
  }, server.admin);
  assert.equal(outcomes[0], "refused");
  assert.deepEqual((await dynamo(server, "ListTables", {})).TableNames, []);
  await context.close();
});

test("the console can't be framed", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route("http://evil.example/", (route) => route.fulfill({ contentType: "text/html", body: `<iframe src="${server.console}"></iframe>` }));
  await page.goto("http://evil.example/");
  await page.waitForTimeout(500);
  assert.equal(await page.frames()[1].locator("#app").count(), 0);
  const head = await ask("GET", "/console/");
  assert.equal(head.headers["x-frame-options"], "DENY");
  assert.match(head.headers["content-security-policy"], /default-src 'self'.*frame-ancestors 'none'/);
  await context.close();
});

test("files are sent once, and every answer names its type", async () => {
  const first = await ask("GET", "/console/index.js");
  assert.equal(first.status, 200);
  assert.match(first.headers["content-type"], /^text\/javascript/);
  assert.equal(first.headers["x-content-type-options"], "nosniff");
  assert.equal((await ask("GET", "/console/index.js", { "If-None-Match": first.headers.etag })).status, 304);
  assert.equal((await ask("GET", "/console/../metrics")).text.includes("weft_build_info"), true, "dots lead to other pages of the port, not to files");
  assert.equal((await ask("GET", "/console/nothing.js")).status, 404);
  const redirect = await ask("GET", "/", { Accept: "text/html" });
  assert.equal(redirect.status, 302);
  assert.equal(redirect.headers.location, "console/");
});

test("no inline script runs", async () => {
  const page = await openPage(browser, server, "#/overview", { allowed: ["Content Security Policy"] });
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await page.context().close();
});
