"""``agnhost guestbook``: a primary that keeps values, replicas that follow it, and a front end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kubestage.golang import json_encoding
from kubestage.programs import hosts, http
from kubestage.programs.agnhost.mounttest import flags
from kubestage.programs.agnhost.server import Server
from kubestage.programs.http import HttpRequest
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.http import HttpAnswer

_FLAGS: Final = frozenset({"http-port", "backend-port", "replicaof"})
_TRIES_NS: Final = 15 * SECOND_NS
_BETWEEN_NS: Final = SECOND_NS


class Guestbook(Server):
    """One of its servers; which part it has is decided by its flags and by who asks it what."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        values = flags(call, call.arguments[1:], _FLAGS)
        self.ports = frozenset({int(values.get("http-port", "80"))})
        self._backend = int(values.get("backend-port", "6379"))
        self._primary = values.get("replicaof", "")
        self._values: dict[str, str] = {}
        self._replicas: list[str] = []
        self.wake_ns = call.context.now_ns if self._primary else None

    def resume(self, now_ns: int) -> bool:
        """Register with the primary, again and again; without it the program ends."""
        if self.is_stopping:
            return True
        if now_ns - self.started_ns >= _TRIES_NS:
            self.log("Timed out while registering to primary.")
            self.code = 1
            return True
        own = (hosts.addresses_of(self.call.context.pod) or [""])[0]
        request = f"register?host={own}"
        place = f"{self._primary}:{self._backend}"
        self.log(f"Registering to primary: {place}/{request}")
        found = self._request(self._primary, request)
        if found is None:
            self.log(f"encountered error while registering to primary: {_refused(place, request)}."
                     " Retrying in 1s.")  # fmt: skip
            self.wake_ns = now_ns + _BETWEEN_NS
            return False
        self._values = dict(json.loads(found)["data"])
        self.log(f"Registered to node: {self._primary}")
        self.wake_ns = None
        return False

    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """One of its paths."""
        del port
        paths = {
            "/register": self._register,
            "/get": self._get,
            "/set": self._set,
            "/guestbook": self._guestbook,
        }
        if request.path not in paths:
            return http.text("404 page not found\n", 404)
        return paths[request.path](request)

    def _register(self, request: HttpRequest) -> HttpAnswer:
        address = request.value("host")
        self.log(f"GET /register?host={address}")
        self._replicas.append(address)
        self.log(f"Node '{address}' registered.")
        return _shown({"data": self._values})

    def _get(self, request: HttpRequest) -> HttpAnswer:
        key = request.value("key")
        self.log(f"GET /get?key={key}")
        return _shown({"data": self._values.get(key, "") if key else self._values})

    def _set(self, request: HttpRequest) -> HttpAnswer:
        key, value = request.value("key"), request.value("value")
        self.log(f"GET /set?key={key}&value={value}")
        if not key:
            return http.text("cannot set with empty key.\n", 400)
        self._values[key] = value
        passed_on = f"set?key={key}&value={value}"
        for each in self._replicas:
            if self._request(each, passed_on) is None:
                problem = _refused(f"{each}:{self._backend}", passed_on)
                text = f"encountered error while propagating to replica '{each}': {problem}\n"
                return http.text(text, 417)
        return _shown({"message": "Updated"})

    def _guestbook(self, request: HttpRequest) -> HttpAnswer:
        command = request.value("cmd").lower()
        key, value = request.value("key"), request.value("value")
        self.log(f"GET /guestbook?cmd={command}&key={key}&value={value}")
        if command not in ("get", "set"):
            return http.text(f"unsupported cmd: '{command}'\n", 400)
        if command == "set" and not key:
            return http.text("cannot set with empty key.\n", 400)
        host = "agnhost-replica" if command == "get" else "agnhost-primary"
        passed_on = f"{command}?key={key}&value={value}"
        found = self._request(host, passed_on)
        if found is None:
            problem = _refused(f"{host}:{self._backend}", passed_on)
            return http.text(f"encountered error: {problem}\n", 417)
        return http.page(found)

    def _request(self, host: str, request: str) -> bytes | None:
        path, _, query = request.partition("?")
        own = (hosts.addresses_of(self.call.context.pod) or [""])[0]
        sent = HttpRequest("GET", f"/{path}", query, client=f"{own}:40000")
        found = self.call.context.ask(host, self._backend, sent)
        return None if found is None else found.body


def _shown(value: dict[str, object]) -> HttpAnswer:
    return http.page(json_encoding.marshal(value).encode())


def _refused(place: str, request: str) -> str:
    return f'Get "http://{place}/{request}": dial tcp: connect: connection refused'
