// SPDX-License-Identifier: Apache-2.0
//
// Files of items: what is written is read again as it was, and no text makes the readers fail but with a fault of a line.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "vite";

const folder = mkdtempSync(join(tmpdir(), "weft-console-"));
let reading, writing, attribute;
before(async () => {
  const entry = Object.fromEntries(["reading", "writing", "attribute"].map((name) => [name, new URL(`../src/items/${name}.ts`, import.meta.url).pathname]));
  await build({ configFile: false, logLevel: "error", build: { outDir: folder, minify: false, lib: { entry, formats: ["es"] } } });
  [reading, writing, attribute] = await Promise.all(["reading", "writing", "attribute"].map((name) => import(join(folder, `${name}.js`))));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const seed = Number(process.env.CONSOLE_SEED ?? Date.now() % 1e9);
let state = seed;
const random = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
const pick = (list) => list[random(list.length)];
const text = () => Array.from({ length: random(6) }, () => pick(["a", "'", '"', ",", "\n", "\r", "=", "-", "@", "{", "é", " ", "0", "\t", "\\", "\u{1F600}"])).join("");
const number = () => pick(["0", "-1", "1.5", "12345678901234567890123456789012345678", "-0.00000000000000000000000000000000000001", "9.9E+125", "1E-130"]);
const value = (depth = 2) => {
  const kinds = [() => ({ S: text() }), () => ({ N: number() }), () => ({ B: "AAEC/w==" }), () => ({ BOOL: random(2) === 0 }), () => ({ NULL: true }), () => ({ SS: ["a", text() + "b"] }), () => ({ NS: ["1", number()] }), () => ({ BS: ["AQ=="] })];
  if (depth > 0) kinds.push(() => ({ L: Array.from({ length: random(3) }, () => value(depth - 1)) }), () => ({ M: Object.fromEntries(Array.from({ length: random(3) }, (_, i) => [`${text()}${i}`, value(depth - 1)])) }));
  return pick(kinds)();
};
const table = { database: "default", name: "t", stream: false, key: [{ name: "id", type: "string" }], indexes: [] };
const itemsOf = (make) => Array.from({ length: 1 + random(5) }, (_, i) => ({ id: { S: `${text()}${i}` }, ...make() }));
const equal = (content, items) => {
  assert.deepEqual(content.faults, []);
  assert.ok(content.lines.length === items.length && content.lines.every((l, i) => attribute.same({ M: l.item }, { M: items[i] })), JSON.stringify({ wanted: items, read: content.lines }));
};

test(`what is written is read again: seed ${seed}`, () => {
  const types = ["S", "N", "B", "BOOL", "typed"];
  for (let round = 0; round < 500; round++) {
    const any = itemsOf(() => Object.fromEntries(Array.from({ length: random(4) }, (_, i) => [`${text()}${i}`, value()])));
    equal(reading.readContent(writing.writeItems(any, [], "dynamodb"), "dynamodb", table), any);
    // A column of CSV has one type.
    const columns = Object.fromEntries(Array.from({ length: random(4) }, (_, i) => [`${text()}${i}`, pick(types)]));
    const one = { S: () => ({ S: text() }), N: () => ({ N: number() }), B: () => ({ B: "AAEC/w==" }), BOOL: () => ({ BOOL: random(2) === 0 }), typed: () => ({ L: [value()] }) };
    const even = itemsOf(() => Object.fromEntries(Object.entries(columns).filter(() => random(4) > 0).map(([name, type]) => [name, one[type]()])));
    equal(reading.readContent(writing.writeItems(even, ["id", ...Object.keys(columns)], "csv"), "csv", table, columns), even);
    // Plain JSON has texts, numbers, truth and documents alone.
    const plain = itemsOf(() => ({ s: { S: text() }, n: { N: number() }, l: { L: [{ N: number() }, { BOOL: true }, { NULL: true }] }, m: { M: { x: { S: text() } } } }));
    equal(reading.readContent(writing.writeItems(plain, [], "json"), "json", table), plain);
  }
});

test(`no text breaks a reader: seed ${seed}`, () => {
  const parts = ['{"id": {"S": "x"}}', '{"id": "x"}', "id,n\n", '"', "\n", ",", "{", "}", "null", '{"id":', "[", "\u0000", "1e999", "'=", '{"id": 1}'];
  for (let round = 0; round < 5000; round++) {
    const whole = Array.from({ length: random(8) }, () => pick(parts)).join("");
    reading.sourceOf(whole);
    for (const source of ["dynamodb", "json", "csv"]) {
      const content = reading.readContent(whole, source, table);
      assert.ok(content.faults.every((f) => f.at >= 1 && f.text) && content.lines.every((l) => l.item.id));
    }
  }
});

test("the content tells what a file is", () => {
  for (const [text, wanted] of [['{"Item": {"id": {"S": "x"}}}', "dynamodb"], ['{"id": {"S": "x"}}', "dynamodb"], ['{"id": "x"}', "json"], ["id,n\n1,2", "csv"], ["", "csv"], ['\n{"id": 1}', "json"]]) assert.equal(reading.sourceOf(text), wanted);
});
