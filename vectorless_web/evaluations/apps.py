from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    name = "vectorless_web.evaluations"
    default_auto_field = "django.db.models.BigAutoField"
