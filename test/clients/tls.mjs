// SPDX-License-Identifier: Apache-2.0
//
// Reads an item over TLS with the AWS SDK for JavaScript. Usage: node tls.mjs.

import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT, region: "us-east-1", maxAttempts: 1 });
const { Item } = await client.send(new GetItemCommand({ TableName: "fruit", Key: { id: { N: "1" } } }));
console.log(Item.name.S);
