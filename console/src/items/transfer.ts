// SPDX-License-Identifier: Apache-2.0

import { dynamo } from "../api";
import { faultIn, parseItem, textOf, type Attribute, type Item } from "./attribute";

/** plainOf writes a value as ordinary JSON. Numbers keep their digits, for they are copied as they are. */
function plainOf(a: Attribute): string {
  if ("N" in a) return a.N;
  if ("BOOL" in a) return String(a.BOOL);
  if ("NULL" in a) return "null";
  if ("L" in a) return `[${a.L.map(plainOf).join(",")}]`;
  if ("M" in a) return `{${Object.entries(a.M).map(([k, v]) => `${JSON.stringify(k)}:${plainOf(v)}`).join(",")}}`;
  if ("NS" in a) return `[${a.NS.join(",")}]`;
  if ("SS" in a) return JSON.stringify(a.SS);
  if ("BS" in a) return JSON.stringify(a.BS);
  return JSON.stringify("S" in a ? a.S : a.B);
}

/** A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export type Format = "dynamodb" | "json" | "csv";
export const formats: Record<Format, { title: string; file: string }> = {
  dynamodb: { title: "DynamoDB JSON, one item a line", file: "dynamodb.jsonl" },
  json: { title: "JSON lines", file: "jsonl" },
  csv: { title: "CSV", file: "csv" },
};

/** writeItems makes the content of a file. */
export function writeItems(items: Item[], columns: string[], format: Format): string {
  if (format === "dynamodb") return items.map((i) => JSON.stringify({ Item: i }) + "\n").join("");
  if (format === "json") return items.map((i) => plainOf({ M: i }) + "\n").join("");
  return [columns, ...items.map((i) => columns.map((c) => (i[c] ? textOf(i[c]) : "")))].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** readItems reads the content of a file: DynamoDB JSON, an item a line, bare or as the member Item. */
export function readItems(text: string): Item[] {
  return text
    .split("\n")
    .filter((line) => line.trim())
    .map((line, i) => {
      try {
        const one = JSON.parse(line) as Record<string, unknown>;
        return parseItem(JSON.stringify(Object.keys(one).length === 1 && one.Item && faultIn(one.Item, "") ? one.Item : one));
      } catch (e) {
        throw new Error(`Line ${i + 1}: ${(e as Error).message}`);
      }
    });
}

/** save lets the browser keep a text as a file. */
export function save(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const batchMax = 25;

/** writeAll puts or deletes items, 25 at once, and tells how many are done. What the server leaves is sent again. */
export async function writeAll(table: string, writes: Record<string, unknown>[], told: (done: number) => void): Promise<void> {
  for (let i = 0; i < writes.length; i += batchMax) {
    let batch = writes.slice(i, i + batchMax);
    while (batch.length > 0) {
      const answer = await dynamo<{ UnprocessedItems?: Record<string, Record<string, unknown>[]> }>("BatchWriteItem", { RequestItems: { [table]: batch } });
      batch = answer.UnprocessedItems?.[table] ?? [];
    }
    told(Math.min(i + batchMax, writes.length));
  }
}
