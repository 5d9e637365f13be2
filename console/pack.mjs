// SPDX-License-Identifier: Apache-2.0
//
// Writes the files that vite has built, compressed, to where the server embeds them. With --check it writes nothing, and fails if what is there is not
// what the sources say. Contents are compared, not compressed bytes: those depend on the version of zlib.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

const built = new URL("dist/", import.meta.url);
const embedded = new URL("../internal/server/console/dist/", import.meta.url);
const check = process.argv.includes("--check");
const firstLoadMax = 120_000;

const names = readdirSync(built).sort();
const there = existsSync(embedded) ? readdirSync(embedded) : [];
const contentOf = (name) => (there.includes(name) ? gunzipSync(readFileSync(new URL(name, embedded))) : undefined);
const differs = names.filter((name) => !contentOf(name + ".gz")?.equals(readFileSync(new URL(name, built))));
const extra = there.filter((name) => !names.includes(name.replace(/\.gz$/, "")));

if (check && differs.length + extra.length > 0) {
  console.error(`internal/server/console/dist is not what console/ says: run make console and commit. Different: ${[...differs, ...extra].join(", ")}`);
  process.exit(1);
}
if (!check) {
  mkdirSync(embedded, { recursive: true });
  for (const name of extra) rmSync(new URL(name, embedded));
  for (const name of differs) writeFileSync(new URL(name + ".gz", embedded), gzipSync(readFileSync(new URL(name, built)), { level: 9 }));
}

const html = readFileSync(new URL("index.html", built), "utf8");
const first = ["index.html", ...[...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((m) => m[1])];
const bytes = first.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, built)), { level: 9 }).length, 0);
console.log(`the first load is ${bytes} bytes compressed: ${first.join(", ")}`);
if (bytes > firstLoadMax) {
  console.error(`the first load must not exceed ${firstLoadMax} bytes`);
  process.exit(1);
}
