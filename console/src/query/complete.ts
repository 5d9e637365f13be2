// SPDX-License-Identifier: Apache-2.0

import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { columnsOf, fullName, hbaseName, type Table } from "../tables/table";

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
export const inSQL = (name: string): string => (plainName.test(name) ? name : "`" + name.replaceAll("`", "``") + "`");
export const inPartiQL = (name: string): string => (plainName.test(name) ? name : '"' + name.replaceAll('"', '""') + '"');

const columnOptions = (t: Table, write: (name: string) => string): Completion[] => columnsOf(t).map((c) => ({ label: write(c.name), type: "property", detail: `${c.type}, ${t.name}`, boost: 2 }));
const indexOptions = (t: Table, write: (name: string) => string): Completion[] =>
  t.indexes.filter((x) => x.name).map((x) => ({ label: write(x.name), type: "class", detail: `index of ${t.name}: ${x.key.join(", ")}` }));

/** mentions says whether a text names a table, as a word of its own. */
function mentions(text: string, name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, "i").test(text);
}

/** qualified is what may follow a name and a dot: the tables of a database, or the columns of a table, which may have another name in the statement. */
function qualified(before: string, text: string, tables: Table[], database: string, write: (name: string) => string): Completion[] {
  const name = before.replaceAll("`", "");
  const inDatabase = tables.filter((t) => t.database === name).map((t): Completion => ({ label: write(t.name), type: "type" }));
  const alias = new RegExp("([\\w`.-]+)\\s+(?:AS\\s+)?`?" + name.replace(/\W/g, "\\$&") + "`?(?![\\w-])", "gi");
  const named = [name, ...[...text.matchAll(alias)].map((m) => m[1]!.replaceAll("`", ""))];
  const of = tables.filter((t) => named.includes(fullName(t)) || (t.database === database && named.includes(t.name)));
  return [...inDatabase, ...of.flatMap((t) => columnOptions(t, write))];
}

/** completeSQL offers tables, databases, and the columns and indexes of the tables that the text names, as write writes names. */
export function completeSQL(tables: () => Table[], database: () => string, write: (name: string) => string): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w$`.-]*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const text = context.state.doc.toString();
    const dot = word.text.lastIndexOf(".");
    if (dot >= 0) return { from: word.from + dot + 1, options: qualified(word.text.slice(0, dot), text, tables(), database(), write), validFor: /^[\w$`-]*$/ };
    const near = tables().filter((t) => t.database === database() && !t.families);
    const far = tables().filter((t) => t.database !== database() && !t.families);
    const named = [...near, ...far].filter((t) => mentions(text.slice(0, word.from) + " " + text.slice(word.to), t.name));
    const options: Completion[] = [
      ...named.flatMap((t) => [...columnOptions(t, write), ...indexOptions(t, write)]),
      ...near.map((t) => ({ label: write(t.name), type: "type", detail: "table", boost: 1 })),
      ...far.map((t) => ({ label: `${write(t.database)}.${write(t.name)}`, type: "type", detail: "table" })),
    ];
    return { from: word.from, options: [...new Map(options.map((o) => [o.label + o.detail, o])).values()], validFor: /^[\w$`-]*$/ };
  };
}

/** Members are those of a request, and what may stand in them, of the tables that such a request can name. */
type Members = Record<string, (tables: Table[], text: string) => Completion[]>;

const words = (list: string[], type: string): Completion[] => list.map((label) => ({ label, type }));
const nothing = (): Completion[] => [];
const valueOf = (text: string, member: string): string | undefined => new RegExp(`"${member}"\\s*:\\s*"([^"]*)"`).exec(text)?.[1];

const dynamoTable = (tables: Table[], text: string) => tables.filter((t) => t.name === valueOf(text, "TableName"));
const attributes = (tables: Table[], text: string): Completion[] => dynamoTable(tables, text).flatMap((t) => columnOptions(t, (name) => name));
const functions = words(["attribute_exists()", "attribute_not_exists()", "attribute_type()", "begins_with()", "contains()", "size()", "BETWEEN", "AND", "OR", "NOT", "IN"], "function");
const inExpression = (tables: Table[], text: string): Completion[] => [...attributes(tables, text), ...functions];

export const dynamoMembers: Members = {
  TableName: (tables) => tables.map((t) => ({ label: t.name, type: "type" })),
  IndexName: (tables, text) => dynamoTable(tables, text).flatMap((t) => indexOptions(t, (name) => name)),
  KeyConditionExpression: inExpression,
  FilterExpression: inExpression,
  ProjectionExpression: attributes,
  ExpressionAttributeNames: attributes,
  ExpressionAttributeValues: () => words(["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"], "keyword"),
  Select: () => words(["ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"], "enum"),
  ReturnConsumedCapacity: () => words(["TOTAL", "INDEXES", "NONE"], "enum"),
  Limit: nothing,
  ScanIndexForward: nothing,
  ConsistentRead: nothing,
  ExclusiveStartKey: attributes,
  Segment: nothing,
  TotalSegments: nothing,
};

const filters = ["ColumnCountGetFilter()", "ColumnPaginationFilter()", "ColumnPrefixFilter('')", "DependentColumnFilter('', '')", "FamilyFilter(=, 'binary:')", "FirstKeyOnlyFilter()", "InclusiveStopFilter('')", "KeyOnlyFilter()", "MultipleColumnPrefixFilter('')", "PageFilter()", "PrefixFilter('')", "QualifierFilter(=, 'binary:')", "RowFilter(=, 'binary:')", "SingleColumnValueFilter('', '', =, 'binary:')", "SingleColumnValueExcludeFilter('', '', =, 'binary:')", "TimestampsFilter()", "ValueFilter(=, 'binary:')", "AND", "OR", "SKIP", "WHILE"];

export const hbaseMembers: Members = {
  table: (tables) => tables.map((t) => ({ label: hbaseName(t), type: "type" })),
  start: nothing,
  stop: nothing,
  reversed: nothing,
  columns: (tables, text) => tables.filter((t) => hbaseName(t) === valueOf(text, "table")).flatMap((t) => words(t.families!, "property")),
  filter: () => words(filters, "function"),
  versions: nothing,
  rowsMax: nothing,
};

/** completeJSON offers the members of a request, and in a text what may stand in the member that it is in. */
export function completeJSON(members: Members, tables: () => Table[]): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString();
    const before = text.slice(0, context.pos);
    const word = context.matchBefore(/[\w.:-]*/)!;
    const inText = (before.replace(/\\./g, "").match(/"/g)?.length ?? 0) % 2 === 1;
    const deep = (before.match(/[{[]/g)?.length ?? 0) - (before.match(/[}\]]/g)?.length ?? 0);
    const member = [...before.matchAll(/"(\w+)"\s*:/g)].map((m) => m[1]!).filter((m) => m in members).at(-1);
    const isName = deep <= 1 && (inText ? /[{,]\s*"[\w.:-]*$/ : /[{,]\s*[\w.:-]*$/).test(before);
    if (word.from === word.to && !inText && !context.explicit) return null;
    const options = isName ? Object.keys(members).map((label): Completion => ({ label, type: "property", apply: inText ? label : `"${label}": ` })) : inText && member ? members[member]!(tables(), text) : [];
    return options.length > 0 ? { from: word.from, options, validFor: /^[\w.:-]*$/ } : null;
  };
}
