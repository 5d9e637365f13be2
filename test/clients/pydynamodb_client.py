# SPDX-License-Identifier: Apache-2.0
"""Tickets, through pydynamodb: PartiQL as a database driver of Python (PEP 249), and under SQLAlchemy.

Run: pydynamodb_client.py section. The files of testdata/pydynamodb say what each section prints.
"""

import os
import sys
from urllib.parse import quote_plus

import boto3
from pydynamodb import connect
from sqlalchemy import Column, MetaData, Numeric, String, Table, create_engine

ENDPOINT = os.environ["DYNAMODB_ENDPOINT"]
SETTINGS = {"region_name": "us-east-1", "endpoint_url": ENDPOINT, "aws_access_key_id": "x", "aws_secret_access_key": "y"}


def tickets():
    boto3.client("dynamodb", **SETTINGS).create_table(
        TableName="tickets", BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "project", "KeyType": "HASH"}, {"AttributeName": "number", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": "project", "AttributeType": "S"}, {"AttributeName": "number", "AttributeType": "N"}])
    cursor = connect(**SETTINGS).cursor()
    cursor.execute("""INSERT INTO "tickets" VALUE {'project': ?, 'number': ?, 'title': ?, 'tags': ?}""", ["weft", 1, "first", ["x", "y"]])
    cursor.executemany("""INSERT INTO "tickets" VALUE {'project': ?, 'number': ?, 'title': ?}""", [["weft", 2, "second"], ["weft", 3, "third"], ["warp", 1, "other"]])
    return cursor


def driver():
    cursor = tickets()

    def shown(text, parameters=None):
        cursor.execute(text, parameters)
        print(sorted(d[0] for d in cursor.description or []), sorted(cursor.fetchall(), key=str))

    shown("""SELECT number, title FROM "tickets" WHERE "project" = ? ORDER BY number DESC""", ["weft"])
    shown("""SELECT title FROM tickets WHERE "project" IN ['weft', 'warp'] AND begins_with("title", 't')""")
    shown("""SELECT title FROM tickets WHERE project = 'weft' AND number > 1""")
    shown("""UPDATE "tickets" SET title = 'one' WHERE "project" = 'weft' AND "number" = 1 RETURNING MODIFIED NEW *""")
    cursor.execute("""DELETE FROM "tickets" WHERE "project" = 'warp' AND "number" = 1""")
    shown("""SELECT project, number FROM "tickets" LIMIT 2""")
    try:
        cursor.execute("""INSERT INTO "tickets" VALUE {'project': 'weft', 'number': 1}""")
    except Exception as e:
        print(type(e).__name__, e)


def sqlalchemy():
    tickets()
    engine = create_engine("dynamodb://x:y@dynamodb.us-east-1.amazonaws.com:443?endpoint_url=" + quote_plus(ENDPOINT))
    table = Table("tickets", MetaData(), Column("project", String), Column("number", Numeric), Column("title", String))
    with engine.connect() as connection:
        print(sorted(tuple(str(v) for v in row) for row in connection.execute(table.select().where(table.c.project == "weft"))))


{"driver": driver, "sqlalchemy": sqlalchemy}[sys.argv[1]]()
