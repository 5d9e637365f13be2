// SPDX-License-Identifier: Apache-2.0

import { inJavaScript, inShell, inTerraform } from "../quote";
import { goProgram } from "../sdk-go";
import { quoted } from "../tables/table";

/** KeyElement is a part of a key in DynamoDB's requests. */
export interface KeyElement {
  AttributeName: string;
  KeyType: "HASH" | "RANGE";
}

/** NewIndex is an index in DynamoDB's requests. */
export interface NewIndex {
  IndexName: string;
  KeySchema: KeyElement[];
  Projection?: { ProjectionType?: string; NonKeyAttributes?: string[] };
}

/** Definition is the type of an attribute that a key has. */
export interface Definition {
  AttributeName: string;
  AttributeType: string;
}

/** NewTable is the body of CreateTable. */
export interface NewTable {
  TableName: string;
  BillingMode?: string;
  KeySchema: KeyElement[];
  AttributeDefinitions: Definition[];
  GlobalSecondaryIndexes?: NewIndex[];
  Tags?: { Key: string; Value: string }[];
}

const part = (keys: KeyElement[], type: string): string | undefined => keys.find((k) => k.KeyType === type)?.AttributeName;
const projected = (x: NewIndex): string => x.Projection?.ProjectionType ?? "ALL";

/** block writes a block of Terraform: its members, and the blocks in it. */
function block(title: string, members: [name: string, value: string | undefined][], ...inner: string[]): string {
  const there = members.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...there.map(([name]) => name.length));
  const lines = [there.map(([name, value]) => `${name.padEnd(width)} = ${value}`).join("\n"), ...inner].filter(Boolean).join("\n\n");
  return `${title} {\n${lines.replaceAll(/^(?=.)/gm, "  ")}\n}`;
}

const optional = (name: string | undefined) => (name === undefined ? undefined : inTerraform(name));

/** terraformIndexOf writes an index for the resource of its table. */
export const terraformIndexOf = (x: NewIndex): string =>
  block("global_secondary_index", [
    ["name", inTerraform(x.IndexName)],
    ["hash_key", optional(part(x.KeySchema, "HASH"))],
    ["range_key", optional(part(x.KeySchema, "RANGE"))],
    ["projection_type", inTerraform(projected(x))],
    ["non_key_attributes", x.Projection?.NonKeyAttributes && `[${x.Projection.NonKeyAttributes.map(inTerraform).join(", ")}]`],
  ]);

/** terraformAttributeOf declares an attribute of a key for the resource of its table. */
export const terraformAttributeOf = (a: Definition): string => block("attribute", [["name", inTerraform(a.AttributeName)], ["type", inTerraform(a.AttributeType)]]);

/** terraformOf writes a table for Terraform's provider of AWS. */
export function terraformOf(t: NewTable): string {
  const attributes = t.AttributeDefinitions.map(terraformAttributeOf);
  const indexes = (t.GlobalSecondaryIndexes ?? []).map(terraformIndexOf);
  const tags = t.Tags ? [block("tags =", t.Tags.map((tag) => [inTerraform(tag.Key), inTerraform(tag.Value)]))] : [];
  const name = t.TableName.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_");
  const members: [string, string | undefined][] = [
    ["name", inTerraform(t.TableName)],
    ["billing_mode", inTerraform("PAY_PER_REQUEST")],
    ["hash_key", optional(part(t.KeySchema, "HASH"))],
    ["range_key", optional(part(t.KeySchema, "RANGE"))],
  ];
  return block(`resource "aws_dynamodb_table" ${inTerraform(name)}`, members, ...attributes, ...indexes, ...tags);
}

/** sqlTypes are SQL's words for the types of DynamoDB's API. */
export const sqlTypes: Record<string, string> = { S: "VARCHAR", N: "DECIMAL", B: "VARBINARY", BOOL: "BOOLEAN" };

