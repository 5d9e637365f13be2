// SPDX-License-Identifier: Apache-2.0

import type { Report } from "./advice";
import { getJSON } from "./api";
import { link } from "./route";

/** judgedMax is how many tables are judged without being asked for: each costs a sample. */
export const judgedMax = 50;

const lifeMS = 300_000;
let kept: { tables: number; at: number; reports: Promise<Report[]> } | undefined;

/** readAdvice judges all tables, of which there are so many, unless that was done in the last minutes. It judges none if there are more than judgedMax. */
export function readAdvice(tables: number): Promise<Report[]> {
  if (tables > judgedMax) return Promise.resolve([]);
  if (!kept || kept.tables !== tables || Date.now() - kept.at > lifeMS) {
    const reports = getJSON<Report[] | null>("../advise", { format: "json" }).then((list) => list ?? []);
    kept = { tables, at: Date.now(), reports };
    reports.catch(() => (kept = undefined));
  }
  return kept.reports;
}

const grave = ["critical", "warning", "advice"];

/** worstOf is the gravest kind of a table's findings, "" if there are none. */
export const worstOf = (r: Report): string => grave.find((g) => (r.Findings ?? []).some((f) => f.Severity === g)) ?? "";

/** Verdict says in a word what the advisor thinks of a table's design. */
export function Verdict({ report }: { report: Report }) {
  const worst = worstOf(report);
  const n = report.Findings?.length ?? 0;
  if (!worst) return <span class="badge good" style={{ marginLeft: 0 }}>good</span>;
  return (
    <a href={link("tables", [report.Table])}>
      <span class={`badge ${{ critical: "danger", warning: "warning" }[worst] ?? ""}`} style={{ marginLeft: 0 }}>{worst}</span> {n} {n === 1 ? "finding" : "findings"}
    </a>
  );
}
