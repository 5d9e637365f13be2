// SPDX-License-Identifier: Apache-2.0

/** HeatAnswer is what GET /api/heat tells. */
export interface HeatAnswer {
  times: number[];
  keys: { hex: string; labels: string[] }[];
  splits: string[];
  max: number;
  data: string;
  findings: { kind: string; table: string; index?: string; keys: string[]; times: [number, number]; strength: number; warning: boolean; text: string; cure?: string }[];
}

/** HeatMap is an answer ready to be drawn: cells[row * columns + column] is 0 to 255. */
export interface HeatMap extends HeatAnswer {
  columns: number;
  rows: number;
  cells: Uint8Array;
}

/** decode unpacks the cells of an answer. */
export function decode(answer: HeatAnswer): HeatMap {
  const bytes = atob(answer.data);
  const [columns, rows] = [Math.max(0, answer.times.length - 1), answer.keys.length];
  const cells = new Uint8Array(bytes.length);
  for (let column = 0, i = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++, i++) cells[row * columns + column] = bytes.charCodeAt(i);
  }
  return { ...answer, columns, rows, cells };
}

/** entriesOf is how many entries a minute a cell stands for. */
export const entriesOf = (map: HeatMap, column: number, row: number): number => Math.exp(((map.cells[row * map.columns + column] ?? 0) / 255) * Math.log(1 + map.max)) - 1;

const stops: [number, number, number, number][] = [
  [0, 10, 10, 18],
  [0.25, 68, 20, 110],
  [0.5, 168, 28, 92],
  [0.75, 236, 82, 40],
  [1, 255, 236, 120],
];

/** paletteOf makes 256 colours, as bytes of ImageData: black, purple, red, yellow. brightness lifts or lowers all but nothing. */
export function paletteOf(brightness: number): Uint32Array {
  const palette = new Uint32Array(256);
  const bytes = new Uint8ClampedArray(palette.buffer);
  for (let i = 0; i < 256; i++) {
    const x = i === 0 ? 0 : Math.min(1, Math.pow(i / 255, 1 / brightness));
    const at = Math.max(1, stops.findIndex((s) => s[0] >= x));
    const [a, b] = [stops[at - 1]!, stops[at]!];
    const share = (x - a[0]) / (b[0] - a[0]);
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = a[c + 1]! + (b[c + 1]! - a[c + 1]!) * share;
    bytes[4 * i + 3] = 255;
  }
  return palette;
}

/** images are the pixels of what was painted last onto a canvas. */
const images = new WeakMap<OffscreenCanvas, ImageData>();

/** paint draws the whole map, a pixel a cell. */
export function paint(map: HeatMap, palette: Uint32Array, onto: OffscreenCanvas): void {
  const [width, height] = [Math.max(1, map.columns), Math.max(1, map.rows)];
  if (onto.width !== width || onto.height !== height) [onto.width, onto.height] = [width, height];
  let image = images.get(onto);
  if (image?.width !== width || image.height !== height) images.set(onto, (image = new ImageData(width, height)));
  const pixels = new Uint32Array(image.data.buffer);
  const cells = map.cells;
  for (let i = 0; i < cells.length; i++) pixels[i] = palette[cells[i]!]!;
  onto.getContext("2d")!.putImageData(image, 0, 0);
}

/** View is the part of a map that is shown, in cells. */
export interface View {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const wholeView = (map: HeatMap): View => ({ left: 0, top: 0, width: Math.max(1, map.columns), height: Math.max(1, map.rows) });

/** zoom enlarges a view around a cell, and keeps it within the map. */
export function zoom(view: View, map: HeatMap, factor: number, column: number, row: number): View {
  const width = Math.min(Math.max(1, map.columns), Math.max(2, view.width / factor));
  const height = Math.min(Math.max(1, map.rows), Math.max(2, view.height / factor));
  return within(map, { width, height, left: column - ((column - view.left) / view.width) * width, top: row - ((row - view.top) / view.height) * height });
}

/** within moves a view so that it shows nothing beyond the map. */
export function within(map: HeatMap, v: View): View {
  return { ...v, left: Math.max(0, Math.min(map.columns - v.width, v.left)), top: Math.max(0, Math.min(map.rows - v.height, v.top)) };
}

/** rowOf finds the row that a key lies in. */
export function rowOf(map: HeatMap, hex: string): number {
  let low = 0;
  let high = map.rows;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (map.keys[middle]!.hex <= hex) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Section is a run of rows of one table or index. */
export interface Section {
  title: string;
  table: string;
  index: string;
  first: number;
  end: number;
}

/** sectionsOf finds the tables and indexes of a map. */
export function sectionsOf(map: HeatMap): Section[] {
  const list: Section[] = [];
  map.keys.forEach((key, row) => {
    const [table = "", index = ""] = key.labels;
    const last = list.at(-1);
    if (last && last.table === table && last.index === index) last.end = row + 1;
    else list.push({ title: table ? table + (index ? " / " + index : "") : "other", table, index, first: row, end: row + 1 });
  });
  return list;
}
