// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { Advice, type Report } from "../advice";
import { getJSON, postJSON } from "../api";
import { link, route } from "../route";
import { Empty, Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

const firstDesign = `{
  "Table": {
    "TableName": "orders", "ItemCount": 2000000, "TableSizeBytes": 1200000000,
    "AttributeDefinitions": [
      {"AttributeName": "CustomerId", "AttributeType": "S"},
      {"AttributeName": "OrderId", "AttributeType": "N"}
    ],
    "KeySchema": [
      {"AttributeName": "CustomerId", "KeyType": "HASH"},
      {"AttributeName": "OrderId", "KeyType": "RANGE"}
    ]
  },
  "WritesPerSecond": 50,
  "Patterns": [
    {"Name": "open orders", "PerSecond": 20, "Where": {"CustomerId": "=", "OrderOpenDate": "exists"}, "OrderBy": "OrderOpenDate", "Returns": 3},
    {"Name": "large orders", "PerSecond": 1, "Where": {"Total": {"From": 1000}, "Country": {"=": "FR", "Keeps": 0.04}}}
  ],
  "Attributes": {
    "CustomerId": {"Type": "S", "Distinct": 100000},
    "OrderOpenDate": {"Type": "S", "Present": 0.01}
  }
}`;

function OfTables() {
  const reports = useResource((abort) => getJSON<Report[] | null>("../advise", { format: "json" }, abort), []);
  if (reports.error) return <Failure error={reports.error} retry={reports.reload} />;
  if (!reports.value) return <Loading what="the advice: it reads a sample of each table" />;
  if (reports.value.length === 0) return <Empty title="There are no tables" />;
  return (
    <>
      {reports.value.map((r) => (
        <section key={r.Table}>
          <h2>
            <a href={link("tables", [r.Table])}>{r.Table}</a>
          </h2>
          <Advice report={r} />
        </section>
      ))}
    </>
  );
}

function OfPatterns() {
  const text = useSignal(firstDesign);
  const report = useSignal<Report | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const judge = async () => {
    error.value = undefined;
    try {
      report.value = await postJSON<Report>("advise", text.value);
    } catch (e) {
      report.value = undefined;
      error.value = e as Error;
    }
  };
  return (
    <div class="halves">
      <section>
        <label class="field">
          A table, which need not exist, and how it is asked for
          <textarea class="code" rows={26} spellcheck={false} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
        </label>
        <div class="actions">
          <button type="button" class="primary" onClick={() => void judge()}>
            Judge the design
          </button>
        </div>
      </section>
      <section aria-live="polite">
        {error.value && <Failure error={error.value} />}
        {report.value && <Advice report={report.value} />}
        {!report.value && !error.value && <p class="muted">The findings come with their cost before and after, and with the statements that bring them about.</p>}
      </section>
    </div>
  );
}

/** Advisor judges tables by what they are asked, and designs by access patterns. */
export function Advisor() {
  const patterns = route.value.parts[0] === "patterns";
  return (
    <>
      <div class="bar">
        <h1 style={{ margin: 0 }}>Advisor</h1>
        <nav class="tabs" aria-label="What is judged">
          <a href={link("advisor")} aria-current={patterns ? undefined : "page"}>Tables</a>
          <a href={link("advisor", ["patterns"])} aria-current={patterns ? "page" : undefined}>Access patterns</a>
        </nav>
      </div>
      {patterns ? <OfPatterns /> : <OfTables />}
    </>
  );
}
