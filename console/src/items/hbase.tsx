// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { scan, type HBaseRow } from "../api";
import { counted } from "../format";
import { Empty, Failure } from "../parts/states";
import { bytesText, resultOfRows, ResultGrid } from "../query/results";
import { link } from "../route";
import { fullName, hbaseName, type Table } from "../tables/table";

const pageRows = 500;

/** CellRows shows the rows of a table of HBase's APIs in the order of their keys, from a key on. */
export function CellRows({ table, choice }: { table: Table; choice: ComponentChildren }) {
  const start = useSignal("");
  const stop = useSignal("");
  const state = useSignal<{ rows: HBaseRow[]; busy: boolean; more: boolean; error?: Error }>({ rows: [], busy: true, more: false });
  const abort = useRef<AbortController | undefined>(undefined);
  const read = async (before: HBaseRow[]) => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    state.value = { rows: before, busy: true, more: false };
    try {
      const last = before.at(-1);
      const from = last ? `${bytesText(last.row)}\\x00` : start.value;
      const answer = await scan({ table: hbaseName(table), start: from, stop: stop.value, rowsMax: pageRows }, { abort: own.signal });
      if (!own.signal.aborted) state.value = { rows: [...before, ...answer.rows], busy: false, more: answer.limited };
    } catch (e) {
      if (!own.signal.aborted) state.value = { rows: before, busy: false, more: false, error: e as Error };
    }
  };
  useEffect(() => {
    void read([]);
    return () => abort.current?.abort();
  }, [fullName(table)]);
  const { rows, busy, more, error } = state.value;
  return (
    <div class="fill">
      <form
        class="bar"
        onSubmit={(e) => {
          e.preventDefault();
          void read([]);
        }}
      >
        <h1>Items</h1>
        {choice}
        <label class="check">
          from row <input class="short" value={start.value} onInput={(e) => (start.value = e.currentTarget.value)} />
        </label>
        <label class="check">
          before <input class="short" value={stop.value} onInput={(e) => (stop.value = e.currentTarget.value)} />
        </label>
        <button type="submit" class="primary">Read</button>
        <span class="right" />
        <a href={link("query", [], { hbase: hbaseName(table) })}>Scan in Query</a>
      </form>
      {error && <Failure error={error} />}
      <div class="bar status" role="status">
        {counted(rows.length, "row")}{busy ? "…" : more ? " so far" : ""}
        {more && <button type="button" onClick={() => void read(rows)}>Read on</button>}
        <span class="muted">Each cell is its newest value and time; \xNN is a byte that can’t be printed.</span>
      </div>
      {rows.length > 0 && <ResultGrid result={resultOfRows(rows)} />}
      {rows.length === 0 && !busy && !error && <Empty title="No rows" />}
    </div>
  );
}
