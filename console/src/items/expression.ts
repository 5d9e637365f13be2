// SPDX-License-Identifier: Apache-2.0

import { letterOf } from "../tables/key";
import type { Column, Index } from "../tables/table";
import { attributeOf, differences, faultIn, keyOf, type Attribute, type Difference, type Item } from "./attribute";
import { storedOf } from "./column";

/** Condition is a line of the filter. The type "column" is what SQL declares the column as. */
export interface Condition {
  attribute: string;
  operator: string;
  type: string;
  value: string;
  other: string;
  column?: Column;
}

const ordered = ["S", "N", "B"];

/** The operators of the filter, with how many values each takes, and of which types these must be; a comma separates those of IN. */
export const operators: { name: string; title: string; values: number; types?: string[] }[] = [
  { name: "=", title: "=", values: 1 },
  { name: "<>", title: "≠", values: 1 },
  { name: "<", types: ordered, title: "<", values: 1 },
  { name: "<=", types: ordered, title: "≤", values: 1 },
  { name: ">", types: ordered, title: ">", values: 1 },
  { name: ">=", types: ordered, title: "≥", values: 1 },
  { name: "BETWEEN", types: ordered, title: "between", values: 2 },
  { name: "IN", title: "one of", values: 1 },
  { name: "begins_with", types: ["S", "B"], title: "begins with", values: 1 },
  { name: "contains", title: "contains", values: 1 },
  { name: "not contains", title: "does not contain", values: 1 },
  { name: "attribute_exists", title: "exists", values: 0 },
  { name: "attribute_not_exists", title: "does not exist", values: 0 },
  { name: "attribute_type", title: "is of the type", values: 1 },
  { name: "size =", title: "has the size", values: 1 },
  { name: "size >", title: "is larger than", values: 1 },
];

/** Parts collects the names and values of expressions. */
export class Parts {
  readonly names: Record<string, string> = {};
  readonly values: Item = {};

  name(attribute: string): string {
    const known = Object.entries(this.names).find(([, a]) => a === attribute);
    if (known) return known[0];
    const name = `#n${Object.keys(this.names).length}`;
    this.names[name] = attribute;
    return name;
  }

  value(a: Attribute): string {
    const name = `:v${Object.keys(this.values).length}`;
    this.values[name] = a;
    return name;
  }

  /** members are those of a request; empty ones are left out, since the API refuses them. */
  members(): Record<string, unknown> {
    return {
      ...(Object.keys(this.names).length > 0 ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length > 0 ? { ExpressionAttributeValues: this.values } : {}),
    };
  }
}

/** valueOf is a value of a condition. It throws an Error that says what is wrong. */
function valueOf(c: Condition, text: string, type = c.type): Attribute {
  if (type === "column" && c.column) return storedOf(c.column, text);
  if (type === "BOOL" && !/^(true|false)$/.test(text.trim())) throw new Error(`${c.attribute}: ${JSON.stringify(text)} is neither true nor false`);
  const a = attributeOf(type, text);
  const fault = faultIn(a, c.attribute);
  if (fault) throw new Error(fault);
  return a;
}

/** letterIn is DynamoDB's letter of the values of a condition. */
const letterIn = (c: Condition): string => (c.type === "column" ? (letterOf(c.column!.type) ?? "") : c.type);

const attributeTypes = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"];

/** check throws an Error that says why a condition can't be asked. */
function check(c: Condition): void {
  const { types, title } = operators.find((o) => o.name === c.operator)!;
  if (types && !types.includes(letterIn(c))) throw new Error(`${c.attribute}: values of this type are not compared by “${title}”`);
  if (c.operator === "attribute_type" && !attributeTypes.includes(c.value.trim().toUpperCase())) throw new Error(`${c.attribute}: the types are ${attributeTypes.join(", ")}`);
  if (c.operator !== "BETWEEN") return;
  const [low, high] = [valueOf(c, c.value), valueOf(c, c.other)] as [{ N?: string; S?: string }, { N?: string; S?: string }];
  if (low.N !== undefined ? Number(low.N) > Number(high.N) : low.S !== undefined && low.S > high.S!) throw new Error(`${c.attribute}: ${c.value} is beyond ${c.other}`);
}

function expressionOf(c: Condition, parts: Parts): string {
  check(c);
  const name = parts.name(c.attribute);
  const value = (text: string, type = c.type) => parts.value(valueOf(c, text, type));
  switch (c.operator) {
    case "BETWEEN":
      return `${name} BETWEEN ${value(c.value)} AND ${value(c.other)}`;
    case "IN":
      return `${name} IN (${c.value.split(",").map((text) => value(text.trim())).join(", ")})`;
    case "begins_with":
    case "contains":
      return `${c.operator}(${name}, ${value(c.value)})`;
    case "not contains":
      return `NOT contains(${name}, ${value(c.value)})`;
    case "attribute_exists":
    case "attribute_not_exists":
      return `${c.operator}(${name})`;
    case "attribute_type":
      return `attribute_type(${name}, ${value(c.value.trim().toUpperCase(), "S")})`;
    case "size =":
    case "size >":
      return `size(${name}) ${c.operator.slice(5)} ${value(c.value, "N")}`;
  }
  return `${name} ${c.operator} ${value(c.value)}`;
}

const keyOperators = ["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"];

/** Reading is a Query or Scan. */
export interface Reading {
  operation: "Query" | "Scan";
  request: Record<string, unknown>;
}

