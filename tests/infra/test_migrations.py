"""A database of the second edition opens: what it has taken counts as the one step that stands for it."""

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

OWN = [config.label for config in apps.get_app_configs() if config.name.startswith("vectorless_web.")]


@pytest.mark.django_db
def test_a_database_of_the_second_edition_needs_no_squashed_step():
    squashed = {key: step for key, step in MigrationLoader(None).disk_migrations.items() if step.replaces}
    assert {app for app, _name in squashed} == {app for app in OWN if (app, "0001_squashed") in squashed}
    recorder = MigrationRecorder(connection)
    for key, step in squashed.items():
        recorder.record_unapplied(*key)
        for replaced in step.replaces:
            recorder.record_applied(*replaced)

    executor = MigrationExecutor(connection)

    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    assert [step for step, _backwards in plan if step.replaces] == []
