from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "vectorless_web.console"
    default_auto_field = "django.db.models.BigAutoField"
