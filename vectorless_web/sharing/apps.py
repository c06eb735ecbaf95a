from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "vectorless_web.sharing"
    default_auto_field = "django.db.models.BigAutoField"
