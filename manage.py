#!/usr/bin/env python
"""Django's command line, for this project."""

import os
import sys


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")
    if sys.argv[1:2] == ["ask"]:
        # It needs no app and no database, so it does not wait for them to be set up.
        from vectorless_web.runs.management.commands.ask import Command  # noqa: PLC0415

        return Command().run_from_argv(sys.argv)
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - settings must be named first

    return execute_from_command_line(sys.argv)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
