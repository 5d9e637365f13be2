// SPDX-License-Identifier: Apache-2.0

import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { events, getJSON } from "../api";
import { bytes, count, percent, rate, seconds } from "../format";
import { historyOf, protocolTitle, type Moment, type Totals } from "../load";
import { link } from "../route";
import { readTables } from "../tables/table";
import { judgedMax, readAdvice, worstOf } from "../verdict";
import { Regions } from "../hot/regions";
import { Chart } from "../parts/chart";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";
import type { HotReport } from "../hot/report";

const momentsMax = 300;
const totals = signal<Totals[]>([]);
const lost = signal<Error | undefined>(undefined);
const moments = computed<Moment[]>(() => historyOf(totals.value));

function follow(): () => void {
  const abort = new AbortController();
  void events<Totals>(
    "overview",
    abort.signal,
    (next) => {
      lost.value = undefined;
      totals.value = [...totals.value.slice(-momentsMax), next];
    },
    (e) => (lost.value = e),
  );
  return () => abort.abort();
}

function Figure({ title, value, detail }: { title: string; value: string; detail?: string }) {
  return (
    <div class="figure">
      <dt>{title}</dt>
      <dd>{value}</dd>
      {detail && <dd class="detail">{detail}</dd>}
    </div>
  );
}

function Figures({ last, now }: { last: Totals; now?: Moment }) {
  const g = last.gauges;
  const sum = now?.all;
  return (
    <dl class="figures">
      <Figure title="Requests" value={sum ? `${rate(sum.rate)}/s` : "–"} detail={`${count(Object.values(last.protocols).reduce((n, p) => n + p.requests, 0))} since the start`} />
      <Figure title="Median latency" value={sum?.p50 === undefined ? "–" : seconds(sum.p50)} detail={sum?.p99 === undefined ? "no requests" : `99th percentile ${seconds(sum.p99)}`} />
      <Figure title="Errors" value={sum ? `${rate(sum.failed)}/s` : "–"} detail={sum ? `${rate(sum.refused)}/s refused` : ""} />
      <Figure title="Data on disk" value={bytes(g.diskBytes ?? 0)} detail={g.diskFreeBytes ? `${bytes(g.diskFreeBytes)} free` : "in memory"} />
      <Figure title="Memory" value={bytes(g.memoryBytes ?? 0)} detail={`${bytes(g.cacheBytes ?? 0)} block cache`} />
      <Figure title="Up for" value={g.startedSeconds ? seconds(last.at / 1000 - g.startedSeconds) : "–"} detail={last.version && `version ${last.version}`} />
    </dl>
  );
}

