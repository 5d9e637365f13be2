// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";

/** Loading is shown in place of what has not come yet. It appears late, so that quick answers do not flash. */
export function Loading({ what = "" }: { what?: string }) {
  return (
    <p class="loading" role="status">
      Loading{what && ` ${what}`}…
    </p>
  );
}

/** Failure says what went wrong, and offers to try again where that makes sense. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{error.message}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Empty says that there is nothing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
