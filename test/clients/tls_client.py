# SPDX-License-Identifier: Apache-2.0
"""Reads an item over TLS with boto3."""

import os

import boto3
from botocore.config import Config

client = boto3.client("dynamodb", endpoint_url=os.environ["DYNAMODB_ENDPOINT"], region_name="us-east-1", config=Config(retries={"total_max_attempts": 1}))
print(client.get_item(TableName="fruit", Key={"id": {"N": "1"}})["Item"]["name"]["S"])
