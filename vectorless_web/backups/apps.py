from django.apps import AppConfig


class BackupsConfig(AppConfig):
    name = "vectorless_web.backups"
