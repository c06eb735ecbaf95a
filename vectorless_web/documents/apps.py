from django.apps import AppConfig


class DocumentsConfig(AppConfig):
    name = "vectorless_web.documents"
    default_auto_field = "django.db.models.BigAutoField"
