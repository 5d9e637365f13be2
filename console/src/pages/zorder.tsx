// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { bytes, count, counted, percent, seconds } from "../format";
import { link, route, go } from "../route";
import { isDark } from "../theme";
import { Empty, Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";
import { readTables, type Index, type Table } from "../tables/table";
import { backgroundOf, curveOf, orderOf, type Box, type Curve, type Shown } from "../zorder/curve";
import { cellInk, draw, inkOf, size, viewOf, wholeSpace } from "../zorder/picture";
import { analyze, boxOf, suggest, type Range, type Work } from "../zorder/measure";

interface Measured {
  work: Work;
  composite: { key: string; reads: number }[];
  box: Box;
  shown: Shown;
  curve: Curve;
  background: Curve;
}

/** rangeText tells of the range of a step, or of all behind the last. */
function rangeText(work: Work, step: number): string {
  const one = work.stretches[step];
  const range = one ? `range ${count(step + 1)} of ${count(work.stretches.length)}` : `all ${count(work.stretches.length + work.more)} ranges`;
  const [entries, outside] = one ? [one.Examined + one.Skipped, one.Skipped] : [work.lookedAt, work.skipped];
  return `${range}: ${counted(entries, "entry", "entries")}, ${count(outside)} of them outside of the box`;
}

/** Legend says what the picture's colours mean. */
function Legend({ first, second }: { first: string; second: string }) {
  const ink = inkOf(isDark.value);
  const swatch = (background: string) => <i class="swatch" style={{ background }} />;
  return (
    <>
      {second} →, {first} ↑, in the order of their codes. Read: {swatch(cellInk(0, ink))} in the box, {swatch(cellInk(1, ink))} outside of it, {swatch(cellInk(0.5, ink))} both. Dashed lines are jumps. An index on ({first}, {second}) would read the whole band {swatch(ink.band)}.
    </>
  );
}

function Picture({ measured, first, second }: { measured: Measured; first: string; second: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { work, curve, background, box, shown } = measured;
  const all = curve.paths.length; // the step behind the last range: none of them is marked
  const step = useSignal(all);
  const playing = useSignal(false);
  const near = useSignal(true);
  useEffect(() => {
    step.value = all;
    playing.value = false;
  }, [measured]);
  const view = useMemo(() => (near.value ? viewOf(box, curve, shown) : wholeSpace), [measured, near.value]);
  useEffect(() => draw(canvas.current!, { box, shown, curve, background, stretches: work.stretches, view, step: step.value, dark: isDark.value }));
  useEffect(() => {
    if (!playing.value) return undefined;
    const timer = setInterval(() => {
      if (step.value >= all) playing.value = false;
      else step.value++;
    }, Math.max(30, 4000 / (all + 1)));
    return () => clearInterval(timer);
  }, [playing.value]);
  return (
    <figure class="curve">
      <canvas ref={canvas} style={{ width: `${size}px`, height: `${size}px` }} role="img" aria-label={`The Z-order curve over ${second}, to the right, and ${first}, upwards, with the query's box`} />
      <figcaption>
        <Legend first={first} second={second} />
        {work.more > 0 && ` ${count(work.more)} more ranges are left out.`}
      </figcaption>
      <div class="bar">
        <button
          type="button"
          onClick={() => {
            if (!playing.value && step.value >= all) step.value = 0;
            playing.value = !playing.value;
          }}
        >
          {playing.value ? "Stop" : "Play"}
        </button>
        <button type="button" disabled={step.value <= 0} onClick={() => step.value--}>
          Back
        </button>
        <button type="button" disabled={step.value >= all} onClick={() => step.value++}>
          Step
        </button>
        <label class="check" style={{ flex: 1 }}>
          <span class="hidden">Range of the curve</span>
          <input type="range" style={{ flex: 1 }} min={0} max={all} value={step.value} onInput={(e) => (step.value = Number(e.currentTarget.value))} />
        </label>
      </div>
      <label class="check">
        <input type="checkbox" checked={near.value} onChange={(e) => (near.value = e.currentTarget.checked)} /> only what was read
      </label>
      <p class="muted number" role="status">
        {all === 0 ? "No entry was read." : rangeText(work, Math.min(step.value, all))}
      </p>
    </figure>
  );
}

function Numbers({ measured, index }: { measured: Measured; index: Index }) {
  const { work, composite } = measured;
  return (
    <>
      <table class="plain">
        <caption class="hidden">What the query has read</caption>
        <thead>
          <tr>
            <th scope="col">Index</th>
            <th scope="col" class="number">Entries read</th>
            <th scope="col" class="number">hits among them</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{index.name}, Z-order</th>
            <td class="number">{count(work.lookedAt)}</td>
            <td class="number">{work.lookedAt ? percent(work.returned / work.lookedAt) : "–"}</td>
          </tr>
          {composite.map((c) => (
            <tr key={c.key}>
              <th scope="row">an index on ({c.key}), if there were one</th>
              <td class="number">{count(c.reads)}</td>
              <td class="number">{c.reads ? percent(work.returned / c.reads) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl class="facts measured">
        <dt>found</dt>
        <dd>{counted(work.returned, "item")}</dd>
        <dt>false positives</dt>
        <dd>{counted(work.falsePositives, "entry", "entries")}</dd>
        <dt>seeks</dt>
        <dd>{count(work.seeks)}</dd>
        <dt>jumps</dt>
        <dd>{count(work.jumps)} over entries that can’t match</dd>
        <dt>read</dt>
        <dd>{bytes(work.bytes)} in {seconds(work.milliseconds / 1000)}</dd>
        <dt>estimated before</dt>
        <dd>{counted(work.plan.Path.Estimate.Entries, "entry", "entries")}, {counted(work.plan.Path.Estimate.Seeks, "seek")}</dd>
        <dt>share of the space</dt>
        <dd>{work.plan.Path.Box ? percent(work.plan.Path.Box.Share) : "the whole"}</dd>
      </dl>
      <p class="muted">These are EXPLAIN ANALYZE’s numbers, over all pages of the Scan.</p>
    </>
  );
}

function Explorer({ table, index, shown }: { table: Table; index: Index; shown: Shown }) {
  const ranges = useSignal<Range[]>([]);
  const measured = useSignal<Measured | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const busy = useSignal(false);
  const [first, second] = shown.map((i) => index.attributes![i]!.name) as [string, string];
  const run = async () => {
    busy.value = true;
    error.value = undefined;
    try {
      const work = await analyze(table.name, index.name, ranges.value);
      const composite = await Promise.all(ranges.value.map(async (r, i) => ({ key: [r, ...ranges.value.filter((_, j) => j !== i)].map((x) => x.attribute).join(", "), reads: (await analyze(table.name, index.name, [r])).returned })));
      const box = { first: boxOf(work.plan, first), second: boxOf(work.plan, second) };
      const order = orderOf(work.plan.Path.Box?.Order ?? "");
      measured.value = { work, composite, box, shown, curve: curveOf(work.stretches, order, shown), background: backgroundOf(order, shown) };
    } catch (e) {
      error.value = e as Error;
    }
    busy.value = false;
  };
  useEffect(() => {
    suggest(table.name, index.name, [first, second]).then(
      (box) => {
        ranges.value = box;
        void run();
      },
      (e: Error) => (error.value = e),
    );
  }, []);
  const change = (i: number, part: Partial<Range>) => (ranges.value = ranges.value.map((r, j) => (i === j ? { ...r, ...part } : r)));
  return (
    <>
      <form
        class="bar"
        onSubmit={(e) => {
          e.preventDefault();
          void run();
        }}
      >
        {ranges.value.map((r, i) => (
          <span key={r.attribute} class="check">
            {r.attribute} from
            <input class="short" aria-label={`${r.attribute} from`} required value={r.from} onInput={(e) => change(i, { from: e.currentTarget.value })} />
            to
            <input class="short" aria-label={`${r.attribute} to`} required value={r.to} onInput={(e) => change(i, { to: e.currentTarget.value })} />
          </span>
        ))}
        <button type="submit" class="primary" disabled={busy.value || ranges.value.length === 0}>
          Read the box
        </button>
      </form>
      {error.value && <Failure error={error.value} />}
      <p class="muted">
        A Z-order index keeps items along a curve on which near places follow each other. A query for a box reads the parts of the curve inside the box, and jumps over the parts outside of it.
      </p>
      {!measured.value && !error.value && <Loading what="a sample" />}
      {measured.value && (
        <div class="beside">
          <Picture measured={measured.value} first={first} second={second} />
          <section>
            <Numbers measured={measured.value} index={index} />
          </section>
        </div>
      )}
    </>
  );
}

/** shownOf reads from the address which two attributes the picture shows: the first two, if it doesn't say. */
function shownOf(index: Index, asked: string | null): Shown {
  const places = (asked ?? "").split(",").map(Number);
  const fit = places.length === 2 && places[0] !== places[1] && places.every((i) => Number.isInteger(i) && i >= 0 && i < index.attributes!.length);
  return fit ? (places as Shown) : [0, 1];
}

/** Pair chooses the two attributes of an index over more. */
function Pair({ table, index, shown }: { table: Table; index: Index; shown: Shown }) {
  const names = index.attributes!.map((a) => a.name);
  const pairs = names.flatMap((_, i) => names.slice(i + 1).map((_, j): Shown => [i, i + 1 + j]));
  return (
    <select aria-label="Attributes" value={shown.join()} onChange={(e) => go(link("zorder", [table.name, index.name], { shown: e.currentTarget.value }))}>
      {pairs.map((pair) => (
        <option key={pair.join()} value={pair.join()}>
          {pair.map((i) => names[i]).join(" and ")}
        </option>
      ))}
    </select>
  );
}

/** ZOrder shows how a query walks a Z-order index. */
export function ZOrder() {
  const tables = useResource(readTables, []);
  if (!tables.value) return tables.error ? <Failure error={tables.error} retry={tables.reload} /> : <Loading what="tables" />;
  const all = tables.value.filter((t) => t.database === "default").flatMap((table) => table.indexes.filter((x) => x.kind === "zorder" && x.state === "active" && (x.attributes?.length ?? 0) > 1).map((index) => ({ table, index })));
  const [name, indexName] = route.value.parts;
  const chosen = all.find((x) => x.table.name === name && x.index.name === indexName) ?? all[0];
  const shown: Shown = chosen ? shownOf(chosen.index, route.value.query.get("shown")) : [0, 1];
  return (
    <>
      <div class="bar">
        <h1 style={{ margin: 0 }}>Z-order</h1>
        {all.length > 0 && (
          <select aria-label="Index" value={`${chosen!.table.name} / ${chosen!.index.name}`} onChange={(e) => go(link("zorder", e.currentTarget.value.split(" / ")))}>
            {all.map((x) => (
              <option key={x.table.name + x.index.name}>
                {x.table.name} / {x.index.name}
              </option>
            ))}
          </select>
        )}
        {chosen && chosen.index.attributes!.length > 2 && <Pair {...chosen} shown={shown} />}
        {chosen && <code class="muted">{chosen.index.key.join(", ")}</code>}
      </div>
      {!chosen && (
        <Empty title="There is no Z-order index">
          <p>Such an index finds ranges over several attributes at once, for example all cities within a box of latitudes and longitudes.</p>
          <p><code>CREATE INDEX by_place ON cities (ZORDER(lat, lon))</code></p>
        </Empty>
      )}
      {chosen && <Explorer key={[chosen.table.name, chosen.index.name, ...shown].join(" ")} {...chosen} shown={shown} />}
    </>
  );
}
