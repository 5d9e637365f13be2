// SPDX-License-Identifier: Apache-2.0

import { getJSON } from "../api";
import { bytes, count, percent, seconds } from "../format";
import { link } from "../route";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

/** Work is what the server does in the background, or has done lately. */
interface Work {
  kind: string;
  database?: string;
  table?: string;
  object?: string; // the index or the backup
  state: "waiting" | "running" | "done" | "failed";
  rows: number;
  rowsExpected?: number;
  bytes?: number;
  bytesExpected?: number;
  beganMS?: number;
  endedMS?: number;
  fault?: string;
}

const nameOf = (w: Work): string => [w.database && w.database !== "default" ? `${w.database}.${w.table}` : w.table, w.object].filter(Boolean).join(" / ") || "–";

/** shareOf is which part of some work is done; undefined if that is not known. */
function shareOf(w: Work): number | undefined {
  if (w.rowsExpected) return Math.min(1, w.rows / w.rowsExpected);
  return w.bytesExpected ? Math.min(1, (w.bytes ?? 0) / w.bytesExpected) : undefined;
}

function Progress({ work: w }: { work: Work }) {
  const share = w.state === "running" ? shareOf(w) : undefined;
  const done = [w.rows ? `${count(w.rows)}${w.rowsExpected ? ` of about ${count(w.rowsExpected)}` : ""} items` : "", w.bytes ? bytes(w.bytes) : ""].filter(Boolean).join(", ");
  return (
    <>
      {share !== undefined && <progress max={1} value={share} aria-label={`Progress: ${w.kind} ${nameOf(w)}`} />} {share !== undefined && percent(share)} <span class="muted">{done}</span>
    </>
  );
}

function Times({ work: w }: { work: Work }) {
  if (!w.beganMS) return <>–</>;
  if (w.endedMS) return <>{seconds((Date.now() - w.endedMS) / 1000)} ago, after {seconds((w.endedMS - w.beganMS) / 1000)}</>;
  return <>{seconds(Math.max(0, Date.now() - w.beganMS) / 1000)} ago</>;
}

/** BackgroundWork lists work that takes long: indexes, backups, restores, exports, imports, and what frees space. */
export function BackgroundWork() {
  const list = useResource((abort) => getJSON<Work[]>("work", {}, abort), [], 2000);
  if (!list.value) return list.error ? <Failure error={list.error} retry={list.reload} /> : <Loading what="background work" />;
  if (list.value.length === 0) return <p class="muted">No background work. Finished work is shown for an hour.</p>;
  return (
    <Sheet
      rows={list.value.map((work, i) => ({ work, i }))}
      id={({ work: w, i }) => `${w.kind} ${nameOf(w)} ${w.beganMS ?? ""} ${i}`}
      columns={[
        { title: "Work", cell: ({ work: w }) => w.kind },
        { title: "Of", cell: ({ work: w }) => (w.table && !w.kind.startsWith("delete") && !w.kind.startsWith("restore") ? <a href={link("tables", [w.database === "default" ? w.table : `${w.database}.${w.table}`])}>{nameOf(w)}</a> : nameOf(w)) },
        { title: "State", cell: ({ work: w }) => <>{w.fault && w.state !== "failed" ? <span class="badge warning">tried again</span> : w.state === "failed" ? <span class="badge danger">failed</span> : w.state}{w.fault && <p class="error">{w.fault}</p>}</> },
        { title: "Done", cell: ({ work: w }) => <Progress work={w} /> },
        { title: "Began, or ended", cell: ({ work: w }) => <Times work={w} /> },
      ]}
    />
  );
}
