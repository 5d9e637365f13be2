# SPDX-License-Identifier: Apache-2.0
"""Exports a table to buckets of another's service and imports it again, in DynamoDB's JSON and in Ion; amazon.ion reads the latter.

Run: exchange_client.py. It ends with an error where something is not as it should be.
"""

import base64
import gzip
import hashlib
import json
import os
import time
from decimal import Decimal

import boto3
from amazon.ion import simpleion

ACCOUNT = dict(region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")
s3 = boto3.client("s3", endpoint_url=os.environ["S3_ENDPOINT"], **ACCOUNT)
dynamodb = boto3.client("dynamodb", endpoint_url=os.environ["DYNAMODB_ENDPOINT"], **ACCOUNT)
BUCKET, TABLE = "lake", "things"
SHAPE = dict(
    KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    BillingMode="PAY_PER_REQUEST",
)


def item(i):
    return {
        "id": {"S": f"it's \"{i}\"\né"}, "n": {"N": str(i * 10)}, "d": {"N": f"-{i}.5"}, "b": {"B": b"\x00\xff"}, "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2.5"]},
        "a b": {"L": [{"NULL": True}, {"BOOL": True}, {"M": {"null": {"S": ""}, "$x": {"L": []}}}]},
    }


def put(items):
    for start in range(0, len(items), 25):
        dynamodb.batch_write_item(RequestItems={TABLE: [{"PutRequest": {"Item": one}} for one in items[start:start + 25]]})


def wait(describe, member, status):
    while True:
        found = describe()[member]
        if found[status] != "IN_PROGRESS":
            return found
        time.sleep(0.1)


def export(**members):
    begun = dynamodb.export_table_to_point_in_time(TableArn=ARN, S3Bucket=BUCKET, **members)["ExportDescription"]
    done = wait(lambda: dynamodb.describe_export(ExportArn=begun["ExportArn"]), "ExportDescription", "ExportStatus")
    assert done["ExportStatus"] == "COMPLETED", done
    return done


def get(key):
    answer = s3.get_object(Bucket=BUCKET, Key=key)
    return answer["Body"].read(), answer["ETag"].strip('"')


def files(done):
    """The texts of the data files, whose sums are checked."""
    summary, _ = get(done["ExportManifest"])
    check, _ = get(done["ExportManifest"].replace(".json", ".md5"))
    assert base64.b64encode(hashlib.md5(summary).digest()) == check
    summary = json.loads(summary)
    assert summary["itemCount"] == done["ItemCount"], summary
    for line in get(summary["manifestFilesS3Key"])[0].splitlines():
        entry = json.loads(line)
        packed, etag = get(entry["dataFileS3Key"])
        assert base64.b64encode(hashlib.md5(packed).digest()).decode() == entry["md5Checksum"] and etag == entry["etag"], entry
        yield entry["dataFileS3Key"], gzip.decompress(packed)


def scan(table):
    found = [one for page in dynamodb.get_paginator("scan").paginate(TableName=table) for one in page["Items"]]
    for one in found:
        for member in ("ss", "ns"):
            list(one[member].values())[0].sort()
    return sorted(found, key=lambda one: one["id"]["S"])


def bring(table, prefix, form):
    begun = dynamodb.import_table(
        S3BucketSource={"S3Bucket": BUCKET, "S3KeyPrefix": prefix}, InputFormat=form, InputCompressionType="GZIP",
        TableCreationParameters=dict(TableName=table, **SHAPE))["ImportTableDescription"]
    done = wait(lambda: dynamodb.describe_import(ImportArn=begun["ImportArn"]), "ImportTableDescription", "ImportStatus")
    assert done["ImportStatus"] == "COMPLETED" and done["ErrorCount"] == 0, done
    dynamodb.get_waiter("table_exists").wait(TableName=table)


s3.create_bucket(Bucket=BUCKET)
dynamodb.create_table(TableName=TABLE, **SHAPE)
dynamodb.update_continuous_backups(TableName=TABLE, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
ARN = dynamodb.describe_table(TableName=TABLE)["Table"]["TableArn"]
put([item(i) for i in range(200)])
for form in ("DYNAMODB_JSON", "ION"):
    done = export(S3Prefix="in/" + form[:3], ExportFormat=form)
    assert done["ItemCount"] == 200, done
    (key, text), = files(done)
    if form == "ION":
        read = {one["Item"]["id"]: one["Item"] for one in simpleion.loads(text.decode(), single_value=False)}
        one = read["it's \"7\"\né"]
        assert len(read) == 200 and one["n"] == Decimal(70) and one["d"] == Decimal("-7.5") and bytes(one["b"]) == b"\x00\xff", one
        assert [a.text for a in one["ss"].ion_annotations] == ["$dynamodb_SS"] and list(one["ns"]) == [1, Decimal("2.5")], one
        assert one["a b"][0].__class__.__name__ == "IonPyNull" and one["a b"][2]["null"] == "", one
        # What amazon.ion writes of it is read, too, and laid out over many lines.
        s3.put_object(Bucket=BUCKET, Key="written/a.ion.gz", Body=gzip.compress(simpleion.dumps(list(simpleion.loads(text.decode(), single_value=False)), binary=False, sequence_as_stream=True, indent="  ").encode()))
        bring("written", "written/", form)
        assert scan("written") == scan(TABLE)
    bring("copy-" + form, key.rsplit("/", 1)[0] + "/", form)
    assert scan("copy-" + form) == scan(TABLE)
try:  # no incremental export is of less than 15 minutes
    export(ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification={"ExportFromTime": int(time.time())})
    raise AssertionError("an incremental export of a moment was taken")
except dynamodb.exceptions.ClientError as refused:
    assert refused.response["Error"]["Code"] == "ValidationException" and "15 minutes" in str(refused), refused
assert len(dynamodb.list_exports(TableArn=ARN)["ExportSummaries"]) == 2
print("ok")
