// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { dynamo } from "../api";
import { count, counted } from "../format";
import { textOf, typeOf, type Item } from "../items/attribute";
import { DeleteMany, EditMany } from "../items/bulk";
import { Editor } from "../items/editor";
import { shownOf } from "../items/column";
import { putOf, readingOf, type Condition } from "../items/expression";
import { Doubts, Filter, Seen } from "../items/filter";
import { CellRows } from "../items/hbase";
import { Import } from "../items/import";
import { save } from "../items/transfer";
import { formats, writeItems, type Format } from "../items/writing";
import { Grid, widthOf } from "../parts/grid";
import { Empty, Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";
import { go, link, route } from "../route";
import { keyNamesOf } from "../tables/key";
import { columnsOf as declaredOf, fullName, readTables, type Column, type Table } from "../tables/table";

interface Page {
  Items: Item[];
  LastEvaluatedKey?: Item;
  ScannedCount: number;
}

const pageItems = 500;

/** useItems reads a Query or Scan page by page, as more is wanted; all reads on to the end, until stop. The list grows in place: it may have a million items. */
function useItems(table: Table, read: { operation: string; request: Record<string, unknown> }, turn: number) {
  const items = useSignal<{ list: Item[] }>({ list: [] });
  const reading = useSignal(false); // on to the end
  const seen = useRef(new Seen(keyNamesOf(table))).current;
  const state = useSignal<{ busy: boolean; error?: Error; next?: Item; ended: boolean; scanned: number }>({ busy: false, ended: false, scanned: 0 });
  const abort = useRef<AbortController | undefined>(undefined);
  const text = JSON.stringify(read);
  const more = async () => {
    const { busy, ended, next, scanned } = state.peek();
    const own = abort.current;
    if (busy || ended || !own || own.signal.aborted) return;
    state.value = { ...state.peek(), busy: true, error: undefined };
    try {
      const page = await dynamo<Page>(read.operation, { ...read.request, ...(reading.value ? {} : { Limit: pageItems }), ...(next ? { ExclusiveStartKey: next } : {}) }, { database: table.database, abort: own.signal });
      if (own.signal.aborted) return;
      const { list } = items.peek();
      for (const item of page.Items) list.push(item);
      seen.add(page.Items);
      items.value = { list };
      state.value = { busy: false, next: page.LastEvaluatedKey, ended: !page.LastEvaluatedKey, scanned: scanned + page.ScannedCount };
      if (!page.LastEvaluatedKey) reading.value = false;
      else if (page.Items.length === 0 || reading.value) void more();
    } catch (e) {
      if (!own.signal.aborted) state.value = { ...state.peek(), busy: false, error: e as Error };
      reading.value = false;
    }
  };
  const all = () => {
    reading.value = true;
    void more();
  };
  useEffect(() => {
    const own = new AbortController();
    abort.current = own;
    items.value = { list: [] };
    reading.value = false;
    state.value = { busy: false, ended: false, scanned: 0 };
    void more();
    return () => own.abort();
  }, [text, turn]);
  return { items, state, more, all, reading, seen };
}

/** columnsOf lists the attributes of items: those of the key first, then the others as they come. */
function columnsOf(items: Item[], first: string[]): string[] {
  const names = new Set(first);
  for (const item of items.slice(0, 5000)) for (const name of Object.keys(item)) names.add(name);
  return [...names];
}

function columnWidth(name: string, items: Item[], c?: Column): number {
  const lengths = items.slice(0, 50).map((i) => (i[name] ? shownOf(c, i[name]).length : 0));
  return Math.min(320, Math.max(80, widthOf(Math.max(name.length, ...lengths))));
}

function TableItems({ table, choice }: { table: Table; choice: ComponentChildren }) {
  const indexName = route.value.query.get("index") ?? "";
  const index = table.indexes.find((x) => x.name === indexName) ?? table.indexes[0]!;
  const keyNames = keyNamesOf(table);
  const conditions = useSignal<Condition[]>([]);
  const descending = useSignal(false);
  const reading = useSignal(readingOf(table.name, index, [], false));
  const turn = useSignal(0);
  const chosen = useSignal<Set<number>>(new Set());
  const opened = useSignal<{ item?: Item; row?: number; readOnly?: string } | undefined>(undefined);
  const bulk = useSignal<"delete" | "edit" | "import" | undefined>(undefined);
  const { items, state, more, all, reading: onward, seen } = useItems(table, reading.value, turn.value);
  const wrong = useSignal("");
  const apply = () => {
    chosen.value = new Set();
    try {
      reading.value = readingOf(table.name, index, conditions.value, descending.value);
      wrong.value = "";
      turn.value++;
    } catch (e) {
      wrong.value = (e as Error).message;
    }
  };
  const applied = useRef(index.name); // the first reading has begun already: a second one of it would cost twice
  useEffect(() => {
    if (applied.current === index.name) return;
    applied.current = index.name;
    apply();
  }, [index.name]);
  const { list } = items.value;
  const names = columnsOf(list, [...new Set([...keyNames, ...(index.columns ?? []).map((c) => c.name)])]);
  const at = (row: number, column: number) => list[row]?.[names[column - 1]!];
  const open = async (row: number) => {
    const item = list[row]!;
    if (index.projection === "all") {
      opened.value = { item, row };
      return;
    }
    // The entry lacks attributes: saving it would drop them, so the item itself is read.
    try {
      const whole = await dynamo<{ Item?: Item }>("GetItem", { TableName: table.name, Key: Object.fromEntries(keyNames.map((k) => [k, item[k]!])), ConsistentRead: true }, { database: table.database });
      opened.value = whole.Item ? { item: whole.Item, row } : { item, row, readOnly: "The item is gone. This is its entry in the index." };
    } catch (e) {
      opened.value = { item, row, readOnly: `This entry of the index lacks attributes, and the item can't be read: ${(e as Error).message}` };
    }
  };
  const deleted = useSignal<Item | undefined>(undefined);
  const saved = (item: Item | undefined, gone?: Item) => {
    deleted.value = gone;
    const row = opened.value?.row;
    if (row === undefined || index.name) turn.value++;
    else items.value = { list: item ? list.map((i, n) => (n === row ? item : i)) : list.filter((_, n) => n !== row) };
    chosen.value = new Set();
  };
  const restore = async (item: Item) => {
    try {
      await dynamo("PutItem", putOf(table.name, keyNames[0]!, item), { database: table.database });
      deleted.value = undefined;
      turn.value++;
    } catch (e) {
      wrong.value = (e as { kind?: string }).kind === "ConditionalCheckFailedException" ? "An item of that key is there again: nothing was put back." : (e as Error).message;
    }
  };
  const selected = [...chosen.value].sort((a, b) => a - b).map((n) => list[n]!);
  const toggle = (row: number, on: boolean) => {
    const next = new Set(chosen.value);
    if (on) next.add(row);
    else next.delete(row);
    chosen.value = next;
  };
  const declared = declaredOf(table);
  const columnOf = new Map(declared.map((c) => [c.name, c]));
  const widths = names.map((n) => columnWidth(n, list, columnOf.get(n)));
  const shown = (row: number, column: number) => {
    const a = at(row, column);
    return a ? shownOf(columnOf.get(names[column - 1]!), a) : null;
  };
  const numbers = names.map((n) => !columnOf.get(n)?.unit && list.slice(0, 50).some((i) => i[n] && typeOf(i[n]) === "N"));
  const columns = [
    {
      name: " chosen",
      title: <input type="checkbox" aria-label="Choose all that are read" checked={list.length > 0 && chosen.value.size === list.length} onChange={(e) => (chosen.value = new Set(e.currentTarget.checked ? list.keys() : []))} />,
      width: 34,
    },
    ...names.map((name, i) => ({ name, width: widths[i]!, number: numbers[i] })),
  ];
  const done = () => {
    chosen.value = new Set();
    turn.value++;
  };
  return (
    <div class="fill">
      <div class="bar">
        <h1>Items</h1>
        {choice}
        <select aria-label="Index" value={index.name} onChange={(e) => go(link("items", [fullName(table)], { index: e.currentTarget.value }))}>
          {table.indexes
            .filter((x) => x.kind !== "search" && x.state === "active")
            .map((x) => (
              <option key={x.name} value={x.name}>
                {x.name || "the table itself"}: {x.key.join(", ")}
              </option>
            ))}
        </select>
        <label class="check">
          <input type="checkbox" checked={descending.value} onChange={(e) => (descending.value = e.currentTarget.checked)} /> descending
        </label>
        <span class="right" />
        <button type="button" onClick={() => (opened.value = {})}>New item</button>
        <button type="button" onClick={() => (bulk.value = "import")}>Import</button>
        <select
          aria-label="Export the items that are read"
          value=""
          disabled={list.length === 0}
          onChange={(e) => {
            const format = e.currentTarget.value as Format;
            e.currentTarget.value = "";
            save(`${table.name}.${formats[format].file}`, writeItems(selected.length > 0 ? selected : list, names, format));
          }}
        >
          <option value="">Export {count(selected.length || list.length)}…</option>
          {Object.entries(formats).map(([f, { title }]) => (
            <option key={f} value={f}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <Filter conditions={conditions} names={names} columns={declared} seen={seen} apply={apply} />
      {wrong.value && <Failure error={new Error(wrong.value)} />}
      {deleted.value && (
        <div class="banner bar" role="status">
          <span>
            Deleted: <code>{keyNames.map((k) => shownOf(columnOf.get(k), deleted.value![k]!)).join(", ")}</code>
          </span>
          <span class="right" />
          <button type="button" onClick={() => void restore(deleted.value!)}>Undo</button>
          <button type="button" class="quiet" aria-label="Keep it deleted" onClick={() => (deleted.value = undefined)}>✕</button>
        </div>
      )}
      {state.value.error && <Failure error={state.value.error} retry={() => void more()} />}
      <div class="bar status" role="status">
        <span>
          {reading.value.operation === "Query" ? "Query" : "Scan"}: {counted(list.length, "item")}{state.value.ended ? "" : " so far"}, {count(state.value.scanned)} read
          {state.value.busy && "…"}
        </span>
        {onward.value ? (
          <button type="button" onClick={() => (onward.value = false)}>Stop</button>
        ) : (
          !state.value.ended && list.length > 0 && <button type="button" onClick={all}>Read all</button>
        )}
        {selected.length > 0 && (
          <>
            <span class="badge">{count(selected.length)} chosen</span>
            <button type="button" disabled={index.projection !== "all"} onClick={() => (bulk.value = "edit")}>Set an attribute</button>
            <button type="button" class="danger" onClick={() => (bulk.value = "delete")}>Delete</button>
          </>
        )}
        {descending.value && reading.value.operation === "Scan" && <span class="muted">A Scan has one order only.</span>}
        {index.projection !== "all" && <span class="muted">This index has only some attributes. Enter opens the whole item.</span>}
      </div>
      {list.length === 0 && state.value.ended ? (
        <Empty title="No items">
          <p>{conditions.value.length > 0 ? "No item meets the conditions." : "There is nothing here yet."}</p>
          <Doubts conditions={conditions} seen={seen} apply={apply} />
        </Empty>
      ) : (
        <Grid
          label={`Items of ${table.name}`}
          columns={columns}
          rows={list.length}
          near={() => void more()}
          open={(row) => void open(row)}
          className={(row) => (chosen.value.has(row) ? "chosen" : "")}
          cell={(row, column) => {
            if (column === 0) return <input type="checkbox" tabIndex={-1} aria-label={`Choose row ${row + 1}`} checked={chosen.value.has(row)} onChange={(e) => toggle(row, e.currentTarget.checked)} />;
            return shown(row, column);
          }}
          cellClass={(row, column) => {
            const a = at(row, column);
            return a ? `type-${typeOf(a)}` : "";
          }}
          tip={(row, column) => {
            const a = at(row, column);
            const c = columnOf.get(names[column - 1]!);
            return a ? `${c?.sql ?? typeOf(a)} ${shown(row, column)}${c?.unit ? `, stored as ${textOf(a)}` : ""}` : "";
          }}
        />
      )}
      {opened.value && <Editor table={table} {...opened.value} close={() => (opened.value = undefined)} saved={saved} />}
      {bulk.value === "delete" && <DeleteMany table={table} items={selected} names={index.projection === "all" ? names : []} close={() => (bulk.value = undefined)} done={done} />}
      {bulk.value === "edit" && <EditMany table={table} items={selected} close={() => (bulk.value = undefined)} done={done} />}
      {bulk.value === "import" && <Import table={table} close={() => (bulk.value = undefined)} done={done} />}
    </div>
  );
}

/** Choice chooses the table. */
function Choice({ table, tables }: { table: Table; tables: Table[] }) {
  return (
    <select aria-label="Table" value={fullName(table)} onChange={(e) => go(link("items", [e.currentTarget.value]))}>
      {tables.map((t) => (
        <option key={fullName(t)}>{fullName(t)}</option>
      ))}
    </select>
  );
}

/** Items shows the items of a table of any database, or the rows of one of HBase's APIs. */
export function Items() {
  const tables = useResource(readTables, []);
  if (!tables.value) return tables.error ? <Failure error={tables.error} retry={tables.reload} /> : <Loading what="tables" />;
  const name = route.value.parts[0];
  const table = name ? tables.value.find((t) => fullName(t) === name) : (tables.value.find((t) => !t.families) ?? tables.value[0]);
  if (!table) {
    return (
      <>
        <h1>Items</h1>
        {name ? <Failure error={new Error(`There is no table ${name}.`)} /> : <Empty title="There are no tables" />}
      </>
    );
  }
  const choice = <Choice table={table} tables={tables.value} />;
  return table.families ? <CellRows key={fullName(table)} table={table} choice={choice} /> : <TableItems key={fullName(table)} table={table} choice={choice} />;
}
