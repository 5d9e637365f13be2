// SPDX-License-Identifier: Apache-2.0

import type { Signal } from "@preact/signals";
import { operators, type Condition } from "./expression";

const types = [
  ["S", "text"],
  ["N", "number"],
  ["B", "binary, base64"],
  ["BOOL", "true or false"],
  ["NULL", "null"],
];

/** Filter edits the conditions that items must meet, all of them. */
export function Filter({ conditions, names, apply }: { conditions: Signal<Condition[]>; names: string[]; apply: () => void }) {
  const change = (i: number, part: Partial<Condition>) => (conditions.value = conditions.value.map((c, j) => (i === j ? { ...c, ...part } : c)));
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
            <input list="attribute-names" aria-label="Attribute" placeholder="attribute" required value={c.attribute} onInput={(e) => change(i, { attribute: e.currentTarget.value })} />
            <select aria-label="Operator" value={c.operator} onChange={(e) => change(i, { operator: e.currentTarget.value })}>
              {operators.map((o) => (
                <option key={o.name} value={o.name}>
                  {o.title}
                </option>
              ))}
            </select>
            {typed && (
              <select aria-label="Type" value={c.type} onChange={(e) => change(i, { type: e.currentTarget.value })}>
                {types.map(([type, title]) => (
                  <option key={type} value={type}>
                    {title}
                  </option>
                ))}
              </select>
            )}
            {takes > 0 && c.type !== "NULL" && <input aria-label="Value" placeholder={c.operator === "IN" ? "values, by commas" : "value"} value={c.value} onInput={(e) => change(i, { value: e.currentTarget.value })} />}
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
