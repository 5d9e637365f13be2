// SPDX-License-Identifier: Apache-2.0

import { sql, type SqlValue } from "../api";

/** Row is a row of an answer by its columns' names. NULL is "". */
export type Row = Record<string, string>;

const textOf = (v: SqlValue | undefined): string => (typeof v === "string" ? v : "");

/** readRows runs a query of SQL for a page. */
export async function readRows(statement: string, abort?: AbortSignal): Promise<Row[]> {
  const [result] = await sql(statement, { abort });
  if (!result) return [];
  return result.rows.map((row) => Object.fromEntries(result.columns.map((c, i) => [c.name, textOf(row[i])])));
}

/** moment reads a time as SQL writes it, in UTC. */
export const moment = (text: string): Date => new Date(text.replace(" ", "T") + "Z");
