# SPDX-License-Identifier: Apache-2.0
"""Django's own applications and models of a shop, section by section: `client.py SECTION`."""

import os
import sys

import pymysql

os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
import django

django.setup()

from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.test import Client
from shop.models import Author, Post, Tag


def show(label, value):
    print(f"{label}: {value!r}")


def refused(label, call):
    try:
        with transaction.atomic():
            show(label, ("NOT REFUSED", call()))
    except IntegrityError as e:
        show(label, e.args)


def start(verbosity=0):
    with pymysql.connect(host=os.environ["SQL_HOST"], port=int(os.environ["SQL_PORT"]), user="root") as c:
        c.cursor().execute("CREATE DATABASE shop")
    call_command("migrate", verbosity=verbosity)


def posts():
    author = Author.objects.create(name="Ann", email="ann@example.com")
    Post.objects.bulk_create([Post(author=author, title=f"t{i}", body="b", stars=i, data={"n": i}) for i in range(50)])
    return author


def migrate():
    start(1)
    call_command("migrate", verbosity=1)
    call_command("makemigrations", check=True, dry_run=True)
    show("tables", sorted(connection.introspection.table_names()))
    with connection.cursor() as c:
        for name, of in sorted(connection.introspection.get_constraints(c, "shop_post").items()):
            show(name, {k: v for k, v in of.items() if v})
    call_command("migrate", "shop", "zero", verbosity=1)
    call_command("check", databases=["default"])


def atomic():
    start()
    with transaction.atomic():
        Author.objects.create(name="a", email="a@example.com")
        try:
            with transaction.atomic():
                Author.objects.create(name="b", email="b@example.com")
                raise ValueError
        except ValueError:
            pass
        refused("duplicate", lambda: Author.objects.create(name="c", email="a@example.com"))
        Author.objects.create(name="d", email="d@example.com")
    show("authors", list(Author.objects.order_by("id").values_list("name", flat=True)))
    with transaction.atomic():
        show("locked", Author.objects.select_for_update().get(email="a@example.com").name)
    show("get_or_create", [Author.objects.get_or_create(email="q@example.com", defaults={"name": "q"})[1] for _ in range(2)])
    show("update_or_create", Author.objects.update_or_create(email="q@example.com", defaults={"name": "r"})[1])


def bulk():
    start()
    author = posts()
    Post.objects.bulk_create([Post(author=author, title="t1", body="z")], ignore_conflicts=True)
    show("ignored", Post.objects.values_list("body", "stars").get(title="t1"))
    Post.objects.bulk_create([Post(author=author, title="t1", body="zz", stars=100)], update_conflicts=True, update_fields=["body", "stars"])
    show("updated", Post.objects.values_list("body", "stars").get(title="t1"))
    first = list(Post.objects.order_by("id")[:3])
    for post in first:
        post.stars += 1000
    show("bulk_update", Post.objects.bulk_update(first, ["stars"]))
    show("stars", list(Post.objects.order_by("id").values_list("stars", flat=True)[:4]))


def queries():
    start()
    posts()
    Author.objects.create(name="Bo", email="bo@example.com")
    first = Post.objects.order_by("id").first()
    first.tags.set([Tag.objects.create(word=w) for w in ("x", "y")])
    show("tags", [t.word for t in first.tags.order_by("word")])
    show("by tag", Post.objects.filter(tags__word="x").count())
    show("related", [(p.author.name, len(p.tags.all())) for p in Post.objects.select_related("author").prefetch_related("tags").order_by("id")[:2]])
    show("annotate", list(Author.objects.annotate(n=models.Count("post"), s=models.Sum("post__stars")).order_by("id").values_list("name", "n", "s")))
    show("average", Post.objects.aggregate(models.Avg("stars")))
    show("months", len(Post.objects.dates("published", "month")) > 0)
    show("filter", Post.objects.filter(Q(stars__gt=45) | Q(title__icontains="T1")).exclude(author__name="zz").count())
    show("exists", Author.objects.filter(Exists(Post.objects.filter(author=OuterRef("pk")))).count())
    last = Post.objects.filter(author=OuterRef("pk")).order_by("-id").values("title")[:1]
    show("subquery", list(Author.objects.annotate(last=Subquery(last)).order_by("id").values_list("name", "last")))
    show("json", Post.objects.filter(data__n=3).count())
    show("expression", Post.objects.update(stars=F("stars") + 1))
    show("through a join", Post.objects.filter(author__name="Ann").update(stars=5))


def deletion():
    start()
    author = posts()
    refused("no author", lambda: Post.objects.create(author_id=999, title="x", body="x"))
    Post.objects.order_by("id").first().tags.add(Tag.objects.create(word="x"))
    show("deleted", author.delete())
    show("left", (Post.objects.count(), Tag.objects.count()))


def admin():
    start()
    posts()
    root = User.objects.create_superuser("root", "root@example.com", "secret")
    group = Group.objects.create(name="g")
    root.groups.add(group)
    group.permissions.add(*Permission.objects.order_by("id")[:3])
    show("permissions", (Permission.objects.count(), Permission.objects.filter(group__user=root).count()))
    client = Client()
    show("login", client.login(username="root", password="secret"))
    pages = ["", "shop/post/", "shop/post/?q=t1", "shop/post/?author__id__exact=1", "shop/post/?o=-2.1", "shop/post/add/", "auth/user/",
             "shop/author/1/change/", "shop/author/1/history/", "shop/author/1/delete/"]
    for page in pages:
        show(page, client.get("/admin/" + page).status_code)
    answer = client.post("/admin/shop/author/add/", {"name": "new", "email": "new@example.com"})
    show("add", answer.status_code)
    new = Author.objects.get(email="new@example.com").pk
    answer = client.post("/admin/shop/author/", {"action": "delete_selected", "_selected_action": [new], "post": "yes"})
    show("delete", (answer.status_code, Author.objects.count()))


globals()[sys.argv[1]]()
