"""Settings and addresses of a bare Django site over the same database: what a list view alone costs the web process.

`pages.py` starts it beside the product: Django's own middleware, session and sign-in, one query for the rows of a page,
and one template in one file.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path

from vectorless_web.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.bare"
MIDDLEWARE = [
    "vectorless_web.infra.web.health.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "loaders": [("django.template.loaders.locmem.Loader", {"list.html": ""})],
        },
    }
]
PAGE = """<!doctype html><html lang="en"><head><title>{{ kind }}</title></head><body><h1>{{ user.username }}</h1>
<table>{% for row in rows %}<tr><td><a href="{% url 'rows' kind=kind %}#{{ row.pk }}">{{ row }}</a></td>
<td>{{ row.pk }}</td></tr>{% endfor %}</table></body></html>"""
TEMPLATES[0]["OPTIONS"]["loaders"][0][1]["list.html"] = PAGE


def show_rows(request: HttpRequest, kind: str) -> HttpResponse:
    """The rows that the product's page of this kind shows, in a table."""
    from django.shortcuts import render

    return render(request, "list.html", {"kind": kind, "rows": _rows(kind)})


def _rows(kind: str) -> Any:
    from vectorless_web.documents.models import Document, Section
    from vectorless_web.runs.models import Run, Step

    return {
        "ask": Run.objects.all()[:6],
        "documents": Document.objects.all()[:50],
        "runs": Run.objects.all()[:50],
        "run": Step.objects.filter(run=Run.objects.order_by("-step_count", "pk").first()),
        "reader": Section.objects.filter(version__document__name="thornbury-annual-report-2024.pdf"),
    }[kind]


urlpatterns = [path("bare/<slug:kind>/", show_rows, name="rows")]
