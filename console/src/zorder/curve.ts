// SPDX-License-Identifier: Apache-2.0

/** Order says which attribute each bit of an address belongs to, the highest bit first, counted from 0. */
export type Order = number[];

/** The picture shows at most so many bits of each attribute. */
const bitsEach = 8;

/** An address is read up to so many of its first bits. */
const bitsMax = 28;

/** orderOf reads the first bits of an order such as b2(ab)2b2. */
export function orderOf(text: string): Order {
  const repeated = (letters: string, times: string) => letters.repeat(Math.min(bitsMax, Number(times || 1)));
  const runs = (letters: string) => letters.replace(/([a-h])(\d+)/g, (_, letter: string, n: string) => repeated(letter, n));
  const letters = runs(text.replace(/\(([a-h0-9]*)\)(\d*)/g, (_, group: string, times: string) => repeated(runs(group), times)));
  return [...letters].slice(0, bitsMax).map((c) => c.charCodeAt(0) - 97);
}

/** bitsOf is how many bits of an attribute an order has. */
export const bitsOf = (order: Order, attribute: number): number => order.filter((owner) => owner === attribute).length;

/** positionOf is where an address, in hexadecimal, lies on the curve of an order's bits. */
const positionOf = (address: string, order: Order): number => Math.floor(parseInt(address.slice(0, 8).padEnd(8, "0"), 16) / 2 ** (32 - order.length));

/** cellAt is where the curve is after so many steps: what the order's bits say of each of its attributes. */
function cellAt(position: number, order: Order, attributes: number): number[] {
  const cell = Array<number>(attributes).fill(0);
  order.forEach((owner, i) => (cell[owner] = (cell[owner]! << 1) | ((position >> (order.length - 1 - i)) & 1)));
  return cell;
}

/** Shown are the two attributes of a picture, by their places in the index. */
export type Shown = [first: number, second: number];

/** attributesOf is how many attributes there are, as far as a picture needs to know: one without a bit in the order has a single place. */
const attributesOf = (order: Order, shown: Shown): number => Math.max(...shown, ...order) + 1;

/** Box is a range of codes of both attributes, as shares of all codes: 0 to 1. */
export interface Box {
  first: [number, number];
  second: [number, number];
}

/** Stretch is a part of the index that the server has read without a seek: Z-addresses in hexadecimal, and the entries between them. */
export interface Stretch {
  From: string;
  To: string;
  Examined: number;
  Skipped: number;
}

/** Cell is one of the picture: places of the first and the second attribute. */
export type Cell = [number, number];

/** Others are the least and the greatest places of the attributes that a picture doesn't show: no part of the curve beyond them is in it. */
interface Others {
  low: number[];
  high: number[];
}

/** pathOf is the way of the curve through the picture between two positions. */
function pathOf(from: number, to: number, order: Order, shown: Shown, others: Others): Cell[] {
  const path: Cell[] = [];
  const attributes = attributesOf(order, shown);
  for (let position = from; position <= to; position++) {
    const cell = cellAt(position, order, attributes);
    if (cell.some((value, attribute) => !shown.includes(attribute) && (value < others.low[attribute]! || value > others.high[attribute]!))) continue;
    const [first, second] = [cell[shown[0]]!, cell[shown[1]]!];
    const last = path.at(-1);
    if (!last || last[0] !== first || last[1] !== second) path.push([first, second]);
  }
  return path;
}

/** Curve is what the picture shows of a walk. */
export interface Curve {
  order: Order;
  paths: Cell[][]; // what was read, by stretch
}

/** positionsMax is how many steps of the curve a picture follows. */
const positionsMax = 1 << 18;

/** fine is the longest beginning of an order whose bits a picture of these stretches can show. */
function fine(stretches: Stretch[], order: Order, shown: Shown): Order {
  const attributes = attributesOf(order, shown);
  for (let bits = Math.min(order.length, bitsEach * attributes); bits > attributes; bits -= attributes) {
    const part = order.slice(0, bits);
    if (stretches.reduce((sum, s) => sum + positionOf(s.To, part) - positionOf(s.From, part) + 1, 0) <= positionsMax) return part;
  }
  return order.slice(0, attributes);
}

/** curveOf lays stretches on the curve of an order. */
export function curveOf(stretches: Stretch[], whole: Order, shown: Shown): Curve {
  const order = fine(stretches, whole, shown);
  const attributes = attributesOf(order, shown);
  const ends = stretches.flatMap((s) => [s.From, s.To]).map((address) => cellAt(positionOf(address, order), order, attributes));
  const ofEach = (pick: (...values: number[]) => number) => Array.from({ length: attributes }, (_, i) => pick(...ends.map((cell) => cell[i]!)));
  const others = { low: ofEach(Math.min), high: ofEach(Math.max) };
  return { order, paths: stretches.map((s) => pathOf(positionOf(s.From, order), positionOf(s.To, order), order, shown, others)) };
}

/** backgroundOf is the curve itself, by a few bits; empty for an index over more than two attributes, whose curve fills every picture. */
export function backgroundOf(order: Order, shown: Shown): Curve {
  const part = order.slice(0, 12);
  return { order: part, paths: attributesOf(order, shown) > 2 ? [] : [pathOf(0, 2 ** part.length - 1, part, shown, { low: [], high: [] })] };
}
