"""``agnhost netexec``: a server that says who it is, echoes, and dials others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.golang import durations
from kubestage.programs import hosts, http
from kubestage.programs.agnhost.mounttest import flags
from kubestage.programs.agnhost.server import Server
from kubestage.programs.calls import Buffer
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.programs.calls import Call
    from kubestage.programs.http import HttpAnswer, HttpRequest

_FLAGS: Final = frozenset({"http-port", "udp-port", "sctp-port", "delay-shutdown"})


class Netexec(Server):
    """The server."""

    stop_code = 0

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        values = flags(call, call.arguments[1:], _FLAGS)
        self._port = int(values.get("http-port", "8080"))
        self._delay_ns = int(values.get("delay-shutdown", "0")) * SECOND_NS
        self._got_signal = False
        self.ports = frozenset({self._port})
        self.log(f"Started HTTP server on port {self._port}")
        udp_port = int(values.get("udp-port", "8081"))
        if udp_port != -1:
            self.udp_ports = frozenset({udp_port})
            self.log(f"Started UDP server on port  {udp_port}")

    def on_signal(self, name: str, now_ns: int) -> bool:
        """It may delay its end."""
        if name != "TERM":
            return False
        self._got_signal = True
        if self._delay_ns:
            seconds = self._delay_ns // SECOND_NS
            self.log(f"Sleeping {seconds} seconds before terminating...")
        self.stop(0, now_ns + self._delay_ns)
        return True

    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """One of its paths; all others are its root."""
        del port
        path = request.path
        plain = {
            "/clientip": request.client,
            "/serverport": str(self._port),
            "/healthz": "",
            "/hostname": self._host,
            "/hostName": self._host,
        }
        if path in plain:
            return self._logged(f"GET {path}", plain[path])
        paths: dict[str, Callable[[HttpRequest], HttpAnswer]] = {
            "/header": self._header,
            "/dial": self._dial,
            "/echo": self._echo,
            "/exit": self._exit,
            "/readyz": self._readyz,
            "/shell": self._shell,
        }
        return paths.get(path, self._root)(request)

    def on_datagram(self, port: int, data: bytes, client: str) -> bytes:
        """Answer to one of the commands that it has over UDP."""
        words = data.decode("utf-8", "replace").strip().lower()
        if words == "hostname":
            self.log("Sending udp hostName response")
            return self._host.encode()
        if words.startswith("echo "):
            echoed = words.removeprefix("echo ")
            self.log(f"Echoing {echoed} to UDP client {client}")
            return echoed.encode()
        if words == "clientip":
            self.log(f"Sending clientip back to UDP client {client}")
            return client.encode()
        if words == "serverport":
            self.log(f"Sending server port to UDP client {port}")
            return str(port).encode()
        if words:
            self.log(f"Unknown UDP command received from {client}: {words}")
        return b""

    @property
    def _host(self) -> str:
        return hosts.name_of(self.call.context.pod)

    def _logged(self, line: str, body: str) -> HttpAnswer:
        self.log(line)
        return http.text(body)

    def _root(self, request: HttpRequest) -> HttpAnswer:
        del request
        now_s = self.call.context.unix_ns / 10**9
        return self._logged("GET /", f"NOW: {now_s}")

    def _echo(self, request: HttpRequest) -> HttpAnswer:
        message, code = request.value("msg"), request.value("code")
        self.log(f"GET /echo?msg={message}&code={code}")
        return http.text(message, int(code) if code.isdigit() else 200)

    def _header(self, request: HttpRequest) -> HttpAnswer:
        key = request.value("key")
        found = {name.lower(): value for name, value in request.headers.items()}
        if key:
            return self._logged(f"GET /header?key={key}", found.get(key.lower(), ""))
        shown = {name.title(): [value] for name, value in sorted(found.items())}
        return self._logged("GET /header", json.dumps(shown, separators=(",", ":")))

    def _readyz(self, request: HttpRequest) -> HttpAnswer:
        del request
        self.log("GET /readyz")
        return http.text("shutting down", 503) if self._got_signal else http.text("ok")

    def _exit(self, request: HttpRequest) -> HttpAnswer:
        code, timeout, wait = (request.value(each) for each in ("code", "timeout", "wait"))
        self.log(f"GET /exit?code={code}&timeout={timeout}&wait={wait}")
        try:
            wait_ns = durations.parse_duration(wait) if wait else 0
        except ValueError:
            return http.text(f"argument 'wait' must be a valid duration or empty, got {wait!r}\n")
        self.stop(int(code or 0), self.call.context.now_ns + wait_ns)
        return http.text("")

    def _shell(self, request: HttpRequest) -> HttpAnswer:
        script = request.value("shellCommand") or request.value("cmd")
        self.log(f"GET /shell?shellCommand={script}")
        buffer = Buffer()
        try:
            code = self.call.context.execute(["sh", "-c", script], buffer)
        except Unmodelled as error:
            return http.text(f"{error}", 501)
        output = buffer.data.decode("utf-8", "replace")
        found = (
            {"output": output} if not code else {"output": output, "error": f"exit status {code}"}
        )
        return http.text(json.dumps(found, separators=(",", ":")), 417 if code else 200)

    def _dial(self, request: HttpRequest) -> HttpAnswer:
        names = ("host", "protocol", "port", "request", "tries")
        host, protocol, port, path, tries = (request.value(each) for each in names)
        self.log(
            f"GET /dial?host={host}&protocol={protocol}&port={port}&request={path}&tries={tries}"
        )
        if not path:
            return http.text("request parameter not specified. <nil>\n", 400)
        answers, problems, last = [], [], 200
        for _ in range(int(tries or 1)):
            found = self._dialled(protocol.lower(), host, port, path)
            if found is None:
                problems.append(f"dial {host}:{port}: no modelled server answers")
                last = 417
            else:
                answers.append(found.body.decode("utf-8", "replace"))
                last = 200
        body = {
            key: value for key, value in (("responses", answers), ("errors", problems)) if value
        }
        return http.text(json.dumps(body, separators=(",", ":")), last)

    def _dialled(self, protocol: str, host: str, port: str, sent: str) -> HttpAnswer | None:
        """The answer of another server; over UDP no answer is one that never comes."""
        own = (hosts.addresses_of(self.call.context.pod) or ["127.0.0.1"])[0]
        if protocol == "udp":
            dialled = http.HttpRequest(http.DATAGRAM, "", body=sent.encode())
        elif protocol in ("", "http"):
            path, _, query = sent.partition("?")
            dialled = http.HttpRequest("GET", f"/{path}", query)
        else:
            return None
        found = self.call.context.ask(host, int(port), dialled._replace(client=f"{own}:40000"))
        return None if found is None or (protocol == "udp" and not found.body) else found
