// SPDX-License-Identifier: Apache-2.0

import { count, counted, percent, rate, seconds } from "../format";
import { link } from "../route";
import { readRows, type Row } from "../parts/rows";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

const question = "SELECT * FROM information_schema.WEFT_STATEMENTS WHERE STATEMENT NOT LIKE '%_schema.%' AND STATEMENT NOT LIKE 'SHOW %' AND STATEMENT NOT LIKE '%mysql.slow_log%' ORDER BY SECONDS DESC LIMIT 25";

const number = (r: Row, name: string): number => Number(r[name]);
const each = (r: Row): number => number(r, "SECONDS") / number(r, "TIMES");

/** isMany is from how many times on a quick statement is busy for being many. */
const isMany = 1000;

/** causeOf says what a statement's time went into: FULL_SCANS counts the plans that nothing bounded, the other counts say what came of them. */
export function causeOf(r: Row): string {
  const [took, waited, times, errors] = [number(r, "SECONDS"), number(r, "WAITED_SECONDS"), number(r, "TIMES"), number(r, "ERRORS")];
  const [read, wanted] = [number(r, "ROWS_READ"), Math.max(1, number(r, "ROWS_RETURNED") + number(r, "ROWS_WRITTEN"))];
  if (waited > 0.3 * took) return `Waits for rows that others hold: ${percent(waited / took)} of its time.`;
  if (errors > 0.2 * times) return `${percent(errors / times)} of them fail.`;
  const filters = / (WHERE|HAVING|FILTER) /.test(r.STATEMENT!);
  if (number(r, "FULL_SCANS") > 0.1 * times && read > 20 * times) {
    return filters && read > 20 * wanted ? `Goes through a whole table or index, ${counted(read / wanted, "row")} for each that it wants: an index may help.` : "Goes through a whole table or index, as it asks for.";
  }
  if (read > 20 * wanted) return `Its index leads to ${counted(read / wanted, "row")} for each that it wants.`;
  if (each(r) < 0.01 && times >= isMany) return "Each one is quick; there are many.";
  return "";
}

/** Statements are those of all APIs that took longest together since the server's start, by their texts without values. */
export function Statements() {
  const rows = useResource((abort) => readRows(question, abort), [], 5000);
  if (!rows.value) return rows.error ? <Failure error={rows.error} retry={rows.reload} /> : <Loading what="statements" />;
  if (rows.value.length === 0) return <p class="muted">No statement has run since the server’s start, or you lack the privilege PROCESS.</p>;
  const all = rows.value.reduce((n, r) => n + number(r, "SECONDS"), 0);
  return (
    <Sheet
      rows={rows.value}
      id={(r) => `${r.API} ${r.TABLE_SCHEMA} ${r.STATEMENT}`}
      columns={[
        { title: "Statement", cell: (r) => <><code>{r.STATEMENT}</code>{r.API !== "SQL" && <span class="badge">{r.API}</span>}{r.TABLE_SCHEMA !== "default" && <div class="muted">in {r.TABLE_SCHEMA}</div>}</> },
        { title: "Of the time", number: true, cell: (r) => percent(number(r, "SECONDS") / all) },
        { title: "Times", number: true, cell: (r) => count(number(r, "TIMES")) },
        { title: "Each", number: true, cell: (r) => seconds(each(r)) },
        { title: "Longest", number: true, cell: (r) => seconds(number(r, "LONGEST_SECONDS")) },
        { title: "Waited for rows", number: true, cell: (r) => (number(r, "WAITED_SECONDS") ? seconds(number(r, "WAITED_SECONDS")) : "–") },
        { title: "Rows read", number: true, cell: (r) => rate(number(r, "ROWS_READ") / number(r, "TIMES")) },
        { title: "Rows out", number: true, cell: (r) => rate((number(r, "ROWS_RETURNED") + number(r, "ROWS_WRITTEN")) / number(r, "TIMES")) },
        { title: "Cause", cell: (r) => <span class="muted">{causeOf(r)} {causeOf(r).includes("an index") && <a href={link("advisor")}>Advisor</a>}</span> },
      ]}
    />
  );
}
