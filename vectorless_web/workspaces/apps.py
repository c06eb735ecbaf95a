from django.apps import AppConfig


class WorkspacesConfig(AppConfig):
    name = "vectorless_web.workspaces"
    default_auto_field = "django.db.models.BigAutoField"
