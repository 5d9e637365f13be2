// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { dynamo, session } from "../api";
import { commandOf } from "../query/code";
import { readTables } from "../tables/table";
import { Change } from "../parts/change";
import { Typed } from "../parts/typed";
import { useResource } from "../parts/resource";
import { Listing } from "../parts/text";
import type { Backup } from "./backups";

interface Props {
  close: () => void;
  done: () => void;
}

/** Same is the command that does what a dialog does. */
function Same({ operation, body }: { operation: string; body: Record<string, unknown> }) {
  return <Listing title="The same with the AWS CLI" text={commandOf(operation, body, session.value.protocols)} />;
}

const pad = (n: number): string => String(n).padStart(2, "0");

/** nameAt is a name for a backup of a table that is made at a moment, in the signs that such names may have. */
function nameAt(table: string, d: Date): string {
  const at = `-${d.getFullYear()}${pad(d.getMonth() + 1)}${pad(d.getDate())}-${pad(d.getHours())}${pad(d.getMinutes())}${pad(d.getSeconds())}`;
  return table.slice(0, 255 - at.length) + at;
}

/** BackUp makes a backup of a table. Those of other databases have none in DynamoDB's API, nor have those of HBase's. */
export function BackUp({ close, done }: Props) {
  const tables = useResource(async (abort) => (await readTables(abort)).filter((t) => t.database === "default" && !t.families).map((t) => t.name), []);
  const form = useSignal({ table: "", name: "" });
  const table = form.value.table || (tables.value?.[0] ?? "");
  const opened = useRef(new Date()).current;
  const name = form.value.name || (table && nameAt(table, opened));
  const body = { TableName: table, BackupName: name };
  return (
    <Change title="Back up a table" action="Back it up" disabled={!table || !name} send={() => dynamo("CreateBackup", body).then(done)} close={close}>
      <label class="field">
        Table
        <select autofocus value={table} onChange={(e) => (form.value = { table: e.currentTarget.value, name: "" })}>
          {(tables.value ?? []).map((t) => (
            <option key={t}>{t}</option>
          ))}
        </select>
      </label>
      <label class="field">
        Name of the backup
        <input value={name} maxLength={255} onInput={(e) => (form.value = { table, name: e.currentTarget.value })} />
      </label>
      <p class="muted">The backup shows the table as it is when the copy begins. It stays in this database until it is deleted, whatever becomes of the table.</p>
      {table && <Same operation="CreateBackup" body={body} />}
    </Change>
  );
}

/** Restore makes a new table of a backup. */
export function Restore({ backup, close, done }: Props & { backup: Backup }) {
  const name = useSignal("");
  const body = { BackupArn: backup.BackupArn, TargetTableName: name.value };
  return (
    <Change title={`Restore ${backup.BackupName}`} action="Restore it" disabled={name.value.length < 3} send={() => dynamo("RestoreTableFromBackup", body).then(done)} close={close}>
      <label class="field">
        Name of the new table
        <input autofocus autocomplete="off" value={name.value} maxLength={255} onInput={(e) => (name.value = e.currentTarget.value)} />
      </label>
      <p class="muted">The table comes with its indexes, all at once; until then it is among the background work.</p>
      <Same operation="RestoreTableFromBackup" body={body} />
    </Change>
  );
}

/** DeleteBackup deletes a backup whose name has been typed. */
export function DeleteBackup({ backup, close, done }: Props & { backup: Backup }) {
  const typed = useSignal("");
  const body = { BackupArn: backup.BackupArn };
  return (
    <Change title={`Delete ${backup.BackupName}`} action="Delete the backup" dangerous disabled={typed.value !== backup.BackupName} send={() => dynamo("DeleteBackup", body).then(done)} close={close}>
      <p>This deletes a backup of {backup.TableName}. It can’t be undone.</p>
      <Typed name={backup.BackupName} typed={typed} />
      <Same operation="DeleteBackup" body={body} />
    </Change>
  );
}
