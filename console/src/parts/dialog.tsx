// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Dialog is a modal window: Escape closes it, and the focus stays inside. With asks, it asks before something that was typed is lost. */
export function Dialog({ title, close, wide, asks, children }: { title: string; close: () => void; wide?: boolean; asks?: boolean; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  const typed = useRef(false);
  const asking = useSignal(false);
  useEffect(() => {
    element.current!.showModal();
  }, []);
  const leave = () => {
    if (asks && typed.current && !asking.value) asking.value = true;
    else element.current!.close();
  };
  return (
    <dialog
      ref={element}
      class={wide ? "wide" : ""}
      aria-labelledby="dialog-title"
      onClose={close}
      onInput={() => (typed.current = true)}
      onCancel={(e) => {
        e.preventDefault(); // Escape where nothing in the dialog has the focus
        leave();
      }}
      onKeyDown={(e) => {
        if (e.key !== "Escape") return;
        e.preventDefault(); // the browser may close it at the second one, whatever is said at its event
        leave();
      }}
    >
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={leave}>
          ✕
        </button>
      </div>
      {asking.value && (
        <div class="banner bar" role="alert">
          What you have typed is not saved.
          <span class="right" />
          <button
            type="button"
            onClick={() => {
              asking.value = false;
              element.current!.querySelector<HTMLElement>("textarea, input")?.focus();
            }}
          >
            Keep it
          </button>
          <button type="button" class="danger" onClick={() => element.current!.close()}>
            Discard it
          </button>
        </div>
      )}
      {children}
    </dialog>
  );
}
