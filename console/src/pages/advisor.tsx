// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { Advice, type Report } from "../advice";
import { getJSON, postJSON } from "../api";
import { Candidates, Detail, type Candidate } from "../advisor/candidates";
import { designOf, isModel, type Design, type Model } from "../advisor/model";
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

/** Answer is a report with the designs that were weighed for it. */
interface Answer extends Report {
  Candidates: Candidate[] | null;
}

/** Models takes a model of NoSQL Workbench, and asks for one of its tables. */
function Models({ take }: { take: (design: Design) => void }) {
  const model = useSignal<Model | undefined>(undefined);
  const error = useSignal("");
  const use = (name: string) => {
    const table = model.value!.DataModel.find((t) => t.TableName === name);
    try {
      if (table) take(designOf(table));
    } catch (e) {
      error.value = (e as Error).message;
    }
  };
  const read = async (file: File | undefined) => {
    error.value = "";
    model.value = undefined;
    if (!file) return;
    try {
      const document = JSON.parse(await file.text()) as unknown;
      if (!isModel(document) || document.DataModel.length === 0) throw new Error("This is no model of NoSQL Workbench: a model has a DataModel with tables.");
      model.value = document;
      use(document.DataModel[0]!.TableName);
    } catch (e) {
      error.value = (e as Error).message;
    }
  };
  return (
    <div class="bar">
      <label class="check">
        A model of NoSQL Workbench
        <input type="file" accept=".json,application/json" onChange={(e) => void read(e.currentTarget.files?.[0])} />
      </label>
      {model.value && model.value.DataModel.length > 1 && (
        <select aria-label="Table of the model" onChange={(e) => use(e.currentTarget.value)}>
          {model.value.DataModel.map((t) => (
            <option key={t.TableName}>{t.TableName}</option>
          ))}
        </select>
      )}
      {error.value && <p role="alert" class="error">{error.value}</p>}
    </div>
  );
}

function OfPatterns() {
  const text = useSignal(firstDesign);
  const judged = useSignal<{ answer: Answer; design: Design } | undefined>(undefined);
  const chosen = useSignal(0);
  const error = useSignal<Error | undefined>(undefined);
  const judge = async () => {
    error.value = undefined;
    try {
      const answer = await postJSON<Answer>("advise", text.value);
      judged.value = { answer, design: JSON.parse(text.value) as Design };
      chosen.value = (answer.Candidates?.length ?? 0) > 1 ? 1 : 0;
    } catch (e) {
      judged.value = undefined;
      error.value = e as Error;
    }
  };
  const list = judged.value?.answer.Candidates ?? [];
  const candidate = list[chosen.value];
  return (
    <>
      <div class="halves">
        <section>
          <Models take={(design) => (text.value = JSON.stringify(design, null, 2))} />
          <label class="field">
            A table, which need not exist, and its queries
            <textarea class="code" rows={26} spellcheck={false} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
          </label>
          <div class="actions">
            <button type="button" class="primary" onClick={() => void judge()}>
              Check the design
            </button>
          </div>
        </section>
        <section aria-live="polite">
          {error.value && <Failure error={error.value} />}
          {judged.value && <Advice report={judged.value.answer} />}
          {!judged.value && !error.value && <p class="muted">The findings come with their cost before and after, and with the statements that make the change.</p>}
        </section>
      </div>
      {candidate && (
        <>
          <section>
            <h2>Designs</h2>
            <Candidates list={list} chosen={candidate} choose={(c) => (chosen.value = list.indexOf(c))} />
          </section>
          <Detail design={judged.value!.design} candidate={candidate} list={list} />
        </>
      )}
    </>
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
