// SPDX-License-Identifier: Apache-2.0

import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Resource is something that is read from the server: its value, or why there is none. */
export interface Resource<T> {
  value?: T;
  error?: Error;
  busy: boolean;
  reload: () => void;
}

/** useResource reads when it is first used and when one of the dependencies changes; an older value stays until the next has come. */
export function useResource<T>(read: (abort: AbortSignal) => Promise<T>, dependencies: unknown[], everyMS = 0): Resource<T> {
  const state: Signal<{ value?: T; error?: Error; busy: boolean }> = useSignal({ busy: true });
  const turn = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    const once = () =>
      read(abort.signal).then(
        (value) => abort.signal.aborted || (state.value = { value, busy: false }),
        (error: Error) => abort.signal.aborted || (state.value = { ...state.peek(), error, busy: false }),
      );
    const again = () => void once().then(() => everyMS && !abort.signal.aborted && (timer = window.setTimeout(again, everyMS)));
    state.value = { ...state.peek(), busy: true };
    again();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [...dependencies, turn.value]);
  return { ...state.value, reload: () => turn.value++ };
}
