// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { dynamo, sql } from "../api";
import { about, counted } from "../format";
import { go, link } from "../route";
import { sqlTypes, terraformOf, type NewTable } from "../advisor/generate";
import { Change } from "../parts/change";
import { Typed } from "../parts/typed";
import { Dialog } from "../parts/dialog";
import { Languages } from "../parts/text";
import { fullName, inSQL, quoted, type Table } from "./table";

/** Sure sends a statement about a table whose name has been typed. */
function Sure({ table, title, action, statement, sent, close, children }: { table: Table; title: string; action: string; statement: string; sent?: () => void; close: () => void; children: ComponentChildren }) {
  const typed = useSignal("");
  const send = async () => {
    await sql(`${statement} ${inSQL(table)}`);
    sent?.();
  };
  return (
    <Change title={`${title} ${fullName(table)}`} action={action} dangerous disabled={typed.value !== fullName(table)} send={send} close={close}>
      <p>{children}</p>
      <Typed name={fullName(table)} typed={typed} />
    </Change>
  );
}

/** DeleteTable deletes a table. */
export function DeleteTable({ table, close }: { table: Table; close: () => void }) {
  return (
    <Sure table={table} title="Delete" action="Delete the table" statement="DROP TABLE" sent={() => go(link("tables"))} close={close}>
      This deletes the table with {about(table.indexes[0]!.entries)} items and {counted(table.indexes.length - 1, "index", "indexes")}. It can’t be undone.
    </Sure>
  );
}

/** PurgeTable removes all items of a table. */
export function PurgeTable({ table, close }: { table: Table; close: () => void }) {
  return (
    <Sure table={table} title="Purge" action="Remove all items" statement="TRUNCATE TABLE" close={close}>
      This removes {about(table.indexes[0]!.entries)} items at once. The table, its indexes and its settings stay. It can’t be undone, and a stream has no records of it.
    </Sure>
  );
}

interface Form {
  name: string;
  partition: string;
  partitionType: string;
  sort: string;
  sortType: string;
  hashed: boolean;
  regions: string;
}

/** requestOf is the CreateTable of a form. */
function requestOf(f: Form): NewTable {
  const keys = [{ name: f.partition, type: f.partitionType, kind: "HASH" }, ...(f.sort ? [{ name: f.sort, type: f.sortType, kind: "RANGE" }] : [])];
  const tags = [...(f.hashed ? [{ Key: "weft:distribution", Value: "hash" }] : []), ...(f.regions ? [{ Key: "weft:regions", Value: f.regions }] : [])];
  return {
    TableName: f.name,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: keys.map((k) => ({ AttributeName: k.name, KeyType: k.kind as "HASH" | "RANGE" })),
    AttributeDefinitions: keys.map((k) => ({ AttributeName: k.name, AttributeType: k.type })),
    ...(tags.length > 0 ? { Tags: tags } : {}),
  };
}

function statementOf(f: Form): string {
  const columns = [[f.partition, f.partitionType], ...(f.sort ? [[f.sort, f.sortType]] : [])] as [string, string][];
  const key = [f.hashed ? `hash8(${quoted(f.partition)})` : "", ...columns.map(([name]) => quoted(name))].filter(Boolean);
  return `CREATE TABLE ${quoted(f.name)} (\n${columns.map(([name, type]) => `  ${quoted(name)} ${sqlTypes[type]},\n`).join("")}  PRIMARY KEY (${key.join(", ")})\n) WITH (DYNAMIC_COLUMNS='true'${f.regions ? `, NUMREGIONS='${Number(f.regions)}'` : ""});`;
}

function KeyPart({ title, name, type, required, change }: { title: string; name: string; type: string; required: boolean; change: (name: string, type: string) => void }) {
  return (
    <div class="bar" style={{ margin: 0 }}>
      <label class="field" style={{ flex: 1 }}>
        {title}
        <input value={name} required={required} onInput={(e) => change(e.currentTarget.value, type)} />
      </label>
      <label class="field">
        Type
        <select value={type} onChange={(e) => change(name, e.currentTarget.value)}>
          <option value="S">text</option>
          <option value="N">number</option>
          <option value="B">binary</option>
        </select>
      </label>
    </div>
  );
}

/** CreateTable makes a table, and shows the requests that would. */
export function CreateTable({ close, created }: { close: () => void; created: () => void }) {
  const form = useSignal<Form>({ name: "", partition: "", partitionType: "S", sort: "", sortType: "S", hashed: false, regions: "" });
  const error = useSignal("");
  const f = form.value;
  const change = (part: Partial<Form>) => (form.value = { ...form.value, ...part });
  const texts = { CreateTable: JSON.stringify(requestOf(f), null, 2), SQL: statementOf(f), Terraform: terraformOf(requestOf(f)) };
  const create = async (e: Event) => {
    e.preventDefault();
    try {
      await dynamo("CreateTable", requestOf(f));
      created();
      close();
      go(link("tables", [f.name]));
    } catch (fault) {
      error.value = (fault as Error).message;
    }
  };
  return (
    <Dialog title="Create a table" close={close} wide asks>
      <form class="column" onSubmit={create}>
        <label class="field">
          Name
          <input autofocus required value={f.name} onInput={(e) => change({ name: e.currentTarget.value })} />
        </label>
        <KeyPart title="Partition key" required name={f.partition} type={f.partitionType} change={(partition, partitionType) => change({ partition, partitionType })} />
        <KeyPart title="Sort key, if there is one" required={false} name={f.sort} type={f.sortType} change={(sort, sortType) => change({ sort, sortType })} />
        <label class="check">
          <input type="checkbox" checked={f.hashed} onChange={(e) => change({ hashed: e.currentTarget.checked })} /> Order by the hash of the partition key, which spreads growing keys and gives up the order across partitions
        </label>
        <label class="field">
          Initial regions, for a large load
          <input type="number" min={1} max={1000} placeholder="1" value={f.regions} onInput={(e) => change({ regions: e.currentTarget.value })} />
        </label>
        {f.name && f.partition && (
          <Languages texts={texts} />
        )}
        {error.value && <p role="alert" class="error">{error.value}</p>}
        <div class="actions">
          <button type="submit" class="primary">
            Create the table
          </button>
        </div>
      </form>
    </Dialog>
  );
}
