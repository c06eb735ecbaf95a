"""A model's server that begins a reply, or does not even begin, falls silent, and notices when it is hung up on."""

import json
import socket
import threading
import time


class SilentServer:
    """`pieces` are streamed to every request before the silence; None sends not even headers."""

    def __init__(self, pieces: list[str] | None) -> None:
        self._pieces = pieces
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self.asked = threading.Semaphore(0)
        self.hung_up_at: list[float] = []
        self.headers: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Take no more requests."""
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(30)
            self._read_request(connection)
            if self._pieces is not None:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
                for piece in self._pieces:
                    connection.sendall(event(piece))
            self.asked.release()
            try:
                rest = connection.recv(1)
            except OSError:
                rest = b""
            if not rest:
                self.hung_up_at.append(time.monotonic())

    def _read_request(self, connection: socket.socket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(65536)
        head, body = data.split(b"\r\n\r\n", 1)
        self.headers.append(head)
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-l"))
        while len(body) < length:
            body += connection.recv(65536)


def event(text: str) -> bytes:
    """One piece of a streamed reply."""
    choices = [{"index": 0, "delta": {"content": text}, "finish_reason": None}]
    return f"data: {json.dumps({'id': 'c', 'model': 'tiny-2026', 'choices': choices})}\n\n".encode()
