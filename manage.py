#!/usr/bin/env python
"""Django's command line, for this project."""

import os
import sys
from importlib import import_module


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")
    if sys.argv[1:2] in (["ask"], ["verify"]):
        # They need no app and no database, so they do not wait for them to be set up.
        command = import_module(f"vectorless_web.runs.management.commands.{sys.argv[1]}")
        command.Command().run_from_argv(sys.argv)
        return None
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - settings must be named first

    return execute_from_command_line(sys.argv)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
