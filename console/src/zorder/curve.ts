// SPDX-License-Identifier: Apache-2.0

/** sideBits is how many bits of each attribute the picture shows: 64 × 64 cells. */
export const sideBits = 6;
export const side = 1 << sideBits;

/** Point is a cell of the picture. first and second are the attributes in the order of the index. */
export interface Point {
  first: number;
  second: number;
}

/** cellAt is where the curve is after so many steps: the bits of the position belong to the attributes in turn, the highest to the first. */
export function cellAt(position: number): Point {
  let first = 0;
  let second = 0;
  for (let bit = sideBits - 1; bit >= 0; bit--) {
    first = (first << 1) | ((position >> (2 * bit + 1)) & 1);
    second = (second << 1) | ((position >> (2 * bit)) & 1);
  }
  return { first, second };
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
export function runsOf(box: Box): Run[] {
  const [a, b] = cellsOf(box.first);
  const [c, d] = cellsOf(box.second);
  const runs: Run[] = [];
  for (let position = 0; position < side * side; position++) {
    const { first, second } = cellAt(position);
    if (first < a || first > b || second < c || second > d) continue;
    const last = runs.at(-1);
    if (last && last.to === position - 1) last.to = position;
    else runs.push({ from: position, to: position });
  }
  return runs;
}
