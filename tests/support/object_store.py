"""A real S3 server (SeaweedFS) for tests: it checks signatures, and can be taken away and brought back."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import obstore
import pytest
from obstore.store import S3Store

from tests.conftest import free_port

BUCKET = "vectorless"
PORTS = ("master", "volume", "filer", "s3")


class ObjectStoreServer:
    """`url` is the bucket's, `environment` what lets a process into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"s3://{BUCKET}/site"
        ports = {f"{name}.port{grpc}": free_port() for name in PORTS for grpc in ("", ".grpc")}
        self._ports = [f"-{name}={port}" for name, port in ports.items()]
        self.environment = {
            "AWS_ACCESS_KEY_ID": "site-key",
            "AWS_SECRET_ACCESS_KEY": "site-secret",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{ports['s3.port']}",
            "AWS_REGION": "us-east-1",
        }

    def start(self, seconds: float = 60) -> None:
        """Start the server on its folder and wait until it takes a file."""
        switches = ["-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false", "-volume.max=50"]
        switches += ["-master.volumeSizeLimitMB=64", "-s3.port.iceberg=0", "-s3.port.lance=0"]
        command = [str(Path(sys.executable).with_name("weed")), "server", f"-dir={self.folder}", "-s3"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *switches, *self._ports],
                env={**os.environ, **self.environment},  # It lets in whom its own environment names.
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + seconds
        while not self._takes_a_file():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The object store did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.2)

    def stop(self) -> None:
        """Kill the server; its files stay."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def names(self) -> list[str]:
        """Names of all files in the bucket's folder of the site."""
        return sorted(each["path"] for page in obstore.list(self.client("site")) for each in page)

    def client(self, prefix: str) -> S3Store:
        """A client of a folder of the bucket, as another program would have one."""
        names = {name.removeprefix("AWS_").lower(): value for name, value in self.environment.items()}
        return S3Store(
            BUCKET, prefix=prefix, client_options={"allow_http": True}, retry_config={"max_retries": 0}, **names
        )

    def _takes_a_file(self) -> bool:
        try:
            obstore.put(self.client("start"), "sign", b"up")
        except obstore.exceptions.BaseError:
            return False
        return True


@pytest.fixture(scope="module")
def object_store(tmp_path_factory) -> Iterator[ObjectStoreServer]:
    """A server for the tests of a file."""
    server = ObjectStoreServer(tmp_path_factory.mktemp("objects"))
    server.start()
    yield server
    server.stop()
