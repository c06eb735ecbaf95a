from django.apps import AppConfig


class SourcesConfig(AppConfig):
    name = "vectorless_web.sources"
    default_auto_field = "django.db.models.BigAutoField"
