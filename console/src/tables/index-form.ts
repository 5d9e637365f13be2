// SPDX-License-Identifier: Apache-2.0

import { sqlIndexOf, sqlTypes, terraformAttributeOf, terraformIndexOf, type Definition, type KeyElement, type NewIndex } from "../advisor/generate";
import { inSQL, quoted, type Table } from "./table";

/** Kind is what an index is good for. */
export type Kind = "ordered" | "zorder" | "search";

/** Part is a column of the index. */
export interface Part {
  name: string;
  type: "S" | "N" | "B";
  special: boolean; // in descending order, or by its words
}

/** Form is an index as it is being described. */
export interface Form {
  name: string;
  kind: Kind;
  parts: Part[];
  projection: "ALL" | "KEYS_ONLY" | "INCLUDE";
  include: string[];
  sparse: boolean; // of an index made by SQL: without the rows that lack one of the columns
}

/** Requests are texts of what makes an index, by their language, and the one that the console sends. */
export interface Requests {
  texts: Record<string, string>;
  sent: { update: unknown } | { statement: string };
}

/** computed writes the name of an attribute within that of a computed one. */
const computed = (name: string): string => (/[,;"() ]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

const curveTypes: Record<Part["type"], string> = { N: "f64", S: "text[16]", B: "binary[16]" };

/** definitionsOf are the key attributes of an index, in their order. */
function definitionsOf(f: Form): Definition[] {
  if (f.kind === "zorder") return [{ AttributeName: `zorder(${f.parts.map((p) => `${computed(p.name)} ${curveTypes[p.type]}`).join(", ")})`, AttributeType: "B" }];
  return f.parts.map((p) => ({ AttributeName: p.special ? `desc(${computed(p.name)})` : p.name, AttributeType: p.type }));
}

function newIndexOf(f: Form): NewIndex {
  const include = f.projection === "INCLUDE" ? { NonKeyAttributes: f.include } : {};
  return {
    IndexName: f.name,
    KeySchema: definitionsOf(f).map((a, i): KeyElement => ({ AttributeName: a.AttributeName, KeyType: i === 0 ? "HASH" : "RANGE" })),
    Projection: { ProjectionType: f.projection, ...include },
  };
}

function searchStatement(t: Table, f: Form): string {
  return `CREATE INDEX ${quoted(f.name)} USING SEARCH ON ${inSQL(t)} (${f.parts.map((p) => quoted(p.name) + (p.special ? "(type=text)" : "")).join(", ")});`;
}

/** isDeclared says whether SQL knows the types of a table's columns: then DynamoDB's API need not be told. */
export const isDeclared = (t: Table): boolean => t.database !== "default" || (t.columns ?? []).length > 0;

/** requestsOf writes what makes an index. DynamoDB's API declares the types of its key at once; SQL, in a table that SQL has not made, before. */
export function requestsOf(t: Table, f: Form): Requests {
  const x = newIndexOf(f);
  const types = isDeclared(t) ? [] : f.parts.filter((p) => !t.key.some((c) => c.name === p.name)).map((p) => `ALTER TABLE ${inSQL(t)} ADD COLUMN ${quoted(p.name)} ${sqlTypes[p.type]};`);
  const index = f.kind === "search" ? searchStatement(t, f) : sqlIndexOf(inSQL(t), x, f.sparse || !isDeclared(t));
  const statement = [...types, index].join("\n");
  if (isDeclared(t) || f.kind === "search") return { texts: { SQL: statement }, sent: { statement } };
  const definitions = definitionsOf(f);
  const update = { TableName: t.name, AttributeDefinitions: definitions, GlobalSecondaryIndexUpdates: [{ Create: x }] };
  const terraform = [...definitions.filter((a) => !t.key.some((c) => c.name === a.AttributeName)).map(terraformAttributeOf), terraformIndexOf(x)].join("\n\n");
  return { texts: { UpdateTable: JSON.stringify(update, null, 2), SQL: statement, Terraform: terraform }, sent: { update } };
}
