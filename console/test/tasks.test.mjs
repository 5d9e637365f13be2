// SPDX-License-Identifier: Apache-2.0
//
// What people try first with the demo's table, and with tables of their own: each of these ends where they wanted to get.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startServer } from "./harness.mjs";

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
  ["", "Read cities by PRIMARY", "100 actual"],
  ["SELECT * FROM cities WHERE country = 'CH' AND city = 'Bern'", "Read cities by PRIMARY", "1 actual"],
  ["SELECT COUNT(*) FROM cities WHERE country = 'ZZ'", "Read cities by PRIMARY", "0 actual"],
  ["SELECT country, COUNT(*) FROM cities WHERE country IN ('LI', 'MC') GROUP BY country", "Read cities by PRIMARY", "actual"],
  ["SELECT city FROM cities WHERE lat BETWEEN 43.5 AND 48.5 AND lon BETWEEN 5 AND 16.5 AND population > 500000", "Read cities by by-place", "actual"],
  ["SELECT 1", "Compute", ""],
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
