// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { count } from "../format";
import { Dialog } from "../parts/dialog";
import { keyNamesOf } from "../tables/key";
import type { Table } from "../tables/table";
import { keyOf, keyTextOf, same, type Item } from "./attribute";
import { Left, Preview, useWork } from "./bulk";
import { putOf, replaceOf } from "./expression";
import { cellTypes, readContent, sourceOf, type Content, type Source } from "./reading";
import { getAll, writeUnchanged } from "./transfer";

/** fileBytesMax bounds a file, which is read into the browser's memory. */
const fileBytesMax = 64 << 20;

const sources: Record<Source, string> = { dynamodb: "DynamoDB JSON, an item a line", json: "JSON lines", csv: "CSV with a header" };

/** Comparison sorts the items of a file by what the table has of their keys. */
interface Comparison {
  fresh: Item[];
  other: Change[];
  equal: Item[];
  names: string[]; // of the attributes of all these items
}

/** Change is an item of the table, and what the file has in its place. */
interface Change {
  seen: Item;
  item: Item;
}

async function compare(table: Table, items: Item[], told: (n: number) => void): Promise<Comparison> {
  const names = keyNamesOf(table);
  const there = new Map((await getAll(table, items.map((i) => keyOf(names, i)), told)).map((i) => [keyTextOf(names, i), i]));
  const result: Comparison = { fresh: [], other: [], equal: [], names: [...new Set([...items, ...there.values()].flatMap((i) => Object.keys(i)))] };
  for (const item of items) {
    const old = there.get(keyTextOf(names, item));
    if (!old) result.fresh.push(item);
    else if (same({ M: old }, { M: item })) result.equal.push(item);
    else result.other.push({ seen: old, item });
  }
  return result;
}

function Faults({ content }: { content: Content }) {
  return (
    <div role="alert" class="error">
      <p>{count(content.faults.length)} {content.faults.length === 1 ? "line" : "lines"} can’t be read:</p>
      <ul class="preview code">
        {content.faults.slice(0, 20).map((f) => (
          <li key={f.at}>line {f.at}: {f.text}</li>
        ))}
        {content.faults.length > 20 && <li>and {count(content.faults.length - 20)} more</li>}
      </ul>
    </div>
  );
}

function Types({ content, choose }: { content: Content; choose: (name: string, type: string) => void }) {
  return (
    <fieldset class="types">
      <legend>Types of the columns</legend>
      {content.columns.map((c) => (
        <label key={c.name} class="field">
          {c.name}
          <select value={c.type} onChange={(e) => choose(c.name, e.currentTarget.value)}>
            {Object.entries(cellTypes).map(([type, title]) => (
              <option key={type} value={type}>{title}</option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  );
}

/** Import writes the items of a file. Before that it reads all of them, says which lines have faults, and compares them with the table. */
export function Import({ table, close, done }: { table: Table; close: () => void; done: () => void }) {
  const { at, error, left, run } = useWork(close, done);
  const keyNames = keyNamesOf(table);
  const text = useSignal("");
  const source = useSignal<Source>("dynamodb");
  const types = useSignal<Record<string, string>>({});
  const content = useSignal<Content | undefined>(undefined);
  const comparison = useSignal<Comparison | undefined>(undefined);
  const without = useSignal(false); // the lines that have faults
  const replace = useSignal(false); // the items that are there
  const choose = async (file: File | undefined) => {
    error.value = "";
    content.value = comparison.value = undefined;
    text.value = "";
    if (!file) return;
    if (file.size > fileBytesMax) {
      error.value = "The file has more than 64 MiB: weft import reads files of any size.";
      return;
    }
    types.value = {};
    const read = await file.text();
    source.value = sourceOf(read);
    text.value = read;
  };
  useEffect(() => {
    if (!text.value) return;
    let gone = false;
    const read = readContent(text.value, source.value, table, types.value);
    content.value = read;
    comparison.value = undefined;
    without.value = false;
    error.value = read.lines.length + read.faults.length === 0 ? "The file has no items." : "";
    compare(table, read.lines.map((l) => l.item), () => undefined).then(
      (result) => gone || (comparison.value = result),
      (e: Error) => gone || (error.value = e.message),
    );
    return () => (gone = true);
  }, [text.value, source.value, types.value]);
  const known = comparison.value;
  const changes = known && replace.value ? known.other : [];
  const writes = known ? [...known.fresh, ...changes.map((c) => c.item)] : [];
  const ready = known && writes.length > 0 && (content.value?.faults.length === 0 || without.value) && at.value === undefined;
  const work = async (told: (n: number) => void) => {
    const requests = new Map(changes.map((c) => [c.item, replaceOf(table.name, keyNames, c.seen, c.item, known!.names)])); // made before the first is sent, for some can't be made
    const left = await writeUnchanged(table, "PutItem", known!.fresh, (i) => putOf(table.name, keyNames[0]!, i), told);
    return [...left, ...(await writeUnchanged(table, "UpdateItem", changes.map((c) => c.item), (i) => requests.get(i), (n) => told(known!.fresh.length + n)))];
  };
  if (left.value.length > 0) {
    return (
      <Dialog title="Import items" close={close}>
        <Left keyNames={keyNames} items={left.value} all={writes.length} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Import items" close={close}>
      <div class="column">
        <label class="field">
          A file
          <input type="file" accept=".jsonl,.ndjson,.json,.csv,.txt" onChange={(e) => void choose(e.currentTarget.files?.[0])} />
        </label>
        {content.value && (
          <label class="field">
            It has
            <select value={source.value} onChange={(e) => (source.value = e.currentTarget.value as Source)}>
              {Object.entries(sources).map(([name, title]) => (
                <option key={name} value={name}>{title}</option>
              ))}
            </select>
          </label>
        )}
        {content.value && content.value.columns.length > 0 && <Types content={content.value} choose={(name, type) => (types.value = { ...types.value, [name]: type })} />}
        {content.value && content.value.faults.length > 0 && <Faults content={content.value} />}
        {content.value && content.value.faults.length > 0 && content.value.lines.length > 0 && (
          <label class="check">
            <input type="checkbox" checked={without.value} onChange={(e) => (without.value = e.currentTarget.checked)} /> leave these lines out
          </label>
        )}
        {content.value && content.value.lines.length > 0 && !known && !error.value && <p role="status">Comparing with the table…</p>}
        {known && content.value!.lines.length > 0 && (
          <p role="status">
            Nothing is written yet. {count(known.fresh.length)} new, {count(known.other.length)} different from the item of the same key, {count(known.equal.length)} there already.
          </p>
        )}
        {known && known.other.length > 0 && (
          <label class="check">
            <input type="checkbox" checked={replace.value} onChange={(e) => (replace.value = e.currentTarget.checked)} /> replace the items that are different
          </label>
        )}
        <Preview keyNames={keyNames} items={writes} />
        {at.value !== undefined && <progress max={writes.length} value={at.value} aria-label="Progress" />}
        {error.value && <p role="alert" class="error">{error.value}</p>}
        <div class="actions">
          <button type="button" class="primary" disabled={!ready} onClick={() => void run(work)}>
            Import
          </button>
        </div>
      </div>
    </Dialog>
  );
}
