// SPDX-License-Identifier: Apache-2.0

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { session, signInAsked, signOut } from "./api";
import { route } from "./route";
import { SignIn } from "./signin";
import { chooseTheme, theme, type Theme } from "./theme";
import { Failure, Loading } from "./parts/states";
import { Overview } from "./pages/overview";

interface Page {
  name: string;
  title: string;
  group: string;
  load: () => Promise<ComponentType>;
}

/** The pages of the menu. All but the first are fetched when they are opened. */
const pages: Page[] = [
  { name: "overview", title: "Overview", group: "Server", load: async () => Overview },
  { name: "tables", title: "Tables", group: "Data", load: async () => (await import("./pages/tables")).Tables },
  { name: "items", title: "Items", group: "Data", load: async () => (await import("./pages/items")).Items },
  { name: "query", title: "Query", group: "Data", load: async () => (await import("./pages/query")).Query },
  { name: "heat", title: "Heat map", group: "Load", load: async () => (await import("./pages/heat")).Heat },
  { name: "hot", title: "Hot", group: "Load", load: async () => (await import("./pages/hot")).Hot },
  { name: "zorder", title: "Z-order", group: "Load", load: async () => (await import("./pages/zorder")).ZOrder },
  { name: "advisor", title: "Advisor", group: "Load", load: async () => (await import("./pages/advisor")).Advisor },
  { name: "activity", title: "Activity", group: "Server", load: async () => (await import("./pages/activity")).Activity },
];

const loaded = signal<Record<string, ComponentType | Error>>({ overview: Overview });

function open(page: Page): void {
  if (loaded.value[page.name]) return;
  page
    .load()
    .catch(() => new Error("This page can’t be loaded: the server does not answer. Is it running?"))
    .then((part) => {
      loaded.value = { ...loaded.value, [page.name]: part };
    });
}

/** menuShown is whether the menu of a narrow window is open. A wide one always shows it. */
const menuShown = signal(false);

function Menu() {
  const groups = [...new Set(pages.map((p) => p.group))];
  return (
    <nav aria-label="Pages" onClick={() => (menuShown.value = false)}>
      {groups.map((group) => (
        <div class="menu-group" key={group}>
          <h2>{group}</h2>
          {pages
            .filter((p) => p.group === group)
            .map((p) => (
              <a key={p.name} href={`#/${p.name}`} aria-current={route.value.page === p.name ? "page" : undefined}>
                {p.title}
              </a>
            ))}
        </div>
      ))}
    </nav>
  );
}

function Settings() {
  return (
    <div class="settings">
      {session.value.auth !== "off" && session.value.user && (
        <button type="button" class="quiet" onClick={() => void signOut()}>
          Sign out {session.value.user}
        </button>
      )}
      {session.value.auth !== "off" && !session.value.user && (
        <button type="button" class="quiet" onClick={() => (signInAsked.value = true)}>
          Sign in
        </button>
      )}
      <label>
        <span class="hidden">Colours</span>
        <select value={theme.value} onChange={(e) => chooseTheme(e.currentTarget.value as Theme)}>
          <option value="auto">System colours</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </div>
  );
}

export function Shell() {
  const page = pages.find((p) => p.name === route.value.page);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    if (page) open(page);
    document.title = `${page?.title ?? "Not found"} · Weft`;
  }, [page]);
  const Part = page && loaded.value[page.name];
  return (
    <>
      <a class="skip" href={location.hash} onClick={(e) => (e.preventDefault(), main.current?.focus())}>
        Skip to the content
      </a>
      <header class={menuShown.value ? "side open" : "side"} onKeyDown={(e) => e.key === "Escape" && (menuShown.value = false)}>
        <a class="brand" href="#/overview">
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M2 6h16M2 10h16M2 14h16" class="weft" />
            <path d="M6 2v16M10 2v16M14 2v16" class="warp" />
          </svg>
          Weft
        </a>
        <button type="button" class="menu-button" aria-expanded={menuShown.value} onClick={() => (menuShown.value = !menuShown.value)}>
          Menu
        </button>
        <Menu />
        <Settings />
      </header>
      <main ref={main} tabIndex={-1}>
        {!page && <Failure error={new Error(`There is no page "${route.value.page}".`)} />}
        {page && !Part && <Loading />}
        {Part instanceof Error && <Failure error={Part} retry={() => location.reload()} />}
        {Part && !(Part instanceof Error) && <Part />}
      </main>
      {signInAsked.value && <SignIn />}
    </>
  );
}
