// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { count } from "../format";
import { Dialog } from "../parts/dialog";
import { keyNamesOf } from "../tables/key";
import { columnsOf, type Column, type Table } from "../tables/table";
import { attributeOf, keyOf, same, textOf, type Attribute, type Item } from "./attribute";
import { storedOf } from "./column";
import { deleteOf, updateOf } from "./expression";
import { writeUnchanged } from "./transfer";

interface Props {
  table: Table;
  items: Item[];
  close: () => void;
  done: () => void;
}

const keyText = (names: string[], i: Item): string => names.map((k) => textOf(i[k]!)).join(" / ");

/** Preview lists the keys of the first items. */
export function Preview({ keyNames, items }: { keyNames: string[]; items: Item[] }) {
  return (
    <ul class="preview code">
      {items.slice(0, 8).map((i) => (
        <li key={keyText(keyNames, i)}>{keyText(keyNames, i)}</li>
      ))}
      {items.length > 8 && <li class="muted">and {count(items.length - 8)} more</li>}
    </ul>
  );
}

/** useWork runs work that tells how far it is, and returns what it has left since somebody else has changed it. If it has left nothing, the dialog closes. */
export function useWork(close: () => void, done: () => void) {
  const at = useSignal<number | undefined>(undefined);
  const error = useSignal("");
  const left = useSignal<Item[]>([]);
  const run = async (work: (told: (n: number) => void) => Promise<Item[] | void>) => {
    error.value = "";
    at.value = 0;
    try {
      left.value = (await work((n) => (at.value = n))) ?? [];
      done();
      if (left.value.length === 0) close();
    } catch (e) {
      error.value = `${(e as Error).message} ${count(at.value ?? 0)} were done before.`;
      done();
    }
    at.value = undefined;
  };
  return { at, error, left, run };
}

/** Left says which items were left as they are. */
export function Left({ keyNames, items, all }: { keyNames: string[]; items: Item[]; all: number }) {
  return (
    <div role="alert">
      <p>
        {count(all - items.length)} done. {count(items.length)} left as they are, for somebody else has changed or deleted them since they were read:
      </p>
      <Preview keyNames={keyNames} items={items} />
    </div>
  );
}

/** DeleteMany deletes items after it has shown which, each on the condition that it is still what was shown. names are those of the attributes of all items. */
export function DeleteMany({ table, items: chosen, names, close, done }: Props & { names: string[] }) {
  const { at, error, left, run } = useWork(close, done);
  const keyNames = keyNamesOf(table);
  const items = useRef(chosen).current; // the grid reads anew when they are gone
  const request = (i: Item) => deleteOf(table.name, keyNames, i, names);
  return (
    <Dialog title={`Delete ${count(items.length)} ${items.length === 1 ? "item" : "items"}`} close={close}>
      <div class="column">
        {left.value.length > 0 ? (
          <Left keyNames={keyNames} items={left.value} all={items.length} />
        ) : (
          <>
            <p>Nothing is deleted yet. These would go, unless somebody changes them meanwhile:</p>
            <Preview keyNames={keyNames} items={items} />
            {at.value !== undefined && <progress max={items.length} value={at.value} aria-label="Progress" />}
            {error.value && <p role="alert" class="error">{error.value}</p>}
            <div class="actions">
              <button type="button" class="danger" disabled={at.value !== undefined} onClick={() => void run((told) => writeUnchanged(table, "DeleteItem", items, request, told))}>
                Delete them
              </button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** typedValue makes a value of what was typed, as SQL declares the column, or says what is wrong. */
function typedValue(column: Column | undefined, type: string, text: string): [Attribute?, string?] {
  try {
    return [column ? storedOf(column, text) : attributeOf(type, text)];
  } catch (e) {
    return [undefined, (e as Error).message];
  }
}

/** EditMany sets one attribute of many items, each on the condition that the attribute is still what was shown. */
export function EditMany({ table, items: chosen, close, done }: Props) {
  const { at, error, left, run } = useWork(close, done);
  const keyNames = keyNamesOf(table);
  const items = useRef(chosen).current; // the grid reads anew when they are changed
  const name = useSignal("");
  const type = useSignal("S");
  const text = useSignal("");
  const tried = useRef(0);
  const column = columnsOf(table).find((c) => c.name === name.value && c.sql && c.sql !== "JSON"); // SQL declares its type
  const [after, wrong] = typedValue(column, type.value, text.value);
  const changes = after ? items.filter((i) => !same(i[name.value], after)) : [];
  const work = async (told: (n: number) => void) => {
    if (keyNames.includes(name.value)) throw new Error("Key attributes can't be changed.");
    tried.current = changes.length;
    return writeUnchanged(table, "UpdateItem", changes, (i) => updateOf(table.name, keyOf(keyNames, i), [{ name: name.value, before: i[name.value], after: after! }]), told);
  };
  if (left.value.length > 0) {
    return (
      <Dialog title="Set an attribute" close={close}>
        <Left keyNames={keyNames} items={left.value} all={tried.current} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Set an attribute of ${count(items.length)} ${items.length === 1 ? "item" : "items"}`} close={close} asks>
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
          <select disabled={!!column} value={type.value} onChange={(e) => (type.value = e.currentTarget.value)}>
            {column && <option value={type.value}>{column.sql}</option>}
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
        {name.value && <p>{wrong || `${count(changes.length)} of them would change:`}</p>}
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
