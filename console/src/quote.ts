// SPDX-License-Identifier: Apache-2.0
//
// Texts as other languages write them, so that every name is the same in each.

/** inShell writes a text for a shell. */
export const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** inGo writes a text for Go: as it is where Go reads it so, which is not where a raw text would lose a carriage return or a source can't have the character. */
export const inGo = (text: string): string => (/[`\r\0\ufeff]/.test(text) || !/["\\\n]/.test(text) ? JSON.stringify(text).replaceAll("\ufeff", "\\ufeff") : "`" + text + "`");

/** inTerraform writes a text for Terraform, whose texts may have expressions in them, and know fewer escapes than JSON. */
export const inTerraform = (text: string): string =>
  JSON.stringify(text)
    .replaceAll(/\\[\\bf]/g, (escape) => ({ "\\b": "\\u0008", "\\f": "\\u000c" })[escape] ?? escape)
    .replaceAll(/[$%]\{/g, (opening) => opening[0] + opening);

/** inJavaScript writes a value for JavaScript, where JSON says the same of all names but one. */
export const inJavaScript = (v: unknown): string => JSON.stringify(v, null, 2).replaceAll(/^( *)"__proto__":/gm, '$1["__proto__"]:');

/** inSQLText writes a text for SQL. */
export const inSQLText = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

/** hexOf writes bytes, which JSON has as base64, each in two digits. */
export const hexOf = (base64: string): string[] => [...atob(base64)].map((c) => c.charCodeAt(0).toString(16).padStart(2, "0"));
