// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { dynamo, explainScan, sql } from "../api";
import { clock, count, seconds } from "../format";
import { link } from "../route";
import { dynamoPlan, hbasePlan, sqlPlan, type DynamoPlan, type HBasePlan, type PlanNode, type SqlDocument } from "../query/plan";
import { PlanTree } from "../query/plan-tree";
import { Dialog } from "../parts/dialog";
import { moment, readRows, type Row } from "../parts/rows";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

const explained = /^\s*\(?\s*(SELECT|INSERT|REPLACE|UPSERT|UPDATE|DELETE|WITH)\b/i;

/** requestOf takes a slow request of DynamoDB's or HBase's API apart, if it is one that has a plan and is kept whole. */
function requestOf(r: Row): { operation: string; body: Record<string, unknown> } | undefined {
  const found = /^(Query|Scan) (\{.*)$/s.exec(r.STATEMENT!);
  if (r.API === "SQL" || !found) return undefined;
  try {
    return { operation: found[1]!, body: JSON.parse(found[2]!) as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

const hasPlan = (r: Row): boolean => (r.API === "SQL" ? explained.test(r.STATEMENT!) : requestOf(r) !== undefined);

/** Plan is how the server would run a statement now. */
function Plan({ row, close }: { row: Row; close: () => void }) {
  const request = requestOf(row);
  const plan = useResource<PlanNode[]>(async (abort) => {
    if (request && row.API === "HBase") return hbasePlan(await explainScan<HBasePlan>(request.body, "plan", abort));
    if (request) return dynamoPlan(await dynamo<DynamoPlan>(request.operation, request.body, { abort, explain: "true", database: row.TABLE_SCHEMA === "default" ? undefined : row.TABLE_SCHEMA }));
    const [result] = await sql(`EXPLAIN FORMAT=JSON ${row.STATEMENT}`, { database: row.TABLE_SCHEMA, abort });
    return sqlPlan(JSON.parse(result!.rows.map((r) => String(r[0])).join("")) as SqlDocument);
  }, []);
  return (
    <Dialog title="Plan, as it is now" close={close} wide>
      <p class="statement"><code>{row.STATEMENT}</code></p>
      {plan.error && <Failure error={plan.error} />}
      {!plan.value && !plan.error && <Loading what="the plan" />}
      {plan.value && <PlanTree nodes={plan.value} />}
      {!request && (
        <p>
          <a href={link("query", [], { sql: row.STATEMENT! })}>Open in Query</a>
        </p>
      )}
    </Dialog>
  );
}

/** Slow are the last statements that took at least long_query_time. */
export function Slow() {
  const rows = useResource((abort) => readRows("SELECT * FROM information_schema.WEFT_SLOW_STATEMENTS", abort), [], 5000);
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
        id={(r) => r.BEGUN! + r.SESSION! + r.SECONDS!}
        columns={[
          { title: "Statement", cell: (r) => <><code>{r.STATEMENT!.length > 300 ? r.STATEMENT!.slice(0, 300) + "…" : r.STATEMENT}</code>{r.API !== "SQL" && <span class="badge">{r.API}</span>}</> },
          { title: "Took", number: true, cell: (r) => seconds(Number(r.SECONDS)) },
          { title: "Waited for rows", number: true, cell: (r) => (Number(r.WAITED_SECONDS) ? seconds(Number(r.WAITED_SECONDS)) : "–") },
          { title: "Rows read", number: true, cell: (r) => count(Number(r.ROWS_READ)) },
          { title: "Rows out", number: true, cell: (r) => count(Number(r.ROWS_RETURNED) + Number(r.ROWS_WRITTEN)) },
          { title: "Seeks", number: true, cell: (r) => count(Number(r.SEEKS)) },
          { title: "User", cell: (r) => r.USER || "–" },
          { title: "At", cell: (r) => clock(moment(r.BEGUN!).getTime()) },
          { title: "Plan", hidden: true, cell: (r) => hasPlan(r) && <button type="button" onClick={() => (chosen.value = r)}>Plan</button> },
        ]}
      />
      {chosen.value && <Plan row={chosen.value} close={() => (chosen.value = undefined)} />}
    </>
  );
}
