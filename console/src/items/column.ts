// SPDX-License-Identifier: Apache-2.0
//
// Values of columns that SQL declares, as SQL writes them: dates and times, which are stored as numbers, and decimals with all their digits.

import { letterOf } from "../tables/key";
import type { Column } from "../tables/table";
import { faultIn, textOf, type Attribute } from "./attribute";

const dayMS = 86_400_000;

/** zeroDate is MySQL's, which is stored as the day before the first one. */
const zeroDate = { text: "0000-00-00", day: -719_163 };

const dayText = (day: number): string => (day === zeroDate.day ? zeroDate.text : new Date(day * dayMS).toISOString().slice(0, 10));

/** dayOf reads a date; undefined if there is no such day. */
function dayOf(text: string): number | undefined {
  if (text === zeroDate.text) return zeroDate.day;
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(ms) || dayText(ms / dayMS) !== text ? undefined : ms / dayMS;
}

const isTime = (c: Column): boolean => /^TIME(\(|$)/.test(c.sql!);

/** perSecond is how many units of a column a second has. */
const perSecond = (c: Column): number => (c.unit === "us" ? 1_000_000 : 1000);

/** clockText writes units since midnight, with as many digits of a second as the type names, and more if there are any. */
function clockText(c: Column, units: number): string {
  const per = perSecond(c);
  const named = Number(/\((\d)\)$/.exec(c.sql!)?.[1] ?? 0);
  const fraction = String(units % per).padStart(per === 1000 ? 3 : 6, "0");
  const digits = Math.max(named, units % per ? fraction.replace(/0+$/, "").length : 0);
  const s = Math.floor(units / per);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}${digits ? `.${fraction.padEnd(digits, "0").slice(0, digits)}` : ""}`;
}

/** clockOf reads a time of day, or a duration, as units; undefined if it is none. */
function clockOf(c: Column, text: string): number | undefined {
  const [, h, m, s = "0", fraction = ""] = /^(\d{1,3}):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?$/.exec(text) ?? [];
  const digits = c.unit === "us" ? 6 : 3;
  if (h === undefined || Number(m) > 59 || Number(s) > 59 || /[1-9]/.test(fraction.slice(digits))) return undefined;
  return (Number(h) * 3600 + Number(m) * 60 + Number(s)) * perSecond(c) + Number(fraction.slice(0, digits).padEnd(digits, "0"));
}

/** perDay is how many units of a column a day has. Microseconds since 1970 need more digits than JavaScript's numbers have. */
const perDay = (c: Column): bigint => BigInt(86_400 * perSecond(c));

function temporalText(c: Column, n: bigint): string {
  if (c.unit === "days") return dayText(Number(n));
  if (isTime(c)) return (n < 0n ? "-" : "") + clockText(c, Math.abs(Number(n)));
  const rest = ((n % perDay(c)) + perDay(c)) % perDay(c);
  return `${dayText(Number((n - rest) / perDay(c)))} ${clockText(c, Number(rest))}`;
}

function temporalOf(c: Column, text: string): number | bigint | undefined {
  if (c.unit === "days") return dayOf(text);
  if (isTime(c)) {
    const n = clockOf(c, text.replace(/^-/, ""));
    return n !== undefined && text.startsWith("-") ? -n : n;
  }
  const [date = "", clock = "00:00:00"] = text.replace(/Z$/, "").split(/[ T]/);
  const [day, n] = [dayOf(date), clockOf(c, clock)];
  return day === undefined || n === undefined || n >= perDay(c) ? undefined : BigInt(day) * perDay(c) + BigInt(n);
}

/** shownOf writes a value for reading, as SQL does where it declares the column. */
export function shownOf(c: Column | undefined, a: Attribute): string {
  if (!c?.sql || !("N" in a)) return textOf(a);
  if (c.unit && /^-?\d{1,18}$/.test(a.N)) {
    try {
      return temporalText(c, BigInt(a.N));
    } catch {
      return a.N; // out of the range of dates
    }
  }
  const scale = Number(/^DECIMAL\(\d+,(\d+)\)/.exec(c.sql)?.[1] ?? 0);
  const [, whole, part = ""] = /^(-?\d+)(?:\.(\d+))?$/.exec(a.N) ?? [];
  return scale > 0 && whole !== undefined ? `${whole}.${part.padEnd(scale, "0")}` : a.N;
}

/** example is how a date or a time of a column is written. */
const example = (c: Column): string => (c.unit === "days" ? "2026-11-27" : isTime(c) ? "18:12:06" : "2026-11-27 18:12:06");

/** storedOf makes the value of a column out of what a person has typed. It throws an Error that says what is wrong. */
export function storedOf(c: Column, text: string): Attribute {
  const trimmed = text.trim();
  if (c.unit) {
    const n = temporalOf(c, trimmed);
    if (n === undefined) throw new Error(`${c.name}: ${JSON.stringify(text)} is no ${c.sql}, such as ${example(c)}`);
    return { N: String(n) };
  }
  const letter = letterOf(c.type);
  let a: Attribute = { S: text };
  if (letter === "N") a = { N: trimmed };
  if (letter === "B") a = { B: trimmed };
  if (letter === "BOOL") a = { BOOL: { true: true, false: false }[trimmed] as boolean };
  const fault = faultIn(a, c.name);
  if (fault) throw new Error(fault);
  if (/INT|^YEAR|^BIT/.test(c.sql ?? "") && "N" in a && !/^-?\d+$/.test(a.N)) throw new Error(`${c.name}: ${text} is no whole number, as ${c.sql} wants`);
  return a;
}
