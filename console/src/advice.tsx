// SPDX-License-Identifier: Apache-2.0

import { count, counted, percent, rate } from "./format";
import { link } from "./route";
import { Listing } from "./parts/text";

interface Cost {
  Reads: number;
  Writes: number;
  Bytes: number;
}

export interface AdviceFinding {
  Severity: string;
  Rule: string;
  Subject: string;
  Problem: string;
  Remedy: string;
  Evidence?: { Name: string; Value: number; Text?: string; Unit?: string }[];
  Before?: Cost;
  After?: Cost;
  Patterns?: { Name: string; Rate: number; Before: number; After: number }[];
  Statements?: { Operation?: string; Input?: unknown; SQL?: string }[];
}

/** Report is what the advisor says of a table. */
export interface Report {
  Table: string;
  Findings: AdviceFinding[] | null;
  Served: number;
  Patterns: number;
  Unserved?: { Name: string; Before: number; After: number }[];
}

const figure = (e: { Value: number; Text?: string; Unit?: string }): string => e.Text || (e.Unit === "%" ? percent(e.Value) : `${rate(e.Value)}${e.Unit ?? ""}`);

function Finding({ finding }: { finding: AdviceFinding }) {
  return (
    <li class={finding.Severity === "advice" ? "" : "warning"}>
      <p>
        <span class={`badge ${{ warning: "warning", critical: "danger" }[finding.Severity] ?? ""}`} style={{ marginLeft: 0 }}>{finding.Severity}</span> <strong>{finding.Rule.replaceAll("-", " ")}</strong>, {finding.Subject}
      </p>
      <p>{finding.Problem}</p>
      <p class="muted">{finding.Remedy}</p>
      <details>
        <summary>Evidence{finding.Statements && " and statements"}</summary>
        <dl class="facts">
          {(finding.Evidence ?? []).map((e) => (
            <>
              <dt>{e.Name}</dt>
              <dd>{figure(e)}</dd>
            </>
          ))}
          {finding.Before && finding.After && (
            <>
              <dt>entries read a second</dt>
              <dd>{rate(finding.Before.Reads)} now, {rate(finding.After.Reads)} then</dd>
              <dt>entries written a second</dt>
              <dd>{rate(finding.Before.Writes)} now, {rate(finding.After.Writes)} then</dd>
            </>
          )}
          {(finding.Patterns ?? []).map((p) => (
            <>
              <dt>{p.Name}</dt>
              <dd>{count(p.Before)} entries a query now, {count(p.After)} then</dd>
            </>
          ))}
        </dl>
        {(finding.Statements ?? []).map((s, i) => (
          <div key={i}>
            <Listing title={s.Operation ?? "SQL"} text={s.SQL ?? JSON.stringify(s.Input, null, 2)} />
            {s.SQL && <a href={link("query", [], { sql: s.SQL })}>Open in Query</a>}
          </div>
        ))}
      </details>
    </li>
  );
}

/** Advice shows a report. */
export function Advice({ report }: { report: Report }) {
  const findings = report.Findings ?? [];
  return (
    <>
      {report.Patterns > 0 && <p class="muted">The keys serve {count(report.Served)} of {count(report.Patterns)} access patterns well.</p>}
      {(report.Unserved ?? []).map((p) => (
        <p key={p.Name} class="muted">
          <code>{p.Name}</code> reads {counted(p.Before, "entry", "entries")} a query and has use for {count(p.After)}; no index is known that would be worth its writes.
        </p>
      ))}
      {findings.length === 0 ? (
        <p class="good">The advisor finds no fault with the keys and indexes.</p>
      ) : (
        <ul class="findings">
          {findings.map((f) => (
            <Finding key={f.Rule + f.Subject} finding={f} />
          ))}
        </ul>
      )}
    </>
  );
}
