// SPDX-License-Identifier: Apache-2.0

/** Cell is one of CSV. One that is quoted and empty is an empty text, and one that is only empty is nothing. */
export interface Cell {
  text: string;
  quoted: boolean;
}

/** Row is a row of CSV, and the line at which it begins. */
export interface Row {
  at: number;
  cells: Cell[];
}

/** A text that a spreadsheet would take for a formula gets an apostrophe in front, as does one which has such apostrophes already: so it can be read again. */
const formula = /^'*([=+@\t\r]|-(?![\d.]))/;

/** textCell writes a text as a cell. */
export function textCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return safe === "" || /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** plainCell is the text that textCell has written. */
export const plainCell = (text: string): string => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);

const fault = (at: number, text: string) => Object.assign(new Error(text), { at });

/** parseCSV reads CSV as RFC 4180 has it. It throws an Error with the line, at, where a quote is out of place. */
export function parseCSV(whole: string): Row[] {
  const text = whole.replace(/^\uFEFF/, "");
  const rows: Row[] = [];
  let line = 1;
  let i = 0;
  const quotedCell = (): Cell => {
    const begun = line;
    let content = "";
    for (i++; ; i++) {
      const end = text.indexOf('"', i);
      if (end < 0) throw fault(begun, "a quoted cell has no end");
      content += text.slice(i, end);
      i = end + 1;
      if (text[i] !== '"') break;
      content += '"';
    }
    line += content.split("\n").length - 1;
    if (i < text.length && !/[,\r\n]/.test(text[i]!)) throw fault(line, "after the end of a quoted cell there must be a comma");
    return { text: content, quoted: true };
  };
  const bareCell = (): Cell => {
    const begin = i;
    while (i < text.length && text[i] !== "," && text[i] !== "\n" && text[i] !== "\r") i++;
    const content = text.slice(begin, i);
    if (content.includes('"')) throw fault(line, 'a cell with a " must be quoted, and the " doubled');
    return { text: content, quoted: false };
  };
  while (i < text.length) {
    const row: Row = { at: line, cells: [] };
    for (;;) {
      row.cells.push(text[i] === '"' ? quotedCell() : bareCell());
      if (text[i] !== ",") break;
      i++;
    }
    if (text[i] === "\r") i++;
    if (text[i] === "\n") i++;
    line++;
    if (row.cells.length > 1 || row.cells[0]!.text !== "" || row.cells[0]!.quoted) rows.push(row); // else it is an empty line
  }
  return rows;
}
