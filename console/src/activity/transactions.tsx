// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { sql } from "../api";
import { count, seconds } from "../format";
import { itemOf } from "../hot/waits";
import { moment, readRows, type Row } from "../parts/rows";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

const since = (text: string): string => seconds(Math.max(0, (Date.now() - moment(text).getTime()) / 1000));

/** Transactions are those that sessions of SQL have open. */
export function Transactions() {
  const rows = useResource((abort) => readRows("SELECT * FROM information_schema.INNODB_TRX ORDER BY trx_started", abort), [], 2000);
  const error = useSignal("");
  const end = async (session: string) => {
    try {
      error.value = "";
      await sql(`KILL CONNECTION ${session}`);
      rows.reload();
    } catch (e) {
      error.value = (e as Error).message;
    }
  };
  if (!rows.value) return rows.error ? <Failure error={rows.error} retry={rows.reload} /> : <Loading what="transactions" />;
  return (
    <>
      {error.value && <Failure error={new Error(error.value)} />}
      {rows.value.length === 0 && <p class="muted">No session has a transaction open.</p>}
      {rows.value.length > 0 && (
        <Sheet
          rows={rows.value}
          id={(r) => r.trx_mysql_thread_id!}
          columns={[
            { title: "Session", number: true, cell: (r) => r.trx_mysql_thread_id },
            { title: "User", cell: (r) => r.trx_weft_user },
            { title: "Open for", number: true, cell: (r) => since(r.trx_started!) },
            { title: "Isolation", cell: (r) => `${r.trx_isolation_level!.toLowerCase()}${r.trx_is_read_only === "1" ? ", read only" : ""}` },
            { title: "Statements", number: true, cell: (r) => count(Number(r.trx_weft_statements)) },
            { title: "Rows held", number: true, cell: (r) => count(Number(r.trx_rows_locked)) },
            { title: "Doing", cell: (r) => (r.trx_operation_state === "RUNNING" ? <code>{r.trx_query || "a statement"}</code> : <span class="muted">waits for its client</span>) },
            { title: "End", hidden: true, cell: (r) => <button type="button" class="danger" aria-label={`End the transaction of session ${r.trx_mysql_thread_id}`} onClick={() => void end(r.trx_mysql_thread_id!)}>End it</button> },
          ]}
        />
      )}
    </>
  );
}

const party = (session: string): string => (session === "0" ? "a request outside of sessions" : `session ${session}`);

/** Waiting is who waits for a row that another one holds now. */
export function Waiting() {
  const rows = useResource((abort) => readRows("SELECT * FROM information_schema.WEFT_ROW_WAITING", abort), [], 2000);
  if (!rows.value) return rows.error ? <Failure error={rows.error} retry={rows.reload} /> : <Loading what="waiting requests" />;
  if (rows.value.length === 0) return <p class="muted">Nobody waits for a row.</p>;
  return (
    <Sheet
      rows={rows.value}
      id={(r: Row) => `${r.SESSION} ${r.BEGUN} ${r.ROW_KEY}`}
      columns={[
        { title: "Row", cell: itemOf },
        { title: "Who waits", cell: (r) => party(r.SESSION!) },
        { title: "For", cell: (r) => party(r.HOLDER!) },
        { title: "Since", number: true, cell: (r) => seconds(Number(r.SECONDS)) },
      ]}
    />
  );
}
