"""The smaller servers of agnhost."""

from __future__ import annotations

import json
import posixpath
from typing import TYPE_CHECKING, Final

from kubestage.golang import durations, json_encoding
from kubestage.programs import hosts, http
from kubestage.programs.agnhost.mounttest import flags
from kubestage.programs.agnhost.server import Server
from kubestage.programs.http import HttpAnswer
from kubestage.programs.tree import DIRECTORY, FileError
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.http import HttpRequest

_LIVE_NS: Final = 10 * SECOND_NS
_LINGERS_NS: Final = 60 * SECOND_NS


class Liveness(Server):
    """Healthy for ten seconds, and never again."""

    ports = frozenset({8080})

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self.wake_ns = self.started_ns + _LIVE_NS + 1

    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """Its health, its age, or a redirection."""
        del port
        age_ns = self.call.context.now_ns - self.started_ns
        if request.path == "/healthz":
            if age_ns > _LIVE_NS:
                return http.text(f"error: {age_ns / SECOND_NS}", 500)
            return http.text("ok")
        if request.path == "/started":
            return http.text(durations.go_string(age_ns))
        if request.path == "/redirect":
            return HttpAnswer(302, b"", {"Location": request.value("loc")})
        return http.text("404 page not found\n", 404)


class Webserver(Server):
    """Serves the files of its container."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        values = flags(call, call.arguments[1:], frozenset({"port"}))
        self.ports = frozenset({int(values.get("port", "80"))})

    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """A file, or the names in a directory."""
        del port
        files = self.call.files
        path = posixpath.normpath(f"/{request.path.lstrip('/')}")
        if path == "/":
            names = sorted(name for name in files.root.entries if not name.startswith("."))
            shown = [
                f"{name}/" if files.root.entries[name].kind == DIRECTORY else name for name in names
            ]
            return http.text(_page(shown))
        try:
            if files.find(path).kind == DIRECTORY:
                return http.text(_page(files.names(path)))
            return HttpAnswer(200, files.read(path), {"Content-Type": "text/plain; charset=utf-8"})
        except FileError:
            return http.text("404 page not found\n", 404)


def _page(names: list[str]) -> str:
    lines = "".join(f'<a href="{name}">{name}</a>\n' for name in names)
    return f"<pre>\n{lines}</pre>\n"


class Hostname(Server):
    """Answers with the name of its pod."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        known = frozenset({"port", "http", "tcp", "udp", "close"})
        values = flags(call, call.arguments[1:], known)
        self._is_http = values.get("http", "true") == "true"
        is_tcp, is_udp = (values.get(each) == "true" for each in ("tcp", "udp"))
        if self._is_http and (is_tcp or is_udp):
            raise call.unmodelled()
        port = int(values.get("port", "9376"))
        self.ports = frozenset({port} if self._is_http or is_tcp else ())
        self.udp_ports = frozenset({port} if is_udp else ())
        self.log(f"Serving on port {port}.")

    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """The name."""
        del port
        if not self._is_http:
            return HttpAnswer(0, self._named("TCP", request.client))
        self.log(f"HTTP request from {request.client}")
        return http.text(hosts.name_of(self.call.context.pod))

    def received(self, port: int, data: bytes, client: str) -> bytes:
        """The name, whatever was sent."""
        return super().received(port, data, client) if self._is_http else self._named("TCP", client)

    def on_datagram(self, port: int, data: bytes, client: str) -> bytes:
        """The name, whatever was sent."""
        del port, data
        return self._named("UDP", client)

    def _named(self, protocol: str, client: str) -> bytes:
        self.log(f"{protocol} request from {client}")
        return hosts.name_of(self.call.context.pod).encode()

    def on_signal(self, name: str, now_ns: int) -> bool:
        """It waits to be deleted."""
        if name != "TERM":
            return False
        self.log("Shutting down after receiving signal: terminated.")
        self.log("Awaiting pod deletion.")
        self.stop(0, now_ns + _LINGERS_NS)
        return True


class Porter(Server):
    """Serves the value of a variable on each port that a variable names, plainly or by TLS."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        values = flags(call, call.arguments[1:], frozenset({"json-response"}))
        self._is_json = values.get("json-response") == "true"
        plain = {**_named_ports(call, "SERVE_PORT_"), **_named_ports(call, "SERVE_TCP_PORT_")}
        safe = _named_ports(call, "SERVE_TLS_PORT_")
        self._values = {**plain, **safe}
        self._datagrams = _named_ports(call, "SERVE_UDP_PORT_")
        self.ports = frozenset(self._values)
        self.tls_ports = frozenset(safe)
        self.udp_ports = frozenset(self._datagrams)
        for each in sorted(self.udp_ports):
            self.log(f"Started UDP server on port {each}")

    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """The value of a port."""
        if not self._is_json:
            return http.page(self._values[port].encode())
        shown = {"Method": request.method, "Body": self._values[port]}
        body = json_encoding.html_safe(json.dumps(shown, separators=(",", ":")))
        return HttpAnswer(200, body.encode(), {"Content-Type": "application/json"})

    def on_datagram(self, port: int, data: bytes, client: str) -> bytes:
        """The value of a port."""
        del data, client
        return self._datagrams[port].encode()


def _named_ports(call: Call, prefix: str) -> dict[int, str]:
    """The values of variables that are named by a port, by port."""
    return {
        int(name.removeprefix(prefix)): value
        for name, value in call.variables.items()
        if name.startswith(prefix) and name.removeprefix(prefix).isdigit()
    }


class GrpcHealth(Server):
    """A gRPC service that reports its health, and can be made ill."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        known = frozenset({"port", "http-port", "delay-unhealthy-sec", "service"})
        values = flags(call, call.arguments[1:], known)
        self._port, self._http_port = (
            int(values.get("port", "5000")),
            int(values.get("http-port", "8080")),
        )
        self._service = values.get("service", "")
        self._forced: bool | None = None
        delay = int(values.get("delay-unhealthy-sec", "-1"))
        self._ill_ns = None if delay < 0 else self.started_ns + delay * SECOND_NS
        self.wake_ns = self._ill_ns
        self.ports = frozenset({self._port, self._http_port})
        self.log(f"Http server starting to listen on :{self._http_port}")
        self.log(f"gRPC server starting to listen on :{self._port}")

    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """Make it ill or healthy."""
        if port != self._http_port or request.path not in ("/make-not-serving", "/make-serving"):
            return http.text("404 page not found\n", 404)
        self._forced = request.path == "/make-not-serving"
        self.log(f"Mark as {'unhealthy' if self._forced else 'healthy'}")
        return http.text(durations.go_string(self.call.context.now_ns - self.started_ns))

    def is_serving(self, port: int, service: str) -> str:
        """Its health by gRPC."""
        if port != self._port:
            return super().is_serving(port, service)
        self.log(f"Serving the Check request for health check, started at {self.started_ns}")
        if service != self._service:
            return "service unknown"
        is_late = self._ill_ns is not None and self.call.context.now_ns >= self._ill_ns
        is_ill = bool(self._forced) or is_late
        return 'service unhealthy (responded with "NOT_SERVING")' if is_ill else ""
