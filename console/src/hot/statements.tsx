// SPDX-License-Identifier: Apache-2.0

import { count, percent, rate, seconds } from "../format";
import { link } from "../route";
import { readRows, type Row } from "../parts/rows";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

const digests = "performance_schema.events_statements_summary_by_digest";
const question = `SELECT * FROM ${digests} WHERE DIGEST_TEXT NOT LIKE '%_schema.%' AND DIGEST_TEXT NOT LIKE 'SHOW %' AND DIGEST_TEXT NOT LIKE '%mysql.slow_log%' ORDER BY SUM_TIMER_WAIT DESC LIMIT 25`;

const number = (r: Row, name: string): number => Number(r[name]);
const picoseconds = 1e12;

/** causeOf says what a statement's time went into, as far as its counts tell. */
export function causeOf(r: Row): string {
  const [took, waited] = [number(r, "SUM_TIMER_WAIT"), number(r, "SUM_LOCK_TIME")];
  const [examined, returned, written] = [number(r, "SUM_ROWS_EXAMINED"), number(r, "SUM_ROWS_SENT"), number(r, "SUM_ROWS_AFFECTED")];
  if (waited > 0.3 * took) return `Waits for rows that others hold: ${percent(waited / took)} of its time.`;
  const wanted = Math.max(1, returned + written);
  if (examined > 20 * wanted) return `Reads ${count(examined / wanted)} rows for each that it wants: an index may help.`;
  if (number(r, "SUM_ERRORS") > 0.2 * number(r, "COUNT_STAR")) return `${percent(number(r, "SUM_ERRORS") / number(r, "COUNT_STAR"))} of them fail.`;
  if (number(r, "AVG_TIMER_WAIT") < 0.01 * picoseconds) return "Each one is quick; there are many.";
  return "";
}

/** Statements are those of SQL that took longest together since the server's start, by their texts without literals. */
export function Statements() {
  const rows = useResource((abort) => readRows(question, abort), [], 5000);
  if (!rows.value) return rows.error ? <Failure error={rows.error} retry={rows.reload} /> : <Loading what="statements" />;
  if (rows.value.length === 0) return <p class="muted">No statement of SQL has run since the server’s start, or you lack the privilege PROCESS.</p>;
  const all = rows.value.reduce((n, r) => n + number(r, "SUM_TIMER_WAIT"), 0);
  return (
    <Sheet
      rows={rows.value}
      id={(r) => r.DIGEST! + r.SCHEMA_NAME!}
      columns={[
        { title: "Statement", cell: (r) => <><code>{r.DIGEST_TEXT}</code>{r.SCHEMA_NAME !== "default" && <div class="muted">in {r.SCHEMA_NAME}</div>}</> },
        { title: "Of the time", number: true, cell: (r) => percent(number(r, "SUM_TIMER_WAIT") / all) },
        { title: "Times", number: true, cell: (r) => count(number(r, "COUNT_STAR")) },
        { title: "Each", number: true, cell: (r) => seconds(number(r, "AVG_TIMER_WAIT") / picoseconds) },
        { title: "Longest", number: true, cell: (r) => seconds(number(r, "MAX_TIMER_WAIT") / picoseconds) },
        { title: "Waited for rows", number: true, cell: (r) => (number(r, "SUM_LOCK_TIME") ? seconds(number(r, "SUM_LOCK_TIME") / picoseconds) : "–") },
        { title: "Rows read", number: true, cell: (r) => rate(number(r, "SUM_ROWS_EXAMINED") / number(r, "COUNT_STAR")) },
        { title: "Rows out", number: true, cell: (r) => rate((number(r, "SUM_ROWS_SENT") + number(r, "SUM_ROWS_AFFECTED")) / number(r, "COUNT_STAR")) },
        { title: "Cause", cell: (r) => <span class="muted">{causeOf(r)} {causeOf(r).includes("an index") && <a href={link("advisor")}>Advisor</a>}</span> },
      ]}
    />
  );
}
