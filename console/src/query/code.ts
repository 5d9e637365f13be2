// SPDX-License-Identifier: Apache-2.0

import { inGo, inJavaScript, inShell } from "../quote";
import { goProgram } from "../sdk-go";
import type { Table } from "../tables/table";
import { sqlOfRequest } from "./translate";

/** Request is what code is made for. */
export type Request = { dialect: "sql"; statement: string; database: string } | { dialect: "dynamodb"; operation: string; body: Record<string, unknown>; database: string } | { dialect: "hbase"; body: Record<string, unknown> };

/** Places are the addresses of the server's ports, as host:port. */
export interface Places {
  dynamodb?: string;
  mysql?: string;
  admin?: string;
  "hbase-thrift1"?: string;
}

const hostOf = (place: string): string => place.replace(/:\d+$/, "");
const portOf = (place: string): string => place.replace(/^.*:/, "");

/** cliName turns TableName into --table-name. */
const cliName = (member: string): string => "--" + member.replace(/[A-Z]/g, (c, i: number) => (i ? "-" : "") + c.toLowerCase());

function cli(r: Extract<Request, { dialect: "dynamodb" }>, place: string): string {
  const flags = Object.entries(r.body).map(([name, v]) => {
    if (typeof v === "boolean") return v ? cliName(name) : cliName(name).replace("--", "--no-");
    return `${cliName(name)} ${inShell(typeof v === "object" ? JSON.stringify(v) : String(v))}`;
  });
  return [`aws dynamodb ${cliName(r.operation).slice(2)} --endpoint-url http://${place}`, ...flags].join(" \\\n  ");
}

function javascript(r: Extract<Request, { dialect: "dynamodb" }>, place: string): string {
  return `import { DynamoDBClient, ${r.operation}Command } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({
  endpoint: "http://${place}", region: "us-east-1", credentials: { accessKeyId: "any", secretAccessKey: "any" },
});
const answer = await client.send(new ${r.operation}Command(${inJavaScript(r.body)}));
console.log(JSON.stringify(answer.Items));`;
}

/** python writes a value as Python does. */
function python(v: unknown, indent = ""): string {
  if (v === null) return "None";
  if (typeof v === "boolean") return v ? "True" : "False";
  if (Array.isArray(v)) return `[${v.map((x) => python(x, indent)).join(", ")}]`;
  if (typeof v === "object") return `{${Object.entries(v as object).map(([k, x]) => `${JSON.stringify(k)}: ${python(x, indent)}`).join(", ")}}`;
  return JSON.stringify(v);
}

function boto3(r: Extract<Request, { dialect: "dynamodb" }>, place: string): string {
  const members = Object.entries(r.body).map(([k, v]) => `    ${k}=${python(v)},`);
  return `import boto3, json

client = boto3.client("dynamodb", endpoint_url="http://${place}", region_name="us-east-1",
                      aws_access_key_id="any", aws_secret_access_key="any")
answer = client.${cliName(r.operation).slice(2).replaceAll("-", "_")}(
${members.join("\n")}
)
print(json.dumps(answer["Items"]))`;
}

function sqlCode(r: Extract<Request, { dialect: "sql" }>, place: string): Record<string, string> {
  const [host, port] = [hostOf(place), portOf(place)];
  return {
    SQL: r.statement,
    Shell: `mysql -h ${host} -P ${port} -u root ${inShell(r.database)} -te ${inShell(r.statement)}`,
    Go: `package main

import (
	"database/sql"
	"fmt"

	_ "github.com/go-sql-driver/mysql"
)

func main() {
	db, err := sql.Open("mysql", "root@tcp(${place})/${r.database}")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	rows, err := db.Query(${inGo(r.statement)})
	if err != nil {
		panic(err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	values := make([]sql.NullString, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			panic(err)
		}
		fmt.Println(values)
	}
	if err := rows.Err(); err != nil {
		panic(err)
	}
}`,
    JavaScript: `import mysql from "mysql2/promise";

const connection = await mysql.createConnection({ host: ${JSON.stringify(host)}, port: ${port}, user: "root", database: ${JSON.stringify(r.database)}, supportBigNumbers: true, bigNumberStrings: true });
const [rows] = await connection.query(${JSON.stringify(r.statement)});
console.log(JSON.stringify(rows));
await connection.end();`,
    Python: `import pymysql

connection = pymysql.connect(host=${JSON.stringify(host)}, port=${port}, user="root", database=${JSON.stringify(r.database)})
with connection, connection.cursor() as cursor:
    cursor.execute(${JSON.stringify(r.statement)})
    for row in cursor:
        print(row)`,
  };
}

