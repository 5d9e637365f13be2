// SPDX-License-Identifier: Apache-2.0

import { textOf, type Attribute, type Item } from "./attribute";
import { textCell } from "./csv";

/** plainOf writes a value as ordinary JSON. Numbers keep their digits, for they are copied as they are. */
export function plainOf(a: Attribute): string {
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

/** cellOf writes a value as a cell: what is more than a text, a number or true and false, as DynamoDB's JSON. */
function cellOf(a: Attribute | undefined): string {
  if (!a) return "";
  if ("S" in a) return textCell(a.S);
  return "N" in a || "B" in a || "BOOL" in a ? textOf(a) : textCell(JSON.stringify(a));
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
  return [columns.map(textCell), ...items.map((i) => columns.map((c) => cellOf(i[c])))].map((row) => row.join(",") + "\r\n").join("");
}
