# SPDX-License-Identifier: Apache-2.0
"""Prints the records of a stream, a line of JSON each, until all its shards have ended.

Run: streams_client.py ARN. A shard is read after its parent, and now and then begun again after the last record that was read.
"""

import base64
import json
import os
import sys
import time

import boto3

streams = boto3.client("dynamodbstreams", endpoint_url=os.environ["DYNAMODB_ENDPOINT"], region_name="us-east-1")
arn = sys.argv[1]
PAGES_BEFORE_RESTART = 3


def show(record):
    record["dynamodb"].pop("ApproximateCreationDateTime")
    print(json.dumps(record, default=lambda b: base64.b64encode(b).decode()), flush=True)


def shards():
    found, page = [], {}
    while True:
        described = streams.describe_stream(StreamArn=arn, **page)["StreamDescription"]
        found += described["Shards"]
        if "LastEvaluatedShardId" not in described:
            return found
        page = {"ExclusiveStartShardId": described["LastEvaluatedShardId"]}


def iterator(shard, last):
    place = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last} if last else {"ShardIteratorType": "TRIM_HORIZON"}
    return streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **place)["ShardIterator"]


def read(shard):
    last, pages, place = None, 0, iterator(shard, None)
    while place:
        page = streams.get_records(ShardIterator=place, Limit=20)
        for record in page["Records"]:
            show(record)
            last = record["dynamodb"]["SequenceNumber"]
        pages += 1
        place = page.get("NextShardIterator")
        if place and pages % PAGES_BEFORE_RESTART == 0:
            place = iterator(shard, last)
        if not page["Records"]:
            time.sleep(0.01)


done = set()
while True:
    left = {s["ShardId"]: s for s in shards() if s["ShardId"] not in done}
    if not left:
        break
    for shard in [i for i, s in left.items() if s.get("ParentShardId") not in left]:
        read(shard)
        done.add(shard)
