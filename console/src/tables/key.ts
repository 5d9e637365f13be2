// SPDX-License-Identifier: Apache-2.0

import type { Table } from "./table";

/** keyNamesOf are the attributes of a table's key. */
export const keyNamesOf = (t: Table): string[] => t.key.map((c) => c.name);

const letters: Record<string, string> = { string: "S", number: "N", int: "N", float: "N", timestamp: "N", binary: "B", bool: "BOOL" };

/** letterOf is DynamoDB's letter of a stored type, undefined if it may be any. */
export const letterOf = (type: string): string | undefined => letters[type];
