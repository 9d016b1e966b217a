"""Stands between a client and a server, and does to their connections what networks do."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import socket
import threading
import time
import urllib.parse
from typing import TYPE_CHECKING, Any, Self

import yaml

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

_EXPIRED = {"kind": "Status", "status": "Failure", "reason": "Expired", "code": 410,
            "message": "too old resource version"}  # fmt: skip


class FaultProxy:
    """Forwards GET requests to the server of a kubeconfig, and writes a kubeconfig of its own."""

    def __init__(self, kubeconfig: pathlib.Path, folder: pathlib.Path) -> None:
        self.requests: list[str] = []
        self.is_down = False
        self.delay_s = 0.0
        """How long each answer, and each piece of a watch, is held back."""
        self.expired: set[str] = set()
        """Paths whose next watch is refused with 410."""
        self.held: set[str] = set()
        """Paths whose watches deliver nothing for the time being, and nothing is lost."""
        self._open: set[socket.socket] = set()
        config = yaml.safe_load(kubeconfig.read_text())
        self._upstream = urllib.parse.urlsplit(config["clusters"][0]["cluster"]["server"]).netloc
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        address = f"http://127.0.0.1:{self._server.server_address[1]}"
        config["clusters"][0]["cluster"] = {"server": address}
        self.kubeconfig = folder / "proxied"
        self.kubeconfig.write_text(json.dumps(config))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.held.clear()
        self._server.shutdown()
        self._thread.join()
        self.cut()
        self._server.server_close()

    def lists(self, path: str = "") -> list[str]:
        """The requests for collections, or for one."""
        return [
            each for each in self.requests
            if "limit=" in each and "watch=" not in each and each.startswith(path)
        ]  # fmt: skip

    def watches(self, path: str = "") -> list[str]:
        """The requests to watch."""
        return [each for each in self.requests if "watch=true" in each and each.startswith(path)]

    def cut(self) -> None:
        """End all connections in the middle of what they do."""
        for each in list(self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def forget(self) -> None:
        """Cut all connections; the next watch of each kind is refused with 410."""
        self.expired = {urllib.parse.urlsplit(each).path for each in self.lists()}
        self.cut()

    def handle(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        if self.is_down:
            handler.close_connection = True
            return
        self.requests.append(handler.path)
        path = urllib.parse.urlsplit(handler.path).path
        if "watch=true" in handler.path and path in self.expired:
            self.expired.discard(path)
            body = json.dumps(_EXPIRED).encode()
            handler.send_response(410)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
            return
        self._open.add(handler.connection)
        upstream = http.client.HTTPConnection(self._upstream)
        try:
            upstream.connect()
            self._open.add(upstream.sock)
            upstream.request("GET", handler.path, headers={"Accept": "application/json"})
            self._forward(handler, upstream.getresponse())
        except (OSError, http.client.HTTPException):
            handler.close_connection = True
        finally:
            self._open.discard(handler.connection)
            self._open.discard(upstream.sock)
            upstream.close()

    def _forward(
        self, handler: http.server.BaseHTTPRequestHandler, response: http.client.HTTPResponse
    ) -> None:
        handler.send_response(response.status)
        for name in ("Content-Type", "Retry-After"):
            if response.headers.get(name):
                handler.send_header(name, response.headers[name])
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while True:
            time.sleep(self.delay_s)
            piece = response.read1(65536)
            while urllib.parse.urlsplit(handler.path).path in self.held:
                time.sleep(0.01)
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if not piece:
                return


def _handler(proxy: FaultProxy) -> Callable[..., Any]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            proxy.handle(self)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
