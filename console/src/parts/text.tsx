// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";

/** Languages shows the same request in several languages, one at a time. */
export function Languages({ texts, title = "The same as" }: { texts: Record<string, string>; title?: string }) {
  const chosen = useSignal("");
  const shown = chosen.value in texts ? chosen.value : Object.keys(texts)[0]!;
  return (
    <>
      <div class="segmented" role="group" aria-label={title}>
        {Object.keys(texts).map((t) => (
          <button key={t} type="button" aria-pressed={t === shown} onClick={() => (chosen.value = t)}>
            {t}
          </button>
        ))}
      </div>
      <Listing text={texts[shown]!} />
    </>
  );
}

/** Listing shows a text that people copy. */
export function Listing({ text, title }: { text: string; title?: string }) {
  const copied = useSignal(false);
  return (
    <figure class="listing-box">
      {title && <figcaption>{title}</figcaption>}
      <pre class="listing" tabIndex={0}>{text}</pre>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          void navigator.clipboard.writeText(text);
          copied.value = true;
        }}
      >
        {copied.value ? "Copied" : "Copy"}
      </button>
    </figure>
  );
}
