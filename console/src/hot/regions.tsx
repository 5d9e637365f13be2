// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { getJSON } from "../api";
import { about, bytes, count, rate } from "../format";
import { Sheet, type Column } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";
import { Split, SplitAt, type Target } from "./split";

interface Region {
  id: string;
  database: string;
  table: string;
  index: string;
  start: { name: string; value: string }[];
  end: { name: string; value: string }[];
  rows: number;
  bytes: number;
  least?: boolean;
  readsPerSecond: number;
  writesPerSecond: number;
  preset?: boolean;
  fault?: string;
  splitKey?: string;
}

const keyText = (key: Region["start"]): string => (key.length === 0 ? "–" : key.map((k) => k.value).join(", "));

const columns: Column<Region>[] = [
  { title: "Region", cell: (r) => <code>{r.id}</code> },
  {
    title: "Of",
    cell: (r) => (
      <>
        {r.table}{r.index && ` / ${r.index}`}
        {r.preset && <span class="badge">pre-split</span>}
        {r.fault && <div class="muted">busy, but not split: {r.fault}</div>}
      </>
    ),
  },
  { title: "Entries read/s", number: true, cell: (r) => rate(r.readsPerSecond) },
  { title: "Entries written/s", number: true, cell: (r) => rate(r.writesPerSecond) },
];

const keys: Column<Region>[] = [
  { title: "Begins at", cell: (r) => <code>{keyText(r.start)}</code> },
  { title: "Ends before", cell: (r) => <code>{keyText(r.end)}</code> },
];

const sizes: Column<Region>[] = [
  { title: "Rows, about", number: true, cell: (r) => `${r.least ? ">" : ""}${about(r.rows)}` },
  { title: "Size, about", number: true, cell: (r) => `${r.least ? ">" : ""}${bytes(r.bytes)}` },
];

/** Regions are the busiest ones, at most so many; brief leaves out their keys and sizes, and splitting them. */
export function Regions({ most = 50, brief = false }: { most?: number; brief?: boolean }) {
  const regions = useResource((abort) => getJSON<Region[]>("../regions", { format: "json" }, abort), [], 10_000);
  const splitting = useSignal("");
  const cutting = useSignal<Target | undefined>(undefined);
  if (!regions.value) return regions.error ? <Failure error={regions.error} retry={regions.reload} /> : <Loading what="regions" />;
  const load = (r: Region) => r.readsPerSecond + r.writesPerSecond;
  const list = [...regions.value].sort((a, b) => load(b) - load(a) || b.bytes - a.bytes);
  if (list.length === 0) return <p class="muted">There are no regions yet.</p>;
  const split: Column<Region> = {
    title: "Split",
    hidden: true,
    cell: (r) => (
      <>
        {r.database === "default" && <button type="button" class="quiet" aria-label={`Split ${r.table}`} onClick={() => (splitting.value = r.table)}>Split</button>}
        <button type="button" class="quiet" aria-label={`Split ${r.table}${r.index && ` / ${r.index}`} at keys`} onClick={() => (cutting.value = { ...r, keys: r.splitKey ? [r.splitKey] : [] })}>At keys</button>
      </>
    ),
  };
  return (
    <>
      <Sheet rows={list.slice(0, most)} id={(r) => r.id} columns={brief ? columns : [...columns.slice(0, 2), ...keys, ...columns.slice(2), ...sizes, split]} />
      {!brief && list.length > most && <p class="muted">And {count(list.length - most)} quieter regions.</p>}
      {cutting.value && (
        <SplitAt
          target={cutting.value}
          close={() => {
            cutting.value = undefined;
            regions.reload();
          }}
        />
      )}
      {splitting.value && (
        <Split
          table={splitting.value}
          regions={list.filter((r) => r.database === "default" && r.table === splitting.value && r.index === "").length}
          close={() => {
            splitting.value = "";
            regions.reload();
          }}
        />
      )}
    </>
  );
}
