// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import type { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import type { Wishes } from "./codemirror";

/** Editor edits a request; one of another dialect, or one that was not typed here, is another Editor. While it waits, its text may still change. Until the editor proper is loaded, and where it can't be, it is a plain field of text. */
export function Editor({ wait, ...wishes }: Wishes & { wait: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const newest = useRef(wishes);
  newest.current = wishes;
  const ready = useSignal(false);
  useEffect(() => {
    if (wait) return;
    let gone = false;
    import("./codemirror").then(
      ({ mount }) => {
        const element = place.current;
        if (gone || !element) return; // the page has been left
        const { dialect, label, text } = newest.current;
        const focused = element.contains(document.activeElement);
        view.current = mount(element, {
          dialect,
          label,
          text,
          tables: () => newest.current.tables(),
          database: () => newest.current.database(),
          changed: (text) => newest.current.changed(text),
          run: () => newest.current.run(),
        });
        ready.value = true;
        if (focused) view.current.focus();
      },
      () => undefined, // the plain field stays
    );
    return () => {
      gone = true;
      view.current?.destroy();
    };
  }, [wait]);
  return (
    <div class="editor" ref={place} data-ready={ready.value}>
      {!ready.value && (
        <textarea
          class="code"
          aria-label={wishes.label}
          spellcheck={false}
          value={wishes.text}
          rows={Math.min(14, Math.max(6, wishes.text.split("\n").length + 1))}
          onInput={(e) => wishes.changed(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) wishes.run();
          }}
        />
      )}
    </div>
  );
}
