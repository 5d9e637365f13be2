// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { dynamoStreams } from "../api";
import { clock } from "../format";
import { differences, textOf, type Item } from "../items/attribute";
import { shownOf } from "../items/column";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";
import { columnsOf, fullName, readTables, type Column } from "../tables/table";

interface Stream {
  StreamArn: string;
  TableName: string;
  StreamLabel: string;
}

interface StreamRecord {
  eventID: string;
  eventName: "INSERT" | "MODIFY" | "REMOVE";
  dynamodb: { ApproximateCreationDateTime: number; Keys: Item; NewImage?: Item; OldImage?: Item; SequenceNumber: string; StreamViewType: string };
}

const recordsMax = 50;
const pauseMS = 1500;

/** follow hands out the records of a stream from now on, until abort. */
async function follow(arn: string, abort: AbortSignal, told: (records: StreamRecord[]) => void): Promise<void> {
  const iterators = new Map<string, string | undefined>();
  let first = true;
  while (!abort.aborted) {
    const { StreamDescription } = await dynamoStreams<{ StreamDescription: { Shards: { ShardId: string }[] } }>("DescribeStream", { StreamArn: arn }, abort);
    for (const { ShardId } of StreamDescription.Shards) {
      if (iterators.has(ShardId)) continue;
      const { ShardIterator } = await dynamoStreams<{ ShardIterator: string }>("GetShardIterator", { StreamArn: arn, ShardId, ShardIteratorType: first ? "LATEST" : "TRIM_HORIZON" }, abort);
      iterators.set(ShardId, ShardIterator);
    }
    first = false;
    for (const [shard, ShardIterator] of iterators) {
      if (!ShardIterator) continue;
      const answer = await dynamoStreams<{ Records: StreamRecord[]; NextShardIterator?: string }>("GetRecords", { ShardIterator, Limit: 1000 }, abort);
      iterators.set(shard, answer.NextShardIterator);
      if (answer.Records.length > 0) told(answer.Records);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMS));
  }
}

const keyText = (keys: Item): string => Object.values(keys).map(textOf).join(", ");
const verbs = { INSERT: "new", MODIFY: "changed", REMOVE: "removed" };

/** Sides shows what a record tells of an item: what it was to the left, what it is to the right, as far as the stream has both. */
function Sides({ record, columns }: { record: StreamRecord; columns: Column[] }) {
  const { OldImage, NewImage, Keys } = record.dynamodb;
  const columnOf = (name: string) => columns.find((c) => c.name === name);
  const list = differences(OldImage ?? {}, NewImage ?? {}).filter((d) => !(d.name in Keys));
  if (!OldImage && !NewImage) return <p class="muted">The stream tells no more than the key.</p>;
  if (list.length === 0) return <p class="muted">Nothing else.</p>;
  return (
    <table class="plain diff">
      <tbody>
        {list.map((d) => (
          <tr key={d.name}>
            <th scope="row">{d.name}</th>
            <td class="removed">{d.before ? shownOf(columnOf(d.name), d.before) : OldImage || record.eventName === "INSERT" ? "–" : "?"}</td>
            <td class="added">{d.after ? shownOf(columnOf(d.name), d.after) : NewImage || record.eventName === "REMOVE" ? "–" : "?"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Tail({ stream }: { stream: Stream }) {
  const records = useSignal<StreamRecord[]>([]);
  const error = useSignal<Error | undefined>(undefined);
  const tables = useResource(readTables, []);
  const table = tables.value?.find((t) => fullName(t) === stream.TableName);
  useEffect(() => {
    const abort = new AbortController();
    records.value = [];
    error.value = undefined;
    const told = (more: StreamRecord[]) => (records.value = [...more.reverse(), ...records.value].slice(0, recordsMax));
    follow(stream.StreamArn, abort.signal, told).catch((e: Error) => abort.signal.aborted || (error.value = e));
    return () => abort.abort();
  }, [stream.StreamArn]);
  return (
    <>
      {error.value && <Failure error={error.value} />}
      {records.value.length === 0 && !error.value && <p class="muted">Waiting for changes of {stream.TableName}…</p>}
      <ul class="findings" aria-live="polite" aria-label="Changes, the last one first">
        {records.value.map((r) => (
          <li key={r.eventID}>
            <p>
              <strong>{verbs[r.eventName]}</strong> <code>{keyText(r.dynamodb.Keys)}</code> <span class="muted">{clock(r.dynamodb.ApproximateCreationDateTime * 1000)}</span>
            </p>
            <Sides record={r} columns={table ? columnsOf(table) : []} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Streams follows the changes of a table from now on: what each item was and what it is, side by side. */
export function Streams() {
  const streams = useResource(async (abort) => (await dynamoStreams<{ Streams: Stream[] }>("ListStreams", { Limit: 100 }, abort)).Streams, [], 10_000);
  const chosen = useSignal("");
  if (!streams.value) return streams.error ? <Failure error={streams.error} retry={streams.reload} /> : <Loading what="streams" />;
  if (streams.value.length === 0) return <p class="muted">No table has a stream: the page of a table switches it on.</p>;
  const stream = streams.value.find((s) => s.StreamArn === chosen.value);
  return (
    <>
      <div class="bar">
        <select aria-label="Stream" value={chosen.value} onChange={(e) => (chosen.value = e.currentTarget.value)}>
          <option value="">Choose a table…</option>
          {streams.value.map((s) => (
            <option key={s.StreamArn} value={s.StreamArn}>{s.TableName}</option>
          ))}
        </select>
      </div>
      {stream && <Tail stream={stream} />}
    </>
  );
}
