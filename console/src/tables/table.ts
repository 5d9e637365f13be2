// SPDX-License-Identifier: Apache-2.0

import { getJSON } from "../api";

export interface Column {
  name: string;
  type: string;
  sql?: string; // the type that SQL declares
  unit?: "days" | "ms" | "us"; // of a date or a time, which is stored as a number
}

/** Index is an index of a table; the one without a name is the table itself. */
export interface Index {
  name: string;
  key: string[];
  state: string;
  percent?: number;
  entries: number;
  bytes: number;
  partition: number;
  columns?: Column[];
  kind?: "zorder" | "search";
  projection: string;
  include?: string[];
  local?: boolean;
  unique?: boolean;
  attributes?: { name: string; codec: string; bits: number; version: number; skew: number; clampedShare: number; rebuildIsDue: boolean }[];
}

export interface Table {
  database: string;
  name: string;
  hashed?: boolean;
  key: Column[];
  columns?: Column[];
  families?: string[]; // of a table of HBase's APIs
  expiry?: string;
  stream: boolean;
  createdAt?: string;
  indexes: Index[];
}

export const readTables = (abort?: AbortSignal): Promise<Table[]> => getJSON<Table[]>("tables", {}, abort);

/** fullName is how pages of the admin port name a table. */
export const fullName = (t: Table): string => (t.database === "default" ? t.name : `${t.database}.${t.name}`);

/** hbaseName is how HBase's APIs name a table. */
export const hbaseName = (t: Table): string => (t.database === "default" ? t.name : `${t.database}:${t.name}`);

/** typeTitle writes a stored type for people. */
export const typeTitle = (type: string): string => ({ S: "string", N: "number", B: "binary" })[type] ?? type.toLowerCase();

/** quoted writes a name for SQL. */
export const quoted = (name: string): string => "`" + name.replaceAll("`", "``") + "`";

/** inSQL is how SQL names a table. */
export const inSQL = (t: Table): string => `${quoted(t.database)}.${quoted(t.name)}`;

/** columnsOf lists the columns of a table that are known: of its definition and of all keys. */
export function columnsOf(t: Table): Column[] {
  const known = new Map<string, Column>();
  for (const c of [...t.key, ...(t.columns ?? []), ...t.indexes.flatMap((x) => x.columns ?? [])]) if (!known.has(c.name)) known.set(c.name, c);
  return [...known.values()];
}
