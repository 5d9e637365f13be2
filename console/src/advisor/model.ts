// SPDX-License-Identifier: Apache-2.0

import type { KeyElement, NewIndex, NewTable } from "./generate";

/** Key is a key in a model of NoSQL Workbench. */
interface Key {
  PartitionKey: { AttributeName: string; AttributeType: string };
  SortKey?: { AttributeName: string; AttributeType: string };
}

interface ModelTable {
  TableName: string;
  KeyAttributes: Key;
  NonKeyAttributes?: { AttributeName: string; AttributeType: string }[];
  GlobalSecondaryIndexes?: { IndexName: string; KeyAttributes: Key; Projection?: { ProjectionType?: string; NonKeyAttributes?: string[] } }[];
  BillingMode?: string;
}

/** Model is a data model of NoSQL Workbench, as far as it is about tables. */
export interface Model {
  ModelName: string;
  ModelMetadata: Record<string, string>;
  DataModel: ModelTable[];
}

/** isModel says whether a document is a model of NoSQL Workbench. */
export const isModel = (document: unknown): document is Model => Array.isArray((document as Partial<Model> | null)?.DataModel);

const schemaOf = (k: Key): KeyElement[] => [{ AttributeName: k.PartitionKey.AttributeName, KeyType: "HASH" }, ...(k.SortKey ? [{ AttributeName: k.SortKey.AttributeName, KeyType: "RANGE" as const }] : [])];
const typesOf = (k: Key): [string, string][] => [k.PartitionKey, ...(k.SortKey ? [k.SortKey] : [])].map((a) => [a.AttributeName, a.AttributeType]);

/** Design is what the advisor is asked about. */
export interface Design {
  Table: NewTable & Record<string, unknown>;
  WritesPerSecond?: number;
  Patterns: Record<string, unknown>[];
  Attributes?: Record<string, { Type?: string } & Record<string, unknown>>;
}

/** designOf makes a design of a table of a model. A model says how keys are made and not how often they are asked, so each key gets one pattern to begin with. */
export function designOf(t: ModelTable): Design {
  const keys = [t.KeyAttributes, ...(t.GlobalSecondaryIndexes ?? []).map((x) => x.KeyAttributes)];
  if (!t.TableName || keys.some((k) => !k?.PartitionKey?.AttributeName)) throw new Error(`The model’s table ${t.TableName ?? ""} has no key.`);
  const definitions = Object.fromEntries(keys.flatMap(typesOf));
  const indexes = (t.GlobalSecondaryIndexes ?? []).map((x) => ({ IndexName: x.IndexName, KeySchema: schemaOf(x.KeyAttributes), Projection: { ProjectionType: x.Projection?.ProjectionType ?? "ALL" } }));
  const pattern = (name: string, k: Key) => ({ Name: name, PerSecond: 1, Where: { [k.PartitionKey.AttributeName]: "=" }, ...(k.SortKey ? { OrderBy: k.SortKey.AttributeName } : {}) });
  return {
    Table: {
      TableName: t.TableName,
      ItemCount: 1_000_000,
      AttributeDefinitions: Object.entries(definitions).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      KeySchema: schemaOf(t.KeyAttributes),
      ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes } : {}),
    },
    WritesPerSecond: 10,
    Patterns: [pattern("by the key", t.KeyAttributes), ...(t.GlobalSecondaryIndexes ?? []).map((x) => pattern(`by ${x.IndexName}`, x.KeyAttributes))],
    Attributes: Object.fromEntries([...Object.entries(definitions), ...(t.NonKeyAttributes ?? []).map((a) => [a.AttributeName, a.AttributeType] as const)].map(([name, Type]) => [name, { Type, Distinct: 1000 }])),
  };
}

/** modelOf makes a model of NoSQL Workbench of a table. others are the types of attributes that no key has. */
export function modelOf(t: NewTable, others: Record<string, string>): Model {
  const types = Object.fromEntries(t.AttributeDefinitions.map((a) => [a.AttributeName, a.AttributeType]));
  const attribute = (name: string) => ({ AttributeName: name, AttributeType: types[name] ?? "S" });
  const keyOf = (keys: KeyElement[]): Key => {
    const sort = keys.find((k) => k.KeyType === "RANGE");
    return { PartitionKey: attribute(keys[0]!.AttributeName), ...(sort ? { SortKey: attribute(sort.AttributeName) } : {}) };
  };
  const indexOf = (x: NewIndex) => ({ IndexName: x.IndexName, KeyAttributes: keyOf(x.KeySchema), Projection: { ProjectionType: x.Projection?.ProjectionType ?? "ALL" } });
  const now = new Date().toISOString();
  return {
    ModelName: t.TableName,
    ModelMetadata: { Author: "", DateCreated: now, DateLastModified: now, Description: "Designed with Weft’s advisor", AWSService: "Amazon DynamoDB", Version: "3.0" },
    DataModel: [
      {
        TableName: t.TableName,
        KeyAttributes: keyOf(t.KeySchema),
        NonKeyAttributes: Object.entries(others).filter(([name]) => !types[name]).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
        GlobalSecondaryIndexes: (t.GlobalSecondaryIndexes ?? []).map(indexOf),
        BillingMode: "PAY_PER_REQUEST",
      },
    ],
  };
}
