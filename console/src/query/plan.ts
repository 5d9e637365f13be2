// SPDX-License-Identifier: Apache-2.0

import { about, bytes, count, counted, seconds } from "../format";
import type { Stretch } from "../zorder/curve";

/** PlanNode is a step of a plan with those whose rows it takes. */
export interface PlanNode {
  title: string;
  estimated?: number;
  actual?: number;
  loops?: number;
  badges: { text: string; bad: boolean }[];
  details: { about: string; text: string }[];
  inputs: PlanNode[];
}

interface SqlBranch {
  operation: string;
  estimated_cost?: number;
  estimated_rows?: number;
  actual?: { rows: number; loops: number; spilled_bytes?: number };
  details?: { about: string; text: string }[];
  inputs?: SqlBranch[];
}

/** Badges name what makes a plan slow. */
function badgesOf(details: { about: string; text: string }[], title: string): PlanNode["badges"] {
  const of = (about: string) => details.filter((d) => d.about === about).map((d) => d.text);
  const list: PlanNode["badges"] = [];
  const klass = of("class")[0] ?? "";
  if (klass) list.push({ text: klass, bad: klass.startsWith("INEFFICIENT") });
  if (/full scan/i.test(title)) list.push({ text: "full scan", bad: true });
  if (of("order").some((t) => t.includes("sorted in memory"))) list.push({ text: "no index for the order", bad: true });
  if (of("reads").some((t) => /read back|and (rows|items)/.test(t))) list.push({ text: "reads rows back", bad: false });
  return list;
}

function branchOf(b: SqlBranch): PlanNode {
  const details = [...(b.details ?? [])];
  if (b.estimated_cost !== undefined) details.unshift({ about: "estimated cost", text: count(b.estimated_cost) });
  if (b.actual?.spilled_bytes) details.push({ about: "spilled to disk", text: bytes(b.actual.spilled_bytes) });
  return {
    title: b.operation,
    estimated: b.estimated_rows,
    actual: b.actual?.rows,
    loops: b.actual?.loops,
    badges: badgesOf(details, b.operation),
    details,
    inputs: (b.inputs ?? []).map(branchOf),
  };
}

/** SqlDocument is what EXPLAIN FORMAT=JSON answers: trees of steps. */
export interface SqlDocument {
  query: SqlBranch[];
}

/** sqlPlan makes trees of a statement's plan. */
export const sqlPlan = (document: SqlDocument): PlanNode[] => document.query.map(branchOf);

/** DynamoPlan is what the header X-Weft-Explain answers. */
export interface DynamoPlan {
  Table: string;
  Rows: number;
  Reads: string;
  Path: {
    Index?: string;
    Kind: string;
    Key: string[];
    Spans: string[];
    SpansMore?: number;
    Filter?: string;
    Box?: {
      Attributes: { Name: string; Where?: string[]; Bits: number; Low: string; High: string; Share: number }[];
      Boxes: string[];
      BoxesMore?: number;
      Bits: number;
      Order: string;
      Share: number;
    };
    Estimate: { Entries: number; Bytes: number; Seeks: number; Cost: number };
  };
  Cheaper?: { Index?: string; Kind: string; Estimate: { Cost: number } };
  Actual?: {
    LookedAt: number;
    Examined: number;
    Skipped: number;
    Returned: number;
    FalsePositives: number;
    Seeks: number;
    Jumps: number;
    Bytes: number;
    ReadBack: number;
    Milliseconds: number;
    Stretches?: Stretch[];
    StretchesMore?: number;
    More?: boolean;
  };
  LastEvaluatedKey?: unknown;
}

/** The read capacity that AWS would count: half a unit for 4 KB, read eventually consistent. */
const capacityOf = (n: number): string => {
  const units = Math.max(0.5, Math.ceil(n / 4096) / 2);
  return `${units.toLocaleString("en")} read capacity unit${units <= 1 ? "" : "s"}`;
};

