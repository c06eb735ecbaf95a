from django.apps import AppConfig


class ProfilesConfig(AppConfig):
    name = "vectorless_web.profiles"
    default_auto_field = "django.db.models.BigAutoField"
