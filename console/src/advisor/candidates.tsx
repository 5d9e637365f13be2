// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef } from "preact/hooks";
import { session } from "../api";
import type { AdviceFinding } from "../advice";
import { bytes, count, percent, rate } from "../format";
import { isDark } from "../theme";
import { Sheet } from "../parts/sheet";
import { Languages } from "../parts/text";
import { programs, sqlOf, terraformOf, type NewIndex, type NewTable } from "./generate";
import { modelOf, type Design } from "./model";

interface Heat {
  Minutes: number;
  Bands: number;
  Written: number[];
  Read: number[];
  HottestWritten: number;
  HottestRead: number;
}

/** Candidate is a design that the advisor has weighed. */
export interface Candidate {
  Name: string;
  Together?: string[];
  Rule?: string;
  Key?: string[];
  Chosen: boolean;
  Score: number;
  Total: number;
  Cost: { Reads: number; Writes: number; Bytes: number };
  Patterns?: { Name: string; Rate: number; Before: number; After: number }[];
  Heat?: Heat;
  Statements?: AdviceFinding["Statements"];
}

const cellSize = 4;

/** Picture draws a simulated load: time to the right, the order of the key upwards. */
function Picture({ heat, of, title }: { heat: Heat; of: number[]; title: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const c = canvas.current!.getContext("2d")!;
    const most = Math.max(1, ...of);
    c.fillStyle = isDark.value ? "#0d1117" : "#f4f6f9";
    c.fillRect(0, 0, canvas.current!.width, canvas.current!.height);
    for (let minute = 0; minute < heat.Minutes; minute++) {
      for (let band = 0; band < heat.Bands; band++) {
        const n = of[minute * heat.Bands + band]!;
        if (n === 0) continue;
        c.fillStyle = `rgba(217, 70, 20, ${0.1 + (0.9 * n) / most})`;
        c.fillRect(minute * cellSize, (heat.Bands - 1 - band) * cellSize, cellSize, cellSize);
      }
    }
  });
  return (
    <figure class="small-heat">
      <canvas ref={canvas} width={heat.Minutes * cellSize} height={heat.Bands * cellSize} role="img" aria-label={title} />
      <figcaption class="muted">{title}</figcaption>
    </figure>
  );
}

function nameOf(c: Candidate) {
  if (c.Together) return <>all that are proposed: {c.Together.join(", ")}</>;
  if (!c.Name) return <>the table as it is</>;
  return <><code>{c.Key!.join(" | ")}</code> <span class="muted">{c.Rule!.replaceAll("-", " ")}</span></>;
}

/** Candidates compares designs: what they read, what they cost, and where a simulated load goes. */
export function Candidates({ list, choose, chosen }: { list: Candidate[]; choose: (c: Candidate) => void; chosen: Candidate }) {
  return (
    <>
      <Sheet
        rows={list}
        id={(c) => c.Name + (c.Together ? "+" : "")}
        columns={[
          { title: "Design", cell: (c) => <>{nameOf(c)}{c.Chosen && !c.Together && <span class="badge">proposed</span>}</> },
          { title: "Saves", number: true, cell: (c) => (c === list[0] ? "–" : percent(c.Score)) },
          { title: "Entries read/s", number: true, cell: (c) => rate(c.Cost.Reads) },
          { title: "Index entries written/s", number: true, cell: (c) => rate(c.Cost.Writes) },
          { title: "Index size", number: true, cell: (c) => bytes(c.Cost.Bytes) },
          { title: "Hottest part, writes", number: true, cell: (c) => (c.Heat ? `${rate(c.Heat.HottestWritten * c.Heat.Bands)}× even` : "–") },
          { title: "Hottest part, reads", number: true, cell: (c) => (c.Heat ? `${rate(c.Heat.HottestRead * c.Heat.Bands)}× even` : "–") },
          { title: "Show", hidden: true, cell: (c) => <button type="button" aria-pressed={c === chosen} onClick={() => choose(c)}>Show</button> },
        ]}
      />
      <p class="muted">
        “Saves” is the share of all entries read and written, with jumps. The load is simulated over the sample’s values, or over even ones where nothing is known: writes in the order of an attribute that grows, reads by a Zipf distribution of 0.99 over the first part of the key. The hottest part of the key is compared with an even load. Pictures have time to the right and the key upwards.
      </p>
    </>
  );
}

/** tableOf is a design as a request of DynamoDB's API. */
export function tableOf(design: Design, c: Candidate): NewTable {
  const { TableName, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = design.Table;
  const definitions = new Map(AttributeDefinitions.map((a) => [a.AttributeName, a.AttributeType]));
  const indexes: NewIndex[] = (GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection: Projection ?? { ProjectionType: "ALL" } }));
  for (const s of c.Statements ?? []) {
    const input = s.Input as { AttributeDefinitions?: NewTable["AttributeDefinitions"]; GlobalSecondaryIndexUpdates?: { Create?: NewIndex }[] } | undefined;
    for (const a of input?.AttributeDefinitions ?? []) definitions.set(a.AttributeName, a.AttributeType);
    for (const u of input?.GlobalSecondaryIndexUpdates ?? []) if (u.Create) indexes.push(u.Create);
  }
  return {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema,
    AttributeDefinitions: [...definitions].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes } : {}),
  };
}

/** Detail shows one design: its patterns, its simulated load, and the requests that make it. */
export function Detail({ design, candidate, list }: { design: Design; candidate: Candidate; list: Candidate[] }) {
  const types = Object.fromEntries(Object.entries(design.Attributes ?? {}).map(([name, a]) => [name, a.Type ?? "S"]));
  const table = tableOf(design, candidate);
  const endpoint = `http://${session.value.protocols.dynamodb ?? "127.0.0.1:8000"}`;
  const texts = {
    ...Object.fromEntries(Object.entries(programs).map(([name, write]) => [name, write(table, endpoint)])),
    SQL: sqlOf(table, types),
    Terraform: terraformOf(table),
    "NoSQL Workbench": JSON.stringify(modelOf(table, types), null, 2),
  };
  return (
    <section aria-label="Design">
      <h2>{candidate.Together ? "All that are proposed" : candidate.Name || "The table as it is"}</h2>
      <div class="beside">
        <div class="bar">
          {(candidate.Together ? list.filter((c) => candidate.Together!.includes(c.Name)) : [candidate]).map(
            ({ Name, Heat }) =>
              Heat && (
                <>
                  <Picture heat={Heat} of={Heat.Written} title={`Writes to ${Name || "the table"}`} />
                  <Picture heat={Heat} of={Heat.Read} title={`Reads of ${Name || "the table"}`} />
                </>
              ),
          )}
        </div>
        <Sheet
          rows={candidate.Patterns ?? []}
          id={(p) => p.Name}
          columns={[
            { title: "Access pattern", cell: (p) => p.Name },
            { title: "A second", number: true, cell: (p) => rate(p.Rate) },
            { title: "Entries now", number: true, cell: (p) => count(p.Before) },
            { title: "Entries then", number: true, cell: (p) => count(p.After) },
          ]}
        />
      </div>
      <Languages title="Written for" texts={texts} />
    </section>
  );
}
