// SPDX-License-Identifier: Apache-2.0
//
// What the scripts for Node.js share: how they print, and how a section is chosen.

export const endpoint = process.env.DYNAMODB_ENDPOINT;

// show prints a value as one line, with the keys of objects and the members of sets in order.
export function show(label, value) {
  console.log(`${label}: ${plain(value)}`);
}

export function plain(value) {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
  if (value instanceof Set) return `<${[...value].map(plain).sort().join(", ")}>`;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map(plain).join(", ")}]`;
  if (typeof value === "bigint") return `${value}n`;
  if (value !== null && typeof value === "object") {
    return `{${Object.keys(value).sort().filter((k) => value[k] !== undefined && typeof value[k] !== "function").map((k) => `${k}=${plain(value[k])}`).join(", ")}}`;
  }
  return String(value);
}

// refused prints name, status and, if whole, the message of the error that a call must end with, and returns the error.
export async function refused(label, call, whole = true) {
  let answer;
  try {
    answer = await call();
  } catch (e) {
    show(label, [e.name, e.$metadata?.httpStatusCode ?? "client", ...(whole ? [e.message] : [])]);
    return e;
  }
  show(label, ["NOT REFUSED", answer]);
  return answer;
}

// schema makes a database and returns how to connect to it.
export async function schema(database) {
  const address = { host: process.env.SQL_HOST, port: Number(process.env.SQL_PORT), user: "root" };
  const { createConnection } = await import("mysql2/promise");
  const admin = await createConnection(address);
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.end();
  return { ...address, database };
}

// failed prints the number and the message of the SQL error that a call ends with, however the library wraps it, or what it returns.
export async function failed(label, call) {
  try {
    show(label, await call());
  } catch (e) {
    let cause = e;
    while (cause.errno === undefined && (cause.cause ?? cause.parent)) cause = cause.cause ?? cause.parent;
    show(label, [e.name, cause.errno, cause.sqlMessage ?? cause.message]);
  }
}

// sections runs the one that the command line names.
export async function sections(all) {
  await all[process.argv[2]]();
}