/** dynamoPlan makes a tree of a Query's or Scan's plan. */
export function dynamoPlan(p: DynamoPlan): PlanNode[] {
  const details = [
    { about: "index", text: `${p.Path.Index ?? "the table itself"} (${p.Path.Key.join(", ")})` },
    { about: "about how many entries it has", text: about(p.Rows) },
    ...p.Path.Spans.map((text) => ({ about: "span", text })),
    ...(p.Path.SpansMore ? [{ about: "span", text: `and ${count(p.Path.SpansMore)} more` }] : []),
    ...(p.Path.Box?.Boxes ?? []).map((text) => ({ about: "box", text })),
    ...(p.Path.Box ? [{ about: "share of the space", text: p.Path.Box.Share.toPrecision(3) }] : []),
    { about: "estimate", text: `${counted(p.Path.Estimate.Entries, "entry", "entries")}, ${bytes(p.Path.Estimate.Bytes)}, ${counted(p.Path.Estimate.Seeks, "seek")}, cost ${count(p.Path.Estimate.Cost)}` },
    { about: "capacity, estimated", text: capacityOf(p.Path.Estimate.Bytes) },
  ];
  const a = p.Actual;
  if (a) {
    details.push(
      { about: "looked at", text: `${counted(a.LookedAt, "entry", "entries")} in ${seconds(a.Milliseconds / 1000)}, ${bytes(a.Bytes)}${a.More ? "; the page ended at a limit" : ""}` },
      { about: "capacity", text: capacityOf(a.Bytes) },
      { about: "seeks", text: `${count(a.Seeks)}, of these ${count(a.Jumps)} jumps over entries that can't match` },
      { about: "false positives", text: count(a.FalsePositives) },
    );
  }
  if (p.Cheaper) details.push({ about: "cheaper", text: `${p.Cheaper.Index ?? "the table itself"}, cost ${count(p.Cheaper.Estimate.Cost)}` });
  const badges: PlanNode["badges"] = [{ text: p.Path.Kind, bad: false }];
  if (p.Path.Spans.length === 0 && !p.Path.Box) badges.push({ text: "full scan", bad: true });
  if (p.Reads !== "entries") badges.push({ text: "reads items back", bad: false });
  if (p.Cheaper) badges.push({ text: `cheaper by ${p.Cheaper.Index ?? "the table"}`, bad: true });
  const read: PlanNode = { title: `Read ${p.Table} by ${p.Path.Index ?? "its key"}`, estimated: p.Path.Estimate.Entries, actual: a?.LookedAt, badges, details, inputs: [] };
  return p.Path.Filter ? [{ title: "Filter", actual: a?.Returned, badges: [], details: [{ about: "condition", text: p.Path.Filter }], inputs: [read] }] : [read];
}

/** HBasePlan is how a scan of HBase is read. */
export interface HBasePlan {
  ranges: DynamoPlan[] | null;
  rangesMore?: number;
  filter?: string;
  actual?: { examined: number; returned: number; bytes: number; seeks: number; dead?: number; milliseconds: number };
}

/** hbasePlan makes a tree of a scan's plan: its filter above the ranges of rows that are read for it. */
export function hbasePlan(p: HBasePlan): PlanNode[] {
  const ranges = p.ranges ?? [];
  const a = p.actual;
  const reads = ranges.map((r): PlanNode => {
    const [node] = dynamoPlan(r);
    return { ...node!, details: node!.details.filter((d) => !d.about.startsWith("capacity")), ...(ranges.length === 1 && !p.rangesMore ? { actual: a?.examined } : {}) };
  });
  const work = a
    ? [
        { about: "read", text: `${counted(a.examined, "row")}, ${bytes(a.bytes)}, in ${seconds(a.milliseconds / 1000)}` },
        { about: "seeks", text: count(a.seeks) },
        ...(a.dead ? [{ about: "dead", text: `${counted(a.dead, "row")} that nobody sees any more` }] : []),
        { about: "left out", text: `${count(a.examined - a.returned)} of the rows that were read` },
      ]
    : [];
  const more = p.rangesMore ? [{ about: "ranges", text: `and ${count(p.rangesMore)} more` }] : [];
  if (ranges.length === 0) return [{ title: "Nothing is read: no row can pass the filter", badges: [], details: p.filter ? [{ about: "filter", text: p.filter }] : [], inputs: [] }];
  if (!p.filter) return reads.map((r) => ({ ...r, details: [...r.details, ...work, ...more] }));
  const badges = a && a.examined > 10 * Math.max(1, a.returned) ? [{ text: "the filter leaves most rows out", bad: true }] : [];
  return [{ title: "Filter", actual: a?.returned, badges, details: [{ about: "filter", text: p.filter }, ...work, ...more], inputs: reads }];
}

/** estimateError is by which factor an estimate is wrong; undefined if there is nothing to compare. */
export function estimateError(n: PlanNode): number | undefined {
  if (n.estimated === undefined || n.actual === undefined) return undefined;
  const actual = Math.max(1, n.actual / Math.max(1, n.loops ?? 1));
  const estimated = Math.max(1, n.estimated);
  return Math.max(estimated / actual, actual / estimated);
}
