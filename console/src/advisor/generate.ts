// SPDX-License-Identifier: Apache-2.0

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

/** NewTable is the body of CreateTable. */
export interface NewTable {
  TableName: string;
  BillingMode?: string;
  KeySchema: KeyElement[];
  AttributeDefinitions: { AttributeName: string; AttributeType: string }[];
  GlobalSecondaryIndexes?: NewIndex[];
  Tags?: { Key: string; Value: string }[];
}

const text = (s: string): string => JSON.stringify(s).replaceAll("${", "$$${").replaceAll("%{", "%%{");
const part = (keys: KeyElement[], type: string): string | undefined => keys.find((k) => k.KeyType === type)?.AttributeName;
const projected = (x: NewIndex): string => x.Projection?.ProjectionType ?? "ALL";

/** terraformOf writes a table for Terraform's provider of AWS. */
export function terraformOf(t: NewTable): string {
  const key = (keys: KeyElement[], indent: string) => {
    const sort = part(keys, "RANGE");
    return `${indent}hash_key     = ${text(part(keys, "HASH") ?? "")}\n${sort ? `${indent}range_key    = ${text(sort)}\n` : ""}`;
  };
  const attributes = t.AttributeDefinitions.map((a) => `\n  attribute {\n    name = ${text(a.AttributeName)}\n    type = ${text(a.AttributeType)}\n  }\n`).join("");
  const indexes = (t.GlobalSecondaryIndexes ?? []).map((x) => {
    const more = x.Projection?.NonKeyAttributes;
    return `\n  global_secondary_index {\n    name            = ${text(x.IndexName)}\n${key(x.KeySchema, "    ")}    projection_type = ${text(projected(x))}\n${more ? `    non_key_attributes = [${more.map(text).join(", ")}]\n` : ""}  }\n`;
  });
  const tags = t.Tags ? `\n  tags = {\n${t.Tags.map((tag) => `    ${text(tag.Key)} = ${text(tag.Value)}\n`).join("")}  }\n` : "";
  return `resource "aws_dynamodb_table" ${text(t.TableName.replace(/[^A-Za-z0-9_]/g, "_"))} {\n  name         = ${text(t.TableName)}\n  billing_mode = "PAY_PER_REQUEST"\n${key(t.KeySchema, "  ")}${attributes}${indexes.join("")}${tags}}`;
}

const sqlTypes: Record<string, string> = { S: "VARCHAR", N: "DECIMAL", B: "VARBINARY", BOOL: "BOOLEAN" };
const quoted = (name: string): string => "`" + name.replaceAll("`", "``") + "`";

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

/** sqlOf writes a table in SQL. types are those of attributes that no key has. */
export function sqlOf(t: NewTable, types: Record<string, string> = {}): string {
  const declared = Object.fromEntries(t.AttributeDefinitions.map((a) => [a.AttributeName, a.AttributeType]));
  const names = [...new Set([...t.KeySchema, ...(t.GlobalSecondaryIndexes ?? []).flatMap((x) => x.KeySchema)].flatMap((k) => attributesOf(k.AttributeName)))];
  const columns = names.map((name) => `  ${quoted(name)} ${sqlTypes[declared[name] ?? types[name] ?? "S"] ?? "VARCHAR"},\n`).join("");
  const table = `CREATE TABLE ${quoted(t.TableName)} (\n${columns}  PRIMARY KEY (${t.KeySchema.map((k) => sqlKey(k.AttributeName)).join(", ")})\n) WITH (DYNAMIC_COLUMNS='true');`;
  const indexes = (t.GlobalSecondaryIndexes ?? []).map((x) => `CREATE INDEX ${quoted(x.IndexName)} ON ${quoted(t.TableName)} (${x.KeySchema.map((k) => sqlKey(k.AttributeName)).join(", ")});`);
  return [table, ...indexes].join("\n");
}

/** programs write a program that makes a table, by its language. */
export const programs: Record<string, (t: NewTable, endpoint: string) => string> = {
  CreateTable: (t) => JSON.stringify(t, null, 2),
  "AWS CLI": (t, endpoint) => `aws dynamodb create-table --endpoint-url ${endpoint} --cli-input-json '${JSON.stringify(t, null, 2).replaceAll("'", "'\\''")}'`,
  JavaScript: (t, endpoint) => `import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({ endpoint: ${JSON.stringify(endpoint)}, region: "us-east-1", credentials: { accessKeyId: "x", secretAccessKey: "x" } });
await client.send(new CreateTableCommand(${JSON.stringify(t, null, 2)}));`,
  Python: (t, endpoint) => `import boto3, json

client = boto3.client("dynamodb", endpoint_url=${JSON.stringify(endpoint)}, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
client.create_table(**json.loads(${JSON.stringify(JSON.stringify(t))}))`,
};
