// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { getJSON } from "../api";
import { count, percent } from "../format";
import type { Finding, HotReport } from "../hot/report";
import { link } from "../route";
import { Regions } from "../hot/regions";
import { SplitAt, type Target } from "../hot/split";
import { Statements } from "../hot/statements";
import { Waits } from "../hot/waits";
import { Failure, Loading } from "../parts/states";
import { Listing } from "../parts/text";
import { useResource } from "../parts/resource";

function Why({ finding }: { finding: Finding }) {
  const splitting = useSignal<Target | undefined>(undefined);
  const error = useSignal("");
  /** split asks which database the table is in, which the name alone does not tell. */
  const split = async () => {
    try {
      const [first] = await getJSON<Target[]>("../regions", { table: finding.table, format: "json" });
      if (first) splitting.value = { database: first.database, table: first.table, index: finding.index ?? "", keys: finding.splitKeys ?? [] };
    } catch (fault) {
      error.value = (fault as Error).message;
    }
  };
  return (
    <li class={finding.warning ? "warning" : ""}>
      <p>
        <strong>{finding.kind.replaceAll("-", " ")}</strong> in <a href={link("tables", [finding.table])}>{finding.table}</a>
        {finding.index && ` / ${finding.index}`}: {finding.text}
      </p>
      {finding.cure && <p class="muted">{finding.cure}</p>}
      {(finding.splitKeys ?? []).length > 0 && (
        <p>
          <button type="button" onClick={split}>Split at {finding.splitKeys!.join(", ")}</button>
        </p>
      )}
      {error.value && <p role="alert" class="error">{error.value}</p>}
      {splitting.value && <SplitAt target={splitting.value} close={() => (splitting.value = undefined)} />}
      {(finding.statements ?? []).length > 0 && (
        <details>
          <summary>Statements that spread the load</summary>
          {finding.statements!.map((s) => (
            <div key={s.text}>
              <Listing title={s.dialect} text={s.text} />
              {s.dialect === "SQL" && <a href={link("query", [], { sql: s.text })}>Open in Query</a>}
            </div>
          ))}
        </details>
      )}
    </li>
  );
}

function Keys({ hot }: { hot: HotReport }) {
  if (hot.keys.length === 0) return <p class="muted">No key stands out: each takes less than 1 % of the requests, or there were too few.</p>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Table</th>
          <th scope="col">What</th>
          <th scope="col" class="number" title="in the table’s or index’s reads, writes or conflicts of the last minutes">Share</th>
          <th scope="col" class="number">Times, about</th>
        </tr>
      </thead>
      <tbody>
        {hot.keys.map((k) => (
          <tr key={k.table + k.index + k.key + k.direction}>
            <th scope="row"><code>{k.key}</code></th>
            <td><a href={link("items", [k.table], { index: k.index })}>{k.table}{k.index && ` / ${k.index}`}</a></td>
            <td>{k.direction}</td>
            <td class="number">{percent(k.share)}</td>
            <td class="number">{count(k.count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Hot shows what takes the load, and why. */
export function Hot() {
  const hot = useResource((abort) => getJSON<HotReport>("../hot", { format: "json" }, abort), [], 5000);
  const findings = hot.value?.findings.filter((f) => f.kind !== "even") ?? [];
  return (
    <>
      <h1>Hot</h1>
      {hot.error && <Failure error={hot.error} retry={hot.reload} />}
      {!hot.value && !hot.error && <Loading what="the load" />}
      {hot.value && (
        <>
          <section>
            <h2>Why</h2>
            {findings.length === 0 && <p class="muted">No hot rows, hot ranges or growing keys in the last minutes.</p>}
            <ul class="findings">
              {findings.map((f) => (
                <Why key={f.kind + f.table + (f.index ?? "")} finding={f} />
              ))}
            </ul>
          </section>
          <section>
            <h2>Most frequent keys</h2>
            <Keys hot={hot.value} />
          </section>
        </>
      )}
      <section>
        <h2>Busiest statements</h2>
        <Statements />
      </section>
      <section>
        <h2>Waiting for rows</h2>
        <Waits />
      </section>
      <section>
        <h2>Busiest regions</h2>
        <Regions />
      </section>
    </>
  );
}