/** attributesOf are the attributes that a key attribute's name spells, such as zorder(a f64, b) or concat(a,'#',b). */
export function attributesOf(name: string): string[] {
  const call = name.match(/^(?:concat|desc|hash8|hash32|hash64|reverse|zorder)\((.*)\)$/s);
  if (!call) return [name];
  const list = call[1]!.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"[^,;]*|[^,;]+/g) ?? [];
  return list
    .map((a) => a.trim())
    .filter((a) => a && !a.startsWith("'") && !a.startsWith("order="))
    .map((a) => (a.startsWith('"') ? a.slice(1, a.lastIndexOf('"')).replaceAll('""', '"') : a.split(" ")[0]!));
}

/** sqlKey writes a key attribute as SQL has it. */
function sqlKey(name: string): string {
  const list = attributesOf(name).map(quoted);
  if (name.startsWith("zorder(")) return `ZORDER(${list.join(", ")})`;
  if (name.startsWith("desc(")) return `${list[0]} DESC`;
  if (/^(hash8|hash32|hash64|reverse)\(/.test(name)) return `${name.slice(0, name.indexOf("("))}(${list[0]})`;
  return list.join(", ");
}

/** sqlTail says what an index holds: all items or only those that have its key, and of these what is projected. */
function sqlTail(x: NewIndex, sparse: boolean): string {
  const include = x.Projection?.NonKeyAttributes;
  const options = [...(projected(x) === "ALL" ? ["INDEX_COVERED_TYPE='COVERED_DYNAMIC_COLUMNS'"] : []), ...(sparse ? ["SPARSE='true'"] : [])];
  return `${include ? ` INCLUDE (${include.map(quoted).join(", ")})` : ""}${options.length > 0 ? ` WITH (${options.join(", ")})` : ""}`;
}

/** sqlIndexOf writes an index in SQL; table is how SQL names its table. Indexes of DynamoDB's API are sparse: they have only the items with all attributes of the key. */
export const sqlIndexOf = (table: string, x: NewIndex, sparse = true): string => `CREATE INDEX ${quoted(x.IndexName)} ON ${table} (${x.KeySchema.map((k) => sqlKey(k.AttributeName)).join(", ")})${sqlTail(x, sparse)};`;

/** sqlOf writes a table in SQL. types are those of attributes that no key has. */
export function sqlOf(t: NewTable, types: Record<string, string> = {}): string {
  const declared = Object.fromEntries(t.AttributeDefinitions.map((a) => [a.AttributeName, a.AttributeType]));
  const names = [...new Set([...t.KeySchema, ...(t.GlobalSecondaryIndexes ?? []).flatMap((x) => x.KeySchema)].flatMap((k) => attributesOf(k.AttributeName)))];
  const columns = names.map((name) => `  ${quoted(name)} ${sqlTypes[declared[name] ?? types[name] ?? "S"] ?? "VARCHAR"},\n`).join("");
  const table = `CREATE TABLE ${quoted(t.TableName)} (\n${columns}  PRIMARY KEY (${t.KeySchema.map((k) => sqlKey(k.AttributeName)).join(", ")})\n) WITH (DYNAMIC_COLUMNS='true');`;
  const indexes = (t.GlobalSecondaryIndexes ?? []).map((x) => sqlIndexOf(quoted(t.TableName), x));
  return [table, ...indexes].join("\n");
}

/** programs write a program that makes a table, by its language. */
export const programs: Record<string, (t: NewTable, endpoint: string) => string> = {
  CreateTable: (t) => JSON.stringify(t, null, 2),
  "AWS CLI": (t, endpoint) => `aws dynamodb create-table --endpoint-url ${endpoint} --cli-input-json ${inShell(JSON.stringify(t, null, 2))}`,
  Go: (t, endpoint) => goProgram("CreateTable", t, endpoint, false),
  JavaScript: (t, endpoint) => `import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({ endpoint: ${JSON.stringify(endpoint)}, region: "us-east-1", credentials: { accessKeyId: "x", secretAccessKey: "x" } });
await client.send(new CreateTableCommand(${inJavaScript(t)}));`,
  Python: (t, endpoint) => `import boto3, json

client = boto3.client("dynamodb", endpoint_url=${JSON.stringify(endpoint)}, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
client.create_table(**json.loads(${JSON.stringify(JSON.stringify(t))}))`,
};
