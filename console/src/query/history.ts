// SPDX-License-Identifier: Apache-2.0

import { computed, effect, signal } from "@preact/signals";
import { session } from "../api";

/** Kept is a request that was run, or saved under a name. */
export interface Kept {
  dialect: "sql" | "dynamodb" | "partiql" | "hbase";
  text: string;
  database?: string;
  operation?: string;
  name?: string;
}

const historyMax = 50;

/** What was run is kept for this tab and until the sign-out; what was saved under a name is kept for its user. Texts may hold data of the tables. */
export const history = signal<Kept[]>([]);
export const saved = signal<Kept[]>([]);

const historyKey = "weft-history";
const savedKey = "weft-saved";

const keyOf = (key: string): string => (session.peek().user ? `${key}/${session.peek().user}` : key);

function read(storage: Storage, key: string): Kept[] {
  try {
    return JSON.parse(storage.getItem(keyOf(key)) ?? "[]") as Kept[];
  } catch {
    return []; // what another version has left is forgotten
  }
}

localStorage.removeItem(historyKey); // of a version that kept it there
const user = computed(() => session.value.user);
effect(() => {
  void user.value;
  history.value = read(sessionStorage, historyKey);
  saved.value = read(localStorage, savedKey);
});

/** isSecret tells a statement that may hold a password, which is never kept. */
export const isSecret = (one: Kept): boolean => one.dialect === "sql" && /\b(identified|password)\b/i.test(one.text);

const same = (a: Kept, b: Kept): boolean => a.dialect === b.dialect && a.text === b.text && a.operation === b.operation && a.database === b.database;

/** remember puts a request at the head of the history. */
export function remember(one: Kept): void {
  if (isSecret(one)) return;
  history.value = [one, ...history.value.filter((k) => !same(k, one))].slice(0, historyMax);
  sessionStorage.setItem(keyOf(historyKey), JSON.stringify(history.peek()));
}

/** keep saves a request under a name, in place of another of that name. */
export function keep(one: Kept): void {
  if (isSecret(one)) return;
  saved.value = [...saved.value.filter((k) => k.name !== one.name), one].sort((a, b) => a.name!.localeCompare(b.name!));
  localStorage.setItem(keyOf(savedKey), JSON.stringify(saved.peek()));
}
