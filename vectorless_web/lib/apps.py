from django.apps import AppConfig


class LibConfig(AppConfig):
    name = "vectorless_web.lib"
