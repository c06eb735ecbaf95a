"""Jobs of the console: each takes a number, loads its row and calls one service."""

from vectorless_web.console.subjects.maintenance import carry_out


def run_backup_task(pk: int) -> None:
    """Make or verify a backup."""
    carry_out(pk)
