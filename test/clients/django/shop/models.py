# SPDX-License-Identifier: Apache-2.0
from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=100)
    email = models.EmailField(unique=True)

    def __str__(self):
        return self.name


class Tag(models.Model):
    word = models.SlugField()


class Post(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    tags = models.ManyToManyField(Tag)
    title = models.CharField(max_length=200)
    body = models.TextField()
    stars = models.PositiveIntegerField(default=0)
    published = models.DateTimeField(auto_now_add=True)
    data = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["author", "title"], name="one_title"),
            models.CheckConstraint(condition=models.Q(stars__lte=100000) | models.Q(title="sky"), name="few_stars"),
        ]
