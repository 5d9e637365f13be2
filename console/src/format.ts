// SPDX-License-Identifier: Apache-2.0

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** count writes a whole number with commas. */
export const count = (n: number): string => whole.format(n);

/** countedMax is up to how many entries the server counts; it estimates longer tables and indexes, each look anew. */
const countedMax = 50_000;

/** about writes a number that may be an estimate with no more digits than it is good for, so that it is the same wherever it stands. */
export const about = (n: number): string => (n > countedMax ? count(Number(n.toPrecision(2))) : count(n));

/** counted writes how many things there are. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${Math.round(n) === 1 ? one : many}`;

/** rate writes a number of things a second with three digits. */
export const rate = (n: number): string => (n >= 1000 ? whole.format(n) : short.format(n));

/** bytes writes a size in binary units. */
export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
  return `${i === 0 ? whole.format(n) : short.format(n)} ${units[i]}`;
}

/** seconds writes a duration in the unit that suits it. */
export function seconds(s: number): string {
  if (s < 0.001) return `${short.format(s * 1e6)} µs`;
  if (s < 1) return `${short.format(s * 1000)} ms`;
  if (s < 120) return `${short.format(s)} s`;
  if (s < 7200) return `${whole.format(s / 60)} min`;
  if (s < 172_800) return `${whole.format(s / 3600)} h`;
  return `${whole.format(s / 86_400)} d`;
}

/** percent writes a share. */
export const percent = (share: number): string => `${whole.format(100 * share)} %`;

/** clock writes a time of here as ISO 8601 does, without the date if it is of today. */
export function clock(ms: number): string {
  const at = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString();
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return isToday ? at.slice(11, 19) : at.slice(0, 19).replace("T", " ");
}

/** ago writes how long a moment of RFC 3339 is past. */
export const ago = (at: string): string => `${seconds(Math.max(1, Math.round((Date.now() - Date.parse(at)) / 1000)))} ago`;
