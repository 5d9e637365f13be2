// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import type { HBaseRow, SqlResult, SqlValue } from "../api";
import { counted, seconds } from "../format";
import { textOf, typeOf, type Item } from "../items/attribute";
import { textCell } from "../items/csv";
import { save } from "../items/transfer";
import { Grid, widthOf } from "../parts/grid";
import { Failure } from "../parts/states";
import type { PlanNode } from "./plan";
import { PlanTree } from "./plan-tree";

/** Shown is what a request has answered so far. */
export interface Shown {
  results: SqlResult[];
  plan?: PlanNode[];
  error?: Error;
  ms?: number;
  note?: string;
}

/** resultOf shows items as the answer of a statement. */
export function resultOf(items: Item[]): SqlResult {
  const names = [...new Set(items.flatMap(Object.keys))];
  const types = names.map((n) => (items.some((i) => i[n] && typeOf(i[n]) === "N") ? "NUMBER" : "VARCHAR"));
  return { columns: names.map((name, i) => ({ name, type: types[i]! })), rows: items.map((i) => names.map((n) => (i[n] ? textOf(i[n]) : null))) };
}

const isNumber = (type: string): boolean => /INT|DECIMAL|DOUBLE|FLOAT|NUMBER/.test(type);

export function valueText(v: SqlValue | undefined): string {
  if (v === null || v === undefined) return "NULL";
  return typeof v === "string" ? v : bytesText(v);
}

/** bytesText writes bytes as HBase's shell does: what can't be printed is \\xNN. */
export function bytesText(v: string | { base64: string }): string {
  const hex = (n: number) => "\\x" + n.toString(16).toUpperCase().padStart(2, "0");
  if (typeof v === "string") return v.replace(/[\u0000-\u001f\u007f]/g, (c) => hex(c.charCodeAt(0)));
  return [...atob(v.base64)].map((c) => (c < " " || c > "~" ? hex(c.charCodeAt(0)) : c)).join("");
}

/** resultOfRows shows rows of HBase: a column for each of theirs, and in it the versions, newest first. */
export function resultOfRows(rows: HBaseRow[]): SqlResult {
  const named = rows.map((r) => {
    const cells = new Map<string, string[]>();
    for (const c of r.cells) {
      const name = `${bytesText(c.family)}:${bytesText(c.qualifier)}`;
      cells.set(name, [...(cells.get(name) ?? []), `${bytesText(c.value)}\u2003@${c.timestamp}`]);
    }
    return { row: bytesText(r.row), cells };
  });
  const names = [...new Set(named.flatMap((r) => [...r.cells.keys()]))].sort();
  return { columns: [{ name: "row", type: "BYTES" }, ...names.map((name) => ({ name, type: "BYTES" }))], rows: named.map((r) => [r.row, ...names.map((n) => r.cells.get(n)?.join(", ") ?? null)]) };
}

/** ResultGrid shows the rows of an answer. */
export function ResultGrid({ result }: { result: SqlResult }) {
  const sample = result.rows.slice(0, 50);
  const number = result.columns.map((c, i) => isNumber(c.type) || (c.type === "UNTYPED" && sample.length > 0 && sample.every((r) => r[i] === null || (typeof r[i] === "string" && /^-?[\d.]+(e[+-]?\d+)?$/i.test(r[i] as string)))));
  return (
    <Grid
      label="Rows"
      rows={result.rows.length}
      columns={result.columns.map((c, i) => ({
        name: `${i} ${c.name}`,
        title: <span title={c.type}>{c.name}</span>,
        width: Math.min(420, Math.max(70, widthOf(Math.max(c.name.length, ...sample.map((r) => valueText(r[i]).length))))),
        number: number[i],
      }))}
      cell={(row, column) => valueText(result.rows[row]?.[column])}
      cellClass={(row, column) => {
        const v = result.rows[row]?.[column];
        return v === null || v === undefined ? "muted" : typeof v === "string" ? "" : "type-B";
      }}
      tip={(row, column) => valueText(result.rows[row]?.[column])}
    />
  );
}

/** csvOf writes an answer as CSV: NULL is an empty cell, and an empty text is "". */
const csvOf = (r: SqlResult): string =>
  [r.columns.map((c) => textCell(c.name)), ...r.rows.map((row) => row.map((v, i) => (v === null ? "" : isNumber(r.columns[i]!.type) ? valueText(v) : textCell(valueText(v)))))].map((cells) => cells.join(",") + "\r\n").join("");

/** Results shows what a request has answered: rows, a plan, or why it failed. */
export function Results({ shown, busy }: { shown: Shown; busy: boolean }) {
  const at = useSignal(0);
  const withRows = shown.results.filter((r) => r.columns.length > 0);
  const result = withRows[Math.min(at.value, withRows.length - 1)];
  const affected = shown.results.filter((r) => r.columns.length === 0 && r.done);
  return (
    <>
      {shown.error && <Failure error={shown.error} />}
      <div class="bar status" role="status">
        {busy && "Running…"}
        {result && counted(result.rows.length, "row")}
        {result?.done?.limited && <span class="badge warning">there are more: the limit ended the answer</span>}
        {result && result.rows.length > 0 && !busy && (
          <button type="button" onClick={() => save("answer.csv", csvOf(result))}>
            Save as CSV
          </button>
        )}
        {shown.note}
        {!busy && shown.ms !== undefined && ` in ${seconds(shown.ms / 1000)}`}
        {affected.map((r, i) => (
          <span key={i}>{counted(r.done!.affected, "row")} written. {r.done!.info}</span>
        ))}
        {withRows.length > 1 &&
          withRows.map((_, i) => (
            <button key={i} type="button" aria-pressed={i === at.value} onClick={() => (at.value = i)}>
              Answer {i + 1}
            </button>
          ))}
      </div>
      {shown.plan && (
        <div class="scroll">
          <PlanTree nodes={shown.plan} />
        </div>
      )}
      {!shown.plan && result && <ResultGrid result={result} />}
    </>
  );
}
