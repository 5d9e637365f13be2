// SPDX-License-Identifier: Apache-2.0
//
// What people try first with the demo's table, and with tables of their own: each of these ends where they wanted to get.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { dynamo, openPage, sql, startBrowser, startServer } from "./harness.mjs";

let demo, browser;
before(async () => {
  [demo, browser] = await Promise.all([startServer("demo"), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await demo?.stop();
});

/** task is a test of a page, which must end without faults. */
function task(name, path, steps, options) {
  test(name, async () => {
    const page = await openPage(browser, demo, path, options);
    await steps(page);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

const write = async (page, label, text) => {
  await page.locator('.editor[data-ready="true"]').waitFor();
  await page.getByLabel(label, { exact: true }).fill(text);
};

/** Each statement with the rows that are read for it, and what was read. */
for (const [statement, title, actual] of [
  ["", "Index range scan on cities using PRIMARY", "100 actual"],
  ["SELECT * FROM cities WHERE country = 'CH' AND city = 'Bern'", "Row lookup on cities using PRIMARY", "1 actual"],
  ["SELECT COUNT(*) FROM cities WHERE country = 'ZZ'", "Index range scan on cities using PRIMARY", "0 actual"],
  ["SELECT country, COUNT(*) FROM cities WHERE country IN ('LI', 'MC') GROUP BY country", "Index range scan on cities using PRIMARY", "actual"],
  ["SELECT city FROM cities WHERE lat BETWEEN 43.5 AND 48.5 AND lon BETWEEN 5 AND 16.5 AND population > 500000", "scan on cities using by-place", "actual"],
  ["SELECT 1", "Rows fetched before execution", ""],
]) {
  task(`query: a plan that has run: ${statement || "the page's own statement"}`, "#/query", async (page) => {
    await page.locator('.editor[data-ready="true"]').waitFor();
    if (statement) await write(page, "Statement", statement);
    await page.getByRole("button", { name: "Explain and run" }).click();
    const node = page.locator(".plan li").first();
    await node.getByText(title).waitFor();
    await node.getByText(actual).first().waitFor();
    assert.equal(await page.locator(".failure").count(), 0);
  });
}

const condition = async (page, attribute, operator, value, upper) => {
  await page.getByRole("button", { name: "Add a condition" }).click();
  await page.getByLabel("Attribute", { exact: true }).last().fill(attribute);
  await page.getByLabel("Operator").last().selectOption(operator);
  await page.getByLabel("Value", { exact: true }).last().fill(value);
  if (upper !== undefined) await page.getByLabel("Upper value").last().fill(upper);
};
const status = (page, text) => page.locator(".status").first().getByText(text).waitFor();
const read = (page) => page.getByRole("button", { name: "Read", exact: true }).click();
const editor = (page) => page.locator("dialog textarea");
const openRow = async (page, text) => {
  await page.locator(".grid-row", { hasText: text }).first().dblclick();
  await editor(page).waitFor();
};

task("items: a page is read once, also where the answer comes before the page is drawn", "#/items/cities", async (page) => {
  await status(page, "Scan: 500 items");
  let scans = 0;
  page.on("request", (request) => (scans += request.headers()["x-amz-target"]?.endsWith(".Scan") ? 1 : 0));
  await page.reload();
  await status(page, "Scan: 500 items");
  assert.equal(scans, 1);
});

task("items: a filter takes the type of its column", "#/items/cities", async (page) => {
  await status(page, "Scan: 500 items");
  await condition(page, "population", ">", "20000000");
  assert.equal(await page.getByLabel("Type").inputValue(), "N");
  await read(page);
  await page.locator(".grid-row", { hasText: "Shanghai" }).first().waitFor();
  await page.getByLabel("Type").selectOption("S");
  await read(page);
  await page.getByText(/The type of population is number in all 50\d items read, and the condition asks for text./).waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Ask for number" }).click();
  await page.locator(".grid-row", { hasText: "Shanghai" }).first().waitFor();
});

/** Filters with attributes of the key, and how they are read: none of them may be refused. */
for (const [filter, wanted] of [
  [[["country", "=", "DE"]], "Query: "],
  [[["country", "=", "DE"], ["city", "contains", "burg"]], "Scan: "],
  [[["country", "=", "DE"], ["city", "begins_with", "Ber"]], "Query: "],
  [[["country", "=", "DE"], ["city", "begins_with", "Ber"], ["city", "<>", "Berlin"]], "Scan: "],
  [[["country", "=", "DE"], ["city", ">=", "Ber"], ["city", "<=", "Bers"]], "Scan: "],
  [[["country", "=", "DE"], ["country", "=", "FR"]], "Scan: 0 items"],
  [[["country", "=", "DE"], ["city", "BETWEEN", "B", "C"], ["population", ">", "100000"]], "Query: "],
  [[["country", "=", ""]], "Scan: 0 items"],
  [[["country", "IN", "LI, MC"]], "Scan: "],
  [[["country", ">", "ZA"]], "Scan: "],
]) {
  task(`items: the filter ${JSON.stringify(filter)}`, "#/items/cities", async (page) => {
    await status(page, "Scan: 500 items");
    for (const [attribute, operator, value, upper] of filter) await condition(page, attribute, operator, value, upper);
    await read(page);
    await status(page, wanted);
    await page.waitForFunction(() => !document.querySelector(".status").textContent.includes("…"));
    assert.equal(await page.locator(".failure").count(), 0);
    assert.equal(await page.locator(".grid-row").count() > 0, !wanted.endsWith(" 0 items"));
  });
}

for (const [attribute, operator, value, upper, why] of [
  ["population", ">", "many", undefined, '"many" is no number'],
  ["population", "begins_with", "1", undefined, "not compared by"],
  ["population", "BETWEEN", "9", "1", "9 is beyond 1"],
]) {
  task(`items: a condition that can't be is told before it is sent: ${attribute} ${operator} ${value}`, "#/items/cities", async (page) => {
    await status(page, "Scan: 500 items");
    await condition(page, attribute, operator, value, upper);
    await read(page);
    await page.getByRole("alert").getByText(why).waitFor();
  });
}

task("items: one that is deleted is put back, unless its place is taken", "#/items/cities", async (page) => {
  const key = { country: { S: "AD" }, city: { S: "Andorra la Vella" } };
  const there = async () => (await dynamo(demo, "GetItem", { TableName: "cities", Key: key })).Item;
  const item = await there();
  const remove = async () => {
    await openRow(page, "Andorra la Vella");
    await page.getByRole("button", { name: "Delete item" }).click();
    await page.getByText("Deleted: AD, Andorra la Vella").waitFor();
    assert.equal(await there(), undefined);
  };
  await remove();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".grid-row", { hasText: "Andorra la Vella" }).first().waitFor();
  assert.deepEqual(await there(), item);
  await remove();
  await dynamo(demo, "PutItem", { TableName: "cities", Item: { ...key, name: { S: "another" } } });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("alert").getByText("nothing was put back").waitFor();
  assert.deepEqual((await there()).name, { S: "another" });
  await dynamo(demo, "PutItem", { TableName: "cities", Item: item });
}, { allowed: ["400 (Bad Request)"] });

task("items: what is typed is not lost by Escape", "#/items/cities", async (page) => {
  await openRow(page, "Canillo");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await openRow(page, "Canillo");
  await editor(page).fill("{}");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep it" }).click();
  assert.equal(await editor(page).inputValue(), "{}");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard it" }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
});

/** dated has columns of every type, in a row with the ends of dates, and one with nothing. */
const dated = `CREATE TABLE dated (id BIGINT PRIMARY KEY, day DATE, at TIMESTAMP, ms DATETIME(3), us DATETIME(6), tm TIME, price DECIMAL(10,2), name VARCHAR(20), big DECIMAL(38,10), f DOUBLE, b VARBINARY(10), doc JSON, e ENUM('x','y'), INDEX by_day (day)) WITH (DYNAMIC_COLUMNS='true');
  INSERT INTO dated VALUES (1, '1990-01-02', '2026-11-27 18:12:06', '2026-11-27 18:12:06.120', '2026-11-27 18:12:06.123456', '-12:34:56', 12.5, 'ann', 1234567890123456789012345678.0123456789, 2.5, x'00ff', '{"a": [1, null]}', 'x');
  INSERT INTO dated (id, day, at) VALUES (2, '0001-01-01', '9999-12-31 23:59:59'), (3, '1969-12-31', '1969-12-31 23:59:59');
  INSERT INTO dated (id, us, ms, tm) VALUES (11, '9999-12-31 23:59:59.999999', '0001-01-01 00:00:00.001', '838:59:59')`;

test("items: dates of SQL are dates in the grid, the filter and the editor", async () => {
  await sql(demo, dated);
  const page = await openPage(browser, demo, "#/items/dated");
  const rows = async (columns) => (await sql(demo, `SELECT ${columns} FROM dated WHERE id < 10 ORDER BY id`)).flatMap((line) => line.rows ?? []);
  for (const text of ["1990-01-02", "2026-11-27 18:12:06", "2026-11-27 18:12:06.120", "2026-11-27 18:12:06.123456", "-12:34:56", "12.50", "0001-01-01", "9999-12-31 23:59:59", "1969-12-31", "9999-12-31 23:59:59.999999", "0001-01-01 00:00:00.001", "838:59:59"]) {
    await page.locator(".grid-row").getByText(text, { exact: true }).first().waitFor();
  }
  await openRow(page, "838:59:59");
  assert.match(await editor(page).inputValue(), /"us": "9999-12-31 23:59:59.999999"/);
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByText("Nothing is changed.").waitFor();
  await page.keyboard.press("Escape");
  await openRow(page, "ann");
  const text = await editor(page).inputValue();
  assert.match(text, /"day": "1990-01-02"/);
  assert.match(text, /"price": 12\.50/);
  assert.match(text, /"doc": \{"a":\[1,null\]\}/);
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByText("Nothing is changed.").waitFor();
  await editor(page).fill(text.replace("1990-01-02", "1990-02-30"));
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByText('day: "1990-02-30" is no DATE, such as 2026-11-27').waitFor();
  const edits = [["1990-01-02", "2000-02-29"], ["18:12:06.123456", "18:12:06.000001"], ["-12:34:56", "25:00:00"], ["12.50", "13"], ["[1,null]", '{"N": 5}'], ['"ann"', "null"], [".0123456789", ".9876543210"]];
  await editor(page).fill(edits.reduce((t, [from, to]) => t.replace(from, to), text));
  await page.getByRole("button", { name: "As DynamoDB’s JSON" }).click();
  assert.match(await editor(page).inputValue(), /"day": *\{"N": *"11016"\}/);
  await page.getByRole("button", { name: "As a row" }).click();
  await page.getByRole("button", { name: "Review changes" }).click();
  assert.match(await page.locator(".diff").innerText(), /DATE 1990-01-02\s+DATE 2000-02-29/);
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.deepEqual((await rows("day, us, tm, price, name, big, doc"))[0], ["2000-02-29", "2026-11-27 18:12:06.000001", "25:00:00", "13.00", null, "1234567890123456789012345678.9876543210", '{"a": {"N": 5}}']);
  await page.getByRole("button", { name: "New item" }).click();
  await editor(page).fill('{"id": 4, "day": "2024-02-29", "at": "2024-02-29T12:00:00Z", "more": {"S": "undeclared"}}');
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.deepEqual((await rows("day, at, more"))[3], ["2024-02-29", "2024-02-29 12:00:00", "undeclared"]);
  for (const index of ["", "by_day"]) {
    await page.getByLabel("Index", { exact: true }).selectOption(index);
    await page.waitForFunction(() => document.querySelector(".status").textContent.includes("5 items"));
    await condition(page, "day", "=", "2024-02-29");
    assert.equal(await page.getByLabel("Type").inputValue(), "column");
    await read(page);
    await status(page, index ? "Query: 1 item" : "Scan: 1 item");
    await page.getByLabel("Remove this condition").click();
    await read(page);
  }
  await page.getByLabel("Index", { exact: true }).selectOption("");
  await page.getByLabel("Choose row 1", { exact: true }).check();
  await page.getByRole("button", { name: "Set an attribute" }).click();
  const dialog = page.locator("dialog");
  await dialog.getByLabel("Attribute").fill("day");
  await dialog.getByLabel("Value").fill("tomorrow");
  await dialog.getByText('day: "tomorrow" is no DATE').waitFor();
  await dialog.getByLabel("Value").fill("2001-09-09");
  await dialog.getByText("1 of them would change").waitFor();
  await dialog.getByRole("button", { name: "Change them" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await rows("day"))[0][0], "2001-09-09");
  await sql(demo, "DROP TABLE dated");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

task("query: what is typed outlives a look at another page", "#/query", async (page) => {
  await write(page, "Statement", "SELECT 1 -- mine");
  await page.getByRole("link", { name: "Tables", exact: true }).click();
  await page.getByRole("heading", { name: "Tables", exact: true, level: 1 }).waitFor();
  await page.getByRole("link", { name: "Query", exact: true }).click();
  await page.locator(".cm-line").getByText("-- mine").waitFor();
});

task("query: without a table of HBase's APIs, a scan says so and asks for none", "#/query", async (page) => {
  await page.getByRole("button", { name: "HBase", exact: true }).click();
  await page.locator('.editor[data-ready="true"]').waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("alert").getByText("There is no HBase table to scan yet").waitFor();
});

task("query: an answer is saved as CSV", "#/query", async (page) => {
  await write(page, "Statement", "SELECT -1.5 AS a, 'x,\"y\"' AS b, NULL AS c, '' AS d");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
  assert.equal(readFileSync(await file.path(), "utf8"), 'a,b,c,d\r\n-1.5,"x,""y""",,""\r\n');
});

task("heat map: it opens with what is read and written, and names what the pointer is on", "#/heat", async (page) => {
  await page.locator('canvas[data-view]').waitFor();
  assert.equal(await page.getByRole("button", { name: "Entries read and written" }).getAttribute("aria-pressed"), "true");
  const bright = () => page.evaluate(() => {
    const c = document.querySelector("canvas");
    const { data } = c.getContext("2d").getImageData(140, 0, c.width - 140, c.height - 30);
    let n = 0;
    for (let i = 0; i < data.length; i += 4) n += data[i] > 60;
    return n;
  });
  for (let tries = 100; tries > 0 && (await bright()) === 0; tries--) await page.waitForTimeout(200);
  assert.ok((await bright()) > 0, "the demo's reads are seen");
  const box = await page.locator("canvas").boundingBox();
  await page.mouse.move(box.x + 300, box.y + box.height / 2);
  await page.getByRole("status", { name: "Cell" }).waitFor();
});

task("hot: a statement that an index serves is not blamed for going through everything", "#/hot", async (page) => {
  const box = { FilterExpression: "lat BETWEEN :s AND :n AND lon BETWEEN :w AND :e AND population > :p", ExpressionAttributeValues: { ":s": { N: "43.5" }, ":n": { N: "48.5" }, ":w": { N: "5" }, ":e": { N: "16.5" }, ":p": { N: "100000" } } };
  for (let i = 0; i < 20; i++) await dynamo(demo, "Scan", { TableName: "cities", IndexName: "by-place", ...box });
  for (let i = 0; i < 20; i++) await dynamo(demo, "Scan", { TableName: "cities", FilterExpression: "elevation = :e", ExpressionAttributeValues: { ":e": { N: "4711" } } });
  await sql(demo, "SELECT country, COUNT(*) FROM cities GROUP BY country");
  await page.reload();
  const cause = async (text) => {
    const row = page.getByRole("row", { name: text }).first();
    await row.waitFor();
    return row.locator("td").last().innerText();
  };
  assert.doesNotMatch(await cause(/Scan cities.by-place FILTER/), /whole|an index may help/);
  assert.match(await cause(/Scan cities FILTER elevation = \?/), /Goes through a whole table or index, .* an index may help/);
  assert.match(await cause(/SELECT country, COUNT\(\*\) FROM cities GROUP BY country/), /as it asks for/);
});
