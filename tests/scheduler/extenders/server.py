"""The server of an extender under test: answers by path, and remembers what it was asked."""

from __future__ import annotations

import contextlib
import http.server
import json
import pathlib
import ssl
import threading
from typing import TYPE_CHECKING, Any, Final

from kubestage.scheduler import extender_http
from kubestage.scheduler.config.model import Extender as ExtenderConfig
from kubestage.scheduler.extender import Extender

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json


CERTIFICATES: Final = pathlib.Path(__file__).parent / "certificates"


class Server:
    """Where it is, what it answers to each path, and the requests it has had."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Json]] = []
        self.content_types: list[str | None] = []
        self.answers: dict[str, Any] = {}
        self.status = 200
        self.before_answer: Callable[[], object] = lambda: None
        self.url = ""

    def extender(self, **config: Any) -> Extender:
        """An extender at this server, asked through the real transport."""
        stated = {"url_prefix": self.url, "http_timeout": "30s", **config}
        return Extender(ExtenderConfig(**stated), extender_http.post)


@contextlib.contextmanager
def running(context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server that is stopped at the end; with a context it speaks TLS."""
    server = Server()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.asked.append((self.path, json.loads(body)))
            server.content_types.append(self.headers["Content-Type"])
            server.before_answer()
            answer = server.answers.get(self.path)
            text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(server.status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if context is not None:
        listening.socket = context.wrap_socket(listening.socket, server_side=True)
    scheme = "http" if context is None else "https"
    server.url = f"{scheme}://127.0.0.1:{listening.server_address[1]}/scheduler"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


def server_context(*, wants_client: bool = False) -> ssl.SSLContext:
    """The server's certificate, valid for extender.test."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "server.pem", CERTIFICATES / "server-key.pem")
    if wants_client:
        context.load_verify_locations(CERTIFICATES / "ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED
    return context
