// SPDX-License-Identifier: Apache-2.0

import { signal, useSignal, type Signal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { dynamo, explainScan, scan, session, sql } from "../api";
import { count } from "../format";
import type { Item } from "../items/attribute";
import { useResource } from "../parts/resource";
import { Languages } from "../parts/text";
import { codeOf, type Request } from "../query/code";
import type { Dialect } from "../query/codemirror";
import { inPartiQL } from "../query/complete";
import { Editor } from "../query/editor";
import { history, isSecret, keep, remember, saved, type Kept } from "../query/history";
import { dynamoPlan, hbasePlan, sqlPlan, type DynamoPlan, type HBasePlan, type SqlDocument } from "../query/plan";
import { resultOf, resultOfRows, Results, valueText, type Shown } from "../query/results";
import { route } from "../route";
import { hbaseName, quoted, readTables, type Table } from "../tables/table";

/** firstOf is a request to begin with: of the demo's table, or else of the first one that there is. */
function firstOf(d: Dialect, tables: Table[] | undefined): string {
  const own = (tables ?? []).filter((t) => t.database === "default" && !t.families);
  const isDemo = !tables || own.some((t) => t.name === "cities");
  const name = own[0]?.name ?? "";
  if (d === "hbase") return JSON.stringify({ table: hbaseNames(tables)[0] ?? "", start: "", stop: "", rowsMax: 100 }, null, 2);
  if (d === "partiql") return isDemo ? `SELECT * FROM cities WHERE country = 'CH'` : `SELECT * FROM ${inPartiQL(name)}`;
  if (d === "sql") return isDemo ? "SELECT * FROM cities WHERE country = 'CH' LIMIT 100" : name ? `SELECT * FROM ${quoted(name)} LIMIT 100` : "SELECT 1";
  const query = { TableName: "cities", KeyConditionExpression: "country = :c", ExpressionAttributeValues: { ":c": { S: "CH" } }, Limit: 100 };
  return JSON.stringify(isDemo ? query : { TableName: name, Limit: 100 }, null, 2);
}

const hbaseNames = (tables: Table[] | undefined): string[] => (tables ?? []).filter((t) => t.families).map(hbaseName);

function Code({ request, tables }: { request: Request | undefined; tables: Table[] }) {
  return <div class="scroll">{request ? <Languages title="Language" texts={codeOf(request, session.value.protocols, tables)} /> : <p class="error">The request is no JSON.</p>}</div>;
}

function KeptList({ title, list, choose }: { title: string; list: Kept[]; choose: (k: Kept) => void }) {
  return (
    <select
      aria-label={title}
      value=""
      disabled={list.length === 0}
      onChange={(e) => {
        const one = list[Number(e.currentTarget.value)];
        e.currentTarget.value = "";
        if (one) choose(one);
      }}
    >
      <option value="">{title}</option>
      {list.map((k, i) => (
        <option key={i} value={i}>
          {k.name ?? `${k.operation ? k.operation + " " : ""}${k.text.replace(/\s+/g, " ").slice(0, 90)}`}
        </option>
      ))}
    </select>
  );
}

function SaveAs({ current }: { current: () => Kept }) {
  const name: Signal<string | undefined> = useSignal(undefined);
  if (name.value === undefined) {
    const secret = isSecret(current());
    return <button type="button" disabled={secret} title={secret ? "A statement with a password is not saved." : undefined} onClick={() => (name.value = "")}>Save</button>;
  }
  const own = saved.value.some((k) => k.name === name.value);
  return (
    <form
      class="bar"
      style={{ margin: 0 }}
      onSubmit={(e) => {
        e.preventDefault();
        keep({ ...current(), name: name.value });
        name.value = undefined;
      }}
    >
      <input aria-label="Name of the saved query" placeholder="name" required autofocus value={name.value} onInput={(e) => (name.value = e.currentTarget.value)} />
      <button type="submit">{own ? "Replace" : "Save"}</button>
    </form>
  );
}

const dialects: Record<Dialect, { title: string; label: string }> = {
  sql: { title: "SQL", label: "Statement" },
  dynamodb: { title: "DynamoDB", label: "Request" },
  partiql: { title: "PartiQL", label: "Statement of PartiQL" },
  hbase: { title: "HBase", label: "Scan" },
};

/** What is typed outlives a look at another page. */
const dialect = signal<Dialect>("sql");
const texts = signal<Partial<Record<Dialect, string>>>({});
const operation = signal("Query");
const database = signal("default");

/** parsed reads a request. It throws an Error that says so if it is no JSON. */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (e) {
    throw new Error(`The request is no JSON: ${(e as Error).message}`);
  }
}

