// SPDX-License-Identifier: Apache-2.0

import { dynamo, getJSON } from "../api";
import { bytes, seconds } from "../format";
import type { Totals } from "../load";
import { link } from "../route";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

interface Backup {
  BackupArn: string;
  BackupName: string;
  TableName: string;
  BackupStatus: string;
  BackupType: string;
  BackupSizeBytes?: number;
  BackupCreationDateTime: number;
}

/** Shipping says whether changes are shipped to another place, and how far that place is behind. */
function Shipping() {
  const totals = useResource((abort) => getJSON<Totals>("overview", {}, abort), [], 5000);
  const behind = totals.value?.gauges.shipBehindSeconds;
  if (!totals.value) return totals.error ? <Failure error={totals.error} /> : null;
  if (behind === undefined) return <p class="muted">Changes are not shipped to another place: <code>--ship</code> does that, and <code>weft backup</code> copies the whole database.</p>;
  return <p>Changes are shipped as they come. If this machine were lost now, the last {seconds(behind)} would be.</p>;
}

const when = (secondsSince1970: number): string => new Date(secondsSince1970 * 1000).toLocaleString("en-GB");

/** Backups are those of tables that the database keeps, and what is shipped elsewhere. */
export function Backups() {
  const backups = useResource(async (abort) => (await dynamo<{ BackupSummaries: Backup[] }>("ListBackups", { Limit: 100 }, { abort })).BackupSummaries, [], 3000);
  if (!backups.value) return backups.error ? <Failure error={backups.error} retry={backups.reload} /> : <Loading what="backups" />;
  return (
    <>
      <Shipping />
      {backups.value.length === 0 && <p class="muted">The database keeps no backup of a table: DynamoDB’s CreateBackup makes one.</p>}
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
          ]}
        />
      )}
    </>
  );
}
