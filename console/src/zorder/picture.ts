// SPDX-License-Identifier: Apache-2.0

import { bitsOf, type Box, type Cell, type Curve, type Shown, type Stretch } from "./curve";

/** size is that of the picture, in pixels. */
export const size = 512;

/** View is the part of the space that is seen: the second attribute runs to the right, the first upwards. */
export type View = Box;

export const wholeSpace: View = { first: [0, 1], second: [0, 1] };

/** cellsOf is how many cells a curve has of both attributes. */
const cellsOf = (curve: Curve, shown: Shown): Cell => [2 ** bitsOf(curve.order, shown[0]), 2 ** bitsOf(curve.order, shown[1])];

/** viewOf is the part that holds a box and what was read for it. */
export function viewOf(box: Box, curve: Curve, shown: Shown): View {
  const cells = cellsOf(curve, shown);
  const around = (range: [number, number], i: 0 | 1): [number, number] => {
    let [from, to] = range;
    for (const path of curve.paths) {
      for (const cell of path) {
        from = Math.min(from, cell[i] / cells[i]);
        to = Math.max(to, (cell[i] + 1) / cells[i]);
      }
    }
    const edge = 0.05 * (to - from);
    return [Math.max(0, from - edge), Math.min(1, to + edge)];
  };
  return { first: around(box.first, 0), second: around(box.second, 1) };
}

/** Scene is all that a picture shows: stretches up to a step. */
export interface Scene {
  box: Box;
  shown: Shown;
  curve: Curve;
  background: Curve;
  stretches: Stretch[];
  view: View;
  step: number;
  dark: boolean;
}

interface Plane {
  x: (second: number) => number; // of a share of the codes
  y: (first: number) => number;
}

function planeOf({ first, second }: View): Plane {
  return { x: (at) => ((at - second[0]) / (second[1] - second[0])) * size, y: (at) => size - ((at - first[0]) / (first[1] - first[0])) * size };
}

function rectangleOf(p: Plane, { first, second }: Box): [number, number, number, number] {
  return [p.x(second[0]), p.y(first[1]), p.x(second[1]) - p.x(second[0]), p.y(first[0]) - p.y(first[1])];
}

/** placeOf is a cell's part of the space. */
const placeOf = ([first, second]: Cell, cells: Cell): Box => ({ first: [first / cells[0], (first + 1) / cells[0]], second: [second / cells[1], (second + 1) / cells[1]] });

function line(c: CanvasRenderingContext2D, p: Plane, path: Cell[], cells: Cell): void {
  c.beginPath();
  for (const [first, second] of path) c.lineTo(p.x((second + 0.5) / cells[1]), p.y((first + 0.5) / cells[0]));
  c.stroke();
}

interface Ink {
  ground: string;
  band: string; // what a composite index would read
  curve: string;
  cell: string; // the saturation and lightness of cells that were read
  path: string;
  box: string;
}

const inks: Record<"light" | "dark", Ink> = {
  light: { ground: "#ffffff", band: "rgba(71,85,105,.13)", curve: "#d5dbe4", cell: "80% 78%", path: "#0f766e", box: "#111827" },
  dark: { ground: "#0d1117", band: "rgba(148,163,184,.16)", curve: "#2b3644", cell: "65% 27%", path: "#5eead4", box: "#e6edf3" },
};
const present = "#2563eb";
const jump = "#e11d48";

export const inkOf = (dark: boolean): Ink => inks[dark ? "dark" : "light"];

/** cellInk is the colour of cells by the share of their entries outside of the box: from green over yellow to red. */
export const cellInk = (outside: number, ink: Ink): string => `hsl(${Math.round(165 * (1 - outside))} ${ink.cell})`;

const outsideOf = (s: Stretch): number => s.Skipped / Math.max(1, s.Skipped + s.Examined);

/** lineCellMin is how many pixels a cell must have for the curve to be drawn in it. */
const lineCellMin = 5;

/** draw shows the curve, what was read of it up to a step, the jumps between, the box, and what a composite index would read. */
export function draw(canvas: HTMLCanvasElement, scene: Scene): void {
  const { box, shown, curve, background, stretches, view, step } = scene;
  const scale = devicePixelRatio;
  canvas.width = canvas.height = size * scale;
  const c = canvas.getContext("2d")!;
  c.setTransform(scale, 0, 0, scale, 0, 0);
  const ink = inkOf(scene.dark);
  const [p, cells] = [planeOf(view), cellsOf(curve, shown)];
  const read = curve.paths.slice(0, step + 1);
  c.fillStyle = ink.ground;
  c.fillRect(0, 0, size, size);
  c.fillStyle = ink.band;
  c.fillRect(...rectangleOf(p, { first: box.first, second: [0, 1] }));
  c.lineWidth = 0.6;
  c.strokeStyle = ink.curve;
  for (const path of background.paths) line(c, p, path, cellsOf(background, shown));
  read.forEach((path, i) => {
    c.fillStyle = i === step ? present : cellInk(outsideOf(stretches[i]!), ink);
    for (const cell of path) c.fillRect(...rectangleOf(p, placeOf(cell, cells)));
  });
  c.lineWidth = 1;
  c.strokeStyle = ink.path;
  const [, , width, height] = rectangleOf(p, placeOf([0, 0], cells));
  if (Math.min(width, height) >= lineCellMin) for (const path of read) line(c, p, path, cells);
  c.strokeStyle = jump;
  c.setLineDash([3, 3]);
  read.slice(1).forEach((path, i) => line(c, p, [...read[i]!.slice(-1), ...path.slice(0, 1)], cells));
  c.setLineDash([]);
  c.lineWidth = 2;
  c.strokeStyle = ink.box;
  c.strokeRect(...rectangleOf(p, box));
  const order = curve.order.map((owner) => "abcdefgh"[owner]).join("");
  canvas.dataset.state = JSON.stringify({ ranges: curve.paths.length, step, box, view, order, ends: read.map((path) => [path[0], path.at(-1)]) });
}