/** Answer is what Query, Scan and ExecuteStatement answer. */
interface Answer {
  Items?: Item[];
  Count?: number;
  ScannedCount?: number;
  LastEvaluatedKey?: Item;
  NextToken?: string;
}

/** noteOf says how much was read for an answer, as far as it tells, and whether there is more. */
const noteOf = (a: Answer): string => `${a.ScannedCount === undefined ? "" : `, ${count(a.ScannedCount)} read`}${a.LastEvaluatedKey ? "; the page has a next one" : ""}`;

/** bodyOf is a request of DynamoDB's API: what was typed, or a statement of PartiQL. */
const bodyOf = (d: Dialect, text: string): Record<string, unknown> => (d === "partiql" ? { Statement: text.trim().replace(/;$/, "") } : parsed(text));
const operationOf = (d: Dialect): string => (d === "partiql" ? "ExecuteStatement" : operation.value);

/** takeGiven takes what the address asks for: a statement of SQL, or a scan of a table of HBase's APIs. */
function takeGiven(): void {
  const query = route.peek().query;
  for (const [d, text] of [
    ["sql", query.get("sql")],
    ["hbase", query.get("hbase") && JSON.stringify({ table: query.get("hbase"), start: "", stop: "", rowsMax: 100 }, null, 2)],
  ] as [Dialect, string | null][]) {
    if (!text) continue;
    dialect.value = d;
    texts.value = { ...texts.peek(), [d]: text };
  }
}

