// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { dynamo, sql } from "../api";
import { Change } from "../parts/change";
import { Typed } from "../parts/typed";
import { fullName, inSQL, quoted, type Index, type Table } from "./table";

const views: [string, string][] = [
  ["NEW_AND_OLD_IMAGES", "the item before and after"],
  ["NEW_IMAGE", "the item after"],
  ["OLD_IMAGE", "the item before"],
  ["KEYS_ONLY", "only the key"],
];

/** ChangeStream switches a table's stream on or off. */
export function ChangeStream({ table, close }: { table: Table; close: () => void }) {
  const view = useSignal(views[0]![0]);
  const set = (to: string) => sql(`ALTER TABLE ${inSQL(table)} SET 'STREAM' = '${to}'`);
  if (table.stream) {
    return (
      <Change title={`Stream of ${fullName(table)}`} action="Switch the stream off" dangerous send={() => set("OFF")} close={close}>
        <p>Its records can be read for another 24 hours. Switched on again, the table has another stream.</p>
      </Change>
    );
  }
  return (
    <Change title={`Stream of ${fullName(table)}`} action="Switch the stream on" send={() => set(view.value)} close={close}>
      <label class="field">
        Its records have
        <select autofocus value={view.value} onChange={(e) => (view.value = e.currentTarget.value)}>
          {views.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </Change>
  );
}

/** ChangeExpiry sets the attribute that says when items expire, or removes it. */
export function ChangeExpiry({ table, close }: { table: Table; close: () => void }) {
  const attribute = useSignal(table.expiry ?? "");
  const send = () =>
    dynamo("UpdateTimeToLive", { TableName: table.name, TimeToLiveSpecification: { Enabled: !table.expiry, AttributeName: attribute.value } });
  return (
    <Change title={`Expiry of ${fullName(table)}`} action={table.expiry ? "Switch expiry off" : "Switch expiry on"} disabled={!attribute.value} send={send} close={close}>
      <label class="field">
        The attribute with the time, in seconds since 1970
        <input autofocus readOnly={!!table.expiry} value={attribute.value} onInput={(e) => (attribute.value = e.currentTarget.value)} />
      </label>
    </Change>
  );
}

/** DropIndex drops an index whose name has been typed. */
export function DropIndex({ table, index, close }: { table: Table; index: Index; close: () => void }) {
  const typed = useSignal("");
  return (
    <Change
      title={`Drop the index ${index.name}`}
      action="Drop the index"
      dangerous
      disabled={typed.value !== index.name}
      send={() => sql(`DROP INDEX ${quoted(index.name)} ON ${inSQL(table)}`)}
      close={close}
    >
      <p>Queries that use it are then refused or read more. Building it again takes as long as the first time.</p>
      <Typed name={index.name} typed={typed} />
    </Change>
  );
}
