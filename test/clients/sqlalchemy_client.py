# SPDX-License-Identifier: Apache-2.0
"""SQLAlchemy's ORM quick start and Alembic's autogenerate, section by section: `sqlalchemy_client.py SECTION`."""

import os
import sys
import tempfile

from sqlalchemy import JSON, Boolean, Column, Date, DateTime, Enum, ForeignKey, Integer, MetaData, Numeric, String, Text, UniqueConstraint
from sqlalchemy import create_engine, delete, func, insert, inspect, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Session, joinedload, mapped_column, relationship, selectinload


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "user_account"
    id = mapped_column(Integer, primary_key=True)
    name = mapped_column(String(30))
    fullname = mapped_column(String(100), nullable=True, unique=True)
    bio = mapped_column(Text, nullable=True)
    born = mapped_column(Date, nullable=True)
    made = mapped_column(DateTime, server_default=func.now())
    rich = mapped_column(Boolean, default=False)
    price = mapped_column(Numeric(10, 2), nullable=True, index=True)
    data = mapped_column(JSON, nullable=True)
    kind = mapped_column(Enum("a", "b"), nullable=True)
    addresses = relationship("Address", back_populates="user", cascade="all, delete-orphan")


class Address(Base):
    __tablename__ = "address"
    id = mapped_column(Integer, primary_key=True)
    email = mapped_column(String(100), index=True)
    user_id = mapped_column(ForeignKey("user_account.id"))
    user = relationship(User, back_populates="addresses")


def show(label, value):
    print(f"{label}: {value!r}")


def schema(name):
    server = f"mysql+pymysql://root@{os.environ['SQL_HOST']}:{os.environ['SQL_PORT']}/"
    with create_engine(server).connect() as c:
        c.execute(text(f"CREATE DATABASE {name}"))
    return create_engine(server + name)


def filled(engine):
    Base.metadata.create_all(engine)
    Base.metadata.create_all(engine)
    with Session(engine) as s:
        sandy = User(name="sandy", fullname="Sandy Cheeks", data={"a": [1]}, price="3.50", kind="b")
        sandy.addresses = [Address(email="sandy@example.com"), Address(email="s@example.com")]
        s.add_all([sandy, User(name="pat", fullname="Patrick Star")])
        s.commit()
        show("keys", (sandy.id, sorted(a.id for a in sandy.addresses), sandy.made is not None))


def orm():
    engine = schema("orm")
    filled(engine)
    with Session(engine) as s:
        show("in", [(u.name, u.data, u.price) for u in s.scalars(select(User).where(User.name.in_(["sandy", "pat"])).order_by(User.id))])
        show("outer join", s.execute(select(User.name, func.count(Address.id)).join(Address, isouter=True).group_by(User.name).order_by(User.name)).all())
        show("selectin", [len(u.addresses) for u in s.scalars(select(User).options(selectinload(User.addresses)).order_by(User.id))])
        show("joined", [len(u.addresses) for u in s.scalars(select(User).options(joinedload(User.addresses)).order_by(User.id)).unique()])
        s.execute(update(User).where(User.name == "pat").values(name="patrick"))
        s.execute(insert(User), [{"name": f"b{i}"} for i in range(20)])
        show("users", s.scalar(select(func.count(User.id))))
        s.delete(s.get(User, 1))
        s.commit()
        show("addresses left", s.scalar(select(func.count()).select_from(Address)))
        try:
            s.add(Address(email="x", user_id=999))
            s.commit()
        except IntegrityError as e:
            show("no user", e.orig.args[0])
    Base.metadata.drop_all(engine)
    show("tables", inspect(engine).get_table_names())


def nested():
    engine = schema("nested")
    filled(engine)
    with Session(engine) as s:
        s.add(User(name="one"))
        s.flush()
        try:
            with s.begin_nested():
                s.add(User(name="two", fullname="Patrick Star"))
                s.flush()
        except IntegrityError as e:
            show("rolled back to the savepoint", e.orig.args)
        with s.begin_nested():
            s.add(User(name="three"))
        s.commit()
        show("users", [u.name for u in s.scalars(select(User).order_by(User.id))])


def reflection():
    engine = schema("reflected")
    Base.metadata.create_all(engine)
    i, reflected = inspect(engine), MetaData()
    reflected.reflect(engine)
    show("tables", i.get_table_names())
    show("has", (i.has_table("address"), i.has_table("nowhere")))
    show("primary key", i.get_pk_constraint("address"))
    for index in i.get_indexes("user_account"):
        show("index", index)
    show("unique", i.get_unique_constraints("user_account"))
    show("foreign keys", i.get_foreign_keys("address"))
    for c in reflected.tables["user_account"].columns:
        show(c.name, (str(c.type), c.nullable, c.autoincrement, str(c.server_default.arg) if c.server_default is not None else None))


def alembic():
    from alembic import command
    from alembic.config import Config

    engine = schema("migrated")
    folder = os.path.join(tempfile.mkdtemp(), "alembic")
    config = Config(folder + ".ini", stdout=open(os.devnull, "w"))
    quiet = sys.stdout
    sys.stdout = open(os.devnull, "w")
    command.init(config, folder)
    with open(folder + "/env.py") as f:
        env = f.read().replace("target_metadata = None", "target_metadata = config.attributes['metadata']")
    with open(folder + "/env.py", "w") as f:
        f.write(env)
    config = Config(folder + ".ini", stdout=open(os.devnull, "w"))
    config.set_main_option("sqlalchemy.url", engine.url.render_as_string())

    def step(metadata, name):
        config.attributes["metadata"] = metadata
        command.revision(config, name, autogenerate=True)
        command.upgrade(config, "head")
        command.check(config)
        return inspect(engine).get_table_names(), [c["name"] for c in inspect(engine).get_columns("address")]

    first = step(Base.metadata, "first")
    later = MetaData()
    for table in Base.metadata.tables.values():
        table.to_metadata(later)
    later.tables["address"].append_column(Column("zip", String(9)))
    later.tables["address"].append_column(Column("number", Integer, server_default="0", nullable=False))
    later.tables["address"].append_constraint(UniqueConstraint("number", name="one_number"))
    second = step(later, "second")
    command.downgrade(config, "-1")
    down = [c["name"] for c in inspect(engine).get_columns("address")]
    command.downgrade(config, "base")
    sys.stdout = quiet
    show("first", first)
    show("second", second)
    show("down", down)
    show("base", inspect(engine).get_table_names())


globals()[sys.argv[1]]()
