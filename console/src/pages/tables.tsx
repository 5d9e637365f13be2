// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { Advice, type Report } from "../advice";
import { getJSON } from "../api";
import { readAdvice, Verdict as Word } from "../verdict";
import { AddIndex } from "../tables/add-index";
import { CreateTable, DeleteTable, PurgeTable } from "../tables/change";
import { ChangeExpiry, ChangeStream, DropIndex } from "../tables/settings";
import { about, ago, bytes, count } from "../format";
import { link, route } from "../route";
import { fullName, inSQL, readTables, typeTitle, type Index, type Table } from "../tables/table";
import { Empty, Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

function TableList({ tables, filter }: { tables: Table[]; filter: string }) {
  const advice = useResource(() => readAdvice(tables.length), [tables.length]);
  const shown = tables.filter((t) => fullName(t).toLowerCase().includes(filter.toLowerCase()));
  if (shown.length === 0) return <p class="muted">No table has “{filter}” in its name.</p>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Table</th>
          <th scope="col">Key</th>
          <th scope="col" class="number">Items, about</th>
          <th scope="col" class="number">Size, about</th>
          <th scope="col" class="number">Indexes</th>
          <th scope="col">Expiry</th>
          <th scope="col">Stream</th>
          <th scope="col">Design</th>
          <th scope="col">Made</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((t) => {
          const changing = t.indexes.filter((x) => x.state !== "active");
          const report = advice.value?.find((r) => r.Table === fullName(t));
          return (
            <tr key={fullName(t)}>
              <th scope="row">
                <a href={link("tables", [fullName(t)])}>{fullName(t)}</a>
              </th>
              <td>{t.key.map((c) => c.name).join(", ")}</td>
              <td class="number">{about(t.indexes[0]!.entries)}</td>
              <td class="number">{bytes(t.indexes.reduce((n, x) => n + x.bytes, 0))}</td>
              <td class="number">
                {t.indexes.length - 1}
                {changing.map((x) => (
                  <span key={x.name} class="badge" title={x.name}>{x.state}{x.percent !== undefined && ` ${x.percent} %`}</span>
                ))}
              </td>
              <td>{t.expiry ?? <span class="muted">–</span>}</td>
              <td>{t.stream ? "on" : <span class="muted">–</span>}</td>
              <td>{report ? <Word report={report} /> : <span class="muted">–</span>}</td>
              <td>{t.createdAt ? <time dateTime={t.createdAt} title={t.createdAt}>{ago(t.createdAt)}</time> : <span class="muted">–</span>}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const kindTitle = (x: Index): string => (x.kind ? { zorder: "Z-order", search: "search" }[x.kind] : x.unique ? "unique" : "ordered");

function IndexTable({ table, drop }: { table: Table; drop: (x: Index) => void }) {
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Index</th>
          <th scope="col">Kind</th>
          <th scope="col">Key</th>
          <th scope="col">Attributes</th>
          <th scope="col">State</th>
          <th scope="col" class="number">Entries, about</th>
          <th scope="col" class="number">Size, about</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {table.indexes.map((x) => (
          <tr key={x.name}>
            <th scope="row">{x.name || <span class="muted">the table itself</span>}</th>
            <td>{kindTitle(x)}</td>
            <td>
              <code>{x.key.join(", ")}</code>
            </td>
            <td>{x.projection === "include" ? `keys, ${x.include?.join(", ")}` : x.projection}</td>
            <td>
              {x.state}
              {x.percent !== undefined && <progress max={100} value={x.percent} aria-label={`${x.percent} %`} />}
            </td>
            <td class="number">{x.kind === "search" ? "–" : about(x.entries)}</td>
            <td class="number">{bytes(x.bytes)}</td>
            <td>
              {x.name && !x.local && (
                <button type="button" class="quiet" aria-label={`Drop ${x.name}`} onClick={() => drop(x)}>
                  Drop
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Verdict is what the advisor says of a table's design. It reads a sample, so it comes after the rest. */
function Verdict({ table }: { table: Table }) {
  const advice = useResource((abort) => getJSON<Report>("../advise", { table: fullName(table), format: "json" }, abort), [fullName(table)]);
  if (advice.error) return <Failure error={advice.error} retry={advice.reload} />;
  if (!advice.value) return <Loading what="the design's verdict" />;
  return <Advice report={advice.value} />;
}

function TableDetail({ table, changed }: { table: Table; changed: () => void }) {
  const dropping = useSignal(false);
  const change = useSignal<"" | "stream" | "expiry" | "index" | "purge" | Index>("");
  const close = () => {
    change.value = "";
    changed();
  };
  return (
    <>
      <nav class="crumbs" aria-label="Where you are">
        <a href={link("tables")}>Tables</a>
      </nav>
      <div class="bar">
        <h1 style={{ margin: 0 }}>{fullName(table)}</h1>
        <span class="right" />
        <a href={link("items", [fullName(table)])}>Items</a>
        <a href={link("query", [], { sql: `SELECT * FROM ${table.database === "default" ? "" : "`" + table.database + "`."}\`${table.name}\` LIMIT 100` })}>Query</a>
        {table.families ? (
          <a href={link("query", [], { sql: `CREATE INDEX by_column ON ${inSQL(table)} (family:qualifier)` })}>Add an index</a>
        ) : (
          <button type="button" onClick={() => (change.value = "index")}>Add an index</button>
        )}
        <button type="button" class="danger" onClick={() => (change.value = "purge")}>Purge</button>
        <button type="button" class="danger" onClick={() => (dropping.value = true)}>Delete table</button>
      </div>
      {dropping.value && <DeleteTable table={table} close={() => (dropping.value = false)} />}
      {change.value === "purge" && <PurgeTable table={table} close={close} />}
      {change.value === "stream" && <ChangeStream table={table} close={close} />}
      {change.value === "index" && <AddIndex table={table} close={close} />}
      {change.value === "expiry" && <ChangeExpiry table={table} close={close} />}
      {typeof change.value === "object" && <DropIndex table={table} index={change.value} close={close} />}
      <dl class="facts">
        <dt>Key</dt>
        <dd>
          {table.key.map((c) => (
            <span key={c.name}>
              <code>{c.name}</code> {typeTitle(c.type)}{" "}
            </span>
          ))}
        </dd>
        <dt>Order</dt>
        <dd>{table.hashed ? "by the hash of the partition key" : "by the key, across partitions"}</dd>
        {table.columns && (
          <>
            <dt>Columns</dt>
            <dd>{table.columns.map((c) => c.name).join(", ")}</dd>
          </>
        )}
        <dt>Expiry</dt>
        <dd>
          {table.expiry ? <code>{table.expiry}</code> : "items stay until they are deleted"}{" "}
          {table.database === "default" && <button type="button" class="quiet" aria-label="Change the expiry" onClick={() => (change.value = "expiry")}>Change</button>}
        </dd>
        <dt>Stream</dt>
        <dd>
          {table.stream ? "on" : "off"}{" "}
          <button type="button" class="quiet" aria-label="Change the stream" onClick={() => (change.value = "stream")}>Change</button>
        </dd>
      </dl>
      <section>
        <h2>Indexes</h2>
        <IndexTable table={table} drop={(x) => (change.value = x)} />
      </section>
      <section>
        <h2>Design</h2>
        <Verdict table={table} />
      </section>
    </>
  );
}

export function Tables() {
  const tables = useResource(readTables, [], 3000);
  const filter = useSignal("");
  const creating = useSignal(false);
  if (!tables.value) return tables.error ? <Failure error={tables.error} retry={tables.reload} /> : <Loading what="tables" />;
  const name = route.value.parts[0];
  if (name) {
    const table = tables.value.find((t) => fullName(t) === name);
    return table ? <TableDetail table={table} changed={tables.reload} /> : <Failure error={new Error(`There is no table ${name}.`)} />;
  }
  return (
    <>
      <h1>Tables</h1>
      {tables.value.length === 0 ? (
        <Empty title="There are no tables">
          <p>Create one here, with CREATE TABLE in SQL, or with DynamoDB’s CreateTable.</p>
          <button type="button" class="primary" onClick={() => (creating.value = true)}>Create a table</button>
        </Empty>
      ) : (
        <>
          <div class="bar">
            <input type="search" aria-label="Filter tables by name" placeholder="Filter by name" value={filter.value} onInput={(e) => (filter.value = e.currentTarget.value)} />
            <span class="muted">{count(tables.value.length)} {tables.value.length === 1 ? "table" : "tables"}</span>
            <span class="right" />
            <button type="button" class="primary" onClick={() => (creating.value = true)}>Create a table</button>
          </div>
          <TableList tables={tables.value} filter={filter.value} />
        </>
      )}
      {creating.value && <CreateTable close={() => (creating.value = false)} created={tables.reload} />}
    </>
  );
}
