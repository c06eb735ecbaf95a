from django.apps import AppConfig
from django.db.models.signals import post_delete


class DocumentsConfig(AppConfig):
    name = "vectorless_web.documents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let files go with their rows."""
        from vectorless_web.documents.models import DocumentVersion  # noqa: PLC0415 - models load before ready()
        from vectorless_web.documents.services.files import drop_files  # noqa: PLC0415

        post_delete.connect(drop_files, sender=DocumentVersion, dispatch_uid="documents.drop_files")
