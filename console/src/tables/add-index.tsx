// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { dynamo, sql } from "../api";
import { Change } from "../parts/change";
import { Languages } from "../parts/text";
import { isDeclared, requestsOf, type Form, type Kind, type Part } from "./index-form";
import { columnsOf, fullName, typeTitle, type Table } from "./table";

const kinds: Record<Kind, { title: string; columns: string; special?: string }> = {
  ordered: { title: "In the order of its columns: one value, or a range of the last", columns: "Columns, in the order of the key", special: "descending" },
  zorder: { title: "Z-order: ranges of several columns at once", columns: "Columns, in any order" },
  search: { title: "Search: words, and conditions on any of its columns", columns: "Columns", special: "its words" },
};

const partTypes: Record<Part["type"], string> = { S: "text", N: "number", B: "binary" };

/** partsMax is how many columns DynamoDB's API has in the key of an index: a partition key and a sort key. */
const partsMax = 2;
const columnsMax = 8;

const nothing: Part = { name: "", type: "S", special: false };

/** typeOf is the type of a column that the table or one of its indexes knows. */
function typeOf(t: Table, name: string): Part["type"] | undefined {
  const known = columnsOf(t).find((c) => c.name === name)?.type;
  return (Object.keys(partTypes) as Part["type"][]).find((type) => typeTitle(type) === known);
}

function Columns({ table, form, change }: { table: Table; form: Form; change: (parts: Part[]) => void }) {
  const { columns, special } = kinds[form.kind];
  const set = (i: number, part: Partial<Part>) => change(form.parts.map((p, j) => (i === j ? { ...p, ...part } : p)));
  const name = (i: number, to: string) => {
    const type = typeOf(table, to);
    set(i, type ? { name: to, type } : { name: to });
  };
  const most = form.kind === "ordered" && !isDeclared(table) ? partsMax : columnsMax;
  return (
    <fieldset class="column">
      <legend>{columns}</legend>
      {form.parts.map((p, i) => (
        <div key={i} class="bar" style={{ margin: 0 }}>
          <input aria-label={`Column ${i + 1}`} required list="columns-known" autocomplete="off" value={p.name} onInput={(e) => name(i, e.currentTarget.value)} />
          {!isDeclared(table) && (
            <select aria-label={`Type of column ${i + 1}`} value={p.type} onChange={(e) => set(i, { type: e.currentTarget.value as Part["type"] })}>
              {Object.entries(partTypes).map(([type, title]) => (
                <option key={type} value={type}>{title}</option>
              ))}
            </select>
          )}
          {special && (
            <label class="check">
              <input type="checkbox" checked={p.special} onChange={(e) => set(i, { special: e.currentTarget.checked })} /> {special}
            </label>
          )}
          {form.parts.length > 1 && (
            <button type="button" class="quiet" aria-label={`Remove column ${i + 1}`} onClick={() => change(form.parts.filter((_, j) => j !== i))}>✕</button>
          )}
        </div>
      ))}
      <datalist id="columns-known">
        {columnsOf(table).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {form.parts.length < most && <button type="button" class="quiet" onClick={() => change([...form.parts, nothing])}>Add a column</button>}
    </fieldset>
  );
}

/** Held chooses what the entries hold of the items. */
function Held({ table, form, change }: { table: Table; form: Form; change: (part: Partial<Form>) => void }) {
  return (
    <>
      <label class="field">
        Its entries hold
        <select value={form.projection} onChange={(e) => change({ projection: e.currentTarget.value as Form["projection"] })}>
          <option value="ALL">the whole items</option>
          <option value="KEYS_ONLY">only the keys</option>
          <option value="INCLUDE">the keys, and some attributes</option>
        </select>
      </label>
      {form.projection === "INCLUDE" && (
        <label class="field">
          Attributes, with commas between them
          <input required autocomplete="off" onInput={(e) => change({ include: e.currentTarget.value.split(",").map((name) => name.trim()).filter(Boolean) })} />
        </label>
      )}
      {isDeclared(table) && (
        <label class="check">
          <input type="checkbox" checked={form.sparse} onChange={(e) => change({ sparse: e.currentTarget.checked })} /> without rows that lack one of the columns
        </label>
      )}
    </>
  );
}

/** AddIndex makes an index, and shows the requests that would. It is built while the table is in use. */
export function AddIndex({ table, close }: { table: Table; close: () => void }) {
  const form = useSignal<Form>({ name: "", kind: "ordered", parts: [nothing], projection: "ALL", include: [], sparse: false });
  const f = form.value;
  const change = (part: Partial<Form>) => (form.value = { ...form.value, ...part });
  const kind = (to: Kind) => change({ kind: to, parts: to === "zorder" && f.parts.length < 2 ? [...f.parts, nothing] : f.parts.map((p) => ({ ...p, special: false })) });
  const { texts, sent } = requestsOf(table, f);
  const send = () => ("update" in sent ? dynamo("UpdateTable", sent.update) : sql(sent.statement));
  const ready = f.name !== "" && f.parts.every((p) => p.name !== "") && (f.projection !== "INCLUDE" || f.include.length > 0);
  return (
    <Change title={`Add an index to ${fullName(table)}`} action="Create the index" disabled={!ready} send={send} close={close} wide>
      <label class="field">
        Name
        <input autofocus required autocomplete="off" value={f.name} onInput={(e) => change({ name: e.currentTarget.value })} />
      </label>
      <label class="field">
        It serves
        <select value={f.kind} onChange={(e) => kind(e.currentTarget.value as Kind)}>
          {Object.entries(kinds).map(([name, { title }]) => (
            <option key={name} value={name}>{title}</option>
          ))}
        </select>
      </label>
      <Columns table={table} form={f} change={(parts) => change({ parts })} />
      {f.kind !== "search" && <Held table={table} form={f} change={change} />}
      {ready && <Languages texts={texts} />}
    </Change>
  );
}
