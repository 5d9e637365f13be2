// SPDX-License-Identifier: Apache-2.0

import { dynamo, type Fault } from "../api";
import type { Table } from "../tables/table";
import type { Item } from "./attribute";

/** save lets the browser keep a text as a file. */
export function save(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** atOnce is how many requests are on their way: browsers open six connections to a server. */
const atOnce = 5;

/** inParallel works on all of a list, several at once, and tells how many are done. The first failure ends it. */
export async function inParallel<T>(list: T[], told: (done: number) => void, work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  let done = 0;
  let failed = false;
  const lane = async () => {
    while (next < list.length && !failed) {
      try {
        await work(list[next++]!);
      } catch (e) {
        failed = true;
        throw e;
      }
      told(++done);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnce, list.length) }, lane));
  const fault = ends.find((end) => end.status === "rejected");
  if (fault) throw fault.reason;
}

/** writeUnchanged sends a conditional write for each item, and returns those whose condition did not hold: somebody has changed them meanwhile. */
export async function writeUnchanged(table: Table, operation: string, items: Item[], requestOf: (item: Item) => unknown, told: (done: number) => void): Promise<Item[]> {
  const left: Item[] = [];
  await inParallel(items, told, async (item) => {
    try {
      await dynamo(operation, requestOf(item), { database: table.database });
    } catch (e) {
      if ((e as Fault).kind !== "ConditionalCheckFailedException") throw e;
      left.push(item);
    }
  });
  return left;
}

const chunks = <T>(list: T[], size: number): T[][] => Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

const batchGetMax = 100;

/** getAll reads the items of keys, 100 at once. Their order is any. */
export async function getAll(table: Table, keys: Item[], told: (done: number) => void): Promise<Item[]> {
  const found: Item[] = [];
  let done = 0;
  await inParallel(chunks(keys, batchGetMax), () => undefined, async (some) => {
    for (let wanted = some; wanted.length > 0; ) {
      const answer = await dynamo<{ Responses?: Record<string, Item[]>; UnprocessedKeys?: Record<string, { Keys: Item[] }> }>("BatchGetItem", { RequestItems: { [table.name]: { Keys: wanted, ConsistentRead: true } } }, { database: table.database });
      found.push(...(answer.Responses?.[table.name] ?? []));
      wanted = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
    }
    told((done += some.length));
  });
  return found;
}
