// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";

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
