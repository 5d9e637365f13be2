// SPDX-License-Identifier: Apache-2.0
//
// Prints the records of a stream with dynamodb-streams-readable, a line of JSON each, until all its shards have ended. Usage: node streams.mjs
// ARN. A shard is read after its parent; its reader is closed once, and another one goes on after the last checkpoint.

import { DynamoDBStreams } from "@aws-sdk/client-dynamodb-streams";
import readable from "dynamodb-streams-readable";
import { endpoint } from "./show.mjs";

const client = new DynamoDBStreams({ endpoint, region: "us-east-1" });
const arn = process.argv[2];

const plain = (name, v) => (v instanceof Uint8Array ? Buffer.from(v).toString("base64") : v);

// read reads a part of a shard: to its end, or until something was read. It returns the last checkpoint.
function read(shardId, startAfter, toEnd) {
  return new Promise((resolve, reject) => {
    let last = startAfter;
    const reader = readable(client, arn, { shardId, startAfter, limit: 20, readInterval: 5 });
    reader.on("checkpoint", (number) => (last = number));
    reader.on("data", (records) => {
      for (const record of records) console.log(JSON.stringify(record, plain));
      if (!toEnd) reader.close();
    });
    reader.on("error", reject);
    reader.on("end", () => resolve(last));
  });
}

const done = new Set();
for (;;) {
  const { StreamDescription } = await client.describeStream({ StreamArn: arn });
  const left = new Map(StreamDescription.Shards.filter((s) => !done.has(s.ShardId)).map((s) => [s.ShardId, s]));
  if (left.size === 0) break;
  for (const [id, shard] of left) {
    if (left.has(shard.ParentShardId)) continue;
    await read(id, await read(id, undefined, false), true);
    done.add(id);
  }
}
