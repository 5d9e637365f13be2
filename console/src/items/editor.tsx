// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { dynamo } from "../api";
import { Dialog } from "../parts/dialog";
import { keyNamesOf, letterOf } from "../tables/key";
import type { Table } from "../tables/table";
import type { Column } from "../tables/table";
import { differences, keyOf, parseItem, same, typeOf, writeItem, type Attribute, type Difference, type Item } from "./attribute";
import { shownOf } from "./column";
import { deleteOf, putOf, updateOf } from "./expression";
import { declaredOf, parseRow, writeRow } from "./row";

/** Diff shows what an edit changes. */
export function Diff({ changes, columns }: { changes: Difference[]; columns: Column[] }) {
  const value = (name: string, a: Attribute) => {
    const column = columns.find((c) => c.name === name);
    return (
      <>
        <small>{column && letterOf(column.type) === typeOf(a) ? column.sql : typeOf(a)}</small> {shownOf(column, a)}
      </>
    );
  };
  return (
    <table class="plain diff">
      <thead>
        <tr>
          <th scope="col">Attribute</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((c) => (
          <tr key={c.name}>
            <th scope="row">{c.name}</th>
            <td class="removed">{c.before ? value(c.name, c.before) : <span class="muted">none</span>}</td>
            <td class="added">{c.after ? value(c.name, c.after) : <span class="muted">removed</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Props {
  table: Table;
  item?: Item; // undefined: a new one
  readOnly?: string; // why it can't be changed
  close: () => void;
  saved: (item: Item | undefined, deleted?: Item) => void; // deleted is what was there to the last
}

/**
 * Editor edits an item as DynamoDB JSON, or as a row where SQL declares the columns. It shows the difference before it saves, and saves only if the item is
 * still what was shown.
 */
export function Editor({ table, item, readOnly, close, saved }: Props) {
  const keyNames = keyNamesOf(table);
  const own = { database: table.database };
  const before = item ?? {};
  const columns = declaredOf(table);
  const asRow = useSignal(columns.length > 0);
  const print = (i: Item) => (asRow.value ? writeRow(i, columns) : writeItem(i));
  const read = () => (asRow.value ? parseRow(text.value, columns) : parseItem(text.value));
  const first = useRef(item || asRow.value ? print(before) : `{\n${table.key.map((c) => `  ${JSON.stringify(c.name)}: {"${letterOf(c.type) ?? "S"}": ""}`).join(",\n")}\n}`).current;
  const text = useSignal(first);
  const review = useSignal<{ after: Item; changes: Difference[]; moved: boolean } | undefined>(undefined);
  const error = useSignal("");
  const busy = useSignal(false);

  const attempt = async (work: () => Promise<void>) => {
    busy.value = true;
    error.value = "";
    try {
      await work();
      close();
    } catch (e) {
      const kind = (e as { kind?: string }).kind;
      error.value =
        kind === "ConditionalCheckFailedException"
          ? "Somebody else has changed this item, or one of its key is there already. Nothing was saved: close, and open the item again."
          : (e as Error).message;
    }
    busy.value = false;
  };
  const compare = () => {
    error.value = "";
    try {
      const after = read();
      const missing = keyNames.find((k) => !after[k]);
      if (missing) throw new Error(`The key attribute ${missing} is missing.`);
      const moved = !item || keyNames.some((k) => !same(after[k], item[k]));
      const changes = differences(before, after);
      if (changes.length === 0) throw new Error("Nothing is changed.");
      review.value = { after, changes, moved };
    } catch (e) {
      error.value = (e as Error).message;
    }
  };
  const save = () =>
    attempt(async () => {
      const { after, changes, moved } = review.value!;
      if (moved) await dynamo("PutItem", putOf(table.name, keyNames[0]!, after), own);
      else await dynamo("UpdateItem", updateOf(table.name, keyOf(keyNames, before), changes), own);
      saved(after);
    });
  const remove = () =>
    attempt(async () => {
      const { Attributes } = await dynamo<{ Attributes: Item }>("DeleteItem", { ...deleteOf(table.name, keyNames, before, []), ReturnValues: "ALL_OLD" }, own);
      saved(undefined, Attributes);
    });
  const turn = () => {
    error.value = "";
    try {
      const current = text.value === first && !item ? before : read();
      asRow.value = !asRow.value;
      text.value = print(current);
    } catch (e) {
      error.value = (e as Error).message;
    }
  };

  return (
    <Dialog title={item ? "Item" : "New item"} close={close} wide asks>
      <div class="column">
        {readOnly && <p class="banner">{readOnly}</p>}
        {!review.value && (
          <label class="field">
            {asRow.value ? "Columns, as JSON: dates and times are texts" : "Attributes, in DynamoDB’s JSON"}
            <textarea class="code" rows={Math.min(22, text.value.split("\n").length + 2)} spellcheck={false} readOnly={!!readOnly} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
          </label>
        )}
        {review.value && (
          <>
            <p>{review.value.moved ? (item ? "The key differs, so this makes a new item and leaves the old one." : "This makes a new item.") : "These attributes change; all others stay as they are."}</p>
            <Diff changes={review.value.changes} columns={columns} />
          </>
        )}
        {error.value && <p role="alert" class="error">{error.value}</p>}
        {!readOnly && (
          <div class="actions">
            {item && !review.value && (
              <button type="button" class="danger" disabled={busy.value} onClick={() => void remove()}>
                Delete item
              </button>
            )}
            {columns.length > 0 && !review.value && (
              <button type="button" onClick={turn}>
                {asRow.value ? "As DynamoDB’s JSON" : "As a row"}
              </button>
            )}
            {review.value ? (
              <>
                <button type="button" onClick={() => (review.value = undefined)}>
                  Edit again
                </button>
                <button type="button" class="primary" disabled={busy.value} onClick={() => void save()}>
                  Save
                </button>
              </>
            ) : (
              <button type="button" class="primary" onClick={compare}>
                Review changes
              </button>
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
}
