"""What goes wrong under a live page: a network that can be cut, processes that die."""

import os
import re
import signal
import socket
import threading
from contextlib import suppress

import psutil

UPGRADE = re.compile(rb"upgrade:\s*websocket", re.IGNORECASE)


class Network:
    """The line between the browser and the site: a TCP relay that can be cut, or refuse websockets."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self.is_cut = self.refuses_sockets = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """Where the browser finds the site."""
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def cut(self) -> None:
        """Break every connection, and let no new one through."""
        self.is_cut = True
        for line in list(self._open):
            _shut(line)

    def mend(self) -> None:
        """Let connections through again."""
        self.is_cut = False

    def close(self) -> None:
        """Take the line down."""
        self.cut()
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with suppress(OSError), near:
            if self.is_cut:
                return
            self._open.add(near)
            head = near.recv(65536)
            if self.refuses_sockets and UPGRADE.search(head):
                near.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            with socket.create_connection(("127.0.0.1", self._port)) as far:
                self._open.add(far)
                far.sendall(head)
                threading.Thread(target=_pump, args=(far, near), daemon=True).start()
                _pump(near, far)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    _shut(source)
    _shut(target)


def _shut(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def kill(*numbers: int) -> None:
    """End processes as a crash does; a work-horse may have ended with its worker by then."""
    for number in numbers:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def web_server(parent: int, port: int) -> int:
    """The child that listens on the port."""
    return next(
        child.pid
        for child in psutil.Process(parent).children()
        if any(one.laddr.port == port and one.status == psutil.CONN_LISTEN for one in child.net_connections("tcp"))
    )


def redis_server(parent: int) -> int:
    """The child that is Redis."""
    return next(child.pid for child in psutil.Process(parent).children() if "unixsocket" in " ".join(child.cmdline()))


def children(parent: int) -> set[int]:
    """The processes that a process started."""
    return {child.pid for child in psutil.Process(parent).children()}


def is_alive(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
