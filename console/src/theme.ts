// SPDX-License-Identifier: Apache-2.0

import { computed, signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";

const key = "weft-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(system.matches);

export const theme = signal<Theme>((localStorage.getItem(key) as Theme | null) ?? "auto");

/** isDark says which colours pictures are drawn in. */
export const isDark = computed(() => theme.value === "dark" || (theme.value === "auto" && systemDark.value));

/** applyTheme follows the setting, and the system where that decides. */
export function applyTheme(): void {
  system.addEventListener("change", () => {
    systemDark.value = system.matches;
  });
  isDark.subscribe((dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  });
}

/** chooseTheme keeps a choice for the next visit. */
export function chooseTheme(next: Theme): void {
  theme.value = next;
  localStorage.setItem(key, next);
}
