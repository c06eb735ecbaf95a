"""An early pytest plugin: a private Redis and a private `var/` for each test process.

It runs before pytest-django reads the settings; in conftest.py it would be too late.
"""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from vectorless_web.infra.site.supervisor import find_redis_server

FOLDER = tempfile.mkdtemp(prefix="vw-test-")
SOCKET = f"{FOLDER}/redis.sock"
EXECUTABLE = find_redis_server()


def start_redis(socket: str = SOCKET, folder: str = FOLDER, *, password: str = "") -> subprocess.Popen:
    """Start a Redis that listens on a unix socket only, and wait until it does."""
    command = [EXECUTABLE, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", folder]
    command += ["--requirepass", password] if password else []
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 10
    while not os.path.exists(socket):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("Redis for the tests did not start")
        time.sleep(0.005)
    return process


server = start_redis()
os.environ["REDIS_URL"] = f"unix://{SOCKET}?db=0"
os.environ["VECTORLESS_VAR"] = f"{FOLDER}/var"
os.environ["VECTORLESS_STATIC"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "VECTORLESS_MODEL"):
    os.environ.pop(name, None)
Path(os.environ["VECTORLESS_VAR"], "static").mkdir(parents=True)
# As a site's first start leaves it: a storage without anything in it counts as not mounted.
Path(os.environ["VECTORLESS_VAR"], "media").mkdir()
Path(os.environ["VECTORLESS_VAR"], "media", "kept").touch()


def pytest_unconfigure(config) -> None:
    server.terminate()
    server.wait(5)
    shutil.rmtree(FOLDER, ignore_errors=True)
