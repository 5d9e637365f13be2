// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { dynamo } from "../api";
import { Dialog } from "../parts/dialog";
import { keyNamesOf, letterOf } from "../tables/key";
import type { Table } from "../tables/table";
import { differences, keyOf, parseItem, same, textOf, typeOf, writeItem, type Difference, type Item } from "./attribute";
import { deleteOf, putOf, updateOf } from "./expression";

/** Diff shows what an edit changes. */
export function Diff({ changes }: { changes: Difference[] }) {
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
            <td class="removed">{c.before ? <><small>{typeOf(c.before)}</small> {textOf(c.before)}</> : <span class="muted">none</span>}</td>
            <td class="added">{c.after ? <><small>{typeOf(c.after)}</small> {textOf(c.after)}</> : <span class="muted">removed</span>}</td>
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
  saved: (item: Item | undefined) => void;
}

/** Editor edits an item as DynamoDB JSON. It shows the difference before it saves, and saves only if the item is still what was shown. */
export function Editor({ table, item, readOnly, close, saved }: Props) {
  const keyNames = keyNamesOf(table);
  const own = { database: table.database };
  const before = item ?? {};
  const text = useSignal(item ? writeItem(item) : `{\n${table.key.map((c) => `  ${JSON.stringify(c.name)}: {"${letterOf(c.type) ?? "S"}": ""}`).join(",\n")}\n}`);
  const review = useSignal<{ after: Item; changes: Difference[]; moved: boolean } | undefined>(undefined);
  const error = useSignal("");
  const busy = useSignal(false);

  const attempt = async (work: () => Promise<Item | undefined>) => {
    busy.value = true;
    error.value = "";
    try {
      saved(await work());
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
      const after = parseItem(text.value);
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
      return after;
    });
  const remove = () =>
    attempt(async () => {
      await dynamo("DeleteItem", deleteOf(table.name, keyNames, before, []), own);
      return undefined;
    });

  return (
    <Dialog title={item ? "Item" : "New item"} close={close} wide>
      <div class="column">
        {readOnly && <p class="banner">{readOnly}</p>}
        {!review.value && (
          <label class="field">
            Attributes, in DynamoDB’s JSON
            <textarea class="code" rows={Math.min(22, text.value.split("\n").length + 2)} spellcheck={false} readOnly={!!readOnly} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
          </label>
        )}
        {review.value && (
          <>
            <p>{review.value.moved ? (item ? "The key differs, so this makes a new item and leaves the old one." : "This makes a new item.") : "These attributes change; all others stay as they are."}</p>
            <Diff changes={review.value.changes} />
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
