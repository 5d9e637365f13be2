# SPDX-License-Identifier: Apache-2.0
"""A chat service and a game's scores, written with boto3's resources, paginators, waiters and batch writer.

Run: boto3_client.py section. The files of testdata/boto3 say what each section prints.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from botocore.config import Config
from botocore.exceptions import ClientError, WaiterError

SETTINGS = dict(endpoint_url=os.environ["DYNAMODB_ENDPOINT"], region_name="us-east-1")
dynamodb = boto3.resource("dynamodb", **SETTINGS)
client = boto3.client("dynamodb", **SETTINGS)
QUICK = {"Delay": 1, "MaxAttempts": 60}


def show(label, value=None):
    print(label if value is None else f"{label}: {plain(value)}")


def plain(value):
    """One text for a value, whatever the order of its keys and members."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}={plain(value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, (set, frozenset)):
        return "<" + ", ".join(sorted(plain(v) for v in value)) + ">"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(plain(v) for v in value) + "]"
    if isinstance(value, Binary):
        return "0x" + value.value.hex()
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return str(value)


def refused(label, call, whole=True):
    """Shows the kind, the status and, where it has one wording everywhere, the message of the error that a call must end with."""
    try:
        call()
    except ClientError as e:
        kind = type(e).__name__
        error = e.response["Error"]
        show(f"{label}: {kind} {error['Code']} {e.response['ResponseMetadata']['HTTPStatusCode']}" + (f": {error['Message']}" if whole else ""))
        return e
    show(f"{label}: NOT REFUSED")
    return None


def made(name, keys, **more):
    """Creates a table from keys such as 'room:S sent:N', and waits for it."""
    parts = [k.split(":") for k in keys.split()]
    definitions = {n: t for n, t in parts}
    definitions.update(more.pop("also", {}))
    more.setdefault("BillingMode", "PAY_PER_REQUEST")
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": n, "KeyType": kind} for (n, _), kind in zip(parts, ("HASH", "RANGE"))],
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in definitions.items()],
        **more,
    )
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig=QUICK)
    return dynamodb.Table(name)


def messages():
    """A table of chat messages: a room's messages by time, and by author in an index."""
    table = made(
        "messages",
        "room:S sent:S",
        also={"author": "S"},
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-author",
                "KeySchema": [{"AttributeName": "author", "KeyType": "HASH"}, {"AttributeName": "sent", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["words"]},
            }
        ],
    )
    authors = ["ana", "ben", "cho"]
    with table.batch_writer() as batch:
        for room in ("cooking", "sailing"):
            for i in range(48):
                sent = f"2026-03-{1 + i // 24:02}T{i % 24:02}:00"
                batch.put_item(Item={"room": room, "sent": sent, "author": authors[i % 3], "words": i * 7 % 30, "text": f"message {i}"})
    return table