/** bytesInPython writes a text in which \\xNN is a byte as bytes of Python. */
function bytesInPython(text: string): string {
  const parts = text.split(/(\\x[0-9a-fA-F]{2})/);
  const quoted = (part: string) => [...new TextEncoder().encode(part)].map((n) => (n < 32 || n > 126 || n === 34 || n === 92 ? `\\x${n.toString(16).padStart(2, "0")}` : String.fromCharCode(n))).join("");
  return `b"${parts.map((part, i) => (i % 2 ? part.toLowerCase() : quoted(part))).join("")}"`;
}

function hbaseCode(body: Record<string, unknown>, places: Places): Record<string, string> {
  const text = (member: string) => String(body[member] ?? "");
  const thrift = places["hbase-thrift1"] ?? "127.0.0.1:9090";
  const options = [
    ...(text("start") ? [`row_start=${bytesInPython(text("start"))}`] : []),
    ...(text("stop") ? [`row_stop=${bytesInPython(text("stop"))}`] : []),
    ...(Array.isArray(body.columns) && body.columns.length > 0 ? [`columns=[${body.columns.map((c) => bytesInPython(String(c))).join(", ")}]`] : []),
    ...(text("filter") ? [`filter=${bytesInPython(text("filter"))}`] : []),
    ...(body.reversed === true ? ["reverse=True"] : []),
    `limit=${Number(body.rowsMax ?? 1000)}`,
  ];
  const code: Record<string, string> = { Shell: curl("hbase/scan", [], body, places) };
  // happybase reads one version of a column.
  if (Number(body.versions ?? 1) <= 1) {
    code.Python = `import happybase

connection = happybase.Connection(${JSON.stringify(hostOf(thrift))}, port=${portOf(thrift)})
for row, cells in connection.table(${JSON.stringify(text("table"))}).scan(${options.join(", ")}):
    print(row, cells)`;
  }
  return code;
}

/** curl sends a request to the admin port, where alone DynamoDB's requests may name a database. */
const curl = (path: string, headers: string[], body: unknown, places: Places): string =>
  [`curl -sN http://${places.admin ?? "127.0.0.1:8080"}/api/${path}`, ...["X-Weft-Console: 1", ...headers].map((h) => `-H ${inShell(h)}`), `-d ${inShell(JSON.stringify(body))}`].join(" \\\n  ");

/** commandOf is a request of DynamoDB's API for the AWS CLI. */
export const commandOf = (operation: string, body: Record<string, unknown>, places: Places): string => cli({ dialect: "dynamodb", operation, body, database: "default" }, places.dynamodb ?? "127.0.0.1:8000");

/** codeOf writes programs that send a request, by language. tables are those of the server, as far as they are known. */
export function codeOf(r: Request, places: Places, tables: Table[]): Record<string, string> {
  if (r.dialect === "sql") return sqlCode(r, places.mysql ?? "127.0.0.1:33060");
  if (r.dialect === "hbase") return hbaseCode(r.body, places);
  const statement = sqlOfRequest(r.operation, r.body, r.database, tables);
  const SQL: Record<string, string> = statement === undefined ? {} : { SQL: statement };
  if (r.database !== "default") return { Shell: curl("dynamodb", [`X-Amz-Target: DynamoDB_20120810.${r.operation}`, `X-Weft-Database: ${r.database}`], r.body, places), ...SQL };
  const place = places.dynamodb ?? "127.0.0.1:8000";
  return { "AWS CLI": cli(r, place), Go: goProgram(r.operation, r.body, `http://${place}`, true), JavaScript: javascript(r, place), Python: boto3(r, place), ...SQL };
}
