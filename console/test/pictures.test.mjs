// SPDX-License-Identifier: Apache-2.0
//
// Pictures by their pixels, and how long they take.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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

/** answerOf makes the answer of /api/heat of a picture: value(column, row) is 0 to 255. */
function answerOf(columns, rows, value) {
  const data = new Uint8Array(columns * rows);
  for (let c = 0; c < columns; c++) for (let r = 0; r < rows; r++) data[c * rows + r] = value(c, r);
  return {
    times: Array.from({ length: columns + 1 }, (_, i) => 1_700_000_000_000 + i * 60_000),
    keys: Array.from({ length: rows }, (_, i) => ({ hex: i.toString(16).padStart(8, "0"), labels: [i < rows / 2 ? "low" : "high", "", String(i)] })),
    splits: [(rows / 2).toString(16).padStart(8, "0")], max: 1000, data: Buffer.from(data).toString("base64"), findings: [],
  };
}

/** heatPage opens the heat map on an answer. */
async function heatPage(answer) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (e) => page.faults.push(String(e)));
  await page.route("**/api/heat?*", (route) => route.fulfill({ json: answer }));
  await page.goto(server.console + "#/heat");
  await page.locator("canvas[data-view]").waitFor();
  await page.waitForTimeout(200);
  return page;
}

/** brightnesses reads the canvas back, once, at cells of its view: each is 0 to 765. */
const brightnesses = (page, cells) =>
  page.evaluate((cells) => {
    const canvas = document.querySelector("canvas");
    const view = JSON.parse(canvas.dataset.view);
    const [left, top, width, height] = view.plot;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return cells.map(([column, row]) => {
      const x = left + ((column + 0.5 - view.left) / view.width) * width;
      const y = top + ((row + 0.5 - view.top) / view.height) * height;
      const at = 4 * (Math.floor(y * devicePixelRatio) * canvas.width + Math.floor(x * devicePixelRatio));
      return data[at] + data[at + 1] + data[at + 2];
    });
  }, cells);

const brightness = async (page, column, row) => (await brightnesses(page, [[column, row]]))[0];

