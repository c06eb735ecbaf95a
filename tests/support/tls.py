"""TLS in front of a server that has none: a certificate of an authority of the test's own, and a relay behind it."""

import asyncio
import ssl
import threading
from contextlib import suppress
from pathlib import Path

import trustme


class TlsFront:
    """Listens on `port` of 127.0.0.1 and passes on to a unix socket; `authority` is the file that clients trust."""

    def __init__(self, behind: str, folder: Path, *, protocol: str = "") -> None:
        self._behind = behind
        made = trustme.CA()
        self.authority = folder / "authority.pem"
        made.cert_pem.write_to_path(str(self.authority))
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        made.issue_cert("127.0.0.1", "localhost").configure_cert(context)
        if protocol:
            context.set_alpn_protocols([protocol])
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()
        serving = asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)
        self.port: int = asyncio.run_coroutine_threadsafe(serving, loop).result(10).sockets[0].getsockname()[1]

    async def _serve(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        far, to_far = await asyncio.open_unix_connection(self._behind)
        await asyncio.gather(_pump(near, to_far), _pump(far, to_near))


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    target.close()
