// SPDX-License-Identifier: Apache-2.0
//
// A row of a table that SQL declares, for editing: ordinary JSON with dates as texts. Columns that are not declared keep DynamoDB's JSON, which has their type.

import { isLosslessNumber, parse } from "lossless-json";
import { letterOf } from "../tables/key";
import { columnsOf, type Column, type Table } from "../tables/table";
import { faultIn, parseItem, typeOf, type Attribute, type Item } from "./attribute";
import { shownOf, storedOf } from "./column";
import { attributeOfJSON } from "./reading";
import { plainOf } from "./writing";

/** isPlain says whether JSON alone can say a value. */
const isPlain = (a: Attribute): boolean => ("L" in a ? a.L.every(isPlain) : "M" in a ? Object.values(a.M).every(isPlain) : ["S", "N", "BOOL", "NULL"].includes(typeOf(a)));

/** declaredOf are the columns of a table that SQL declares: none, if the table is edited in DynamoDB's JSON. JavaScript's objects can't have every name. */
export function declaredOf(t: Table): Column[] {
  const declared = columnsOf(t).filter((c) => c.sql);
  return declared.some((c) => c.name === "__proto__") ? [] : declared;
}

const isJSON = (c: Column): boolean => c.sql === "JSON";

/** fits says whether a value is one of its column: others, which another program has written, keep DynamoDB's JSON. */
const fits = (c: Column, a: Attribute): boolean => (isJSON(c) ? isPlain(a) && !typed(parse(plainOf(a))) : typeOf(a) === letterOf(c.type) && !(c.unit && shownOf(c, a) === (a as { N: string }).N));

function valueOf(c: Column | undefined, a: Attribute): string {
  if (!c || !fits(c, a)) return JSON.stringify(a);
  if (isJSON(c)) return plainOf(a);
  return "N" in a && !c.unit ? shownOf(c, a) : "BOOL" in a ? String(a.BOOL) : JSON.stringify(shownOf(c, a));
}

/** writeRow prints a row: the declared columns in their order, null where they have no value, then the others. */
export function writeRow(item: Item, columns: Column[]): string {
  const names = [...new Set([...columns.map((c) => c.name), ...Object.keys(item)])];
  const lines = names.flatMap((name) => {
    const c = columns.find((one) => one.name === name);
    const a = item[name];
    if (!a && c && isJSON(c)) return []; // null is a value of such a column
    return [`  ${JSON.stringify(name)}: ${a ? valueOf(c, a) : "null"}`];
  });
  return `{\n${lines.join(",\n")}\n}`;
}

/** typed is the value that DynamoDB's JSON says, if a text is such. */
function typed(v: unknown): Attribute | undefined {
  const plain = JSON.parse(JSON.stringify(v, (_, x) => (isLosslessNumber(x) ? x.toString() : x))) as unknown;
  return faultIn(plain, "") ? undefined : (plain as Attribute);
}

function attributeIn(c: Column | undefined, name: string, v: unknown): Attribute | undefined {
  const given = v !== null && typeof v === "object" && !isLosslessNumber(v) ? typed(v) : undefined;
  if (given) return given;
  if (!c) throw new Error(`${name} is not declared, so its type must be said: {"S": "text"} or {"N": "1.5"}`);
  if (isJSON(c)) return attributeOfJSON(v);
  if (v === null) return undefined;
  if (typeof v === "object" && !isLosslessNumber(v)) throw new Error(`${name}: write a ${c.sql}, not an object or a list`);
  return storedOf(c, isLosslessNumber(v) ? v.toString() : String(v));
}

/** parseRow reads a row that a person has typed, as writeRow prints it. It throws an Error that says what is wrong. */
export function parseRow(text: string, columns: Column[]): Item {
  const row = parse(text);
  if (row === null || typeof row !== "object" || Array.isArray(row) || isLosslessNumber(row)) throw new Error('Write an object of columns, such as {"id": 1}.');
  const values = Object.entries(row).map(([name, v]) => [name, attributeIn(columns.find((c) => c.name === name), name, v)] as const);
  return parseItem(JSON.stringify(Object.fromEntries(values.filter(([, a]) => a))));
}
