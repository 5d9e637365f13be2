# SPDX-License-Identifier: Apache-2.0
from django.contrib import admin
from django.urls import path

urlpatterns = [path("admin/", admin.site.urls)]
