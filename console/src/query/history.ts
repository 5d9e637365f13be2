// SPDX-License-Identifier: Apache-2.0

import { signal } from "@preact/signals";

/** Kept is a request that was run, or saved under a name. */
export interface Kept {
  dialect: "sql" | "dynamodb" | "hbase";
  text: string;
  database?: string;
  operation?: string;
  name?: string;
}

const historyMax = 50;

function stored(key: string) {
  let first: Kept[] = [];
  try {
    first = JSON.parse(localStorage.getItem(key) ?? "[]") as Kept[];
  } catch {
    // what another version has left is forgotten
  }
  const list = signal(first);
  list.subscribe((value) => localStorage.setItem(key, JSON.stringify(value)));
  return list;
}

export const history = stored("weft-history");
export const saved = stored("weft-saved");

const same = (a: Kept, b: Kept): boolean => a.dialect === b.dialect && a.text === b.text && a.operation === b.operation && a.database === b.database;

/** remember puts a request at the head of the history. */
export function remember(one: Kept): void {
  history.value = [one, ...history.value.filter((k) => !same(k, one))].slice(0, historyMax);
}

/** keep saves a request under a name, in place of another of that name. */
export function keep(one: Kept): void {
  saved.value = [...saved.value.filter((k) => k.name !== one.name), one].sort((a, b) => a.name!.localeCompare(b.name!));
}
