// SPDX-License-Identifier: Apache-2.0

import type { Signal } from "@preact/signals";

/** Typed is the field in which a name is typed before what has it is deleted. */
export function Typed({ name, typed }: { name: string; typed: Signal<string> }) {
  return (
    <label class="field">
      Type {name} to confirm
      <input autofocus autocomplete="off" value={typed.value} onInput={(e) => (typed.value = e.currentTarget.value)} />
    </label>
  );
}
