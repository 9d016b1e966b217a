"""``agnhost nettest``: a server that counts who wrote to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.golang import json_encoding
from kubestage.programs import hosts, http
from kubestage.programs.agnhost.mounttest import flags
from kubestage.programs.agnhost.server import Server
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.http import HttpAnswer, HttpRequest

_FLAGS: Final = frozenset({"port", "peers", "service", "namespace", "delay-shutdown"})
_ACCOUNT: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_BETWEEN_NS: Final = 5 * SECOND_NS
_WAITS_NS: Final = 300 * SECOND_NS
_ROUNDS: Final = 15
_MOST_LOGGED: Final = 500


class Nettest(Server):
    """The server; the peers that it looks for are not modelled, so it is alone."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        values = flags(call, call.arguments[1:], _FLAGS)
        self.ports = frozenset({int(values.get("port", "8080"))})
        self._peers = int(values.get("peers", "8"))
        self._service = values.get("service", "nettest")
        self._namespace = values.get("namespace", "default")
        self._delay_ns = int(values.get("delay-shutdown", "0")) * SECOND_NS
        self._between_ns = max(_BETWEEN_NS, self._peers // 10 * SECOND_NS)
        self._waits_ns = max(_WAITS_NS, self._peers * SECOND_NS)
        self._received: dict[str, int] = {}
        self._errors: list[str] = []
        self._log: list[str] = []
        self._is_contacting = True
        self._has_account = any(each.path == _ACCOUNT for each in call.files.mounts)
        self.wake_ns = call.context.now_ns

    @property
    def due_ns(self) -> int | None:
        """The cluster sees a difference only if it ends."""
        return self.wake_ns if self.is_stopping or not self._has_account else None

    def resume(self, now_ns: int) -> bool:
        """Look for peers; without an account the program ends."""
        if self.is_stopping:
            return True
        if not self._has_account:
            self.log(
                f"Unable to create config; error: open {_ACCOUNT}/token: no such file or directory"
            )
            self.code = 1
            return True
        if self.call.context.lookup(f"{self._service}.{self._namespace}.svc.cluster.local", "A"):
            raise self.call.unmodelled()
        waited_ns = now_ns - self.started_ns
        if waited_ns < self._waits_ns:
            self._note(
                f"{self._namespace}/{self._service} has 0 endpoints ([]), which is less than "
                f"{self._peers} as expected. Waiting for all endpoints to come up."
            )
        self._is_contacting = waited_ns < self._waits_ns + _ROUNDS * self._between_ns
        self.wake_ns = now_ns + self._between_ns if self._is_contacting else None
        return False

    def on_signal(self, name: str, now_ns: int) -> bool:
        """It may delay its end."""
        if name != "TERM" or not self._delay_ns:
            return False
        self.log(f"Sleeping {self._delay_ns // SECOND_NS} seconds before exit ...")
        self.stop(0, now_ns + self._delay_ns)
        return True

    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """What was received, a verdict, or one more that is received."""
        del port
        if request.path == "/read":
            return http.page(self._state.encode())
        if request.path == "/write":
            return self._write(request.body)
        if request.path == "/status":
            return http.page(self._verdict.encode())
        if request.path == "/quit":
            self.stop(0, self.call.context.now_ns)
            return http.HttpAnswer(0, b"EOF")
        return http.text("404 page not found\n", 404)

    @property
    def _state(self) -> str:
        state = {
            "Hostname": self._host,
            "Sent": None,
            "Received": dict(sorted(self._received.items())) or None,
            "Errors": self._errors or None,
            "Log": self._log or None,
            "StillContactingPeers": self._is_contacting,
        }
        return json_encoding.html_safe(json.dumps(state, indent="\t", ensure_ascii=False))

    @property
    def _verdict(self) -> str:
        if self._peers <= 0:
            return "pass"
        if self._is_contacting:
            return "running"
        self._note(
            f"Declaring failure for {self._namespace}/{self._service} with 0 sent and "
            f"{len(self._received)} received and {self._peers} peers"
        )
        return "fail"

    @property
    def _host(self) -> str:
        return hosts.name_of(self.call.context.pod)

    def _write(self, body: bytes) -> HttpAnswer:
        try:
            sent = json.loads(body or "null")
        except ValueError:
            raise Unmodelled(f"what nettest says of {body!r}") from None
        if not body:
            self._errors.append("EOF")
        source = sent.get("Source") if isinstance(sent, dict) else None
        if not source:
            self._errors.append(f"{self._host}: Got request with no source")
        else:
            self._received[str(source)] = self._received.get(str(source), 0) + 1
        return http.page(f"{json_encoding.marshal({'Hostname': self._host})}\n".encode())

    def _note(self, text: str) -> None:
        self._log = [*self._log, text][-_MOST_LOGGED:]