def tables():
    table = made("scores", "game:S points:N", also={"player": "S"}, BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 3},
                 LocalSecondaryIndexes=[{
                     "IndexName": "by-player",
                     "KeySchema": [{"AttributeName": "game", "KeyType": "HASH"}, {"AttributeName": "player", "KeyType": "RANGE"}],
                     "Projection": {"ProjectionType": "KEYS_ONLY"},
                 }])
    table.wait_until_exists()
    table.reload()
    show("status", [table.table_status, table.item_count, table.table_size_bytes, table.global_secondary_indexes])
    show("keys", table.key_schema)
    show("definitions", sorted(table.attribute_definitions, key=lambda d: d["AttributeName"]))
    throughput = table.provisioned_throughput
    show("throughput", [throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"], throughput["NumberOfDecreasesToday"]])
    index = table.local_secondary_indexes[0]
    show("index", [index["IndexName"], index["Projection"], index["ItemCount"]])
    show("arn", [table.table_arn.split(":")[2], table.table_arn.split(":")[5], index["IndexArn"].removeprefix(table.table_arn)])
    show("id", [len(table.table_id), table.creation_date_time.tzinfo is not None])

    for i in range(7):
        made(f"extra-{i}", "id:S")
    pages = list(client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 3}))
    show("pages", [p["TableNames"] for p in pages])
    show("resources", [t.name for t in dynamodb.tables.limit(4)])

    kinds = client.exceptions
    try:
        made("scores", "id:S")
    except kinds.ResourceInUseException as e:
        show("again", e.response["Error"]["Message"])
    try:
        client.describe_table(TableName="nothing")
    except kinds.ResourceNotFoundException as e:
        show("unknown", e.response["Error"]["Message"])
    try:
        client.get_item(TableName="nothing", Key={"id": {"S": "1"}})
    except kinds.ResourceNotFoundException as e:
        show("unknown", e.response["Error"]["Message"])
    refused("no definition", lambda: made("odd", "id:S", GlobalSecondaryIndexes=[
        {"IndexName": "other", "KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]))

    client.update_table(TableName="scores", BillingMode="PAY_PER_REQUEST")
    client.get_waiter("table_exists").wait(TableName="scores", WaiterConfig=QUICK)
    table.reload()
    show("billing", [table.billing_mode_summary["BillingMode"], table.provisioned_throughput["ReadCapacityUnits"]])

    show("deleted", table.delete()["TableDescription"]["TableStatus"])
    client.get_waiter("table_not_exists").wait(TableName="scores", WaiterConfig=QUICK)
    refused("gone", lambda: client.delete_table(TableName="scores"))
    try:
        client.get_waiter("table_exists").wait(TableName="scores", WaiterConfig={"Delay": 1, "MaxAttempts": 1})
    except WaiterError as e:
        show("waiter", type(e).__name__)


def items():
    table = made("players", "name:S")
    ana = {
        "name": "ana", "level": 7, "wins": Decimal("12.50"), "badges": {"early", "kind"}, "lucky": {3, Decimal("0.5")}, "seen": {b"\x00\xff", b"a"},
        "photo": b"\x89PNG", "bag": [1, "rope", {"deep": [None, True, False]}], "place": {"town": "Porto", "lat": Decimal("41.15")}, "motto": "", "none": [], "nothing": {},
    }
    table.put_item(Item=ana)
    found = table.get_item(Key={"name": "ana"}, ConsistentRead=True)["Item"]
    show("round trip", found == {**ana, "photo": Binary(b"\x89PNG"), "seen": {Binary(b"\x00\xff"), Binary(b"a")}})
    show("found", found)
    show("absent", "Item" in table.get_item(Key={"name": "zoe"}))
    show("part", table.get_item(Key={"name": "ana"}, ProjectionExpression="bag[1], place.town, #l, absent", ExpressionAttributeNames={"#l": "level"})["Item"])

    answer = table.update_item(
        Key={"name": "ana"}, UpdateExpression="SET #l = #l + :one, bag = list_append(bag, :more), joined = if_not_exists(joined, :year) REMOVE motto ADD wins :w, badges :b DELETE lucky :l",
        ExpressionAttributeNames={"#l": "level"},
        ExpressionAttributeValues={":one": 1, ":more": ["map"], ":year": 2026, ":w": Decimal("0.5"), ":b": {"brave"}, ":l": {3}},
        ReturnValues="ALL_NEW", ReturnConsumedCapacity="TOTAL")
    show("updated", answer["Attributes"])
    show("capacity", answer["ConsumedCapacity"])
    show("only the new", table.update_item(Key={"name": "ana"}, UpdateExpression="SET place.town = :t, bag[0] = :z", ExpressionAttributeValues={":t": "Lisboa", ":z": 0},
                                           ReturnValues="UPDATED_NEW")["Attributes"])
    show("created", table.update_item(Key={"name": "ben"}, UpdateExpression="ADD visits :n", ExpressionAttributeValues={":n": 1}, ReturnValues="ALL_NEW")["Attributes"])
    show("replaced", table.put_item(Item={"name": "ben"}, ReturnValues="ALL_OLD")["Attributes"])
    answer = table.delete_item(Key={"name": "ben"}, ReturnValues="ALL_OLD")
    show("deleted", answer["Attributes"])
    show("deleted again", "Attributes" in table.delete_item(Key={"name": "ben"}, ReturnValues="ALL_OLD"))


def conditions():
    table = made("orders", "id:S")
    table.put_item(Item={"id": "o-1", "state": "open", "cents": 40, "lines": ["tea", "cup"]}, ConditionExpression=Attr("id").not_exists())
    again = refused("twice", lambda: table.put_item(Item={"id": "o-1"}, ConditionExpression=Attr("id").not_exists()))
    show("kind", type(again) is dynamodb.meta.client.exceptions.ConditionalCheckFailedException)
    hold = [
        Attr("state").eq("open") & Attr("cents").between(10, 50),
        Attr("state").is_in(["open", "paid"]) & ~Attr("paid").exists(),
        Attr("state").begins_with("op") | Attr("cents").lt(0),
        Attr("lines").contains("tea") & Attr("lines").size().eq(2),
        Attr("cents").attribute_type("N") & Attr("cents").ne(41),
        Attr("cents").gte(40) & Attr("cents").lte(40) & Attr("cents").gt(39),
    ]
    for condition in hold:
        table.update_item(Key={"id": "o-1"}, UpdateExpression="ADD seen :one", ExpressionAttributeValues={":one": 1}, ConditionExpression=condition)
    show("seen", table.get_item(Key={"id": "o-1"})["Item"]["seen"])
    refused("update", lambda: table.update_item(Key={"id": "o-1"}, UpdateExpression="SET cents = :t", ExpressionAttributeValues={":t": 1}, ConditionExpression=Attr("state").eq("paid")))
    refused("delete", lambda: table.delete_item(Key={"id": "o-1"}, ConditionExpression=Attr("cents").gt(100)))
    refused("absent", lambda: table.delete_item(Key={"id": "o-2"}, ConditionExpression=Attr("id").exists()))
    table.delete_item(Key={"id": "o-1"}, ConditionExpression=Attr("state").eq("open"))
    show("left", table.scan()["Count"])


def legacy():
    """The parameters from before there were expressions."""
    table = made("guests", "hotel:S room:N")
    for room in range(1, 6):
        table.put_item(Item={"hotel": "inn", "room": room, "beds": room % 3, "name": f"guest {room}"}, Expected={"hotel": {"Exists": False}})
    refused("expected", lambda: table.put_item(Item={"hotel": "inn", "room": 1}, Expected={"hotel": {"Exists": False}}))
    key = {"hotel": "inn", "room": 1}
    show("updated", table.update_item(Key=key, AttributeUpdates={"beds": {"Action": "ADD", "Value": 4}, "mood": {"Value": "fine"}, "name": {"Action": "DELETE"}}, ReturnValues="ALL_NEW")["Attributes"])
    refused("refused", lambda: table.update_item(Key=key, AttributeUpdates={"beds": {"Value": 1}}, Expected={"beds": {"Value": 1}}))
    answer = table.query(KeyConditions={"hotel": {"ComparisonOperator": "EQ", "AttributeValueList": ["inn"]}, "room": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [2, 4]}},
                         QueryFilter={"beds": {"ComparisonOperator": "GT", "AttributeValueList": [0]}})
    show("query", [answer["ScannedCount"], answer["Items"]])
    answer = table.scan(ScanFilter={"beds": {"ComparisonOperator": "EQ", "AttributeValueList": [2]}, "mood": {"ComparisonOperator": "NOT_NULL"}}, ConditionalOperator="OR", AttributesToGet=["room"])
    show("scan", sorted(plain(i) for i in answer["Items"]))
    show("part", table.get_item(Key=key, AttributesToGet=["mood", "absent"])["Item"])


def query():
    table = messages()
    room = Key("room").eq("cooking")

    def sent(answer):
        return [i["sent"][5:13] for i in answer["Items"]]

    show("begins with", sent(table.query(KeyConditionExpression=room & Key("sent").begins_with("2026-03-02T0"))))
    show("between", sent(table.query(KeyConditionExpression=room & Key("sent").between("2026-03-01T22:00", "2026-03-02T01:00"))))
    show("newest", sent(table.query(KeyConditionExpression=room, ScanIndexForward=False, Limit=3)))
    for name, condition in [("<", Key("sent").lt("2026-03-01T02:00")), ("<=", Key("sent").lte("2026-03-01T02:00")), (">", Key("sent").gt("2026-03-02T22:00")), (">=", Key("sent").gte("2026-03-02T22:00"))]:
        show(name, sent(table.query(KeyConditionExpression=room & condition)))
    answer = table.query(KeyConditionExpression=room, FilterExpression=Attr("words").gte(25) & Attr("author").ne("ben"), ProjectionExpression="author, words", Limit=40)
    show("filtered", [answer["Count"], answer["ScannedCount"], answer["LastEvaluatedKey"], answer["Items"][0]])
    show("count", table.query(KeyConditionExpression=room, Select="COUNT")["Count"])

    pages = list(client.get_paginator("query").paginate(
        TableName="messages", KeyConditionExpression="room = :r", ExpressionAttributeValues={":r": {"S": "sailing"}}, PaginationConfig={"PageSize": 20}))
    show("pages", [p["Count"] for p in pages])
    limited = client.get_paginator("query").paginate(
        TableName="messages", KeyConditionExpression="room = :r", ExpressionAttributeValues={":r": {"S": "sailing"}}, PaginationConfig={"PageSize": 20, "MaxItems": 30})
    show("first 30", [sum(p["Count"] for p in limited) >= 30, limited.build_full_result()["Items"][-1]["sent"]["S"], "NextToken" in limited.build_full_result()])

    answer = table.query(IndexName="by-author", KeyConditionExpression=Key("author").eq("cho") & Key("sent").begins_with("2026-03-02T2"))
    show("index", sorted(plain(i) for i in answer["Items"]))
    total, start = 0, {}
    while True:
        page = table.query(IndexName="by-author", KeyConditionExpression=Key("author").eq("ana"), Limit=7, **start)
        total += page["Count"]
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    show("index pages", [total, start["ExclusiveStartKey"].keys() == {"author", "sent", "room"}])
    refused("strong", lambda: table.query(IndexName="by-author", KeyConditionExpression=Key("author").eq("cho"), ConsistentRead=True))
    refused("key in filter", lambda: table.query(KeyConditionExpression=room, FilterExpression=Attr("sent").exists()))
    refused("no hash key", lambda: table.query(KeyConditionExpression=Key("sent").eq("2026")))
    refused("no index", lambda: table.query(IndexName="nope", KeyConditionExpression=Key("author").eq("cho")))


def batches():
    table = made("scores", "game:S points:N")
    with table.batch_writer(overwrite_by_pkeys=["game", "points"]) as batch:
        for i in range(130):
            batch.put_item(Item={"game": f"g{i % 3}", "points": i, "player": f"p{i}"})
            batch.put_item(Item={"game": f"g{i % 3}", "points": i, "player": f"q{i}"})
        for i in range(0, 130, 10):
            batch.delete_item(Key={"game": f"g{i % 3}", "points": i})
    show("written", [table.scan()["Count"], table.get_item(Key={"game": "g1", "points": 1})["Item"]["player"]])

    wide = made("wide", "id:N")
    with wide.batch_writer() as batch:
        for i in range(60):
            batch.put_item(Item={"id": i, "body": b"x" * 350_000})
    wanted = {"wide": {"Keys": [{"id": i} for i in range(60)], "ProjectionExpression": "id"}, "scores": {"Keys": [{"game": "g2", "points": 2}, {"game": "g2", "points": 999}]}}
    rounds, found = 0, {"wide": [], "scores": []}
    while wanted:
        answer = dynamodb.batch_get_item(RequestItems=wanted)
        for name, rows in answer["Responses"].items():
            found[name] += rows
        wanted, rounds = answer["UnprocessedKeys"], rounds + 1
    show("read", [sorted(int(i["id"]) for i in found["wide"]) == list(range(60)), found["scores"], "in several rounds" if rounds > 1 else "in one round"])

    refused("twice", lambda: client.batch_write_item(RequestItems={"scores": [{"PutRequest": {"Item": {"game": {"S": "g"}, "points": {"N": "1"}}}}, {"DeleteRequest": {"Key": {"game": {"S": "g"}, "points": {"N": "1.0"}}}}]}))
    refused("26", lambda: client.batch_write_item(RequestItems={"scores": [{"PutRequest": {"Item": {"game": {"S": "g"}, "points": {"N": str(i)}}}} for i in range(26)]}), whole=False)
    refused("101", lambda: client.batch_get_item(RequestItems={"wide": {"Keys": [{"id": {"N": str(i)}} for i in range(101)]}}), whole=False)
    refused("same key", lambda: client.batch_get_item(RequestItems={"wide": {"Keys": [{"id": {"N": "1"}}, {"id": {"N": "1.0"}}]}}))
    refused("unknown", lambda: client.batch_get_item(RequestItems={"nope": {"Keys": [{"id": {"N": "1"}}]}}))


def scans():
    table = messages()
    pages = list(client.get_paginator("scan").paginate(TableName="messages", PaginationConfig={"PageSize": 30}))
    show("pages", [p["Count"] for p in pages])

    def segment(i):
        rows, start = [], {}
        while True:
            page = table.scan(Segment=i, TotalSegments=4, Limit=10, **start)
            rows += [(r["room"], r["sent"]) for r in page["Items"]]
            if "LastEvaluatedKey" not in page:
                return rows
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    with ThreadPoolExecutor(4) as pool:
        rows = [r for part in pool.map(segment, range(4)) for r in part]
    show("segments", [len(rows), len(set(rows))])
    found = table.scan(FilterExpression=Attr("words").eq(0) & Attr("room").eq("sailing"), ProjectionExpression="sent")
    show("filter", [found["Count"], found["ScannedCount"], sorted(plain(i) for i in found["Items"])])
    show("index", [table.scan(IndexName="by-author", Select="COUNT")["Count"], sorted(table.scan(IndexName="by-author", Limit=1)["Items"][0])])
    refused("segment", lambda: table.scan(Segment=4, TotalSegments=4))
    refused("segments alone", lambda: table.scan(TotalSegments=4))


def numbers():
    table = made("numbers", "id:N")
    widest = Decimal("12345678901234567890123456789012345678")
    for i, number in enumerate([widest, Decimal(f"-{widest}"), Decimal("1E-130"), Decimal("9.9E+37"), Decimal("-0"), Decimal("3.1400"), Decimal("0.1") + Decimal("0.2"), 2**70]):
        table.put_item(Item={"id": i, "n": number})
        back = table.get_item(Key={"id": i})["Item"]["n"]
        show(f"{number}", f"{back:f}" if len(f"{back:f}") < 45 else back)
    client.put_item(TableName="numbers", Item={"id": {"N": "100"}, "n": {"N": "9.9999999999999999999999999999999999999E+125"}})
    back = client.get_item(TableName="numbers", Key={"id": {"N": "1E2"}})["Item"]["n"]["N"]
    show("largest", [len(back), back[:40]])
    table.put_item(Item={"id": Decimal("7.50"), "set": {1, Decimal("1.1"), widest}})
    show("key", table.get_item(Key={"id": Decimal("7.5000")})["Item"])
    ordered = made("ordered", "owner:S rank:N")
    for rank in ["-1E+20", "-3", "-2.5", "0", "1E-9", "2", "10", "9E+30"]:
        ordered.put_item(Item={"owner": "o", "rank": Decimal(rank)})
    show("order", ordered.query(KeyConditionExpression=Key("owner").eq("o"))["Items"] == [{"owner": "o", "rank": Decimal(r)} for r in ["-1E+20", "-3", "-2.5", "0", "1E-9", "2", "10", "9E+30"]])
    for bad in ["1" * 39, "1E126", "1E-131", "abc", "", " 1", "NaN", "0x10"]:
        refused(f"{bad!r}", lambda: client.put_item(TableName="numbers", Item={"id": {"N": "1"}, "n": {"N": bad}}))
    refused("overflow", lambda: client.update_item(TableName="numbers", Key={"id": {"N": "100"}}, UpdateExpression="ADD n :n", ExpressionAttributeValues={":n": {"N": "9E+125"}}))


def errors():
    table = made("strict", "name:S year:N", also={"tag": "S"}, GlobalSecondaryIndexes=[
        {"IndexName": "by-tag", "KeySchema": [{"AttributeName": "tag", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}])
    key = {"name": "ana", "year": 2026}
    refused("missing key", lambda: table.put_item(Item={"name": "ana"}))
    refused("wrong type", lambda: table.put_item(Item={"name": 5, "year": 2026}))
    refused("wrong type in the index", lambda: table.put_item(Item={**key, "tag": 1}))
    refused("empty index key", lambda: table.put_item(Item={**key, "tag": ""}))
    refused("empty key", lambda: table.put_item(Item={"name": "", "year": 1}))
    refused("half a key", lambda: table.get_item(Key={"name": "ana"}))
    refused("wrong key", lambda: table.get_item(Key={"name": "ana", "year": "2026"}))
    refused("update the key", lambda: table.update_item(Key=key, UpdateExpression="SET #y = :y", ExpressionAttributeNames={"#y": "year"}, ExpressionAttributeValues={":y": 1}))
    refused("reserved", lambda: table.update_item(Key=key, UpdateExpression="SET name = :y", ExpressionAttributeValues={":y": 1}))
    refused("syntax", lambda: table.update_item(Key=key, UpdateExpression="SET a == :y", ExpressionAttributeValues={":y": 1}))
    refused("undefined", lambda: table.update_item(Key=key, UpdateExpression="SET a = :z"))
    refused("unused", lambda: table.update_item(Key=key, UpdateExpression="SET a = :y", ExpressionAttributeValues={":y": 1, ":z": 2}))
    refused("undefined name", lambda: table.update_item(Key=key, UpdateExpression="REMOVE #a"))
    refused("no such path", lambda: table.update_item(Key=key, UpdateExpression="SET a.b = :y", ExpressionAttributeValues={":y": 1}))
    refused("no such operand", lambda: table.update_item(Key=key, UpdateExpression="SET a = b + :y", ExpressionAttributeValues={":y": 1}))
    refused("empty set", lambda: client.put_item(TableName="strict", Item={"name": {"S": "a"}, "year": {"N": "1"}, "s": {"SS": []}}))
    refused("duplicates", lambda: client.put_item(TableName="strict", Item={"name": {"S": "a"}, "year": {"N": "1"}, "s": {"SS": ["a", "a"]}}))
    refused("too big", lambda: table.put_item(Item={**key, "body": "x" * 410_000}))
    refused("both kinds", lambda: table.put_item(Item=key, Expected={"a": {"Exists": False}}, ConditionExpression="attribute_not_exists(a)"))
    refused("add text", lambda: table.update_item(Key=key, UpdateExpression="ADD a :y", ExpressionAttributeValues={":y": "text"}))


def transactions():
    table = made("accounts", "id:S")
    raw = boto3.client("dynamodb", config=Config(retries={"max_attempts": 1}), **SETTINGS)
    for name, amount in [("ana", 100), ("ben", 20)]:
        table.put_item(Item={"id": name, "amount": amount})

    def move(amount, token=None):
        def part(name, sign, **more):
            return {"Update": {"TableName": "accounts", "Key": {"id": {"S": name}}, "UpdateExpression": "SET amount = amount + :d",
                               "ExpressionAttributeValues": {":d": {"N": str(sign * amount)}, **more.pop("values", {})}, **more}}
        return raw.transact_write_items(ReturnConsumedCapacity="TOTAL", ClientRequestToken=token or f"move-{amount}", TransactItems=[
            part("ana", -1, ConditionExpression="amount >= :least", values={":least": {"N": str(amount)}}, ReturnValuesOnConditionCheckFailure="ALL_OLD"),
            part("ben", 1),
            {"Put": {"TableName": "accounts", "Item": {"id": {"S": f"entry-{amount}"}, "amount": {"N": str(amount)}}}},
        ])

    answer = move(30, "first")
    show("capacity", answer["ConsumedCapacity"])
    move(30, "first")
    show("once only", {i["id"]: i["amount"] for i in table.scan()["Items"]})
    refused("other payload", lambda: move(31, "first"), whole=False)
    e = refused("poor", lambda: move(500))
    show("kind", type(e) is raw.exceptions.TransactionCanceledException)
    show("reasons", e.response.get("CancellationReasons"))
    answer = raw.transact_get_items(TransactItems=[
        {"Get": {"TableName": "accounts", "Key": {"id": {"S": "ana"}}, "ProjectionExpression": "amount"}}, {"Get": {"TableName": "accounts", "Key": {"id": {"S": "zoe"}}}}])
    show("read", answer["Responses"])
    raw.transact_write_items(TransactItems=[
        {"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "ana"}}, "ConditionExpression": "attribute_exists(amount)"}},
        {"Delete": {"TableName": "accounts", "Key": {"id": {"S": "entry-30"}}}}])
    show("left", sorted(i["id"] for i in table.scan()["Items"]))
    check = {"TableName": "accounts", "Key": {"id": {"S": "ana"}}}
    refused("same item", lambda: raw.transact_write_items(TransactItems=[{"Delete": check}, {"ConditionCheck": {**check, "ConditionExpression": "attribute_exists(id)"}}]))
    refused("101", lambda: raw.transact_write_items(TransactItems=[{"Delete": {"TableName": "accounts", "Key": {"id": {"S": str(i)}}}} for i in range(101)]), whole=False)
    refused("two in one", lambda: raw.transact_write_items(TransactItems=[{"Delete": check, "Put": {"TableName": "accounts", "Item": {"id": {"S": "x"}}}}]), whole=False)
    refused("unknown table", lambda: raw.transact_get_items(TransactItems=[{"Get": {"TableName": "nope", "Key": {"id": {"S": "ana"}}}}]))
    e = refused("bad key", lambda: raw.transact_get_items(TransactItems=[{"Get": {"TableName": "accounts", "Key": {"id": {"N": "1"}}}}]))
    show("reasons", e.response.get("CancellationReasons"))


def expiry():
    table = made("sessions", "id:S")
    show("before", client.describe_time_to_live(TableName="sessions")["TimeToLiveDescription"])
    show("on", client.update_time_to_live(TableName="sessions", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})["TimeToLiveSpecification"])
    described = client.describe_time_to_live(TableName="sessions")["TimeToLiveDescription"]
    show("after", [described["TimeToLiveStatus"] in ("ENABLING", "ENABLED"), described["AttributeName"]])
    refused("again", lambda: client.update_time_to_live(TableName="sessions", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"}))
    table.put_item(Item={"id": "new", "until": int(time.time()) + 3600})
    show("kept", table.scan()["Count"])
    refused("unknown", lambda: client.describe_time_to_live(TableName="nope"))


def tags():
    client.create_table(TableName="tagged", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}], AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                        BillingMode="PAY_PER_REQUEST", Tags=[{"Key": "team", "Value": "harbour"}])
    client.get_waiter("table_exists").wait(TableName="tagged", WaiterConfig=QUICK)
    arn = client.describe_table(TableName="tagged")["Table"]["TableArn"]

    def listed():
        return {t["Key"]: t["Value"] for page in client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn) for t in page["Tags"]}

    show("created with", listed())
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "pier"}, {"Key": "stage", "Value": ""}])
    show("changed", listed())
    client.untag_resource(ResourceArn=arn, TagKeys=["team", "absent"])
    show("left", listed())
    refused("no table", lambda: client.tag_resource(ResourceArn=arn + "x", Tags=[{"Key": "a", "Value": "b"}]))
    refused("no arn", lambda: client.tag_resource(ResourceArn="tagged", Tags=[{"Key": "a", "Value": "b"}]))


def partiql():
    table = made("people", "city:S name:S", also={"age": "N"}, GlobalSecondaryIndexes=[{
        "IndexName": "by-age", "KeySchema": [{"AttributeName": "city", "KeyType": "HASH"}, {"AttributeName": "age", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}])
    raw = dynamodb.meta.client  # of the resource: it takes and gives plain values

    def bare(answer):
        return {k: v for k, v in answer.items() if k != "ResponseMetadata"}

    def run(text, *values, **more):
        return bare(raw.execute_statement(Statement=text, **({"Parameters": list(values)} if values else {}), **more))

    for city, name, age in [("Rome", "ana", 30), ("Rome", "ben", 20), ("Rome", "cho", 25), ("Oslo", "dan", 50)]:
        run("INSERT INTO people VALUE {'city': ?, 'name': ?, 'age': ?, 'tags': <<'x', 'y'>>}", city, name, age)
    refused("again", lambda: run("INSERT INTO people VALUE {'city': 'Rome', 'name': 'ana'}"))
    show("item", run("SELECT * FROM people WHERE city = 'Rome' AND name = 'ana'")["Items"])
    show("query", run('SELECT name, age FROM "people" WHERE city = ? AND age > ? ORDER BY name DESC', "Rome", 20, ReturnConsumedCapacity="TOTAL", ConsistentRead=True))
    show("index", run('SELECT name FROM "people"."by-age" WHERE city = ? AND age BETWEEN ? AND ?', "Rome", 20, 26)["Items"])
    show("scan", run("SELECT name FROM people WHERE contains(tags, 'x') AND city <> 'Rome'")["Items"])
    pages, token = [], {}
    while True:
        page = run("SELECT name FROM people", Limit=3, **token)
        pages.append([i["name"] for i in page["Items"]])
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}
    show("pages", pages)
    show("updated", run("UPDATE people SET age = age + 1 SET tags = set_add(tags, ?) WHERE city = 'Rome' AND name = 'ben' RETURNING MODIFIED NEW *", {"z"})["Items"])
    e = refused("absent", lambda: run("UPDATE people SET age = 1 WHERE city = 'Rome' AND name = 'zoe'"))
    show("kind", type(e) is raw.exceptions.ConditionalCheckFailedException)
    show("deleted", run("DELETE FROM people WHERE city = 'Oslo' AND name = 'dan' AND age = 50 RETURNING ALL OLD *")["Items"])
    e = refused("grammar", lambda: run("SELECT * FROM people WHERE city = 'Rome' foo"))
    refused("count", lambda: run("SELECT COUNT(*) FROM people"))
    show("batch", raw.batch_execute_statement(Statements=[
        {"Statement": "SELECT age FROM people WHERE city = 'Rome' AND name = ?", "Parameters": ["ana"]},
        {"Statement": "SELECT age FROM people WHERE city = 'Rome'"}, {"Statement": "SELECT age FROM nothing WHERE id = 1"}])["Responses"])
    move = [{"Statement": "UPDATE people SET age = ? WHERE city = 'Rome' AND name = 'ana'", "Parameters": [31]},
            {"Statement": "EXISTS(SELECT * FROM people WHERE city = 'Rome' AND name = 'cho' AND age = 25)"},
            {"Statement": "INSERT INTO people VALUE {'city': 'Bern', 'name': 'eva'}"}]
    show("transaction", bare(raw.execute_transaction(TransactStatements=move, ReturnConsumedCapacity="TOTAL", ClientRequestToken="once")))
    show("once only", bare(raw.execute_transaction(TransactStatements=move, ReturnConsumedCapacity="TOTAL", ClientRequestToken="once")))
    e = refused("again", lambda: raw.execute_transaction(TransactStatements=move))
    show("reasons", e.response.get("CancellationReasons"))
    show("read", raw.execute_transaction(TransactStatements=[{"Statement": "SELECT age FROM people WHERE city = 'Rome' AND name = 'ana'"}])["Responses"])
    show("left", sorted(i["name"] for i in table.scan()["Items"]))


SECTIONS = {f.__name__: f for f in (tables, items, conditions, legacy, query, batches, scans, numbers, errors, transactions, expiry, tags, partiql)}
SECTIONS[sys.argv[1]]()
