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
  splitKeys?: string[]; // values of the first column at which a split helps
}

/** HotReport is what GET /hot tells. */
export interface HotReport {
  findings: Finding[];
  objects: { table: string; index: string; reads: number; writes: number }[];
  keys: { table: string; index: string; key: string; direction: string; count: number; share: number }[];
  watched: { what: string; ratio: number; level: number }[] | null;
}
