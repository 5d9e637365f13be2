// SPDX-License-Identifier: Apache-2.0

import { dynamo } from "../api";
import { typeOf, type Attribute, type Item } from "../items/attribute";
import type { DynamoPlan } from "../query/plan";
import type { Stretch } from "./curve";

/** Range is what a query asks of an attribute. */
export interface Range {
  attribute: string;
  type: string;
  from: string;
  to: string;
}

/** Work is what a walk has done, over all its pages. */
export interface Work {
  lookedAt: number;
  skipped: number; // of these, outside of the box
  returned: number;
  falsePositives: number;
  seeks: number;
  jumps: number;
  bytes: number;
  milliseconds: number;
  stretches: Stretch[]; // at most stretchesMax
  more: number; // stretches that are left out
  plan: DynamoPlan;
}

/** stretchesMax is how many stretches the picture steps through. */
const stretchesMax = 10_000;

const attributeOf = (type: string, text: string): Attribute => (type === "N" ? { N: text.trim() } : { S: text });

/** analyze runs a Scan with ranges as its filter, through EXPLAIN ANALYZE, page by page to its end. */
export async function analyze(table: string, index: string, ranges: Range[], abort?: AbortSignal): Promise<Work> {
  const request = {
    TableName: table,
    IndexName: index,
    FilterExpression: ranges.map((_, i) => `#n${i} BETWEEN :from${i} AND :to${i}`).join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(ranges.map((r, i) => [`#n${i}`, r.attribute])),
    ExpressionAttributeValues: Object.fromEntries(ranges.flatMap((r, i) => [[`:from${i}`, attributeOf(r.type, r.from)], [`:to${i}`, attributeOf(r.type, r.to)]])),
  };
  let work: Work | undefined;
  for (let start: unknown; ; ) {
    const plan = await dynamo<DynamoPlan>("Scan", { ...request, ...(start ? { ExclusiveStartKey: start } : {}) }, { explain: "analyze", abort });
    const a = plan.Actual!;
    work ??= { lookedAt: 0, skipped: 0, returned: 0, falsePositives: 0, seeks: 0, jumps: 0, bytes: 0, milliseconds: 0, stretches: [], more: 0, plan };
    work.lookedAt += a.LookedAt;
    work.skipped += a.Skipped;
    work.returned += a.Returned;
    work.falsePositives += a.FalsePositives;
    work.seeks += a.Seeks;
    work.jumps += a.Jumps;
    work.bytes += a.Bytes;
    work.milliseconds += a.Milliseconds;
    const read = (a.Stretches ?? []).filter((s) => s.From && s.To);
    const kept = read.slice(0, stretchesMax - work.stretches.length);
    work.stretches.push(...kept);
    work.more += read.length - kept.length + (a.StretchesMore ?? 0);
    start = plan.LastEvaluatedKey;
    if (!start) return work;
  }
}

const segments = 8;

/** suggest makes a first box of a sample that is spread over the index: the middle fifth of each attribute. */
export async function suggest(table: string, index: string, attributes: string[]): Promise<Range[]> {
  const pages = await Promise.all(Array.from({ length: segments }, (_, Segment) => dynamo<{ Items: Item[] }>("Scan", { TableName: table, IndexName: index, TotalSegments: segments, Segment, Limit: 60 })));
  const items = pages.flatMap((p) => p.Items);
  return attributes.map((attribute) => {
    const values = items.map((i) => i[attribute]).filter((a) => a !== undefined);
    const type = values[0] ? typeOf(values[0]) : "N";
    const texts = values.map((a) => ("N" in a ? a.N : "S" in a ? a.S : "")).sort((a, b) => (type === "N" ? Number(a) - Number(b) : a < b ? -1 : 1));
    return { attribute, type, from: texts[Math.floor(0.5 * texts.length)] ?? "0", to: texts[Math.floor(0.7 * texts.length)] ?? "0" };
  });
}

/** boxOf is the range of codes that the plan reads of an attribute, as shares of all codes. */
export function boxOf(plan: DynamoPlan, attribute: string): [number, number] {
  const a = plan.Path.Box?.Attributes.find((one) => one.Name === attribute);
  if (!a) return [0, 1];
  const codes = 2 ** a.Bits;
  return [parseInt(a.Low, 16) / codes, (parseInt(a.High, 16) + 0.999) / codes];
}
