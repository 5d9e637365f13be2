# SPDX-License-Identifier: Apache-2.0
"""Runs one section of what programs do with peewee and its migrator against the server of SQL_HOST and SQL_PORT."""
import os
import sys

import peewee
import pymysql
from playhouse import migrate as playhouse

HOST, PORT = os.environ["SQL_HOST"], int(os.environ["SQL_PORT"])


def database():
    with pymysql.connect(host=HOST, port=PORT, user="root") as connection:
        connection.cursor().execute("CREATE DATABASE shop")
    return peewee.MySQLDatabase("shop", host=HOST, port=PORT, user="root")


def models(db):
    class Base(peewee.Model):
        class Meta:
            database = db

    class Person(Base):
        name = peewee.CharField(max_length=60, unique=True)
        born = peewee.DateField(null=True)

    class Pet(Base):
        owner = peewee.ForeignKeyField(Person, backref="pets", on_delete="CASCADE")
        name = peewee.CharField(max_length=30, index=True)
        weight = peewee.DecimalField(max_digits=6, decimal_places=2, default=0)

    db.create_tables([Person, Pet])
    db.create_tables([Person, Pet], safe=True)
    return Person, Pet


def quickstart():
    db = database()
    person, pet = models(db)
    ann = person.create(name="Ann", born="1983-02-28")
    bo, created = person.get_or_create(name="Bo")
    print(created, person.get_or_create(name="Bo")[1])
    pet.insert_many([{"owner": ann, "name": "Kit", "weight": "4.25"}, {"owner": bo, "name": "Rex", "weight": 30}]).execute()
    query = person.select(person, peewee.fn.COUNT(pet.id).alias("n")).join(pet, peewee.JOIN.LEFT_OUTER).group_by(person).order_by(person.name)
    print([(p.name, p.born, p.n) for p in query])
    try:
        with db.atomic():
            person.create(name="Ann")
    except peewee.IntegrityError as e:
        print("duplicate", e.args[0])
    with db.atomic() as outer:
        pet.update(weight=pet.weight + 1).execute()
        with db.atomic() as inner:
            pet.delete().execute()
            inner.rollback()
        outer.commit()
    print([str(p.weight) for p in pet.select().order_by(pet.name)])
    person.insert(name="Ann", born="1984-01-01").on_conflict(preserve=[person.born]).execute()
    print(person.get(person.name == "Ann").born, list(person.select().where(person.name.contains("o")).tuples()))


def migrations():
    db = database()
    models(db)
    db.execute_sql("INSERT INTO person (name) VALUES ('12'), ('7')")
    m = playhouse.MySQLMigrator(db)
    playhouse.migrate(
        m.add_column("person", "city", peewee.CharField(max_length=20, default="Bern")),
        m.rename_column("person", "born", "birthday"),
        m.add_index("person", ("city", "name")),
        m.drop_not_null("pet", "weight"),
        m.alter_column_type("person", "city", peewee.TextField()),
        m.drop_index("pet", "pet_name"),
        m.rename_table("pet", "animal"),
    )
    playhouse.migrate(m.alter_column_type("animal", "name", peewee.IntegerField()))
    print(db.get_tables())
    for table in db.get_tables():
        print(table, [(c.name, c.data_type, c.null) for c in db.get_columns(table)])
    print(sorted((i.name, i.columns, i.unique) for i in db.get_indexes("person")))
    print(db.execute_sql("SELECT id, name, birthday, city FROM person ORDER BY id").fetchall())


{"quickstart": quickstart, "migrations": migrations}[sys.argv[-1]]()
