// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { dynamo } from "../api";
import { count } from "../format";
import { Dialog } from "../parts/dialog";
import { attributeOf, textOf, type Item } from "./attribute";
import { updateOf } from "./expression";
import { readItems, writeAll } from "./transfer";

interface Props {
  table: string;
  keyNames: string[];
  items: Item[];
  close: () => void;
  done: () => void;
}

const keyOf = (names: string[], i: Item): Item => Object.fromEntries(names.map((k) => [k, i[k]!]));
const keyText = (names: string[], i: Item): string => names.map((k) => textOf(i[k]!)).join(" / ");

function Preview({ keyNames, items }: { keyNames: string[]; items: Item[] }) {
  return (
    <ul class="preview code">
      {items.slice(0, 8).map((i) => (
        <li key={keyText(keyNames, i)}>{keyText(keyNames, i)}</li>
      ))}
      {items.length > 8 && <li class="muted">and {count(items.length - 8)} more</li>}
    </ul>
  );
}

/** useWork runs work that tells how far it is. */
function useWork(close: () => void, done: () => void) {
  const at = useSignal<number | undefined>(undefined);
  const error = useSignal("");
  const run = async (work: (told: (n: number) => void) => Promise<void>) => {
    error.value = "";
    at.value = 0;
    try {
      await work((n) => (at.value = n));
      done();
      close();
    } catch (e) {
      error.value = `${(e as Error).message} ${count(at.value ?? 0)} were done before.`;
      at.value = undefined;
    }
  };
  return { at, error, run };
}

/** DeleteMany deletes items after it has shown which. */
export function DeleteMany({ table, keyNames, items, close, done }: Props) {
  const { at, error, run } = useWork(close, done);
  return (
    <Dialog title={`Delete ${count(items.length)} ${items.length === 1 ? "item" : "items"}`} close={close}>
      <div class="column">
        <p>Nothing is deleted yet. These would go:</p>
        <Preview keyNames={keyNames} items={items} />
        {at.value !== undefined && <progress max={items.length} value={at.value} aria-label="Progress" />}
        {error.value && <p role="alert" class="error">{error.value}</p>}
        <div class="actions">
          <button type="button" class="danger" disabled={at.value !== undefined} onClick={() => void run((told) => writeAll(table, items.map((i) => ({ DeleteRequest: { Key: keyOf(keyNames, i) } })), told))}>
            Delete them
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** EditMany sets one attribute of many items, each on the condition that the attribute is still what was shown. */
export function EditMany({ table, keyNames, items, close, done }: Props) {
  const { at, error, run } = useWork(close, done);
  const name = useSignal("");
  const type = useSignal("S");
  const text = useSignal("");
  const after = attributeOf(type.value, text.value);
  const changes = items.filter((i) => JSON.stringify(i[name.value]) !== JSON.stringify(after));
  const work = async (told: (n: number) => void) => {
    if (keyNames.includes(name.value)) throw new Error("Key attributes can't be changed.");
    for (const [n, i] of changes.entries()) {
      await dynamo("UpdateItem", updateOf(table, keyOf(keyNames, i), [{ name: name.value, before: i[name.value], after }]));
      told(n + 1);
    }
  };
  return (
    <Dialog title={`Set an attribute of ${count(items.length)} ${items.length === 1 ? "item" : "items"}`} close={close}>
      <form
        class="column"
        onSubmit={(e) => {
          e.preventDefault();
          void run(work);
        }}
      >
        <label class="field">
          Attribute
          <input required value={name.value} onInput={(e) => (name.value = e.currentTarget.value)} />
        </label>
        <label class="field">
          Type
          <select value={type.value} onChange={(e) => (type.value = e.currentTarget.value)}>
            <option value="S">text</option>
            <option value="N">number</option>
            <option value="BOOL">true or false</option>
            <option value="NULL">null</option>
          </select>
        </label>
        <label class="field">
          Value
          <input value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
        </label>
        {name.value && <p>{count(changes.length)} of them would change:</p>}
        {name.value && <Preview keyNames={keyNames} items={changes} />}
        {at.value !== undefined && <progress max={changes.length} value={at.value} aria-label="Progress" />}
        {error.value && <p role="alert" class="error">{error.value}</p>}
        <div class="actions">
          <button type="submit" class="primary" disabled={at.value !== undefined || !name.value || changes.length === 0}>
            Change them
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Import writes the items of a file, after it has read all of them. */
export function Import({ table, keyNames, close, done }: Omit<Props, "items">) {
  const { at, error, run } = useWork(close, done);
  const items = useSignal<Item[]>([]);
  const choose = async (file: File | undefined) => {
    error.value = "";
    items.value = [];
    if (!file) return;
    try {
      const read = readItems(await file.text());
      const line = read.findIndex((i) => keyNames.some((k) => !i[k]));
      if (line >= 0) throw new Error(`Item ${line + 1} lacks a key attribute: ${keyNames.join(", ")}.`);
      items.value = read;
    } catch (e) {
      error.value = (e as Error).message;
    }
  };
  return (
    <Dialog title="Import items" close={close}>
      <div class="column">
        <label class="field">
          A file of DynamoDB JSON, one item a line
          <input type="file" accept=".jsonl,.json,.txt" onChange={(e) => void choose(e.currentTarget.files?.[0])} />
        </label>
        {items.value.length > 0 && <p>{count(items.value.length)} items are ready. They replace those of the same keys:</p>}
        <Preview keyNames={keyNames} items={items.value} />
        {at.value !== undefined && <progress max={items.value.length} value={at.value} aria-label="Progress" />}
        {error.value && <p role="alert" class="error">{error.value}</p>}
        <div class="actions">
          <button type="button" class="primary" disabled={items.value.length === 0 || at.value !== undefined} onClick={() => void run((told) => writeAll(table, items.value.map((Item) => ({ PutRequest: { Item } })), told))}>
            Import
          </button>
        </div>
      </div>
    </Dialog>
  );
}
