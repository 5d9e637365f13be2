// SPDX-License-Identifier: Apache-2.0

/** sideBits is how many bits of each attribute the picture shows: 64 × 64 cells. */
export const sideBits = 6;
export const side = 1 << sideBits;

/** Point is a cell of the picture. first and second are the attributes in the order of the index. */
export interface Point {
  first: number;
  second: number;
}

/** Order says which attribute each bit of a position belongs to, the highest bit first: 0 for the first attribute, 1 for the second. */
export type Order = number[];

/** orderOf reads the order of the bits from a key such as zorder(a u8, b u8; order=ab2(ab)4): what it says of the first bits, and then in turn, as far as the picture shows bits. */
export function orderOf(key: string[]): Order {
  const text = key.map((part) => part.match(/;\s*order=([a-h0-9()]*)\)$/)?.[1]).find(Boolean) ?? "";
  const repeated = (letters: string, times: string) => letters.repeat(Math.min(64, Number(times || 1)));
  const letters = text.replace(/\(([a-h]\d*(?:[a-h]\d*)*)\)(\d*)/g, (_, group: string, times: string) => repeated(group.replace(/([a-h])(\d+)/g, (_, letter: string, n: string) => repeated(letter, n)), times)).replace(/([a-h])(\d+)/g, (_, letter: string, n: string) => repeated(letter, n));
  const left = [sideBits, sideBits];
  const order: Order = [];
  for (const owner of [...[...letters].map((c) => c.charCodeAt(0) - 97), ...Array.from({ length: 2 * sideBits }, (_, i) => i % 2)]) {
    if (left[owner] !== undefined && left[owner]! > 0) {
      left[owner]!--;
      order.push(owner);
    }
  }
  for (const owner of [0, 1]) order.push(...Array<number>(left[owner]!).fill(owner));
  return order;
}

/** cellAt is where the curve is after so many steps. */
export function cellAt(position: number, order: Order): Point {
  const cell: [number, number] = [0, 0];
  order.forEach((owner, i) => (cell[owner as 0 | 1] = (cell[owner as 0 | 1] << 1) | ((position >> (order.length - 1 - i)) & 1)));
  return { first: cell[0], second: cell[1] };
}

/** Box is a range of codes of both attributes, as shares of all codes: 0 to 1. */
export interface Box {
  first: [number, number];
  second: [number, number];
}

/** cellsOf are the first and the last cell that a range of codes touches. */
export const cellsOf = ([from, to]: [number, number]): [number, number] => [Math.floor(from * side), Math.min(side - 1, Math.floor(to * side))];

/** Run is a stretch of the curve within a box: a range that is read without a jump. */
export interface Run {
  from: number;
  to: number; // the last position in it
}

/** runsOf cuts the part of the curve that lies in a box into runs, in the order in which they are read. */
export function runsOf(box: Box, order: Order): Run[] {
  const [a, b] = cellsOf(box.first);
  const [c, d] = cellsOf(box.second);
  const runs: Run[] = [];
  for (let position = 0; position < side * side; position++) {
    const { first, second } = cellAt(position, order);
    if (first < a || first > b || second < c || second > d) continue;
    const last = runs.at(-1);
    if (last && last.to === position - 1) last.to = position;
    else runs.push({ from: position, to: position });
  }
  return runs;
}
