// SPDX-License-Identifier: Apache-2.0

import type { Signal } from "@preact/signals";
import { count } from "../format";
import { letterOf } from "../tables/key";
import type { Column } from "../tables/table";
import { keyTextOf, typeOf, type Item } from "./attribute";
import { operators, type Condition } from "./expression";

const types = [
  ["S", "text"],
  ["N", "number"],
  ["B", "binary, base64"],
  ["BOOL", "true or false"],
  ["NULL", "null"],
];

const titleOf = (letter: string): string => types.find(([type]) => type === letter)?.[1] ?? letter;

/** seenMax is of how many items the types are counted. */
const seenMax = 5000;

/** Seen counts the types of attributes in items that were read, whatever the filter was. An item that is read again counts once. */
export class Seen {
  private readonly keys = new Set<string>();
  private readonly types = new Map<string, Map<string, number>>();

  constructor(private readonly keyNames: string[]) {}

  get items(): number {
    return this.keys.size;
  }

  add(list: Item[]): void {
    for (const item of list) {
      if (this.items >= seenMax) return;
      const key = keyTextOf(this.keyNames, item);
      if (this.keys.has(key)) continue;
      this.keys.add(key);
      for (const [name, a] of Object.entries(item)) {
        const counts = this.types.get(name) ?? new Map<string, number>();
        this.types.set(name, counts.set(typeOf(a), (counts.get(typeOf(a)) ?? 0) + 1));
      }
    }
  }

  /** of lists the letters of an attribute's types, the most frequent first. */
  of(name: string): string[] {
    return [...(this.types.get(name) ?? [])].sort((a, b) => b[1] - a[1]).map(([letter]) => letter);
  }

  count(name: string, letter: string): number {
    return this.types.get(name)?.get(letter) ?? 0;
  }
}

/** typeFor is the type of a condition on an attribute: that of its column, or which items have had; undefined if neither is known. */
function typeFor(name: string, columns: Column[], seen: Seen): Partial<Condition> | undefined {
  const column = columns.find((c) => c.name === name);
  if (column?.unit) return { column, type: "column" };
  const letter = letterOf(column?.type ?? "") ?? seen.of(name)[0]?.replace(/(?<=^.)S$/, ""); // of a set, that of its members
  return letter && types.some(([type]) => type === letter) ? { column, type: letter } : undefined;
}

const letterOfType = (c: Condition): string => (c.type === "column" ? letterOf(c.column!.type)! : c.type);

/** Doubts says which conditions ask for a type that no item has had, and offers the one that they have. */
export function Doubts({ conditions, seen, apply }: { conditions: Signal<Condition[]>; seen: Seen; apply: () => void }) {
  const doubtful = conditions.value.flatMap((c) => {
    const [had] = seen.of(c.attribute);
    const letter = letterOfType(c);
    const compared = operators.find((o) => o.name === c.operator)!.values > 0 && !c.operator.startsWith("size") && c.operator !== "attribute_type";
    return compared && had && !seen.of(c.attribute).some((one) => one === letter || one === letter + "S" || one === "L") ? [{ c, had }] : [];
  });
  return (
    <>
      {doubtful.map(({ c, had }) => (
        <p key={c.attribute + c.operator}>
          The type of <code>{c.attribute}</code> is {titleOf(had)} in {seen.count(c.attribute, had) === seen.items ? `all ${count(seen.items)}` : `${count(seen.count(c.attribute, had))} of ${count(seen.items)}`} items read, and the condition asks for {titleOf(letterOfType(c))}.{" "}
          {types.some(([type]) => type === had) && (
            <button
              type="button"
              onClick={() => {
                conditions.value = conditions.value.map((one) => (one === c ? { ...c, type: had } : one));
                apply();
              }}
            >
              Ask for {titleOf(had)}
            </button>
          )}
        </p>
      ))}
    </>
  );
}

/** Filter edits the conditions that items must meet, all of them. */
export function Filter({ conditions, names, columns, seen, apply }: { conditions: Signal<Condition[]>; names: string[]; columns: Column[]; seen: Seen; apply: () => void }) {
  const change = (i: number, part: Partial<Condition>) => (conditions.value = conditions.value.map((c, j) => (i === j ? { ...c, ...part } : c)));
  const name = (i: number, attribute: string) => change(i, { attribute, column: undefined, ...(conditions.value[i]!.type === "column" ? { type: "S" } : {}), ...typeFor(attribute, columns, seen) });
  return (
    <form
      class="filter"
      onSubmit={(e) => {
        e.preventDefault();
        apply();
      }}
    >
      <datalist id="attribute-names">
        {names.map((n) => (
          <option key={n} value={n} />
        ))}
      </datalist>
      {conditions.value.map((c, i) => {
        const takes = operators.find((o) => o.name === c.operator)!.values;
        const typed = takes > 0 && !c.operator.startsWith("size") && c.operator !== "attribute_type";
        return (
          <div class="bar" key={i}>
            <input list="attribute-names" aria-label="Attribute" placeholder="attribute" required value={c.attribute} onInput={(e) => name(i, e.currentTarget.value)} />
            <select aria-label="Operator" value={c.operator} onChange={(e) => change(i, { operator: e.currentTarget.value })}>
              {operators.map((o) => (
                <option key={o.name} value={o.name}>
                  {o.title}
                </option>
              ))}
            </select>
            {typed && (
              <select aria-label="Type" value={c.type} onChange={(e) => change(i, { type: e.currentTarget.value })}>
                {c.column?.unit && <option value="column">{c.column.sql}</option>}
                {types.map(([type, title]) => (
                  <option key={type} value={type}>
                    {title}
                  </option>
                ))}
              </select>
            )}
            {takes > 0 && c.type !== "NULL" && <input aria-label="Value" placeholder={c.operator === "IN" ? "values, by commas" : c.type === "BOOL" ? "true or false" : "value"} value={c.value} onInput={(e) => change(i, { value: e.currentTarget.value })} />}
            {takes > 1 && <input aria-label="Upper value" placeholder="upper value" value={c.other} onInput={(e) => change(i, { other: e.currentTarget.value })} />}
            <button type="button" class="quiet" aria-label="Remove this condition" onClick={() => (conditions.value = conditions.value.filter((_, j) => j !== i))}>
              ✕
            </button>
          </div>
        );
      })}
      <div class="bar">
        <button type="button" onClick={() => (conditions.value = [...conditions.value, { attribute: "", operator: "=", type: "S", value: "", other: "" }])}>
          Add a condition
        </button>
        <button type="submit" class="primary">
          Read
        </button>
      </div>
    </form>
  );
}
