// SPDX-License-Identifier: Apache-2.0
//
// Requests of DynamoDB's API as programs of the AWS SDK for Go have them.

import { hexOf, inGo } from "./quote";

/** constants are the types that stand for a few words, and structs those of lists and maps of members. */
const constants: Record<string, string> = {
  AttributeType: "ScalarAttributeType", BillingMode: "BillingMode", ComparisonOperator: "ComparisonOperator", ConditionalOperator: "ConditionalOperator",
  KeyType: "KeyType", ProjectionType: "ProjectionType", ReturnConsumedCapacity: "ReturnConsumedCapacity", Select: "Select",
};
const structs: Record<string, string> = {
  AttributeDefinitions: "AttributeDefinition", GlobalSecondaryIndexes: "GlobalSecondaryIndex", KeyConditions: "Condition", KeySchema: "KeySchemaElement",
  QueryFilter: "Condition", ScanFilter: "Condition", Tags: "Tag",
};
const attributes = ["AttributeValueList", "ExclusiveStartKey", "ExpressionAttributeValues"];

const list = (texts: string[]): string => `{${texts.join(", ")}}`;
const mapOf = (v: object, write: (x: unknown) => string): string => list(Object.entries(v).map(([name, x]) => `${inGo(name)}: ${write(x)}`));

/** blob writes bytes, which JSON has as base64. */
const blob = (text: string): string => `[]byte${list(hexOf(text).map((digits) => `0x${digits}`))}`;

/** attribute writes a value of an item. */
function attribute(v: unknown): string {
  const [type = "", x] = Object.entries((v ?? {}) as Record<string, unknown>)[0] ?? [];
  const many = (write: (one: never) => string) => list(((x ?? []) as never[]).map(write));
  const values: Record<string, () => string> = {
    S: () => inGo(String(x)),
    N: () => inGo(String(x)),
    B: () => blob(String(x)),
    BOOL: () => String(x),
    NULL: () => String(x),
    SS: () => `[]string${many((one) => inGo(String(one)))}`,
    NS: () => `[]string${many((one) => inGo(String(one)))}`,
    BS: () => `[][]byte${many((one) => blob(String(one)))}`,
    L: () => `[]types.AttributeValue${many(attribute)}`,
    M: () => `map[string]types.AttributeValue${mapOf((x ?? {}) as object, attribute)}`,
  };
  return values[type] ? `&types.AttributeValueMember${type}{Value: ${values[type]()}}` : "nil";
}

/** value writes a member of a request. */
function value(member: string, v: unknown, indent: string): string {
  if (typeof v === "string") return constants[member] ? `types.${constants[member]}(${inGo(v)})` : `aws.String(${inGo(v)})`;
  if (typeof v === "number") return `aws.Int32(${v})`;
  if (typeof v === "boolean") return `aws.Bool(${v})`;
  const items = Array.isArray(v);
  if (attributes.includes(member)) return items ? `[]types.AttributeValue${list(v.map(attribute))}` : `map[string]types.AttributeValue${mapOf(v as object, attribute)}`;
  if (items && typeof v[0] !== "object") return `[]string${list(v.map((x) => inGo(String(x))))}`;
  if (items) return `[]types.${structs[member]}{\n${v.map((x: object) => `${indent}\t${members(x, indent + "\t")},\n`).join("")}${indent}}`;
  if (member === "ExpressionAttributeNames") return `map[string]string${mapOf(v as object, (x) => inGo(String(x)))}`;
  if (structs[member]) return `map[string]types.${structs[member]}${mapOf(v as object, (x) => members(x as object, indent))}`;
  return `&types.${member}${members(v as object, indent)}`;
}

const members = (v: object, indent: string): string => `{\n${Object.entries(v).map(([name, x]) => `${indent}\t${name}: ${value(name, x, indent + "\t")},\n`).join("")}${indent}}`;

/** goProgram writes a program that sends a request, and prints the items that it gets if it reads some. */
export function goProgram(operation: string, body: object, endpoint: string, reads: boolean): string {
  const input = members(body, "\t");
  const standard = ["context", ...(reads ? ["encoding/json", "os"] : [])];
  const sdk = ["aws", "credentials", "service/dynamodb", ...(input.includes("types.") ? ["service/dynamodb/types"] : [])];
  const imports = [...standard.map((name) => `\t"${name}"`), "", ...sdk.map((name) => `\t"github.com/aws/aws-sdk-go-v2/${name}"`)].join("\n");
  return `package main

import (
${imports}
)

func main() {
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(${inGo(endpoint)}),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("x", "x", ""),
	})
	${reads ? "answer" : "_"}, err := client.${operation}(context.Background(), &dynamodb.${operation}Input${input})
	if err != nil {
		panic(err)
	}
${reads ? "\tif err := json.NewEncoder(os.Stdout).Encode(answer.Items); err != nil {\n\t\tpanic(err)\n\t}\n" : ""}}`;
}
