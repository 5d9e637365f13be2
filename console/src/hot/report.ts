// SPDX-License-Identifier: Apache-2.0

/** Finding is a diagnosis of the requests of the last minutes. */
export interface Finding {
  kind: string;
  table: string;
  index: string;
  text: string;
  cure?: string;
  warning?: boolean;
  evidence?: string[];
  statements?: { dialect: string; text: string }[];
}

/** HotReport is what GET /hot tells. */
export interface HotReport {
  findings: Finding[];
  objects: { table: string; index: string; reads: number; writes: number }[];
  keys: { table: string; index: string; key: string; direction: string; count: number; share: number }[];
  watched: { what: string; ratio: number; level: number }[] | null;
}
