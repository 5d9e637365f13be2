// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { getJSON } from "../api";
import { bytes, rate } from "../format";
import { decode, entriesOf, paint, paletteOf, rowOf, sectionsOf, wholeView, within, zoom, type HeatAnswer, type HeatMap, type View } from "../heat/map";
import { Empty, Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";
import { go, link, route } from "../route";
import { isDark } from "../theme";

const measures = { entries: "Entries read and written", writes: "Entries written", reads: "Entries read", writtenBytes: "Bytes written", readBytes: "Bytes read" };
const spans: Record<string, number> = { "1": 1, "6": 6, "24": 24, "168": 168, "840": 840 };
const spanTitles: Record<string, string> = { "1": "1 hour", "6": "6 hours", "24": "24 hours", "168": "7 days", "840": "5 weeks" };
const margin = { left: 132, bottom: 22 };

/** clock writes a time of a map: with seconds where the map has few minutes, with the day where it has many. */
function clock(ms: number, { times }: HeatMap): string {
  const brief = times.at(-1)! - times[0]! < 20 * 60_000;
  return new Date(ms).toLocaleString("en-GB", { hour: "2-digit", minute: "2-digit", ...(brief ? { second: "2-digit" } : { month: "short", day: "numeric" }) });
}

interface Cell {
  column: number;
  row: number;
  x: number;
  y: number;
}

/** drawNames writes the names of tables and indexes at the side: as many as have room, and that of the row under the pointer. */
function drawNames(c: CanvasRenderingContext2D, map: HeatMap, yOf: (row: number) => number, h: number, pointed: number | undefined): void {
  c.textAlign = "right";
  let free = 0;
  for (const s of sectionsOf(map)) {
    const [top, end] = [Math.max(0, yOf(s.first)), Math.min(h, yOf(s.end))];
    if (end - top < 1) continue;
    const [middle, isPointed] = [Math.min(h - 7, Math.max(7, (top + end) / 2)), pointed !== undefined && pointed >= s.first && pointed < s.end];
    c.fillStyle = isDark.value ? "#232b36" : "#e3e7ed";
    c.fillRect(margin.left - 5, top, 3, Math.max(1, end - top - 1));
    if (!isPointed && middle - 6 < free) continue;
    if (isPointed) c.clearRect(0, middle - 7, margin.left - 6, 14);
    free = middle + 7;
    c.fillStyle = isPointed ? (isDark.value ? "#e6edf3" : "#111827") : isDark.value ? "#9aa7b5" : "#5b6472";
    c.fillText(s.title.length > 20 ? s.title.slice(0, 19) + "…" : s.title, margin.left - 10, middle);
  }
}

/** draw shows a view of the painted map, with the borders of regions and the names of tables at its side. */
function draw(canvas: HTMLCanvasElement, map: HeatMap, painted: OffscreenCanvas, view: View, pointed: number | undefined): void {
  const scale = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const [w, h] = [width - margin.left, height - margin.bottom];
  const c = canvas.getContext("2d")!;
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.clearRect(0, 0, width, height);
  c.imageSmoothingEnabled = false;
  c.drawImage(painted, view.left, view.top, view.width, view.height, margin.left, 0, w, h);
  const yOf = (row: number) => ((row - view.top) / view.height) * h;
  const text = isDark.value ? "#9aa7b5" : "#5b6472";
  c.font = "11px system-ui";
  c.textBaseline = "middle";
  c.strokeStyle = "rgba(255,255,255,.28)";
  c.lineWidth = 1;
  for (const split of map.splits) {
    const y = Math.round(yOf(rowOf(map, split))) + 0.5;
    if (y <= 0 || y >= h) continue;
    c.beginPath();
    c.moveTo(margin.left, y);
    c.lineTo(width, y);
    c.stroke();
  }
  drawNames(c, map, yOf, h, pointed);
  c.fillStyle = text;
  c.textAlign = "center";
  for (let x = 60; x < w; x += 150) {
    const at = view.left + (x / w) * view.width;
    const [from, to] = map.times.slice(Math.floor(at));
    if (from !== undefined && to !== undefined) c.fillText(clock(from + (at % 1) * (to - from), map), margin.left + x, h + 13);
  }
  canvas.dataset.view = JSON.stringify({ ...view, columns: map.columns, rows: map.rows, plot: [margin.left, 0, w, h] });
}

function Tooltip({ map, cell, measure, pinned }: { map: HeatMap; cell: Cell; measure: string; pinned: boolean }) {
  const key = map.keys[cell.row]!;
  const next = map.keys[cell.row + 1];
  const [table, index, ...parts] = key.labels;
  const n = entriesOf(map, cell.column, cell.row);
  const size = measure.endsWith("Bytes");
  return (
    <div class="tooltip" role={pinned ? "dialog" : "status"} aria-label="Cell" style={{ left: `${cell.x}px`, top: `${cell.y}px` }}>
      <strong>{table ? `${table}${index ? " / " + index : ""}` : "other keys"}</strong>
      <div>{size ? `${bytes(n)} a minute` : `${rate(n)} entries a minute`}</div>
      <div class="muted">
        {clock(map.times[cell.column]!, map)} to {clock(map.times[cell.column + 1]!, map)}
      </div>
      <dl class="facts code">
        <dt>from</dt>
        <dd>{parts.join(", ") || (table ? "the beginning" : key.hex || "the first key")}</dd>
        <dt>before</dt>
        <dd>{next ? next.labels.slice(2).join(", ") || (next.labels[0] ? `${next.labels[0]}${next.labels[1] ? " / " + next.labels[1] : ""}` : next.hex) : "the end"}</dd>
      </dl>
      {pinned && (
        <div class="bar">
          <button type="button" onClick={() => void navigator.clipboard.writeText(key.hex)}>Copy the key</button>
          {table && <a href={link("items", [table], { index: index ?? "" })}>Items</a>}
          {table && <a href={link("tables", [table])}>Table</a>}
        </div>
      )}
    </div>
  );
}

function Picture({ map, measure }: { map: HeatMap; measure: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painted = useRef(new OffscreenCanvas(1, 1));
  const view = useSignal(wholeView(map));
  const brightness = useSignal(1);
  const hover = useSignal<Cell | undefined>(undefined);
  const pinned = useSignal<Cell | undefined>(undefined);
  const dragged = useRef<{ x: number; y: number; view: View; moved: boolean } | undefined>(undefined);
  const shape = `${map.columns} ${map.rows}`;
  const timed = (name: string, work: (element: HTMLCanvasElement) => void) => {
    const element = canvas.current;
    if (!element) return; // the page has been left, and its last effect or change of size comes after
    const begun = performance.now();
    work(element);
    element.dataset[name] = String(performance.now() - begun); // for the test that tells how long it takes
  };
  const redraw = () => timed("drawMs", (element) => draw(element, map, painted.current, view.value, (pinned.value ?? hover.value)?.row));
  useEffect(() => {
    view.value = wholeView(map);
    pinned.value = undefined;
  }, [shape]);
  useEffect(() => timed("paintMs", () => paint(map, paletteOf(brightness.value), painted.current)), [map, brightness.value]);
  useEffect(redraw);
  useEffect(() => {
    const resize = new ResizeObserver(redraw);
    resize.observe(canvas.current!);
    return () => resize.disconnect();
  }, [map]);
  const cellAt = (e: { offsetX: number; offsetY: number }): Cell | undefined => {
    const element = canvas.current!;
    const [w, h] = [element.clientWidth - margin.left, element.clientHeight - margin.bottom];
    const column = Math.floor(view.value.left + ((e.offsetX - margin.left) / w) * view.value.width);
    const row = Math.floor(view.value.top + (e.offsetY / h) * view.value.height);
    if (e.offsetX < margin.left || e.offsetY > h || column < 0 || row < 0 || column >= map.columns || row >= map.rows) return undefined;
    return { column, row, x: Math.min(e.offsetX + 14, element.clientWidth - 300), y: Math.min(e.offsetY + 14, Math.max(0, h - 150)) };
  };
  const step = (factor: number) => (view.value = zoom(view.value, map, factor, view.value.left + view.value.width / 2, view.value.top + view.value.height / 2));
  const pan = (x: number, y: number) => (view.value = within(map, { ...view.value, left: view.value.left + x * view.value.width, top: view.value.top + y * view.value.height }));
  const keys: Record<string, () => void> = {
    "+": () => step(1.5),
    "=": () => step(1.5),
    "-": () => step(1 / 1.5),
    "0": () => (view.value = wholeView(map)),
    ArrowLeft: () => pan(-0.2, 0),
    ArrowRight: () => pan(0.2, 0),
    ArrowUp: () => pan(0, -0.2),
    ArrowDown: () => pan(0, 0.2),
    Escape: () => (pinned.value = undefined),
  };
  return (
    <>
      <div class="bar">
        <button type="button" onClick={() => step(1.5)} aria-label="Zoom in">+</button>
        <button type="button" onClick={() => step(1 / 1.5)} aria-label="Zoom out">−</button>
        <button type="button" onClick={() => (view.value = wholeView(map))}>All</button>
        <label class="check">
          Brightness
          <input type="range" min="0.3" max="4" step="0.1" value={brightness.value} onInput={(e) => (brightness.value = Number(e.currentTarget.value))} />
        </label>
        <span class="muted">Wheel zooms, dragging moves, a click pins a cell. White lines are borders of regions.</span>
      </div>
      <div class="heat">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={`Heat map: ${measures[measure as keyof typeof measures]} by time and key; arrows move, plus and minus zoom`}
          onWheel={(e) => {
            e.preventDefault();
            const cell = cellAt(e);
            if (cell) view.value = zoom(view.value, map, e.deltaY < 0 ? 1.25 : 0.8, cell.column, cell.row);
          }}
          onPointerDown={(e) => (dragged.current = { x: e.offsetX, y: e.offsetY, view: view.value, moved: false })}
          onPointerMove={(e) => {
            const from = dragged.current;
            hover.value = from ? undefined : cellAt(e);
            if (!from) return;
            const element = e.currentTarget;
            from.moved ||= Math.abs(e.offsetX - from.x) + Math.abs(e.offsetY - from.y) > 4;
            view.value = within(map, {
              ...from.view,
              left: from.view.left - ((e.offsetX - from.x) / (element.clientWidth - margin.left)) * from.view.width,
              top: from.view.top - ((e.offsetY - from.y) / (element.clientHeight - margin.bottom)) * from.view.height,
            });
          }}
          onPointerUp={(e) => {
            if (dragged.current && !dragged.current.moved) pinned.value = pinned.value ? undefined : cellAt(e);
            dragged.current = undefined;
          }}
          onPointerLeave={() => {
            hover.value = undefined;
            dragged.current = undefined;
          }}
          onKeyDown={(e) => {
            const does = keys[e.key];
            if (does) {
              e.preventDefault();
              does();
            }
          }}
        />
        {pinned.value ? <Tooltip map={map} cell={pinned.value} measure={measure} pinned /> : hover.value && <Tooltip map={map} cell={hover.value} measure={measure} pinned={false} />}
      </div>
    </>
  );
}

function Findings({ map }: { map: HeatMap }) {
  const list = map.findings.filter((f) => f.kind !== "even");
  if (list.length === 0) return <p class="muted">No hot rows, hot ranges or growing keys.</p>;
  return (
    <ul class="findings">
      {list.map((f) => (
        <li key={f.kind + f.table + (f.index ?? "")} class={f.warning ? "warning" : ""}>
          <strong>{f.kind.replaceAll("-", " ")}</strong> in <a href={link("tables", [f.table])}>{f.table}</a>: {f.text} {f.cure && <span class="muted">{f.cure}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Heat shows requests by time and key. */
export function Heat() {
  const measure = route.value.query.get("measure") ?? "entries";
  const span = route.value.query.get("hours") ?? "1";
  const map = useResource(
    async (abort) => decode(await getJSON<HeatAnswer>("heat", { measure, from: String(Date.now() - (spans[span] ?? 1) * 3_600_000) }, abort)),
    [measure, span],
    10_000,
  );
  const to = (query: Record<string, string>) => go(link("heat", [], { measure, hours: span, ...query }), true);
  return (
    <div class="fill">
      <div class="bar">
        <h1>Heat map</h1>
        <div class="segmented" role="group" aria-label="Measure">
          {Object.entries(measures).map(([name, title]) => (
            <button key={name} type="button" aria-pressed={name === measure} onClick={() => to({ measure: name })}>
              {title}
            </button>
          ))}
        </div>
        <select aria-label="Time" value={span} onChange={(e) => to({ hours: e.currentTarget.value })}>
          {Object.keys(spans).map((hours) => (
            <option key={hours} value={hours}>
              {spanTitles[hours]}
            </option>
          ))}
        </select>
      </div>
      {map.error && <Failure error={map.error} retry={map.reload} />}
      {!map.value && !map.error && <Loading what="the heat map" />}
      {map.value && (map.value.columns === 0 || map.value.rows === 0) && (
        <Empty title="Nothing was counted yet">
          <p>The map has a column for each minute of requests.</p>
        </Empty>
      )}
      {map.value && map.value.columns > 0 && map.value.rows > 0 && (
        <>
          <Picture map={map.value} measure={measure} />
          <Findings map={map.value} />
        </>
      )}
    </div>
  );
}
