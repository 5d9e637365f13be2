// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Dialog is a modal window: Escape closes it, and the focus stays inside. */
export function Dialog({ title, close, wide, children }: { title: string; close: () => void; wide?: boolean; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current!.showModal();
  }, []);
  return (
    <dialog ref={element} class={wide ? "wide" : ""} aria-labelledby="dialog-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => element.current!.close()}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}
