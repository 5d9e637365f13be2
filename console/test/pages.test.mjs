// SPDX-License-Identifier: Apache-2.0
//
// Every page loads with data and without, in both colours, with no error in the console, no request to another host, and nothing serious for axe-core.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { dynamo, openPage, startBrowser, startServer } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let demo, empty, browser;
before(async () => {
  [demo, empty, browser] = await Promise.all([startServer("demo"), startServer("serve", "--engine", "mem"), startBrowser()]);
  await dynamo(demo, "CreateBackup", { TableName: "cities", BackupName: "before-the-census" });
});
after(async () => {
  await browser?.close();
  await Promise.all([demo?.stop(), empty?.stop()]);
});

/** The pages, and what each shows of the demo's data. */
const pages = [
  { path: "#/overview", title: "Overview", shows: "Requests a second" },
  { path: "#/tables", title: "Tables", shows: "cities" },
  { path: "#/items", title: "Items", shows: "Andorra la Vella" },
  { path: "#/query", title: "Query", shows: "Explain and run" },
  { path: "#/heat", title: "Heat map", shows: "Entries written" },
  { path: "#/hot", title: "Hot", shows: "Busiest regions" },
  { path: "#/zorder", title: "Z-order", shows: "These are EXPLAIN ANALYZE’s numbers, over all pages of the Scan." },
  { path: "#/advisor", title: "Advisor", shows: "Access patterns" },
  { path: "#/advisor/patterns", title: "Advisor", shows: "Judge the design" },
  { path: "#/activity", title: "Activity", shows: "back up a table" },
  { path: "#/activity/slow", title: "Activity", shows: "Slow statements" },
  { path: "#/activity/streams", title: "Activity", shows: "Changes as they come" },
  { path: "#/activity/backups", title: "Activity", shows: "before-the-census" },
  { path: "#/activity/users", title: "Activity", shows: "Users and access keys" },
  { path: "#/tables/cities", title: "cities", shows: "by-place" },
];

/** With CONSOLE_SHOTS=1 the pictures of docs/console.md are taken anew: most pages light, some dark. */
const shots = new URL("../../docs/console/", import.meta.url).pathname;
const shotScheme = (path) => (["#/heat", "#/hot"].includes(path) ? "dark" : "light");

async function serious(page) {
  await page.evaluate(axe); // evaluated by the debugger, which the page's policy does not bind
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return result.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
}

for (const { path, title, shows } of pages) {
  for (const colorScheme of path.startsWith("#/activity/") ? ["light"] : ["light", "dark"]) { // its parts look like the page itself
    test(`${path} in ${colorScheme}`, async () => {
      const page = await openPage(browser, demo, path, { colorScheme });
      await page.getByRole("heading", { name: title, exact: true, level: 1 }).waitFor();
      await page.getByText(shows, { exact: true }).first().waitFor();
      await page.waitForFunction(() => !document.querySelector(".loading"));
      assert.deepEqual(await serious(page), []);
      assert.deepEqual(page.faults, []);
      if (process.env.CONSOLE_SHOTS && !path.startsWith("#/activity/") && colorScheme === shotScheme(path)) await page.screenshot({ path: `${shots}${path.replace(/^#\//, "").replaceAll("/", "-")}.png` });
      await page.context().close();
    });
  }
  if (path.split("/").length > 2) continue; // it is about the demo's table, or has no data of its own
  test(`${path} without data`, async () => {
    const page = await openPage(browser, empty, path);
    await page.getByRole("heading", { name: title, exact: true, level: 1 }).waitFor();
    await page.waitForFunction(() => !document.querySelector(".loading"));
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test("the menu works by keyboard", async () => {
  const page = await openPage(browser, demo);
  await page.getByRole("heading", { name: "Overview", exact: true, level: 1 }).waitFor();
  for (let i = 0; i < 20 && !(await page.evaluate(() => document.activeElement?.textContent === "Tables")); i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Tables", exact: true, level: 1 }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
