// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bytes, count, percent, seconds } from "../format";
import { link, route, go } from "../route";
import { isDark } from "../theme";
import { Empty, Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";
import { readTables, type Index, type Table } from "../tables/table";
import { cellAt, orderOf, runsOf, side, type Box, type Order, type Run } from "../zorder/curve";
import { analyze, boxOf, suggest, type Range, type Work } from "../zorder/measure";

interface Measured {
  work: Work;
  composite: { key: string; reads: number }[];
  box: Box;
  runs: Run[];
  order: Order;
}

const size = 512;
const cell = size / side;

/** xy is the middle of a cell: the second attribute runs to the right, the first upwards. */
function xy(position: number, order: Order): [number, number] {
  const { first, second } = cellAt(position, order);
  return [(second + 0.5) * cell, size - (first + 0.5) * cell];
}

function line(c: CanvasRenderingContext2D, order: Order, from: number, to: number): void {
  c.beginPath();
  c.moveTo(...xy(from, order));
  for (let p = from + 1; p <= to; p++) c.lineTo(...xy(p, order));
  c.stroke();
}

/** draw shows the curve, the runs that are read up to a step, the jumps between them, the box, and what a composite index would read. */
function draw(canvas: HTMLCanvasElement, measured: Measured, step: number): void {
  const scale = devicePixelRatio;
  canvas.width = canvas.height = size * scale;
  const c = canvas.getContext("2d")!;
  c.setTransform(scale, 0, 0, scale, 0, 0);
  const dark = isDark.value;
  const { box, runs, order } = measured;
  c.fillStyle = dark ? "#0d1117" : "#ffffff";
  c.fillRect(0, 0, size, size);
  c.fillStyle = dark ? "rgba(251,191,36,.10)" : "rgba(180,83,9,.10)";
  c.fillRect(0, size - box.first[1] * size, size, (box.first[1] - box.first[0]) * size);
  c.lineWidth = 0.6;
  c.strokeStyle = dark ? "#2b3644" : "#d5dbe4";
  line(c, order, 0, side * side - 1);
  runs.forEach((run, i) => {
    if (i > step) return;
    for (let p = run.from; p <= run.to; p++) {
      const [x, y] = xy(p, order);
      c.fillStyle = i === step ? "#f59e0b" : dark ? "#0f766e" : "#5eead4";
      c.fillRect(x - cell / 2, y - cell / 2, cell, cell);
    }
  });
  c.lineWidth = 1.2;
  c.strokeStyle = dark ? "#5eead4" : "#0f766e";
  runs.forEach((run, i) => i <= step && line(c, order, run.from, run.to));
  c.strokeStyle = "#e11d48";
  c.setLineDash([3, 3]);
  runs.slice(1).forEach((run, i) => {
    if (i + 1 > step) return;
    c.beginPath();
    c.moveTo(...xy(runs[i]!.to, order));
    c.lineTo(...xy(run.from, order));
    c.stroke();
  });
  c.setLineDash([]);
  c.lineWidth = 2;
  c.strokeStyle = dark ? "#e6edf3" : "#111827";
  c.strokeRect(box.second[0] * size, size - box.first[1] * size, (box.second[1] - box.second[0]) * size, (box.first[1] - box.first[0]) * size);
  canvas.dataset.state = JSON.stringify({ runs: runs.length, step, box, order: order.map((owner) => "ab"[owner]).join("") });
}

function Picture({ measured, first, second }: { measured: Measured; first: string; second: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const last = measured.runs.length - 1;
  const step = useSignal(last);
  const playing = useSignal(false);
  useEffect(() => {
    step.value = last;
    playing.value = false;
  }, [measured]);
  useEffect(() => draw(canvas.current!, measured, step.value));
  useEffect(() => {
    if (!playing.value) return undefined;
    const timer = setInterval(() => {
      if (step.value >= last) playing.value = false;
      else step.value++;
    }, Math.max(30, 4000 / (last + 1)));
    return () => clearInterval(timer);
  }, [playing.value]);
  return (
    <figure class="curve">
      <canvas ref={canvas} style={{ width: `${size}px`, height: `${size}px` }} role="img" aria-label={`The Z-order curve over ${second}, to the right, and ${first}, upwards, with the query's box`} />
      <figcaption>
        {second} →, {first} ↑, in the order of their codes, 64 × 64 cells, with their bits in the order of the index. The curve is read where it lies in the box (green); red lines are jumps. The yellow band is what an index on ({first}, {second}) would read.
      </figcaption>
      <div class="bar">
        <button
          type="button"
          onClick={() => {
            if (!playing.value && step.value >= last) step.value = 0;
            playing.value = !playing.value;
          }}
        >
          {playing.value ? "Stop" : "Play"}
        </button>
        <button type="button" disabled={step.value >= last} onClick={() => step.value++}>
          Step
        </button>
        <label class="check" style={{ flex: 1 }}>
          <span class="hidden">Range of the curve</span>
          <input type="range" style={{ flex: 1 }} min={0} max={last} value={step.value} onInput={(e) => (step.value = Number(e.currentTarget.value))} />
        </label>
        <span class="number muted">
          range {count(step.value + 1)} of {count(last + 1)}
        </span>
      </div>
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
            <th scope="col" class="number">of which hits</th>
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
              <th scope="row">({c.key}), were there one</th>
              <td class="number">{count(c.reads)}</td>
              <td class="number">{c.reads ? percent(work.returned / c.reads) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl class="facts measured">
        <dt>found</dt>
        <dd>{count(work.returned)} items</dd>
        <dt>false positives</dt>
        <dd>{count(work.falsePositives)} entries</dd>
        <dt>seeks</dt>
        <dd>{count(work.seeks)}</dd>
        <dt>jumps</dt>
        <dd>{count(work.jumps)} over entries that can’t match</dd>
        <dt>read</dt>
        <dd>{bytes(work.bytes)} in {seconds(work.milliseconds / 1000)}</dd>
        <dt>estimated before</dt>
        <dd>{count(work.plan.Path.Estimate.Entries)} entries, {count(work.plan.Path.Estimate.Seeks)} seeks</dd>
        <dt>share of the space</dt>
        <dd>{work.plan.Path.Box ? work.plan.Path.Box.Share.toPrecision(3) : "the whole"}</dd>
      </dl>
      <p class="muted">These are EXPLAIN ANALYZE’s numbers, over all pages of the Scan.</p>
    </>
  );
}

function Explorer({ table, index }: { table: Table; index: Index }) {
  const names = index.attributes!.map((a) => a.name);
  const ranges = useSignal<Range[]>([]);
  const measured = useSignal<Measured | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const busy = useSignal(false);
  const [first, second] = [names[0]!, names[1]!];
  const run = async () => {
    busy.value = true;
    error.value = undefined;
    try {
      const work = await analyze(table.name, index.name, ranges.value);
      const composite = await Promise.all(ranges.value.map(async (r, i) => ({ key: [r, ...ranges.value.filter((_, j) => j !== i)].map((x) => x.attribute).join(", "), reads: (await analyze(table.name, index.name, [r])).returned })));
      const box = { first: boxOf(work.plan, first), second: boxOf(work.plan, second) };
      const order = orderOf(index.key);
      measured.value = { work, composite, box, order, runs: runsOf(box, order) };
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

/** ZOrder shows how a query walks a Z-order index. */
export function ZOrder() {
  const tables = useResource(readTables, []);
  if (!tables.value) return tables.error ? <Failure error={tables.error} retry={tables.reload} /> : <Loading what="tables" />;
  const all = tables.value.filter((t) => t.database === "default").flatMap((table) => table.indexes.filter((x) => x.kind === "zorder" && x.state === "active" && (x.attributes?.length ?? 0) > 1).map((index) => ({ table, index })));
  const [name, indexName] = route.value.parts;
  const chosen = all.find((x) => x.table.name === name && x.index.name === indexName) ?? all[0];
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
        {chosen && <code class="muted">{chosen.index.key.join(", ")}</code>}
      </div>
      {!chosen && (
        <Empty title="There is no Z-order index">
          <p>Such an index finds ranges over several attributes at once, for example all cities within a box of latitudes and longitudes.</p>
          <p><code>CREATE INDEX by_place ON cities (ZORDER(lat, lon))</code></p>
        </Empty>
      )}
      {chosen && <Explorer key={chosen.table.name + " " + chosen.index.name} {...chosen} />}
    </>
  );
}