/** Query runs SQL, Query, Scan and statements of PartiQL over DynamoDB's API, and scans of HBase's. */
export function Query() {
  useMemo(takeGiven, [route.value]);
  const turn = useSignal(0); // of texts that were not typed in the editor
  const tables = useResource(readTables, []);
  const rowsMax = useSignal(1000);
  const shown = useSignal<Shown>({ results: [] });
  const busy = useSignal(false);
  const tab = useSignal<"answer" | "code">("answer");
  const abort = useRef<AbortController | undefined>(undefined);
  const textOf = (d: Dialect) => texts.value[d] ?? history.peek().find((k) => k.dialect === d)?.text ?? firstOf(d, tables.value);
  const text = textOf(dialect.value);
  const current = (): Kept => ({ dialect: dialect.value, text, ...(dialect.value === "hbase" ? {} : { database: database.value }), ...(dialect.value === "dynamodb" ? { operation: operation.value } : {}) });

  const work = async (run: (signal: AbortSignal) => Promise<Shown>) => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    busy.value = true;
    tab.value = "answer";
    shown.value = { results: [] };
    const begun = performance.now();
    remember(current());
    try {
      shown.value = { ...(await run(own.signal)), ms: performance.now() - begun };
    } catch (e) {
      if (abort.current === own) shown.value = { ...shown.value, error: own.signal.aborted ? new Error("Cancelled.") : (e as Error), ms: performance.now() - begun };
    }
    if (abort.current === own) busy.value = false;
  };
  const run = () =>
    work(async (signal) => {
      if (dialect.value === "sql") {
        const results = await sql(text, { database: database.value, rowsMax: rowsMax.value, abort: signal, told: (results) => (shown.value = { results: [...results] }) });
        return { results };
      }
      if (dialect.value === "hbase") {
        const asked = parsed(text);
        if (asked.table === "") throw new Error(hbaseNames(tables.value).length > 0 ? "Name a table to scan." : "There is no HBase table to scan yet: make one with HBase’s APIs.");
        const answer = await scan(asked, { abort: signal, told: (rows) => (shown.value = { results: [resultOfRows(rows)] }) });
        return { results: [{ ...resultOfRows(answer.rows), done: { rows: answer.rows.length, affected: 0, limited: answer.limited } }] };
      }
      const answer = await dynamo<Answer>(operationOf(dialect.value), bodyOf(dialect.value, text), { database: database.value, abort: signal });
      return { results: [resultOf(answer.Items ?? [])], note: noteOf(answer) };
    });
  const explain = (analyze: boolean) =>
    work(async (signal) => {
      if (dialect.value === "sql") {
        const bare = text.replace(/^\s*EXPLAIN\s+(ANALYZE\s+)?(FORMAT\s*=\s*\w+\s+)?/i, "");
        const [result] = await sql(`EXPLAIN ${analyze ? "ANALYZE " : ""}FORMAT=JSON ${bare}`, { database: database.value, abort: signal });
        return { results: [], plan: sqlPlan(JSON.parse(valueText(result?.rows[0]?.[0])) as SqlDocument) };
      }
      if (dialect.value === "hbase") return { results: [], plan: hbasePlan(await explainScan<HBasePlan>(parsed(text), analyze ? "analyze" : "plan", signal)) };
      const plan = await dynamo<DynamoPlan>(operationOf(dialect.value), bodyOf(dialect.value, text), { database: database.value, abort: signal, explain: analyze ? "analyze" : "true" });
      return { results: [], plan: dynamoPlan(plan) };
    });
  const request = (): Request | undefined => {
    if (dialect.value === "sql") return { dialect: "sql", statement: text.trim().replace(/;$/, ""), database: database.value };
    try {
      return dialect.value === "hbase" ? { dialect: "hbase", body: parsed(text) } : { dialect: "dynamodb", operation: operationOf(dialect.value), body: bodyOf(dialect.value, text), database: database.value };
    } catch {
      return undefined;
    }
  };
  const choose = (k: Kept) => {
    dialect.value = k.dialect;
    texts.value = { ...texts.value, [k.dialect]: k.text };
    turn.value++;
    if (k.operation) operation.value = k.operation;
    if (k.database) database.value = k.database;
  };
  return (
    <div class="fill">
      <div class="bar">
        <h1>Query</h1>
        <div role="group" aria-label="Language" class="segmented">
          {(Object.keys(dialects) as Dialect[]).map((d) => (
            <button key={d} type="button" aria-pressed={dialect.value === d} onClick={() => (dialect.value = d)}>{dialects[d].title}</button>
          ))}
        </div>
        {dialect.value === "dynamodb" && (
          <select aria-label="Operation" value={operation.value} onChange={(e) => (operation.value = e.currentTarget.value)}>
            <option>Query</option>
            <option>Scan</option>
          </select>
        )}
        {dialect.value !== "hbase" && (
          <label class="check">
            database <input style={{ width: "110px" }} value={database.value} onChange={(e) => (database.value = e.currentTarget.value)} />
          </label>
        )}
        {dialect.value === "sql" && (
          <label class="check">
            at most
            <select value={rowsMax.value} onChange={(e) => (rowsMax.value = Number(e.currentTarget.value))}>
              {[100, 1000, 10_000, 50_000].map((n) => (
                <option key={n} value={n}>{count(n)} rows</option>
              ))}
            </select>
          </label>
        )}
        <span class="right" />
        <KeptList title="History" list={history.value} choose={choose} />
        <KeptList title="Saved" list={saved.value} choose={choose} />
        <SaveAs current={current} />
      </div>
      <Editor
        key={`${dialect.value} ${turn.value}`}
        wait={tables.busy && !tables.value && texts.value[dialect.value] === undefined}
        dialect={dialect.value}
        label={dialects[dialect.value].label}
        text={text}
        tables={() => tables.value ?? []}
        database={() => database.value}
        changed={(text) => (texts.value = { ...texts.value, [dialect.value]: text })}
        run={() => void run()}
      />
      <div class="bar">
        <button type="button" class="primary" onClick={() => void run()} title="Ctrl+Enter">Run</button>
        <button type="button" onClick={() => void explain(false)}>Explain</button>
        <button type="button" onClick={() => void explain(true)}>Explain and run</button>
        <button type="button" disabled={!busy.value} onClick={() => abort.current?.abort()}>Cancel</button>
        <span class="right" />
        <button type="button" aria-pressed={tab.value === "answer"} onClick={() => (tab.value = "answer")}>Answer</button>
        <button type="button" aria-pressed={tab.value === "code"} onClick={() => (tab.value = "code")}>Code</button>
      </div>
      {tab.value === "answer" ? <Results shown={shown.value} busy={busy.value} /> : <Code request={request()} tables={tables.value ?? []} />}
    </div>
  );
}
