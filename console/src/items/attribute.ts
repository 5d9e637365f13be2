// SPDX-License-Identifier: Apache-2.0

/** Attribute is a value in DynamoDB's JSON. Numbers are texts, so that no digit is lost. */
export type Attribute =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: Attribute[] }
  | { M: Item }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] };

/** Item is an item, or its key, in DynamoDB's JSON. */
export interface Item {
  [name: string]: Attribute;
}

/** typeOf is DynamoDB's letters of a value's type. */
export const typeOf = (a: Attribute): string => Object.keys(a)[0] ?? "";

/** textOf writes a value in one line, for reading. */
export function textOf(a: Attribute): string {
  if ("S" in a) return a.S;
  if ("N" in a) return a.N;
  if ("B" in a) return a.B;
  if ("BOOL" in a) return String(a.BOOL);
  if ("NULL" in a) return "null";
  if ("L" in a) return `[${a.L.map(nested).join(", ")}]`;
  if ("M" in a) return `{${Object.entries(a.M).map(([k, v]) => `${k}: ${nested(v)}`).join(", ")}}`;
  if ("SS" in a) return `{${a.SS.map((s) => JSON.stringify(s)).join(", ")}}`;
  if ("NS" in a) return `{${a.NS.join(", ")}}`;
  return `{${a.BS.join(", ")}}`;
}

const nested = (a: Attribute): string => ("S" in a ? JSON.stringify(a.S) : textOf(a));

/** attributeOf makes a value of what a person has typed for a type. */
export function attributeOf(type: string, text: string): Attribute {
  switch (type) {
    case "N":
      return { N: text.trim() };
    case "B":
      return { B: text.trim() };
    case "BOOL":
      return { BOOL: text.trim() === "true" };
    case "NULL":
      return { NULL: true };
    default:
      return { S: text };
  }
}

const numberForm = /^([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?$/;

/** numberParts takes a number apart: its digits without zeros at the ends, and the power of ten of the first one. */
function numberParts(text: string): { sign: string; digits: string; power: number } | undefined {
  const [, sign, mantissa, exponent] = numberForm.exec(text) ?? [];
  if (mantissa === undefined) return undefined;
  const [whole, part = ""] = mantissa.split(".") as [string, string?];
  const all = whole + part;
  const digits = all.replace(/^0+/, "").replace(/0+$/, "");
  const power = Number(exponent ?? 0) + whole.length - 1 - /^0*/.exec(all)![0].length;
  return digits ? { sign: sign === "-" ? "-" : "", digits, power } : { sign: "", digits: "", power: 0 };
}

/** numberKey is the same text for numbers that are equal. */
function numberKey(text: string): string {
  const n = numberParts(text);
  return n ? `${n.sign}${n.digits}e${n.power}` : text;
}

/** numberFault says what is wrong with a number as DynamoDB has them, "" if nothing is. */
function numberFault(text: string): string {
  const n = numberParts(text);
  if (!n) return `${JSON.stringify(text)} is no number`;
  if (n.digits.length > 38) return `${text} has ${n.digits.length} digits, and a number 38 at most`;
  return n.digits && (n.power < -130 || n.power > 125) ? `${text} is out of the range of numbers, 1E-130 to 9.9E+125` : "";
}

const shapes: Record<string, (v: unknown) => boolean> = {
  S: (v) => typeof v === "string",
  N: (v) => typeof v === "string" && !numberFault(v),
  B: (v) => typeof v === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(v) && v.length % 4 === 0,
  BOOL: (v) => typeof v === "boolean",
  NULL: (v) => v === true,
  SS: (v) => Array.isArray(v) && v.length > 0 && v.every((s) => shapes.S!(s)),
  NS: (v) => Array.isArray(v) && v.length > 0 && v.every((s) => shapes.N!(s)),
  BS: (v) => Array.isArray(v) && v.length > 0 && v.every((s) => shapes.B!(s)),
};

/** faultIn says what is wrong with a value, "" if nothing is. */
export function faultIn(a: unknown, at: string): string {
  const types = a !== null && typeof a === "object" && !Array.isArray(a) ? Object.keys(a) : [];
  if (types.length !== 1) return `${at}: write a value as {"type": value}, such as {"S": "text"} or {"N": "1.5"}`;
  const type = types[0]!;
  const value = (a as Record<string, unknown>)[type];
  if (type === "L" && Array.isArray(value)) return value.map((v, i) => faultIn(v, `${at}[${i}]`)).find(Boolean) ?? "";
  if (type === "M" && value !== null && typeof value === "object" && !Array.isArray(value)) {
    return Object.entries(value).map(([k, v]) => faultIn(v, `${at}.${k}`)).find(Boolean) ?? "";
  }
  if (shapes[type]?.(value)) return "";
  if (type === "N" && typeof value === "string") return `${at}: ${numberFault(value)}`;
  return `${at}: ${JSON.stringify(value)} is no value of the type ${type}${type === "N" ? ': numbers are texts, as {"N": "1.5"}' : ""}`;
}

/** parseItem reads an item that a person has typed. It throws an Error that says what is wrong. */
export function parseItem(text: string): Item {
  const item = JSON.parse(text) as unknown;
  if (item === null || typeof item !== "object" || Array.isArray(item)) throw new Error('Write an object of attributes, such as {"id": {"S": "1"}}.');
  const fault = Object.entries(item).map(([name, a]) => faultIn(a, name)).find(Boolean);
  if (fault) throw new Error(fault);
  return item as Item;
}

/** writeItem prints an item for editing: an attribute a line, deeper where one is long. */
export function writeItem(item: Item): string {
  const lines = Object.entries(item).map(([name, a]) => {
    const short = JSON.stringify(a).replace(/^\{("[A-Z]+"):/, "{$1: ");
    return `  ${JSON.stringify(name)}: ${short.length <= 100 ? short : JSON.stringify(a, null, 2).replaceAll("\n", "\n  ")}`;
  });
  return `{\n${lines.join(",\n")}\n}`;
}

/** same compares values as the database does: the order in sets and maps means nothing. */
export function same(a: Attribute | undefined, b: Attribute | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonical(a) === canonical(b));
}

function canonical(a: Attribute): string {
  if ("M" in a) return `M{${Object.keys(a.M).sort().map((k) => JSON.stringify(k) + canonical(a.M[k]!)).join()}}`;
  if ("L" in a) return `L[${a.L.map(canonical).join()}]`;
  if ("N" in a) return `N${numberKey(a.N)}`;
  if ("NS" in a) return `NS${JSON.stringify(a.NS.map(numberKey).sort())}`;
  for (const type of ["SS", "BS"] as const) if (type in a) return type + JSON.stringify([...(a as unknown as Record<string, string[]>)[type]!].sort());
  return JSON.stringify(a);
}

/** keyTextOf is the same text for items of the same key. */
export const keyTextOf = (names: string[], item: Item): string => names.map((k) => (item[k] ? canonical(item[k]) : "")).join("\n");

/** keyOf is the key of an item. */
export const keyOf = (names: string[], item: Item): Item => Object.fromEntries(names.filter((k) => item[k]).map((k) => [k, item[k]!]));

/** Difference is an attribute that an edit changes. */
export interface Difference {
  name: string;
  before?: Attribute;
  after?: Attribute;
}

/** differences lists what turns one item into another. */
export function differences(before: Item, after: Item): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !same(before[name], after[name])).map((name) => ({ name, before: before[name], after: after[name] }));
}
