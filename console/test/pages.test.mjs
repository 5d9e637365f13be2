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
  { path: "#/advisor/patterns", title: "Advisor", shows: "Check the design" },
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

/** go opens a page as a link does, and waits until it stands. */
async function go(page, { path, title }) {
  await page.evaluate((hash) => (location.hash = hash), path);
  await page.getByRole("heading", { name: title, exact: true, level: 1 }).waitFor();
}

const whole = (page) => page.waitForFunction(() => !document.querySelector(".loading"));

/** walk goes over each ordered pair of pages: from each to each later one, and back. */
async function walk(page, arrived) {
  const visit = async (p) => {
    await go(page, p);
    await arrived(page);
  };
  const all = pages.filter((p) => !/^#\/(advisor|activity)\//.test(p.path));
  for (const [i, a] of all.entries()) {
    await visit(a);
    for (const b of all.slice(i + 1)) {
      await visit(b);
      await visit(a);
    }
  }
}

for (const [name, arrived] of [["has loaded", whole], ["begins to load", async () => {}]]) {
  test(`from every page to every other, once it ${name}`, async () => {
    const page = await openPage(browser, demo);
    await walk(page, arrived);
    await whole(page);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

/** covered names the controls of a page that something else lies upon, or that one can't scroll to. */
const covered = () =>
  [...document.querySelectorAll("main :is(a, button, input, select, textarea)")].filter((e) => {
    e.scrollIntoView({ block: "center", inline: "center" });
    const { left, top, width, height } = e.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    return e.checkVisibility() && !e.closest(".hidden, [role=grid]") && !(at && (e.contains(at) || at.contains(e)));
  }).map((e) => `${e.tagName} ${e.getAttribute("aria-label") ?? e.textContent}`);

for (const [width, height, what] of [[390, 844, "a phone"], [640, 400, "a window of 1280 at 200 %"], [720, 450, "a window of 1440 at 200 %"]]) {
  test(`every page fits ${what}`, async () => {
    const page = await openPage(browser, demo, "", { viewport: { width, height } });
    for (const p of pages) {
      await go(page, p);
      await page.getByText(p.shows, { exact: true }).first().waitFor();
      await whole(page);
      const space = await page.evaluate(() => {
        const main = document.querySelector("main");
        const style = getComputedStyle(main);
        return { width: main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight), beyond: main.scrollWidth - main.clientWidth, height: main.clientHeight, top: main.getBoundingClientRect().top, menu: document.querySelector("header").getBoundingClientRect().bottom };
      });
      assert.ok(space.width >= 320 && space.height >= 0.8 * height && space.top >= space.menu, `${p.path}: ${JSON.stringify(space)}`);
      assert.ok(space.beyond <= 0, `${p.path} is ${space.beyond} pixels too wide`);
      assert.deepEqual(await page.evaluate(covered), [], p.path);
    }
    await page.getByRole("button", { name: "Menu" }).click();
    const menu = page.getByRole("navigation", { name: "Pages" });
    await menu.getByRole("link", { name: "Tables" }).click();
    await page.getByRole("heading", { name: "Tables", exact: true, level: 1 }).waitFor();
    await menu.waitFor({ state: "hidden" });
    assert.deepEqual(await serious(page), []);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}
