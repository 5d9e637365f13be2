// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { dynamo, sql } from "../api";
import { inSQLText } from "../quote";
import { quoted } from "../tables/table";
import { Change } from "../parts/change";
import { Listing } from "../parts/text";

/** regionsMax is the most that one request may ask for. */
const regionsMax = 1000;

/** Target is a table or an index that is to be split at keys, with keys that the server proposes. */
export interface Target {
  database: string;
  table: string;
  index: string;
  keys: string[];
}

/** SplitAt makes regions of a table or an index begin at values of the first part of its key. */
export function SplitAt({ target, close }: { target: Target; close: () => void }) {
  const keys = useSignal(target.keys.join(","));
  const table = `${target.database === "default" ? "" : `${quoted(target.database)}.`}${quoted(target.table)}`;
  const altered = target.index ? `INDEX ${quoted(target.index)} ON ${table}` : `TABLE ${table}`;
  const statement = `ALTER ${altered} SET 'SPLITKEYS' = ${inSQLText(keys.value)}`;
  return (
    <Change title={`Split ${target.table}${target.index && ` / ${target.index}`} at keys`} action="Split" disabled={!keys.value.trim()} send={() => sql(statement)} close={close}>
      <p>
        Regions begin at these values of the first column of the key, in ascending order.{" "}
        {target.keys.length > 0 ? "Those that stand here divide the recent requests, or else the rows, about evenly." : "No value is known that divides the requests or the rows evenly."}
      </p>
      <label class="field">
        Keys, with commas between them
        <input autofocus autocomplete="off" value={keys.value} onInput={(e) => (keys.value = e.currentTarget.value)} />
      </label>
      <Listing title="SQL" text={statement} />
    </Change>
  );
}

/** Split asks for so many regions of a table and its indexes. */
export function Split({ table, regions, close }: { table: string; regions: number; close: () => void }) {
  const wanted = useSignal(String(Math.min(regionsMax, 2 * Math.max(1, regions))));
  const n = Number(wanted.value);
  const fits = Number.isInteger(n) && n > regions && n <= regionsMax;
  const tags = [{ Key: "weft:regions", Value: wanted.value }];
  const send = async () => {
    const { Table } = await dynamo<{ Table: { TableArn: string } }>("DescribeTable", { TableName: table });
    await dynamo("TagResource", { ResourceArn: Table.TableArn, Tags: tags });
  };
  return (
    <Change title={`Split ${table}`} action="Split" disabled={!fits} send={send} close={close}>
      <p>
        The table has {regions} {regions === 1 ? "region" : "regions"}. It is split at keys of its items, so that all parts have about the same size; so is each of its indexes. Nothing is moved on an embedded store. No split helps against a single hot row or a growing key.
      </p>
      <label class="field">
        Regions
        <input autofocus type="number" min={regions + 1} max={regionsMax} value={wanted.value} onInput={(e) => (wanted.value = e.currentTarget.value)} />
      </label>
      <Listing title="TagResource" text={JSON.stringify({ Tags: tags })} />
    </Change>
  );
}
