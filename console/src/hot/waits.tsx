// SPDX-License-Identifier: Apache-2.0

import { count, seconds } from "../format";
import { link } from "../route";
import { readRows, type Row } from "../parts/rows";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

/** itemOf names the row of a line of the server's tables about waiting. */
export function itemOf(r: Row) {
  if (!r.TABLE_NAME) return <span class="muted">a row of a statement that writes several</span>;
  const table = r.TABLE_SCHEMA === "default" ? r.TABLE_NAME : `${r.TABLE_SCHEMA}.${r.TABLE_NAME}`;
  return (
    <>
      <code>{r.ROW_KEY}</code> of <a href={link("tables", [table])}>{table}</a>
    </>
  );
}

/** causeOf says what makes others wait for a row. */
function causeOf(r: Row): string {
  const each = Number(r.SECONDS) / Number(r.WAITS);
  if (Number(r.GAVE_UP) > 0.1 * Number(r.WAITS)) return "Transactions hold the row for longer than others wait: end them sooner, or write the row last.";
  if (each > 0.1) return "Transactions hold the row while they do other things: write it last.";
  return "Many write this one row, in turn: spread it over several rows.";
}

/** Waits are the rows that writers waited for since the server's start. */
export function Waits() {
  const rows = useResource((abort) => readRows("SELECT * FROM information_schema.WEFT_ROW_WAITS ORDER BY SECONDS DESC LIMIT 25", abort), [], 5000);
  if (!rows.value) return rows.error ? <Failure error={rows.error} retry={rows.reload} /> : <Loading what="waiting times" />;
  if (rows.value.length === 0) return <p class="muted">Nobody has waited for a row since the server’s start, or you lack the privilege PROCESS.</p>;
  return (
    <Sheet
      rows={rows.value}
      id={(r) => `${r.TABLE_SCHEMA} ${r.TABLE_NAME} ${r.ROW_KEY} ${r.SECONDS}`}
      columns={[
        { title: "Row", cell: itemOf },
        { title: "Waited together", number: true, cell: (r) => seconds(Number(r.SECONDS)) },
        { title: "Times", number: true, cell: (r) => count(Number(r.WAITS)) },
        { title: "Longest", number: true, cell: (r) => seconds(Number(r.LONGEST_SECONDS)) },
        { title: "Gave up", number: true, cell: (r) => count(Number(r.GAVE_UP)) },
        { title: "Cause", cell: (r) => <span class="muted">{causeOf(r)}</span> },
      ]}
    />
  );
}
