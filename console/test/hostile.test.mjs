// SPDX-License-Identifier: Apache-2.0
//
// Names and values that would run as a script if a page took them for markup.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dynamo, openPage, sql, startBrowser, startServer } from "./harness.mjs";

let server, browser;
before(async () => {
  [server, browser] = await Promise.all([startServer("serve", "--engine", "mem"), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const scripts = ["window.ran=1", "alert(1)", "document.title='ran'", "top.ran=1", "fetch('//evil.example')"];
const frames = [
  (s) => `<script>${s}</script>`, (s) => `"><script>${s}</script>`, (s) => `'><script>${s}</script>`, (s) => `</textarea><script>${s}</script>`, (s) => `</option></select><script>${s}</script>`,
  (s) => `<img src=x onerror="${s}">`, (s) => `"><img src=x onerror=${s}>`, (s) => `<svg onload="${s}">`, (s) => `<svg><script>${s}</script></svg>`, (s) => `<body onload="${s}">`,
  (s) => `<iframe srcdoc="<script>${s}</script>">`, (s) => `<iframe src="javascript:${s}">`, (s) => `<a href="javascript:${s}">x</a>`, (s) => `javascript:${s}`, (s) => `<details open ontoggle="${s}">`,
  (s) => `<input autofocus onfocus="${s}">`, (s) => `<video><source onerror="${s}"></video>`, (s) => `<math><mtext><table><mglyph><style><img src=x onerror="${s}">`, (s) => `" onmouseover="${s}" x="`, (s) => `' onfocus='${s}' autofocus x='`,
  (s) => `<style>@import 'javascript:${s}'</style>`, (s) => `<object data="javascript:${s}">`, (s) => `<embed src="javascript:${s}">`, (s) => `<form action="javascript:${s}"><button>`, (s) => `<base href="javascript:${s}//">`,
  (s) => `<meta http-equiv=refresh content="0;javascript:${s}">`, (s) => `<link rel=stylesheet href="javascript:${s}">`, (s) => `\u003cscript\u003e${s}\u003c/script\u003e`, (s) => `<scr<script>ipt>${s}</script>`, (s) => `<!--><script>${s}</script>`,
  (s) => `]]><script>${s}</script>`, (s) => `{{constructor.constructor('${s}')()}}`, (s) => "${" + s + "}", (s) => `<noscript><p title="</noscript><img src=x onerror=${s}>">`, (s) => `<template><script>${s}</script></template>`,
  (s) => `<x onclick="${s}" tabindex=1 id=x>`, (s) => `<marquee onstart="${s}">`, (s) => `<audio src onerror="${s}">`, (s) => `<select autofocus onfocus="${s}">`, (s) => `%3Cscript%3E${s}%3C/script%3E`,
];
const payloads = frames.flatMap((frame) => scripts.map(frame));

test(`${payloads.length} scripts in names and values do not run`, async () => {
  assert.equal(payloads.length, 200);
  await dynamo(server, "CreateTable", {
    TableName: "hostile",
    KeySchema: [{ AttributeName: "<img src=x onerror=window.ran=1>", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "<img src=x onerror=window.ran=1>", AttributeType: "S" }],
    BillingMode: "PAY_PER_REQUEST",
  });
  for (let i = 0; i < payloads.length; i += 25) {
    await dynamo(server, "BatchWriteItem", {
      RequestItems: {
        hostile: payloads.slice(i, i + 25).map((p, n) => ({
          PutRequest: { Item: { "<img src=x onerror=window.ran=1>": { S: p + (i + n) }, value: { S: p }, [i === 0 ? p : "other"]: { S: "name" }, deep: { M: { [p]: { L: [{ S: p }] } } }, set: { SS: [p] } } },
        })),
      },
    });
  }
  const quote = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
  for (const p of payloads.slice(0, 40)) await sql(server, `SET long_query_time = 0; SELECT * FROM hostile WHERE \`<img src=x onerror=window.ran=1>\` = ${quote(p)}`);
  await dynamo(server, "UpdateTable", { TableName: "hostile", StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } });
  for (const path of ["#/items/hostile", "#/tables/hostile", "#/tables", "#/query", `#/items/${encodeURIComponent(payloads[0])}`, `#/${encodeURIComponent(payloads[5])}`, `#/query?sql=${encodeURIComponent(payloads[5])}`, "#/overview", "#/heat?measure=reads", `#/tables/${encodeURIComponent(payloads[7])}`, "#/hot", "#/activity", "#/activity/slow", "#/activity/streams", "#/activity/backups", "#/activity/users"]) {
    const page = await openPage(browser, server, path, { allowed: path.includes("query") ? ["400"] : [] });
    await page.locator("main :is(h1, .failure)").first().waitFor();
    if (path === "#/items/hostile") {
      await page.locator(".status").getByText("Scan: 200 items").waitFor();
      for (let y = 0; y < 200 * 28; y += 500) await page.locator(".grid").evaluate((g, y) => g.scrollTo(0, y), y);
      await page.getByRole("grid").focus();
      await page.keyboard.press("End"); // a double click may hit rows that still scroll
      await page.keyboard.press("Enter");
      await page.locator("dialog textarea").waitFor();
    }
    if (path === "#/query") {
      await page.locator('.editor[data-ready="true"]').waitFor(); // else it takes the place of what is written
      await page.getByLabel("Statement").fill("SELECT * FROM hostile");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByText("200 rows").waitFor();
    }
    if (path === "#/activity/slow") await page.getByRole("row", { name: /onerror/ }).first().waitFor();
    if (path === "#/activity/streams") {
      await page.getByLabel("Stream", { exact: true }).selectOption({ label: "hostile" });
      for (let i = 0; (await page.locator(".findings li").count()) < 5; i++) {
        await dynamo(server, "PutItem", { TableName: "hostile", Item: { "<img src=x onerror=window.ran=1>": { S: payloads[i % 200] }, [payloads[i % 200]]: { S: payloads[i % 200] } } });
        await page.waitForTimeout(100);
      }
    }
    assert.equal(await page.evaluate(() => window.ran), undefined, path);
    assert.notEqual(await page.title(), "ran", path);
    assert.deepEqual(page.faults, [], path);
    await page.context().close();
  }
});
