// SPDX-License-Identifier: Apache-2.0

/** Totals are counts since the server's start, as GET /api/overview sends them. */
export interface Totals {
  at: number;
  protocols: Record<string, { requests: number; failed: number; refused: number; connections: number; within: number[] | null }>;
  bounds: number[];
  gauges: Record<string, number>;
  memory: Record<string, number>;
  watched: Record<string, number>;
  ready: string;
  version: string;
}

/** Load is the requests between two totals. */
export interface Load {
  rate: number;
  failed: number;
  refused: number;
  p50?: number;
  p99?: number;
}

/** Moment is the load of all protocols at one time. */
export interface Moment {
  at: number;
  protocols: Record<string, Load>;
  all: Load;
}

/** quantile estimates a duration from counts by upper bounds, as Prometheus does: evenly within a bucket. */
export function quantile(q: number, bounds: number[], within: number[], total: number): number | undefined {
  if (total <= 0) return undefined;
  const wanted = q * total;
  const i = within.findIndex((n) => n >= wanted);
  if (i < 0) return bounds.at(-1);
  const below = i > 0 ? within[i - 1]! : 0;
  const from = i > 0 ? bounds[i - 1]! : 0;
  const inside = within[i]! - below;
  return inside > 0 ? from + ((bounds[i]! - from) * (wanted - below)) / inside : bounds[i];
}

function loadBetween(span: number, bounds: number[], before: Totals["protocols"][string][], after: Totals["protocols"][string][]): Load {
  const sum = (list: Totals["protocols"][string][], of: (t: Totals["protocols"][string]) => number) => list.reduce((n, t) => n + of(t), 0);
  const between = (of: (t: Totals["protocols"][string]) => number) => sum(after, of) - sum(before, of);
  const within = bounds.map((_, i) => between((t) => t.within?.[i] ?? 0));
  const requests = between((t) => t.requests);
  return {
    rate: requests / span,
    failed: between((t) => t.failed) / span,
    refused: between((t) => t.refused) / span,
    p50: quantile(0.5, bounds, within, requests),
    p99: quantile(0.99, bounds, within, requests),
  };
}

/** smoothMoments is over how many totals a load is taken: single seconds jump too much to be read. */
const smoothMoments = 3;

/** historyOf turns totals into loads. A server that has started again begins anew. The admin port's own requests are left out. */
export function historyOf(totals: Totals[]): Moment[] {
  const list: Moment[] = [];
  for (let i = 1; i < totals.length; i++) {
    const b = totals[i]!;
    const a = totals[Math.max(0, i - smoothMoments)]!;
    const span = (b.at - a.at) / 1000;
    const names = Object.keys(b.protocols).filter((n) => n !== "admin");
    const restarted = names.some((n) => b.protocols[n]!.requests < (a.protocols[n]?.requests ?? 0));
    if (span <= 0 || restarted) continue;
    const before = (n: string) => (a.protocols[n] ? [a.protocols[n]!] : []);
    list.push({
      at: b.at,
      protocols: Object.fromEntries(names.map((n) => [n, loadBetween(span, b.bounds, before(n), [b.protocols[n]!])])),
      all: loadBetween(span, b.bounds, names.flatMap(before), names.map((n) => b.protocols[n]!)),
    });
  }
  return list;
}

const titles: Record<string, string> = { dynamodb: "DynamoDB", mysql: "SQL", "hbase-thrift1": "HBase Thrift1", "hbase-thrift2": "HBase Thrift2", hbase: "HBase" };

/** protocolTitle names a protocol for people. */
export const protocolTitle = (name: string): string => titles[name] ?? name;