test("a sequential load is a diagonal, and stays one when it is enlarged", async () => {
  const n = 40;
  const page = await heatPage(answerOf(n, n, (c, r) => (c === r ? 255 : 0)));
  const cells = Array.from({ length: n }, (_, i) => i);
  (await brightnesses(page, cells.map((i) => [i, i]))).forEach((b, i) => assert.ok(b > 500, `the diagonal at ${i}`));
  (await brightnesses(page, cells.map((i) => [i, (i + 7) % n]))).forEach((b, i) => assert.ok(b < 60, `beside the diagonal at ${i}`));
  await page.locator("canvas").focus();
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await page.waitForFunction((n) => JSON.parse(document.querySelector("canvas").dataset.view).width < n / 2, n);
  const view = JSON.parse(await page.locator("canvas").getAttribute("data-view"));
  const middle = Math.round(view.left + view.width / 2);
  assert.ok((await brightness(page, middle, middle)) > 500);
  assert.ok((await brightness(page, middle, middle + 3)) < 60);
  await page.keyboard.press("0");
  await page.waitForFunction((n) => JSON.parse(document.querySelector("canvas").dataset.view).width === n, n);
  const box = await page.locator("canvas").boundingBox();
  const whole = JSON.parse(await page.locator("canvas").getAttribute("data-view"));
  await page.mouse.click(box.x + whole.plot[0] + (10.5 / n) * whole.plot[2], box.y + (10.5 / n) * whole.plot[3]);
  await page.getByRole("dialog", { name: "Cell" }).getByText("1,000 entries a minute").waitFor();
  await page.getByRole("dialog", { name: "Cell" }).getByText("low").waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

/** The answer is the server's own, of rows that were written one after the other: only its clock ran faster. */
test("rows written in the order of their keys are a diagonal", async () => {
  const binary = process.env.WEFT_TEST_BINARY ?? new URL("../../bin/weft", import.meta.url).pathname;
  const answer = JSON.parse(execFileSync(binary, ["simulate", "increasing", "--map"], { encoding: "utf8" }));
  const page = await heatPage(answer);
  const columns = await page.evaluate(() => {
    const canvas = document.querySelector("canvas");
    const view = JSON.parse(canvas.dataset.view);
    const [left, top, width, height] = view.plot.map((n) => n * devicePixelRatio);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return Array.from({ length: view.columns }, (_, column) => {
      const x = Math.floor(left + ((column + 0.5) / view.columns) * width);
      return Array.from({ length: Math.floor(height) }, (_, y) => {
        const at = 4 * ((Math.floor(top) + y) * canvas.width + x);
        return data[at] + data[at + 1] + data[at + 2];
      });
    });
  });
  const written = columns.slice(0, 20); // the last minute has none
  const peaks = written.map((pixels) => pixels.indexOf(Math.max(...pixels)));
  for (let i = 1; i < peaks.length; i++) assert.ok(peaks[i] > peaks[i - 1], `the brightest pixel of minute ${i} is at ${peaks[i]}, after ${peaks[i - 1]}`);
  const height = columns[0].length;
  assert.ok(peaks[0] < 0.1 * height && peaks.at(-1) > 0.9 * height, `from ${peaks[0]} to ${peaks.at(-1)} of ${height}`);
  written.forEach((pixels, i) => {
    if (i > 1) assert.ok(Math.max(...pixels.slice(0, peaks[i - 1] - 20)) < 100, `minute ${i} is dark where earlier minutes were written`);
  });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a hot row is a bright line", async () => {
  const page = await heatPage(answerOf(30, 30, (_, r) => (r === 12 ? 230 : 20)));
  for (let c = 0; c < 30; c += 3) assert.ok((await brightness(page, c, 12)) > 3 * (await brightness(page, c, 20)));
  await page.context().close();
});

test("the largest map: what a redraw takes", async (t) => {
  const page = await heatPage(answerOf(886, 1024, (c, r) => (c * 7 + r * 13) % 256));
  const times = await page.evaluate(async () => {
    const canvas = document.querySelector("canvas");
    const times = [];
    for (let i = 0; i < 30; i++) {
      const begun = performance.now();
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "+" : "-", bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      canvas.getContext("2d").getImageData(200, 200, 1, 1);
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b);
  });
  const alone = await page.evaluate(async () => {
    const canvas = document.querySelector("canvas");
    const brightness = document.querySelector("input[type=range]");
    const times = [];
    for (let i = 0; i < 20; i++) {
      brightness.value = String(1 + (i % 2));
      brightness.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const begun = performance.now();
      canvas.getContext("2d").getImageData(200, 200, 1, 1);
      times.push(Number(canvas.dataset.paintMs) + Number(canvas.dataset.drawMs) + performance.now() - begun);
    }
    return times.sort((a, b) => a - b)[10];
  });
  t.diagnostic(`all 886 × 1,024 cells coloured anew, drawn and read back, without the wait for a frame: median ${alone.toFixed(1)} ms`);
  t.diagnostic(`redraw with the wait for a frame and reading back: median ${times[15].toFixed(1)} ms, least ${times[0].toFixed(1)} ms`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a million rows: only those in view are elements", async (t) => {
  const page = await openPage(browser, server, "#/query");
  const line = Array.from({ length: 10_000 }, (_, i) => [String(i), "text"]);
  const body = ['{"columns":[{"name":"n","type":"BIGINT"},{"name":"s","type":"VARCHAR"}]}', ...Array.from({ length: 100 }, () => JSON.stringify({ rows: line })), '{"done":{"rows":1000000,"affected":0}}'].join("\n");
  await page.route("**/api/sql?*", (route) => route.fulfill({ contentType: "application/x-ndjson", body }));
  await page.route("**/api/sql", (route) => route.fulfill({ contentType: "application/x-ndjson", body }));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("1,000,000 rows").waitFor();
  const frames = await page.evaluate(async () => {
    const grid = document.querySelector(".grid");
    const gaps = [];
    let last = performance.now();
    for (let i = 1; i <= 120; i++) {
      grid.scrollTop = (grid.scrollHeight * i) / 120;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      gaps.push(performance.now() - last);
      last = performance.now();
    }
    return { rows: document.querySelectorAll(".grid-row").length, median: gaps.sort((a, b) => a - b)[60] };
  });
  t.diagnostic(`a frame while scrolling through a million rows: median ${frames.median.toFixed(1)} ms`);
  assert.ok(frames.rows > 10 && frames.rows < 80, `${frames.rows} elements`);
  await page.locator(".grid").evaluate((g) => g.scrollTo(0, g.scrollHeight));
  await page.locator('[aria-rowindex="1000000"]').waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

/** ordered makes a table with a Z-order index and some items, and opens the picture of two of its attributes. */
async function ordered(table, key, shown) {
  await dynamo(server, "CreateTable", {
    TableName: table, BillingMode: "PAY_PER_REQUEST",
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }, { AttributeName: key, AttributeType: "B" }],
    GlobalSecondaryIndexes: [{ IndexName: "by-place", KeySchema: [{ AttributeName: key, KeyType: "HASH" }], Projection: { ProjectionType: "ALL" } }],
  });
  for (let i = 0; i < 100; i++) await dynamo(server, "PutItem", { TableName: table, Item: { id: { S: String(i) }, x: { N: String((i * 37) % 256) }, y: { N: String((i * 101) % 256) }, z: { N: String(i) } } });
  const page = await openPage(browser, server, `#/zorder/${table}/by-place?shown=${shown}`);
  await page.locator("canvas[data-state]").waitFor();
  const state = JSON.parse(await page.locator("canvas").getAttribute("data-state"));
  assert.deepEqual(page.faults, []);
  await page.context().close();
  return state;
}

test("the Z-order picture has the bits in the order of the index", async () => {
  assert.equal((await ordered("ordered", "zorder(x u8, y u8; order=b2(ab)2b2)", "0,1")).order, "bbababbbababaaaa");
});

test("the Z-order picture of an attribute whose bits stand behind those that it shows", async () => {
  const { order, ends } = await ordered("behind", "zorder(x u32, y u8, z u8; order=a32)", "0,2");
  assert.match(order, /^a+$/);
  assert.ok(ends.length > 0);
  for (const [from, to] of ends) assert.deepEqual([from[1], to[1]], [0, 0]);
});

/** cellOf is the cell, first and second attribute, of an address whose bits belong to a and b. */
function cellOf(address, order) {
  const bits = [...BigInt(`0x${address}`).toString(2).padStart(4 * address.length, "0")];
  return [..."ab"].map((attribute) => parseInt([...order].map((owner, i) => (owner === attribute ? bits[i] : "")).join(""), 2));
}

/** stretches asserts that the picture has what the server says that it has read, range by range: in the text, and as pixels. */
async function stretches(page, read) {
  assert.ok(read.length > 3, `${read.length} ranges`);
  const drawn = JSON.parse(await page.locator("canvas").getAttribute("data-state"));
  assert.deepEqual(drawn.ends, read.map((s) => [cellOf(s.From, drawn.order), cellOf(s.To, drawn.order)]));
  const sum = (of) => read.map(of).reduce((a, b) => a + b).toLocaleString("en");
  await page.getByText(`all ${read.length} ranges: ${sum((s) => s.Examined + s.Skipped)} entries, ${sum((s) => s.Skipped)} of them outside of the box`).waitFor();
  const slider = page.locator('input[type="range"]');
  for (const [step, s] of read.entries()) {
    await slider.fill(String(step));
    await page.getByText(`range ${step + 1} of ${read.length}: ${s.Examined + s.Skipped} entries, ${s.Skipped} of them outside of the box`).waitFor();
    await page.waitForFunction((step) => JSON.parse(document.querySelector("canvas").dataset.state).step === step, step);
    const marked = await page.evaluate(([first, second]) => {
      const canvas = document.querySelector("canvas");
      const { view, order } = JSON.parse(canvas.dataset.state);
      const place = (cell, attribute, [from, to]) => [0, 1].map((end) => (((cell + end) / 2 ** [...order].filter((owner) => owner === attribute).length - from) / (to - from)) * canvas.width);
      const [x, y] = [place(second, "b", view.second), place(first, "a", view.first)];
      const { data } = canvas.getContext("2d").getImageData(Math.round(x[0]), Math.round(canvas.height - y[1]), Math.round(x[1] - x[0]), Math.round(y[1] - y[0]));
      return data.filter((_, i) => i % 4 === 0 && data[i] < 90 && data[i + 2] > 200).length / (data.length / 4);
    }, cellOf(s.From, drawn.order));
    assert.ok(marked > 0.1, `${marked} of the first cell of range ${step + 1} is marked as the present one`);
  }
}

/** The numbers of the Z-order page are those of EXPLAIN ANALYZE, and its box is where the plan says. */
test("the Z-order picture and its numbers", async () => {
  await sql(server, "CREATE TABLE points (id BIGINT PRIMARY KEY, x DOUBLE, y DOUBLE)");
  for (let i = 0; i < 40; i++) await sql(server, `INSERT INTO points VALUES ${Array.from({ length: 50 }, (_, j) => `(${i * 50 + j}, ${i * 2.5 - 50}, ${j * 2 - 50})`).join(", ")}`);
  await sql(server, "CREATE INDEX by_place ON points (ZORDER(x, y))");
  const page = await openPage(browser, server, "#/zorder/points/by_place");
  await page.locator("canvas[data-state]").waitFor();
  await page.getByLabel("x from").fill("-10");
  await page.getByLabel("x to").fill("10");
  await page.getByLabel("y from").fill("0");
  await page.getByLabel("y to").fill("20");
  await page.getByRole("button", { name: "Read the box" }).click();
  await page.getByText("99 items").waitFor(); // 9 values of x by 11 of y
  const answer = await fetch(`${server.admin}/api/dynamodb`, {
    method: "POST",
    headers: { "X-Weft-Console": "1", "X-Amz-Target": "DynamoDB_20120810.Scan", "X-Weft-Explain": "analyze" },
    body: JSON.stringify({ TableName: "points", IndexName: "by_place", FilterExpression: "x BETWEEN :a AND :b AND y BETWEEN :c AND :d", ExpressionAttributeValues: { ":a": { N: "-10" }, ":b": { N: "10" }, ":c": { N: "0" }, ":d": { N: "20" } } }),
  });
  const { Actual, Path } = await answer.json();
  const shown = (await page.locator(".measured dd").allInnerTexts()).map((text) => Number(text.replaceAll(",", "").match(/^[\d.]+/)?.[0]));
  assert.deepEqual(shown.slice(0, 4), [Actual.Returned, Actual.FalsePositives, Actual.Seeks, Actual.Jumps]);
  const reads = (await page.locator("table.plain tbody tr td:nth-child(2)").allInnerTexts()).map((text) => Number(text.replaceAll(",", "")));
  assert.deepEqual(reads, [Actual.LookedAt, 9 * 50, 11 * 40]);
  assert.equal(Path.Box.Order.slice(0, 4), "(ab)");
  await stretches(page, Actual.Stretches);
  await page.getByLabel("only what was read").uncheck();
  await page.waitForFunction(() => JSON.parse(document.querySelector("canvas").dataset.state).view.second[1] === 1);
  const outside = await page.evaluate(() => {
    const canvas = document.querySelector("canvas");
    const { box } = JSON.parse(canvas.dataset.state);
    const scale = devicePixelRatio;
    const at = (first, second) => [...canvas.getContext("2d").getImageData(second * 512 * scale, (512 - first * 512) * scale, 1, 1).data.slice(0, 3)];
    const middle = (range) => (range[0] + range[1]) / 2;
    const green = (p) => p[1] > p[0] + 20;
    let beyond = 0;
    for (const second of [0.01, 0.99]) if (green(at(middle(box.first), second))) beyond++;
    return beyond;
  });
  assert.equal(outside, 0);
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("button", { name: "Stop" }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
