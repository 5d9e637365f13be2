# SPDX-License-Identifier: Apache-2.0
from django.contrib import admin

from .models import Author, Post, Tag

admin.site.register([Author, Tag])


@admin.register(Post)
class PostAdmin(admin.ModelAdmin):
    list_display = ["title", "author"]
    list_filter = ["author", "published"]
    search_fields = ["title", "author__name"]
