# SPDX-License-Identifier: Apache-2.0
"""PyMySQL and MySQL's own connector for Python, section by section: `mysql_client.py MODULE SECTION`."""

import datetime
import decimal
import importlib
import os
import sys

module = importlib.import_module(sys.argv[1])
own = sys.argv[1] == "mysql.connector"


def connect(**more):
    settings = dict(host=os.environ["SQL_HOST"], port=int(os.environ["SQL_PORT"]), charset="utf8mb4", **{"user": "root", **more})
    if own:
        settings["use_pure"] = True
    return module.connect(**settings)


def show(label, value):
    print(f"{label}: {value!r}")


def refused(label, call):
    try:
        show(label, ("NOT REFUSED", call()))
    except module.Error as e:
        show(label, (type(e).__name__, e.errno if own else e.args[0], e.msg if own else e.args[1]))


def shop():
    c = connect()
    k = c.cursor()
    k.execute("CREATE DATABASE shop")
    k.execute("USE shop")
    k.execute("CREATE TABLE item (id BIGINT, name VARCHAR(40), price DECIMAL(10,2), made TIMESTAMP, sold BOOLEAN, weight DOUBLE, seen DATE, at TIME, code VARBINARY, PRIMARY KEY (id))")
    return c, k


ITEM = (1, "größe 'quoted' \\ 😀", decimal.Decimal("49.90"), datetime.datetime(2024, 1, 2, 3, 4, 5, 678000), True, 6.5, datetime.date(2024, 2, 29), datetime.timedelta(hours=-1, minutes=-2), b"\x00\xff")
INSERT = "INSERT INTO item (id, name, price, made, sold, weight, seen, at, code) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"


def quickstart():
    c, k = shop()
    k.execute(INSERT, ITEM)
    show("inserted", k.rowcount)
    k.executemany("INSERT INTO item (id, name) VALUES (%s, %s)", [(i, f"item {i}") for i in range(2, 12)])
    show("inserted", k.rowcount)
    c.commit()
    k.execute("SELECT * FROM item WHERE id = %s", (1,))
    show("columns", [d[0] for d in k.description])
    show("same", [tuple(row) == ITEM or row for row in k.fetchall()])
    k.execute("SELECT id, name, price FROM item WHERE id > %s ORDER BY id DESC LIMIT 3", (5,))
    show("rows", k.fetchall())
    k.execute("UPDATE item SET price = price + 1 WHERE id = 1")
    show("updated", k.rowcount)
    c.rollback()
    k.execute("SELECT price FROM item WHERE id = 1")
    show("rolled back", k.fetchone())
    k.execute("DELETE FROM item WHERE id IN (%s, %s)", (2, 3))
    show("deleted", k.rowcount)
    c.commit()
    k.execute("SELECT count(*), sum(price), max(made) FROM item")
    show("aggregates", k.fetchone())
    refused("table", lambda: k.execute("SELECT * FROM nowhere"))
    refused("syntax", lambda: k.execute("SELEC 1"))
    refused("database", lambda: connect(database="nowhere"))
    c.ping()
    c.close()


def prepared():
    """Only MySQL's own connector can prepare."""
    c, _ = shop()
    k = c.cursor(prepared=True)
    k.execute(INSERT, ITEM)
    k.executemany("INSERT INTO item (id, name, weight) VALUES (?, ?, ?)", [(i, f"item {i}", i / 2) for i in range(2, 6)])
    c.commit()
    for id in (1, 2):
        k.execute("SELECT id, name, price, made, sold, weight, seen, at, code FROM item WHERE id = ?", (id,))
        show("row", k.fetchall())
    k.execute("SELECT sum(weight) FROM item WHERE id BETWEEN ? AND ?", (2, 4))
    show("sum", k.fetchone())
    k.close()
    c.cmd_change_user("root", "", "shop")
    c.cmd_reset_connection()
    show("statistics", sorted(c.cmd_statistics())[:2])
    c.close()


def signin():
    ca = os.environ["SQL_CERTIFICATE"]
    tls = dict(ssl_ca=ca) if own else dict(ssl={"ca": ca})
    for label, user, password, more in (
        ("plain", "ann", "secret", {}), ("over TLS", "ann", "secret", tls), ("wrong", "ann", "Secret", {}), ("wrong over TLS", "ann", "Secret", tls),
        ("unknown", "bob", "secret", {}), ("no password", "ann", "", {}),
    ):
        if own and not more:
            more = dict(ssl_disabled=True)
        try:
            c = connect(**{"user": user, "password": password, **more})
        except module.Error as e:
            show(label, (e.errno if own else e.args[0], e.msg if own else e.args[1]))
            continue
        k = c.cursor()
        k.execute("SELECT substring_index(user(), '@', 1)")
        show(label, k.fetchone()[0])
        c.close()


globals()[sys.argv[2]]()
