// SPDX-License-Identifier: Apache-2.0
//
// Queries and scans of DynamoDB's API as statements of SQL, as far as SQL can say the same.

import { hexOf, inSQLText } from "../quote";
import { inSQL, quoted, type Index, type Table } from "../tables/table";
import type { Item } from "../items/attribute";

/** Other is thrown for what SQL says otherwise or not at all. */
class Other extends Error {}

const token = /\s*(<>|<=|>=|[=<>(),.[\]]|[#:]?[A-Za-z0-9_-]+)/y;

/** tokensOf cuts an expression. */
function tokensOf(text: string): string[] {
  const list: string[] = [];
  token.lastIndex = 0;
  for (const end = text.trimEnd().length; token.lastIndex < end; ) {
    const found = token.exec(text);
    if (!found) throw new Other();
    list.push(found[1]!);
  }
  return list;
}

/** valueOf writes a value for SQL. */
function valueOf(a: Item[string] | undefined): string {
  if (a && "S" in a) return inSQLText(a.S);
  if (a && "N" in a) return a.N;
  if (a && "BOOL" in a) return a.BOOL ? "TRUE" : "FALSE";
  if (a && "B" in a) return `x'${hexOf(a.B).join("")}'`;
  throw new Other();
}

/** plainName is that of an attribute which SQL can have as a column. */
const plainName = /^[\w.-]+$/;

/** depthMax is how deep conditions may lie within one another. */
const depthMax = 100;

/**
 * Reader reads an expression. What it writes is true for the same rows as in DynamoDB's API, which has no third truth value: a comparison with an attribute that
 * is not there is false, and the contrary of that is true.
 */
class Reader {
  private readonly tokens: string[];
  private at = 0;
  private depth = 0;

  constructor(text: string, private readonly names: Record<string, string>, private readonly values: Item) {
    this.tokens = tokensOf(text);
  }

  whole(): string {
    const condition = this.disjunction();
    if (this.at < this.tokens.length) throw new Other();
    return condition;
  }

  /** columns reads a list of attributes. */
  columns(): string[] {
    const list = [this.column()];
    while (this.taken(",")) list.push(this.column());
    if (this.at < this.tokens.length) throw new Other();
    return list;
  }

  private taken(word: string): boolean {
    const is = this.tokens[this.at]?.toUpperCase() === word;
    if (is) this.at++;
    return is;
  }

  private expect(word: string): void {
    if (!this.taken(word)) throw new Other();
  }

  private disjunction(): string {
    if (++this.depth > depthMax) throw new Other();
    const list = [this.conjunction()];
    while (this.taken("OR")) list.push(this.conjunction());
    this.depth--;
    return list.length > 1 ? `(${list.join(" OR ")})` : list[0]!;
  }

  private conjunction(): string {
    const list = [this.negation()];
    while (this.taken("AND")) list.push(this.negation());
    return list.join(" AND ");
  }

  private negation(): string {
    let contrary = false;
    while (this.taken("NOT")) contrary = !contrary;
    const condition = this.simple();
    return contrary ? `(${condition}) IS NOT TRUE` : condition;
  }

  private simple(): string {
    if (this.taken("(")) {
      const inner = this.disjunction();
      this.expect(")");
      return inner;
    }
    if (this.tokens[this.at + 1] === "(") return this.call();
    const left = this.operand();
    if (this.taken("BETWEEN")) {
      const low = this.operand();
      this.expect("AND");
      return `${left} BETWEEN ${low} AND ${this.operand()}`;
    }
    if (this.taken("IN")) return `${left} IN (${this.list().join(", ")})`;
    const operator = this.tokens[this.at++] ?? "";
    if (operator === "<>") return `(${left} = ${this.operand()}) IS NOT TRUE`;
    if (!["=", "<", "<=", ">", ">="].includes(operator)) throw new Other();
    return `${left} ${operator} ${this.operand()}`;
  }

  private list(): string[] {
    this.expect("(");
    const list = [this.operand()];
    while (this.taken(",")) list.push(this.operand());
    this.expect(")");
    return list;
  }

  private call(): string {
    const name = this.tokens[this.at++]!;
    this.expect("(");
    const column = this.column();
    const prefix = name === "begins_with" && this.taken(",") ? this.values[this.tokens[this.at++]!] : undefined;
    this.expect(")");
    if (prefix && "S" in prefix) return `${column} LIKE ${inSQLText(prefix.S.replaceAll(/[\\%_]/g, "\\$&") + "%")}`;
    if (name === "attribute_exists") return `${column} IS NOT NULL`;
    if (name === "attribute_not_exists") return `${column} IS NULL`;
    throw new Other();
  }

  private operand(): string {
    const word = this.tokens[this.at]!;
    if (!word?.startsWith(":")) return this.column();
    this.at++;
    return valueOf(this.values[word]);
  }

  /** column reads an attribute; one within another has no column. */
  private column(): string {
    const word = this.tokens[this.at++] ?? "";
    const name = word.startsWith("#") ? this.names[word] : word;
    if (!name || !plainName.test(name) || [".", "[", "("].includes(this.tokens[this.at] ?? "")) throw new Other();
    return quoted(name);
  }
}

interface Asked {
  TableName: string;
  IndexName?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
  ScanIndexForward?: boolean;
  Select?: string;
  Limit?: number;
}

/** known are the members that a statement can follow; the last two make no difference to it. */
const known = ["TableName", "IndexName", "KeyConditionExpression", "FilterExpression", "ProjectionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues", "ScanIndexForward", "Select", "Limit", "ConsistentRead", "ReturnConsumedCapacity"];

/** anyOf is a range of all values that may stand in a key of an index. */
function anyOf(index: Index, name: string): string {
  const low: Record<string, string> = { string: "''", number: "-1E+126", binary: "x''" };
  const type = index.columns?.find((c) => c.name === name)?.type ?? "";
  if (!low[type]) throw new Other();
  return `>= ${low[type]}`;
}

function statementOf(operation: string, asked: Asked, table: Table): string {
  const index = table.indexes.find((x) => x.name === (asked.IndexName ?? ""));
  if (!index || !index.key.every((part) => plainName.test(part)) || Object.keys(asked).some((name) => !known.includes(name))) throw new Other();
  if (asked.Limit !== undefined && asked.FilterExpression) throw new Other(); // it counts the items that are read, not those that are found
  const reader = (text: string) => new Reader(text, asked.ExpressionAttributeNames ?? {}, asked.ExpressionAttributeValues ?? {});
  const held = index.projection === "all" ? ["*"] : [...new Set([...index.key, ...table.key.map((c) => c.name), ...(index.include ?? [])])].map(quoted);
  const columns = asked.Select === "COUNT" ? ["COUNT(*)"] : asked.Select === "ALL_ATTRIBUTES" ? ["*"] : asked.ProjectionExpression ? reader(asked.ProjectionExpression).columns() : held;
  const conditions = [asked.KeyConditionExpression, asked.FilterExpression].filter((text) => text !== undefined).map((text) => reader(text).whole());
  const own = index.key.filter((name) => !table.key.some((c) => c.name === name));
  conditions.push(...own.slice(asked.KeyConditionExpression && own[0] === index.key[0] ? 1 : 0).map((name) => `${quoted(name)} ${anyOf(index, name)}`)); // the index has no other items
  const order = operation === "Query" && index.key.length > 1 && asked.Select !== "COUNT" ? `\nORDER BY ${index.key.slice(1).map((name) => quoted(name) + (asked.ScanIndexForward === false ? " DESC" : "")).join(", ")}` : "";
  const where = conditions.length > 0 ? `\nWHERE ${conditions.join(" AND ")}` : "";
  const hints = [...(index.name && asked.KeyConditionExpression ? [`_l_force_index_(${inSQLText(index.name)})`] : []), ...(asked.KeyConditionExpression || conditions.length === 0 ? [] : ["_l_allow_filtering_"])];
  const hint = hints.length > 0 ? `/*+ ${hints.join(", ")} */ ` : "";
  return `SELECT ${hint}${columns.join(", ")}\nFROM ${inSQL(table)}${where}${order}${asked.Limit !== undefined ? `\nLIMIT ${asked.Limit}` : ""};`;
}

/** sqlOfRequest writes a Query or Scan in SQL; undefined if SQL can't say the same, or its table isn't known. */
export function sqlOfRequest(operation: string, body: Record<string, unknown>, database: string, tables: Table[]): string | undefined {
  const table = tables.find((t) => t.database === database && t.name === body.TableName);
  if (!table || table.families) return undefined;
  try {
    return statementOf(operation, body as unknown as Asked, table);
  } catch (e) {
    if (e instanceof Other || e instanceof TypeError) return undefined; // the request has another form than it should
    throw e;
  }
}
