// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog";

/** Change is a dialog that sends one request, and closes when that is done. */
export function Change({ title, action, dangerous, disabled, send, close, wide, children }: {
  title: string;
  action: string;
  dangerous?: boolean;
  disabled?: boolean;
  send: () => Promise<unknown>;
  close: () => void;
  wide?: boolean;
  children: ComponentChildren;
}) {
  const error = useSignal("");
  const busy = useSignal(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    busy.value = true;
    try {
      await send();
      close();
    } catch (fault) {
      error.value = (fault as Error).message;
      busy.value = false;
    }
  };
  return (
    <Dialog title={title} close={close} wide={wide} asks={!dangerous}>
      <form class="column" onSubmit={submit}>
        {children}
        {error.value && <p role="alert" class="error">{error.value}</p>}
        <div class="actions">
          <button type="submit" class={dangerous ? "danger" : "primary"} disabled={disabled || busy.value}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
