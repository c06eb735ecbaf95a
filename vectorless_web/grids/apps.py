from django.apps import AppConfig


class GridsConfig(AppConfig):
    name = "vectorless_web.grids"
    default_auto_field = "django.db.models.BigAutoField"
