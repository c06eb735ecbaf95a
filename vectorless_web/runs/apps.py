from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "vectorless_web.runs"
    default_auto_field = "django.db.models.BigAutoField"