/** isKeyed says whether a condition may stand in the key condition of a Query: its value is of the key's type, and not empty. */
function isKeyed(c: Condition, index: Index): boolean {
  const letter = letterOf(index.columns?.find((one) => one.name === c.attribute)?.type ?? "");
  return letterIn(c) === letter && c.value !== "" && (c.operator !== "BETWEEN" || c.other !== "");
}

/**
 * readingOf turns the filter into a Query where it fixes the partition key, and else into a Scan. A Query filters by no attribute of its key: where the filter
 * has more about these than a key condition can say, a Scan does it all. It throws an Error that says what is wrong with a condition.
 */
export function readingOf(table: string, index: Index, conditions: Condition[], descending: boolean): Reading {
  const parts = new Parts();
  const request: Record<string, unknown> = { TableName: table };
  if (index.name) request.IndexName = index.name;
  const partition = index.key.slice(0, index.partition);
  const sort = index.key.slice(index.partition)[0];
  const plain = index.key.every((part) => !part.includes("("));
  const fixed = partition.map((name) => conditions.find((c) => c.attribute === name && c.operator === "=" && isKeyed(c, index)));
  const ranged = conditions.find((c) => c.attribute === sort && keyOperators.includes(c.operator) && isKeyed(c, index));
  const inKey = (c: Condition) => fixed.includes(c) || c === ranged;
  const isQuery = plain && !index.kind && fixed.length > 0 && fixed.every(Boolean) && conditions.every((c) => inKey(c) || !index.key.includes(c.attribute));
  const rest = conditions.filter((c) => !isQuery || !inKey(c));
  if (isQuery) {
    request.KeyConditionExpression = conditions.filter(inKey).map((c) => expressionOf(c, parts)).join(" AND ");
    if (descending) request.ScanIndexForward = false;
  }
  if (rest.length > 0) request.FilterExpression = rest.map((c) => expressionOf(c, parts)).join(" AND ");
  return { operation: isQuery ? "Query" : "Scan", request: { ...request, ...parts.members() } };
}

/** updateOf changes the attributes of an edit and no others, on the condition that these are still what they were. */
export function updateOf(table: string, key: Item, changes: Difference[]): Record<string, unknown> {
  const parts = new Parts();
  const UpdateExpression = editOf(parts, changes);
  const conditions = changes.map((c) => (c.before ? `${parts.name(c.name)} = ${parts.value(c.before)}` : `attribute_not_exists(${parts.name(c.name)})`));
  const exists = `attribute_exists(${parts.name(Object.keys(key)[0]!)})`;
  return {
    TableName: table,
    Key: key,
    UpdateExpression,
    ConditionExpression: [exists, ...conditions].join(" AND "),
    ...parts.members(),
  };
}

/** comparisonsMax is how many comparisons a condition may have: the API allows 300 operators, and AND is one. */
const comparisonsMax = 149;

/** asSeen is the condition that an item is still what was seen: its attributes are equal, and it has none of the others, of which the names are known. */
function asSeen(parts: Parts, keyNames: string[], seen: Item, others: string[]): string {
  const conditions = [
    `attribute_exists(${parts.name(keyNames[0]!)})`,
    ...Object.entries(seen).filter(([name]) => !keyNames.includes(name)).map(([name, a]) => `${parts.name(name)} = ${parts.value(a)}`),
    ...others.filter((name) => !seen[name]).map((name) => `attribute_not_exists(${parts.name(name)})`),
  ];
  if (conditions.length > comparisonsMax) throw new Error(`An item with ${conditions.length} attributes can't be compared with what was seen: change it in Query, or with another program.`);
  return conditions.join(" AND ");
}

/** deleteOf deletes an item on the condition that it is still what was seen. */
export function deleteOf(table: string, keyNames: string[], seen: Item, others: string[]): Record<string, unknown> {
  const parts = new Parts();
  return { TableName: table, Key: keyOf(keyNames, seen), ConditionExpression: asSeen(parts, keyNames, seen, others), ...parts.members() };
}

/** editOf is the expression of an update. */
function editOf(parts: Parts, changes: Difference[]): string {
  const sets = changes.filter((c) => c.after).map((c) => `${parts.name(c.name)} = ${parts.value(c.after!)}`);
  const removes = changes.filter((c) => !c.after).map((c) => parts.name(c.name));
  return [sets.length > 0 && `SET ${sets.join(", ")}`, removes.length > 0 && `REMOVE ${removes.join(", ")}`].filter(Boolean).join(" ");
}

/**
 * replaceOf makes an item another one of the same key, on the condition that it is still what was seen. It changes attributes rather than the item, so that
 * one which somebody has added meanwhile, and whose name is not among others, is not lost.
 */
export function replaceOf(table: string, keyNames: string[], seen: Item, item: Item, others: string[]): Record<string, unknown> {
  const parts = new Parts();
  const UpdateExpression = editOf(parts, differences(seen, item));
  return { TableName: table, Key: keyOf(keyNames, seen), UpdateExpression, ConditionExpression: asSeen(parts, keyNames, seen, others), ...parts.members() };
}

/** putOf writes a new item, on the condition that there is none of its key. */
export function putOf(table: string, keyName: string, item: Item): Record<string, unknown> {
  return { TableName: table, Item: item, ConditionExpression: "attribute_not_exists(#k)", ExpressionAttributeNames: { "#k": keyName } };
}
