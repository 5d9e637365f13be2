// SPDX-License-Identifier: Apache-2.0

import { computed, signal } from "@preact/signals";

/** Route is where one is: #/page/part/part?name=value. It stands behind the hash, so that any path in front of the console works. */
export interface Route {
  page: string;
  parts: string[];
  query: URLSearchParams;
}

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
});

export const route = computed<Route>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?", 2);
  const [page = "", ...parts] = path.split("/").map(decodeURIComponent);
  return { page: page || "overview", parts: parts.filter(Boolean), query: new URLSearchParams(query) };
});

/** link is the address of a place within the console. */
export function link(page: string, parts: string[] = [], query: Record<string, string> = {}): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== "")).toString();
  return "#/" + [page, ...parts].map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

/** go moves to a place; replace leaves no step back to this one. */
export function go(to: string, replace = false): void {
  if (replace) {
    history.replaceState(null, "", to);
    hash.value = to;
  } else {
    location.hash = to;
  }
}
