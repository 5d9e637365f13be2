// SPDX-License-Identifier: Apache-2.0

import { isLosslessNumber, parse } from "lossless-json";
import { keyNamesOf, letterOf } from "../tables/key";
import type { Table } from "../tables/table";
import { faultIn, keyTextOf, type Attribute, type Item } from "./attribute";
import { parseCSV, plainCell, type Row } from "./csv";

/** Line is an item of a file, and the line at which it begins. */
export interface Line {
  at: number;
  item: Item;
}

/** Fault is what is wrong at a line of a file. */
export interface Fault {
  at: number;
  text: string;
}

/** Content is what was read of a file. */
export interface Content {
  lines: Line[];
  faults: Fault[];
  /** columns are those of CSV, with the types that their cells look like. */
  columns: { name: string; type: string }[];
}

export type Source = "dynamodb" | "json" | "csv";

/** sourceOf says what a text looks like: its first line tells. */
export function sourceOf(text: string): Source {
  const first = text.split("\n", 1)[0]!.trim() || text.trim().split("\n", 1)[0]!;
  if (!first.startsWith("{")) return "csv";
  try {
    return faultIn({ M: unwrapped(JSON.parse(first)) }, "") ? "json" : "dynamodb";
  } catch {
    return "json";
  }
}

/** unwrapped is the item of a line: exports of DynamoDB have it in the member Item. */
function unwrapped(line: unknown): unknown {
  const one = line as { Item?: unknown } | null;
  return one !== null && typeof one === "object" && Object.keys(one).length === 1 && one.Item && faultIn(one.Item, "") ? one.Item : line;
}

/** wantedOf is which types attributes must have, by DynamoDB's letters: those of keys, and those which the table's definition declares. */
function wantedOf(table: Table): Map<string, string> {
  const all = [...(table.columns ?? []), ...table.indexes.flatMap((x) => x.columns ?? []), ...table.key];
  return new Map(all.flatMap((c) => (letterOf(c.type) ? [[c.name, letterOf(c.type)!]] : [])));
}

/** attributeOfJSON takes the types of JSON: sets and binaries have none. A text for a key that is binary is base64. */
export function attributeOfJSON(v: unknown, type = ""): Attribute {
  if (v === null) return { NULL: true };
  if (typeof v === "string") return type === "B" ? { B: v } : { S: v };
  if (typeof v === "boolean") return { BOOL: v };
  if (isLosslessNumber(v)) return { N: v.toString() };
  if (Array.isArray(v)) return { L: v.map((x) => attributeOfJSON(x)) };
  return { M: Object.fromEntries(Object.entries(v as object).map(([k, x]) => [k, attributeOfJSON(x)])) };
}

function itemOfJSON(text: string, source: Source, wanted: Map<string, string>): Item {
  const value = source === "dynamodb" ? unwrapped(JSON.parse(text)) : parse(text);
  if (value === null || typeof value !== "object" || Array.isArray(value) || isLosslessNumber(value)) throw new Error("a line must be an object, {..}");
  return source === "dynamodb" ? (value as Item) : Object.fromEntries(Object.entries(value).map(([k, v]) => [k, attributeOfJSON(v, wanted.get(k))]));
}

/** cellTypes are those which a column of CSV may have; typed cells are DynamoDB's JSON. */
export const cellTypes: Record<string, string> = { S: "text", N: "number", B: "binary, base64", BOOL: "true or false", typed: "DynamoDB’s JSON" };

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const guesses: [string, (text: string) => boolean][] = [
  ["N", (t) => number.test(t)],
  ["BOOL", (t) => t === "true" || t === "false"],
  ["typed", (t) => t.startsWith("{") && isTyped(t)],
];

function isTyped(text: string): boolean {
  try {
    return !faultIn(JSON.parse(text), "");
  } catch {
    return false;
  }
}

/** guessOf is the type that all cells of a column look like: text, where there is a doubt, so that 007 stays what it is. */
function guessOf(texts: string[]): string {
  return (texts.length > 0 && guesses.find(([, is]) => texts.every(is))?.[0]) || "S";
}

function attributeOfCell(type: string, text: string): Attribute {
  switch (type) {
    case "typed":
      try {
        return JSON.parse(text) as Attribute;
      } catch {
        throw new Error(`${JSON.stringify(text)} is no DynamoDB JSON, such as {"N": "1.5"}`);
      }
    case "BOOL":
      if (text !== "true" && text !== "false") throw new Error(`${JSON.stringify(text)} is neither true nor false`);
      return { BOOL: text === "true" };
    case "N":
      return { N: text.trim() };
    case "B":
      return { B: text.trim() };
  }
  return { S: plainCell(text) };
}

/** itemOfRow leaves out what is empty: an empty text is written as "". */
function itemOfRow(row: Row, columns: Content["columns"]): Item {
  if (row.cells.length !== columns.length) throw new Error(`it has ${row.cells.length} cells, and the header ${columns.length}`);
  const item: Item = {};
  row.cells.forEach((c, i) => {
    const { name, type } = columns[i]!;
    if (c.text === "" && !(c.quoted && type === "S")) return;
    try {
      item[name] = attributeOfCell(type, c.text);
    } catch (e) {
      throw new Error(`${name}: ${(e as Error).message}`);
    }
  });
  return item;
}

/** checked throws what is wrong with an item of a table. */
function checked(item: Item, table: Table, wanted: Map<string, string>): Item {
  const fault = Object.entries(item).map(([name, a]) => faultIn(a, name)).find(Boolean);
  if (fault) throw new Error(fault);
  for (const { name } of table.key) if (!item[name]) throw new Error(`the key attribute ${name} is missing`);
  for (const [name, type] of wanted) {
    const a = item[name];
    if (a && !(type in a) && !("NULL" in a)) throw new Error(`${name} must be of the type ${type}, as the table declares; here it is of the type ${Object.keys(a)[0]}`);
  }
  return item;
}

/** readContent reads a file for a table. types are those of CSV's columns which a person has chosen. */
export function readContent(text: string, source: Source, table: Table, types: Record<string, string> = {}): Content {
  const content: Content = { lines: [], faults: [], columns: [] };
  const wanted = wantedOf(table);
  const known = new Map<string, number>();
  const take = (at: number, make: () => Item) => {
    try {
      const item = checked(make(), table, wanted);
      const key = keyTextOf(keyNamesOf(table), item);
      if (known.has(key)) throw new Error(`line ${known.get(key)} has the same key`);
      known.set(key, at);
      content.lines.push({ at, item });
    } catch (e) {
      content.faults.push({ at, text: (e as Error).message });
    }
  };
  if (source !== "csv") {
    text.replace(/^\uFEFF/, "").split("\n").forEach((line, i) => line.trim() && take(i + 1, () => itemOfJSON(line, source, wanted)));
    return content;
  }
  try {
    const [header, ...rows] = parseCSV(text);
    const names = header?.cells.map((c) => plainCell(c.text)) ?? [];
    const twice = names.find((n, i) => n === "" || names.indexOf(n) !== i);
    if (twice !== undefined) throw Object.assign(new Error(twice ? `the column ${twice} is there twice` : "a column has no name"), { at: 1 });
    content.columns = names.map((name, i) => ({ name, type: types[name] ?? wanted.get(name) ?? guessOf(rows.map((r) => r.cells[i]?.text ?? "").filter(Boolean)) }));
    for (const row of rows) take(row.at, () => itemOfRow(row, content.columns));
  } catch (e) {
    content.faults.push({ at: (e as { at?: number }).at ?? 1, text: (e as Error).message });
  }
  return content;
}
