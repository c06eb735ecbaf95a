from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "vectorless_web.notices"
    default_auto_field = "django.db.models.BigAutoField"
