// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { dynamo, getJSON } from "../api";
import { bytes, clock, count, seconds } from "../format";
import type { Totals } from "../load";
import { link } from "../route";
import { BackUp, DeleteBackup, Restore } from "./backup-changes";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

export interface Backup {
  BackupArn: string;
  BackupName: string;
  TableName: string;
  BackupStatus: string;
  BackupType: string;
  BackupSizeBytes?: number;
  BackupCreationDateTime: number;
}

/** backupsMax bounds how many backups are listed. */
const backupsMax = 1000;

async function readBackups(abort: AbortSignal): Promise<Backup[]> {
  const list: Backup[] = [];
  for (let after: string | undefined; ; ) {
    const page = await dynamo<{ BackupSummaries: Backup[]; LastEvaluatedBackupArn?: string }>("ListBackups", { Limit: 100, ...(after ? { ExclusiveStartBackupArn: after } : {}) }, { abort });
    list.push(...page.BackupSummaries);
    after = page.LastEvaluatedBackupArn;
    if (!after || list.length >= backupsMax) return list;
  }
}

/** Shipping says whether changes are shipped to another place, and how far that place is behind. */
function Shipping() {
  const totals = useResource((abort) => getJSON<Totals>("overview", {}, abort), [], 5000);
  const behind = totals.value?.gauges.shipBehindSeconds;
  if (!totals.value) return totals.error ? <Failure error={totals.error} /> : null;
  if (behind === undefined) return <p class="muted">Changes are not shipped to another place: <code>--ship</code> does that, and <code>weft backup</code> copies the whole database.</p>;
  return <p>Changes are shipped as they come. If this machine were lost now, the last {seconds(behind)} would be.</p>;
}

const when = (secondsSince1970: number): string => clock(secondsSince1970 * 1000);

/** Backups are those of tables that the database keeps, and what is shipped elsewhere. */
export function Backups() {
  const backups = useResource(readBackups, [], 3000);
  const open = useSignal<{ change: "make" | "restore" | "delete"; backup?: Backup } | undefined>(undefined);
  const ends = { close: () => (open.value = undefined), done: backups.reload };
  const chosen = open.value?.backup;
  if (!backups.value) return backups.error ? <Failure error={backups.error} retry={backups.reload} /> : <Loading what="backups" />;
  return (
    <>
      <Shipping />
      <div class="bar">
        <button type="button" onClick={() => (open.value = { change: "make" })}>Back up a table</button>
        <span class="muted">A backup that is being made, and a table that is being restored, are among the background work, under “Now”.</span>
      </div>
      {backups.value.length === 0 && <p class="muted">There are no table backups.</p>}
      {backups.value.length >= backupsMax && <p class="muted">These are the first {count(backupsMax)}.</p>}
      {backups.value.length > 0 && (
        <Sheet
          rows={backups.value}
          id={(b) => b.BackupArn}
          columns={[
            { title: "Backup", cell: (b) => b.BackupName },
            { title: "Table", cell: (b) => <a href={link("tables", [b.TableName])}>{b.TableName}</a> },
            { title: "State", cell: (b) => b.BackupStatus.toLowerCase() },
            { title: "Size", number: true, cell: (b) => (b.BackupSizeBytes === undefined ? "–" : bytes(b.BackupSizeBytes)) },
            { title: "Made", cell: (b) => when(b.BackupCreationDateTime) },
            {
              title: "Change",
              hidden: true,
              cell: (backup) =>
                backup.BackupStatus === "AVAILABLE" && (
                  <>
                    <button type="button" onClick={() => (open.value = { change: "restore", backup })}>Restore</button> <button type="button" class="danger" onClick={() => (open.value = { change: "delete", backup })}>Delete</button>
                  </>
                ),
            },
          ]}
        />
      )}
      {open.value?.change === "make" && <BackUp {...ends} />}
      {open.value?.change === "restore" && <Restore backup={chosen!} {...ends} />}
      {open.value?.change === "delete" && <DeleteBackup backup={chosen!} {...ends} />}
    </>
  );
}
