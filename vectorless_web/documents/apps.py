from django.apps import AppConfig
from django.db.models.signals import post_delete


class DocumentsConfig(AppConfig):
    name = "vectorless_web.documents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let files go with their rows, damaged compiled files be made again, and health tell of the storage."""
        from vectorless_web.documents.line import repair_damaged  # noqa: PLC0415
        from vectorless_web.documents.models import DocumentVersion, VectorFile  # noqa: PLC0415 - load before ready()
        from vectorless_web.documents.services.keeping.quarantine import drop_files, drop_vectors  # noqa: PLC0415
        from vectorless_web.documents.storage import files  # noqa: PLC0415
        from vectorless_web.infra.web.health import health  # noqa: PLC0415

        post_delete.connect(drop_files, sender=DocumentVersion, dispatch_uid="documents.drop_files")
        post_delete.connect(drop_vectors, sender=VectorFile, dispatch_uid="documents.drop_vectors")
        files.artefact_damaged.connect(repair_damaged, sender=DocumentVersion, dispatch_uid="documents.repair_damaged")
        health.add("storage", files.check_storage)
