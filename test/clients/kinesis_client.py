# SPDX-License-Identifier: Apache-2.0
"""Sends the changes of a table to a stream of another's service, and reads them there.

Run: kinesis_client.py. It ends with an error where something is not as it should be.
"""

import json
import os
import time

import boto3

ACCOUNT = dict(region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")
kinesis = boto3.client("kinesis", endpoint_url=os.environ["KINESIS_ENDPOINT"], **ACCOUNT)
dynamodb = boto3.client("dynamodb", endpoint_url=os.environ["DYNAMODB_ENDPOINT"], **ACCOUNT)
TABLE, STREAM = "games", "changes"


def wait(what, done):
    for _ in range(300):
        found = done()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"after 30 seconds: {what}")


def status():
    destinations = dynamodb.describe_kinesis_streaming_destination(TableName=TABLE)["KinesisDataStreamDestinations"]
    return destinations[0]["DestinationStatus"]


def records():
    """All records of the stream, oldest first in each shard."""
    found = []
    for shard in kinesis.list_shards(StreamName=STREAM)["Shards"]:
        iterator = kinesis.get_shard_iterator(StreamName=STREAM, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        while iterator:
            page = kinesis.get_records(ShardIterator=iterator)
            found += [json.loads(r["Data"]) for r in page["Records"]]
            if not page["Records"]:
                break
            iterator = page.get("NextShardIterator")
    return found


kinesis.create_stream(StreamName=STREAM, ShardCount=2)
arn = kinesis.describe_stream_summary(StreamName=STREAM)["StreamDescriptionSummary"]["StreamARN"]
dynamodb.create_table(
    TableName=TABLE, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
)
dynamodb.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
dynamodb.put_item(TableName=TABLE, Item={"id": {"S": "before"}})
dynamodb.enable_kinesis_streaming_destination(TableName=TABLE, StreamArn=arn)
wait("the destination is active", lambda: status() == "ACTIVE")
for i in range(60):
    dynamodb.put_item(TableName=TABLE, Item={"id": {"S": f"i{i}"}, "n": {"N": "12345678901234567890.5"}, "b": {"B": b"\x00\xff"}})
dynamodb.update_item(
    TableName=TABLE, Key={"id": {"S": "i7"}}, UpdateExpression="SET n = :n", ExpressionAttributeValues={":n": {"N": "8"}},
)
dynamodb.delete_item(TableName=TABLE, Key={"id": {"S": "i9"}})
wait("62 records have come", lambda: len(records()) >= 62)
dynamodb.disable_kinesis_streaming_destination(TableName=TABLE, StreamArn=arn)
wait("the destination is off", lambda: status() == "DISABLED")
dynamodb.put_item(TableName=TABLE, Item={"id": {"S": "after"}})
time.sleep(1)

found = {}
for r in records():
    assert r["tableName"] == TABLE and r["eventSource"] == "aws:dynamodb" and r["recordFormat"] == "application/json", r
    assert r["dynamodb"]["ApproximateCreationDateTimePrecision"] == "MILLISECOND", r
    found.setdefault(r["dynamodb"]["Keys"]["id"]["S"], []).append(r)
assert sorted(found) == sorted(f"i{i}" for i in range(60)), sorted(found)
for key, all_of_it in found.items():
    seen, distinct = set(), []
    for r in all_of_it:  # Kinesis may have one twice
        if r["eventID"] not in seen:
            seen.add(r["eventID"])
            distinct.append(r)
    names = [r["eventName"] for r in distinct]
    assert names == {"i7": ["INSERT", "MODIFY"], "i9": ["INSERT", "REMOVE"]}.get(key, ["INSERT"]), (key, names)
    assert distinct[0]["dynamodb"]["NewImage"] == {"id": {"S": key}, "n": {"N": "12345678901234567890.5"}, "b": {"B": "AP8="}}, distinct[0]
assert found["i7"][-1]["dynamodb"]["OldImage"]["n"] == {"N": "12345678901234567890.5"} and found["i7"][-1]["dynamodb"]["NewImage"]["n"] == {"N": "8"}
assert "NewImage" not in found["i9"][-1]["dynamodb"]
print("ok")
