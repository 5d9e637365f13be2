// SPDX-License-Identifier: Apache-2.0

import { link } from "../route";
import { fullName, readTables } from "../tables/table";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

/** Builds are the indexes that are built or removed now. */
export function Builds() {
  const tables = useResource(readTables, [], 2000);
  if (!tables.value) return tables.error ? <Failure error={tables.error} retry={tables.reload} /> : <Loading what="jobs" />;
  const builds = tables.value.flatMap((t) => t.indexes.filter((x) => x.state !== "active").map((x) => ({ table: fullName(t), index: x })));
  if (builds.length === 0) return <p class="muted">No index is being built or removed.</p>;
  return (
    <ul class="meters">
      {builds.map(({ table, index }) => (
        <li key={table + index.name}>
          <a href={link("tables", [table])}>{table} / {index.name}</a>
          <progress max={100} value={index.percent ?? 0} aria-label={`${index.state} of ${index.name}`} />
          <span class="number">{index.percent === undefined ? index.state : `${index.percent} %`}</span>
        </li>
      ))}
    </ul>
  );
}
