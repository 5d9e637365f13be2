// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { sql, type SqlValue } from "../api";
import { seconds } from "../format";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

interface Process {
  id: string;
  user: string;
  host: string;
  database: string;
  command: string;
  seconds: number;
  state: string;
  statement: string;
}

const text = (v: SqlValue | undefined): string => (typeof v === "string" ? v : "");

/** readProcesses lists the connections, the statement that lists them aside. */
async function readProcesses(abort: AbortSignal): Promise<Process[]> {
  const [result] = await sql("SHOW FULL PROCESSLIST", { abort });
  const of = (row: SqlValue[]): Process => ({
    id: text(row[0]), user: text(row[1]), host: text(row[2]), database: text(row[3]), command: text(row[4]), seconds: Number(text(row[5])), state: text(row[6]), statement: text(row[7]),
  });
  return (result?.rows ?? []).map(of).filter((p) => p.statement !== "SHOW FULL PROCESSLIST");
}

/** Sessions are the connections of SQL's clients, and what they run. */
export function Sessions() {
  const processes = useResource(readProcesses, [], 2000);
  const error = useSignal("");
  const kill = async (id: string, whole: boolean) => {
    try {
      error.value = "";
      await sql(`KILL ${whole ? "CONNECTION" : "QUERY"} ${id}`);
      processes.reload();
    } catch (e) {
      error.value = (e as Error).message;
    }
  };
  if (!processes.value) return processes.error ? <Failure error={processes.error} retry={processes.reload} /> : <Loading what="sessions" />;
  const list = [...processes.value].sort((a, b) => Number(b.statement !== "") - Number(a.statement !== "") || b.seconds - a.seconds);
  return (
    <>
      {error.value && <Failure error={new Error(error.value)} />}
      {list.length === 0 && <p class="muted">No SQL client is connected.</p>}
      {list.length > 0 && (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col" class="number">Id</th>
              <th scope="col">User</th>
              <th scope="col">Client</th>
              <th scope="col">Database</th>
              <th scope="col">Doing</th>
              <th scope="col" class="number">For</th>
              <th scope="col">Statement</th>
              <th scope="col"><span class="hidden">Kill</span></th>
            </tr>
          </thead>
          <tbody>
            {list.map((p) => (
              <tr key={p.id}>
                <td class="number">{p.id}</td>
                <td>{p.user}</td>
                <td>{p.host}</td>
                <td>{p.database}</td>
                <td>{p.command}{p.state && `, ${p.state}`}</td>
                <td class="number">{seconds(p.seconds)}</td>
                <td class="statement"><code>{p.statement}</code></td>
                <td>
                  {p.statement ? (
                    <button type="button" class="danger" onClick={() => void kill(p.id, false)}>Kill the statement</button>
                  ) : (
                    <button type="button" onClick={() => void kill(p.id, true)}>Disconnect</button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