function Protocols({ last, now }: { last: Totals; now?: Moment }) {
  const names = Object.keys(last.protocols).filter((n) => n !== "admin").sort();
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">API</th>
          <th scope="col" class="number">Requests/s</th>
          <th scope="col" class="number">Median</th>
          <th scope="col" class="number">99th percentile</th>
          <th scope="col" class="number">Errors/s</th>
          <th scope="col" class="number">Connections</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => {
          const m = now?.protocols[name];
          return (
            <tr key={name}>
              <th scope="row">{protocolTitle(name)}</th>
              <td class="number">{m ? rate(m.rate) : "–"}</td>
              <td class="number">{m?.p50 === undefined ? "–" : seconds(m.p50)}</td>
              <td class="number">{m?.p99 === undefined ? "–" : seconds(m.p99)}</td>
              <td class="number">{m ? rate(m.failed) : "–"}</td>
              <td class="number">{count(last.protocols[name]!.connections)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Resources({ watched }: { watched: Record<string, number> }) {
  const titles: Record<string, string> = { cpu: "Processors", network: "Network", disk: "Disk", files: "Sorted runs", compaction: "Compaction behind" };
  return (
    <ul class="meters">
      {Object.entries(watched).map(([name, share]) => (
        <li key={name}>
          <span>{titles[name] ?? name}</span>
          <meter min={0} max={1} low={0.75} high={0.95} optimum={0} value={share} aria-label={titles[name] ?? name} />
          <span class="number">{percent(share)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Memory is how the memory that the process may take is divided. What requests and the program itself have of it at the moment is not counted. */
function Memory({ last }: { last: Totals }) {
  const g = last.gauges;
  const titles: Record<string, string> = { blocks: "Blocks read from files", writes: "Writes not in files yet", requests: "Requests", statements: "Statements", program: "The program, and garbage" };
  const used: Record<string, number | undefined> = { blocks: g.cacheBytes, writes: g.memtableBytes, statements: g.sqlMemoryBytes };
  const parts = Object.keys(titles).filter((name) => last.memory[name]);
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Memory</th>
          <th scope="col" class="number">In use</th>
          <th scope="col" class="number">At most</th>
        </tr>
      </thead>
      <tbody>
        {parts.map((name) => (
          <tr key={name}>
            <th scope="row">{titles[name]}</th>
            <td class="number">{used[name] === undefined ? "–" : bytes(used[name]!)}</td>
            <td class="number">{bytes(last.memory[name]!)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">All</th>
          <td class="number">{bytes(g.memoryBytes ?? 0)}</td>
          <td class="number">{bytes(parts.reduce((sum, name) => sum + last.memory[name]!, 0))}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Findings() {
  const hot = useResource((abort) => getJSON<HotReport>("../hot", { format: "json" }, abort), [], 5000);
  if (hot.error && !hot.value) return <Failure error={hot.error} retry={hot.reload} />;
  if (!hot.value) return <Loading what="findings" />;
  const busiest = [...hot.value.objects].sort((a, b) => b.reads + b.writes - a.reads - a.writes).slice(0, 6);
  return (
    <div class="halves">
      <section>
        <h2>Busiest tables and indexes</h2>
        {busiest.length === 0 && <p class="muted">Nothing was asked for in the last minutes.</p>}
        {busiest.length > 0 && (
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Table</th>
                <th scope="col">Index</th>
                <th scope="col" class="number">Entries read/s</th>
                <th scope="col" class="number">Entries written/s</th>
              </tr>
            </thead>
            <tbody>
              {busiest.map((o) => (
                <tr key={o.table + "/" + o.index}>
                  <th scope="row">
                    <a href={link("tables", [o.table])}>{o.table}</a>
                  </th>
                  <td>{o.index || <span class="muted">the table itself</span>}</td>
                  <td class="number">{rate(o.reads)}</td>
                  <td class="number">{rate(o.writes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section>
        <h2>Findings</h2>
        {hot.value.findings.filter((f) => f.kind !== "even").length === 0 && <p class="muted">No hot rows, hot ranges or growing keys in the last minutes.</p>}
        <ul class="findings">
          {hot.value.findings
            .filter((f) => f.kind !== "even")
            .map((f) => (
              <li key={f.kind + f.table + f.index} class={f.warning ? "warning" : ""}>
                <strong>{f.kind.replaceAll("-", " ")}</strong> {f.text}
              </li>
            ))}
        </ul>
      </section>
    </div>
  );
}

/** Advice is the gravest finding of each table. */
function Advice() {
  const advice = useResource(async (abort) => {
    const tables = (await readTables(abort)).length;
    return { tables, reports: await readAdvice(tables) };
  }, []);
  if (advice.error && !advice.value) return <Failure error={advice.error} retry={advice.reload} />;
  if (!advice.value) return <Loading what="the advice" />;
  if (advice.value.tables > judgedMax) return <p class="muted">There are {count(advice.value.tables)} tables: <a href={link("advisor")}>the advisor</a> reads a sample of each.</p>;
  const grave = advice.value.reports.filter((r) => worstOf(r) && worstOf(r) !== "advice");
  if (grave.length === 0) return <p class="good">The advisor finds nothing grave in the keys and indexes. <a href={link("advisor")}>All of its advice</a></p>;
  return (
    <ul class="findings">
      {grave.slice(0, 6).map((r) => {
        const f = r.Findings!.find((one) => one.Severity === worstOf(r))!;
        return (
          <li key={r.Table} class="warning">
            <a href={link("tables", [r.Table])}>{r.Table}</a>: <strong>{f.Rule.replaceAll("-", " ")}</strong> {f.Problem}
          </li>
        );
      })}
    </ul>
  );
}

export function Overview() {
  useEffect(follow, []);
  const list = moments.value;
  const last = totals.value.at(-1);
  const now = list.at(-1);
  if (!last) return lost.value ? <Failure error={lost.value} /> : <Loading />;
  const times = list.map((m) => m.at / 1000);
  const names = Object.keys(last.protocols).filter((n) => n !== "admin").sort();
  return (
    <>
      <h1>Overview</h1>
      {lost.value && <Failure error={new Error(`${lost.value.message} These are the last figures.`)} />}
      {last.ready && <p class="banner">Requests are not taken: {last.ready}</p>}
      <Figures last={last} now={now} />
      <div class="halves">
        <section>
          <h2>Requests a second</h2>
          <Chart times={times} series={names.map((n) => ({ title: protocolTitle(n), values: list.map((m) => m.protocols[n]?.rate ?? 0) }))} format={rate} />
        </section>
        <section>
          <h2>Latency</h2>
          <Chart
            times={times}
            series={[
              { title: "Median", values: list.map((m) => m.all.p50 ?? null) },
              { title: "99th percentile", values: list.map((m) => m.all.p99 ?? null) },
            ]}
            format={seconds}
          />
        </section>
      </div>
      <div class="halves">
        <section>
          <h2>APIs</h2>
          <Protocols last={last} now={now} />
        </section>
        <section>
          <h2>Resources</h2>
          <Resources watched={last.watched} />
          <Memory last={last} />
        </section>
      </div>
      <Findings />
      <div class="halves">
        <section>
          <h2>Hot regions now</h2>
          <Regions most={5} brief />
        </section>
        <section>
          <h2>What the advisor says</h2>
          <Advice />
        </section>
      </div>
    </>
  );
}
