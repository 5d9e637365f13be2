// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { sql } from "../api";
import { count, seconds } from "../format";
import { link } from "../route";
import { sqlPlan, type PlanNode } from "../query/plan";
import { PlanTree } from "../query/plan-tree";
import { Dialog } from "../parts/dialog";
import { moment, readRows, type Row } from "../parts/rows";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

const explained = /^\s*\(?\s*(SELECT|INSERT|REPLACE|UPSERT|UPDATE|DELETE|WITH)\b/i;

/** Plan is how the server would run a statement now. */
function Plan({ row, close }: { row: Row; close: () => void }) {
  const plan = useResource<PlanNode[]>(async (abort) => {
    const [result] = await sql(`EXPLAIN FORMAT=JSON ${row.sql_text}`, { database: row.db, abort });
    return sqlPlan(JSON.parse(result!.rows.map((r) => String(r[0])).join("")) as Record<string, unknown>);
  }, []);
  return (
    <Dialog title="Plan, as it is now" close={close} wide>
      <p class="statement"><code>{row.sql_text}</code></p>
      {plan.error && <Failure error={plan.error} />}
      {!plan.value && !plan.error && <Loading what="the plan" />}
      {plan.value && <PlanTree nodes={plan.value} />}
      <p>
        <a href={link("query", [], { sql: row.sql_text! })}>Open in Query</a>
      </p>
    </Dialog>
  );
}

/** Slow are the last statements that took at least long_query_time. */
export function Slow() {
  const rows = useResource((abort) => readRows("SELECT * FROM mysql.slow_log", abort), [], 5000);
  const chosen = useSignal<Row | undefined>(undefined);
  if (!rows.value) return rows.error ? <Failure error={rows.error} retry={rows.reload} /> : <Loading what="slow statements" />;
  if (rows.value.length === 0) {
    return (
      <p class="muted">
        No statement took as long as <code>long_query_time</code>, which is one second unless <code>SET GLOBAL long_query_time = 0.1</code> or the like changes it.
      </p>
    );
  }
  return (
    <>
      <Sheet
        rows={rows.value}
        id={(r) => r.start_time! + r.thread_id! + r.query_time!}
        columns={[
          { title: "Statement", cell: (r) => <code>{r.sql_text!.length > 300 ? r.sql_text!.slice(0, 300) + "…" : r.sql_text}</code> },
          { title: "Took", number: true, cell: (r) => seconds(Number(r.query_time)) },
          { title: "Waited for rows", number: true, cell: (r) => (Number(r.lock_time) ? seconds(Number(r.lock_time)) : "–") },
          { title: "Rows read", number: true, cell: (r) => count(Number(r.rows_examined)) },
          { title: "Rows out", number: true, cell: (r) => count(Number(r.rows_sent) + Number(r.rows_affected)) },
          { title: "Seeks", number: true, cell: (r) => count(Number(r.weft_seeks)) },
          { title: "User", cell: (r) => r.user_host!.replace(/\[.*$/, "") },
          { title: "At", cell: (r) => moment(r.start_time!).toLocaleTimeString("en-GB") },
          { title: "Plan", hidden: true, cell: (r) => explained.test(r.sql_text!) && <button type="button" onClick={() => (chosen.value = r)}>Plan</button> },
        ]}
      />
      {chosen.value && <Plan row={chosen.value} close={() => (chosen.value = undefined)} />}
    </>
  );
}
