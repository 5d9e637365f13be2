// SPDX-License-Identifier: Apache-2.0

import { useSignal, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { dynamo, session, sql, type SqlResult, type SqlValue } from "../api";
import { count, seconds } from "../format";
import { textOf, typeOf, type Item } from "../items/attribute";
import { Grid } from "../parts/grid";
import { Failure } from "../parts/states";
import { codeOf, type Request } from "../query/code";
import { history, keep, remember, saved, type Kept } from "../query/history";
import { dynamoPlan, sqlPlan, type DynamoPlan, type PlanNode } from "../query/plan";
import { PlanTree } from "../query/plan-tree";
import { route } from "../route";

interface Shown {
  results: SqlResult[];
  plan?: PlanNode[];
  error?: Error;
  ms?: number;
  note?: string;
}

const firstStatement = "SELECT * FROM cities WHERE country = 'CH' LIMIT 100";
const firstRequest = `{
  "TableName": "cities",
  "KeyConditionExpression": "country = :c",
  "ExpressionAttributeValues": {":c": {"S": "CH"}},
  "Limit": 100
}`;

/** resultOf shows items as the answer of a statement. */
function resultOf(items: Item[]): SqlResult {
  const names = [...new Set(items.flatMap(Object.keys))];
  const types = names.map((n) => (items.some((i) => i[n] && typeOf(i[n]) === "N") ? "NUMBER" : "VARCHAR"));
  return { columns: names.map((name, i) => ({ name, type: types[i]! })), rows: items.map((i) => names.map((n) => (i[n] ? textOf(i[n]) : null))) };
}

const isNumber = (type: string): boolean => /INT|DECIMAL|DOUBLE|FLOAT|NUMBER/.test(type);

function valueText(v: SqlValue | undefined): string {
  if (v === null || v === undefined) return "NULL";
  return typeof v === "string" ? v : v.base64;
}

function ResultGrid({ result }: { result: SqlResult }) {
  const sample = result.rows.slice(0, 50);
  const number = result.columns.map((c, i) => isNumber(c.type) || (c.type === "UNTYPED" && sample.length > 0 && sample.every((r) => r[i] === null || (typeof r[i] === "string" && /^-?[\d.]+(e[+-]?\d+)?$/i.test(r[i] as string)))));
  return (
    <Grid
      label="Rows"
      rows={result.rows.length}
      columns={result.columns.map((c, i) => ({
        name: `${i} ${c.name}`,
        title: <span title={c.type}>{c.name}</span>,
        width: Math.round(Math.min(420, Math.max(70, 7.9 * Math.max(c.name.length + 2, ...sample.map((r) => valueText(r[i]).length)) + 20))),
        number: number[i],
      }))}
      cell={(row, column) => {
        const v = result.rows[row]?.[column];
        if (v === null) return <span class="muted">NULL</span>;
        return <span title={valueText(v)} class={typeof v === "string" ? "" : "type-B"}>{valueText(v)}</span>;
      }}
    />
  );
}

function Results({ shown, busy }: { shown: Shown; busy: boolean }) {
  const at = useSignal(0);
  const withRows = shown.results.filter((r) => r.columns.length > 0);
  const result = withRows[Math.min(at.value, withRows.length - 1)];
  const affected = shown.results.filter((r) => r.columns.length === 0 && r.done);
  return (
    <>
      {shown.error && <Failure error={shown.error} />}
      <div class="bar status" role="status">
        {busy && "Running…"}
        {result && `${count(result.rows.length)} rows`}
        {result?.done?.limited && <span class="badge warning">there are more: the limit ended the answer</span>}
        {shown.note}
        {!busy && shown.ms !== undefined && ` in ${seconds(shown.ms / 1000)}`}
        {affected.map((r, i) => (
          <span key={i}>{count(r.done!.affected)} rows written. {r.done!.info}</span>
        ))}
        {withRows.length > 1 &&
          withRows.map((_, i) => (
            <button key={i} type="button" aria-pressed={i === at.value} onClick={() => (at.value = i)}>
              Answer {i + 1}
            </button>
          ))}
      </div>
      {shown.plan && (
        <div class="scroll">
          <PlanTree nodes={shown.plan} />
        </div>
      )}
      {!shown.plan && result && <ResultGrid result={result} />}
    </>
  );
}

function Code({ request }: { request: Request | undefined }) {
  const places = session.value.protocols;
  const code = request ? codeOf(request, places) : {};
  const language = useSignal("");
  const shown = code[language.value] !== undefined ? language.value : (Object.keys(code)[0] ?? "");
  return (
    <div class="scroll">
      {!request && <p class="error">The request is no JSON.</p>}
      <div class="bar" role="group" aria-label="Language">
        {Object.keys(code).map((l) => (
          <button key={l} type="button" aria-pressed={l === shown} onClick={() => (language.value = l)}>
            {l}
          </button>
        ))}
        <button type="button" class="right" onClick={() => void navigator.clipboard.writeText(code[shown] ?? "")}>
          Copy
        </button>
      </div>
      <pre tabIndex={0} class="listing">{code[shown]}</pre>
    </div>
  );
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
  if (name.value === undefined) return <button type="button" onClick={() => (name.value = "")}>Save</button>;
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

/** Query runs SQL, and Query and Scan of DynamoDB's API. */
export function Query() {
  const given = route.value.query.get("sql");
  const dialect = useSignal<"sql" | "dynamodb">("sql");
  const texts = useSignal({ sql: given ?? history.peek().find((k) => k.dialect === "sql")?.text ?? firstStatement, dynamodb: history.peek().find((k) => k.dialect === "dynamodb")?.text ?? firstRequest });
  const operation = useSignal("Query");
  const database = useSignal("default");
  const rowsMax = useSignal(1000);
  const shown = useSignal<Shown>({ results: [] });
  const busy = useSignal(false);
  const tab = useSignal<"answer" | "code">("answer");
  const abort = useRef<AbortController | undefined>(undefined);
  const text = texts.value[dialect.value];
  const current = (): Kept => (dialect.value === "sql" ? { dialect: "sql", text, database: database.value } : { dialect: "dynamodb", text, operation: operation.value });

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
      const answer = await dynamo<{ Items?: Item[]; Count?: number; ScannedCount?: number; LastEvaluatedKey?: Item }>(operation.value, JSON.parse(text), { abort: signal });
      return { results: [resultOf(answer.Items ?? [])], note: `, ${count(answer.ScannedCount ?? 0)} read${answer.LastEvaluatedKey ? "; the page has a next one" : ""}` };
    });
  const explain = (analyze: boolean) =>
    work(async (signal) => {
      if (dialect.value === "sql") {
        const bare = text.replace(/^\s*EXPLAIN\s+(ANALYZE\s+)?(FORMAT\s*=\s*\w+\s+)?/i, "");
        const [result] = await sql(`EXPLAIN ${analyze ? "ANALYZE " : ""}FORMAT=JSON ${bare}`, { database: database.value, abort: signal });
        return { results: [], plan: sqlPlan(JSON.parse(valueText(result?.rows[0]?.[0])) as Record<string, unknown>) };
      }
      const plan = await dynamo<DynamoPlan>(operation.value, JSON.parse(text), { abort: signal, explain: analyze ? "analyze" : "true" });
      return { results: [], plan: dynamoPlan(plan) };
    });
  const request = (): Request | undefined => {
    if (dialect.value === "sql") return { dialect: "sql", statement: text.trim().replace(/;$/, ""), database: database.value };
    try {
      return { dialect: "dynamodb", operation: operation.value, body: JSON.parse(text) as Record<string, unknown> };
    } catch {
      return undefined;
    }
  };
  const choose = (k: Kept) => {
    dialect.value = k.dialect;
    texts.value = { ...texts.value, [k.dialect]: k.text };
    if (k.operation) operation.value = k.operation;
    if (k.database) database.value = k.database;
  };
  return (
    <div class="fill">
      <div class="bar">
        <h1>Query</h1>
        <div role="group" aria-label="Language" class="segmented">
          <button type="button" aria-pressed={dialect.value === "sql"} onClick={() => (dialect.value = "sql")}>SQL</button>
          <button type="button" aria-pressed={dialect.value === "dynamodb"} onClick={() => (dialect.value = "dynamodb")}>DynamoDB</button>
        </div>
        {dialect.value === "dynamodb" ? (
          <select aria-label="Operation" value={operation.value} onChange={(e) => (operation.value = e.currentTarget.value)}>
            <option>Query</option>
            <option>Scan</option>
          </select>
        ) : (
          <>
            <label class="check">
              database <input style={{ width: "110px" }} value={database.value} onChange={(e) => (database.value = e.currentTarget.value)} />
            </label>
            <label class="check">
              at most
              <select value={rowsMax.value} onChange={(e) => (rowsMax.value = Number(e.currentTarget.value))}>
                {[100, 1000, 10_000, 50_000].map((n) => (
                  <option key={n} value={n}>{count(n)} rows</option>
                ))}
              </select>
            </label>
          </>
        )}
        <span class="right" />
        <KeptList title="History" list={history.value} choose={choose} />
        <KeptList title="Saved" list={saved.value} choose={choose} />
        <SaveAs current={current} />
      </div>
      <textarea
        class="code editor"
        aria-label={dialect.value === "sql" ? "Statement" : "Request"}
        spellcheck={false}
        value={text}
        rows={Math.min(14, Math.max(6, text.split("\n").length + 1))}
        onInput={(e) => (texts.value = { ...texts.value, [dialect.value]: e.currentTarget.value })}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void run();
        }}
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
      {tab.value === "answer" ? <Results shown={shown.value} busy={busy.value} /> : <Code request={request()} />}
    </div>
  );
}
