// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";

/** Column is a column of a Sheet: its title, and what stands in a row. */
export interface Column<T> {
  title: string;
  number?: boolean;
  hidden?: boolean; // the title is for screen readers alone
  cell: (row: T) => ComponentChildren;
}

/** Sheet is a table of few rows, all of which are elements. The first column names the row. */
export function Sheet<T>({ columns, rows, id }: { columns: Column<T>[]; rows: T[]; id: (row: T) => string }) {
  return (
    <table class="plain">
      <thead>
        <tr>
          {columns.map((c) => (
            <th key={c.title} scope="col" class={c.number ? "number" : ""}>
              {c.hidden ? <span class="hidden">{c.title}</span> : c.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={id(row)}>
            {columns.map((c, i) =>
              i === 0 ? (
                <th key={c.title} scope="row" class={c.number ? "number" : "statement"}>{c.cell(row)}</th>
              ) : (
                <td key={c.title} class={c.number ? "number" : "statement"}>{c.cell(row)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
