"""The clock of a stage that `kubestage serve` serves, read and set over HTTP.

clock = StageClock(kubeconfig.load(".kubestage/kubeconfig"))
clock.advance("10m")
clock.set_pace("speed", 60)
"""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.remote import tls

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.remote.access import Access


PACES: Final = ("jump", "still", "realtime", "speed")
"""How time may pass; ``speed`` has a number, how many times as fast as on the wall."""

_PATH: Final = "/kubestage/v1/clock"
# The server waits for less than that before it answers that time is still passing.
_TIMEOUT_S: Final = 90
_WAIT: Final = "?timeout=45s"
_ACCEPTED: Final = 202


class StageClock:
    """The virtual time of one server.

    Every call answers with the state of the clock afterwards: its `now`, `mode`, and what else
    docs/kubestage-api.md names. InputError says why that is not possible.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        handlers: list[urllib.request.BaseHandler] = [_direct(access)]
        context = tls.context_of(access)
        if context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def show(self) -> Json:
        """What time it is, and how it passes."""
        return self._call("GET")[1]

    def set_pace(self, pace: str, speed: float | None = None) -> Json:
        """Let time pass in another way: one of `PACES`, with a `speed` if that is the pace."""
        if (pace == "speed") != (speed is not None):
            problem = "needs a number" if speed is None else f"has no number: {speed:g}"
            raise InputError(f'the pace "{pace}" {problem}', fix="write it as in: pace speed 60")
        body: Json = {"mode": pace}
        if pace == "realtime" or speed is not None:
            body = {"speed": 1.0 if speed is None else speed}
        return self._call("PUT", body=body)[1]

    def advance(self, duration: str | None = None, until: str | None = None) -> Json:
        """Let so much time pass, or time up to a moment; answers when that time has come."""
        body = {"duration": duration} if until is None else {"until": until}
        status, state = self._call("POST", f"/advance{_WAIT}", body)
        while status == _ACCEPTED:
            # Time that was requested before passes first, so that nothing more is a way to wait.
            status, state = self._call("POST", f"/advance{_WAIT}", {"duration": "0s"})
        return state

    def _call(self, method: str, path: str = "", body: Json | None = None) -> tuple[int, Json]:
        server = self._access.server
        request = urllib.request.Request(f"{server}{_PATH}{path}", method=method)
        request.add_header("accept", "application/json")
        token = _token(self._access)
        if token:
            request.add_header("authorization", f"Bearer {token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("content-type", "application/json")
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, _state(server, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(server, error.code, error.read()) from None
        # An address that is no address is a ValueError.
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _unreachable(server, error) from None


def _direct(access: Access) -> urllib.request.ProxyHandler:
    proxy = access.proxy
    return urllib.request.ProxyHandler({"http": proxy, "https": proxy} if proxy else {})


def _token(access: Access) -> str:
    user = access.user
    if user.token or not user.token_file:
        return user.token
    try:
        return reading.read(user.token_file).decode(errors="replace").strip()
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(problem, file=user.token_file, fix="correct the path") from None


def _state(server: str, text: bytes) -> Json:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not {"now", "mode"} <= set(found):
        raise _other(server)
    return found


def _other(server: str) -> InputError:
    fix = "name the address that `kubestage serve` printed, as in --server http://127.0.0.1:18080"
    return InputError(f"{server} is not served by kubestage: it has no virtual clock", fix=fix)


def _refused(server: str, code: int, text: bytes) -> InputError:
    """Why a server refuses, with its message if it is a kubestage server."""
    try:
        found = json.loads(text)
        message = found["message"] if found["kind"] == "Status" else ""
    except (ValueError, KeyError, TypeError):
        message = ""
    if code == http.client.UNAUTHORIZED:
        fix = "use the kubeconfig that the server wrote, which has its token: --kubeconfig FILE"
        return InputError(f"{server} asks for a token", fix=fix)
    if code in (http.client.NOT_FOUND, http.client.FORBIDDEN) and "allow-host" not in message:
        return _other(server)
    return InputError(message or f"{server} answers with status {code}")


def _unreachable(server: str, error: Exception) -> InputError:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ssl.SSLCertVerificationError):
        fix = "use the kubeconfig that the server wrote, which trusts it: --kubeconfig FILE"
        return InputError(f"the certificate of {server} is not trusted", fix=fix)
    if isinstance(reason, TimeoutError):
        return InputError(f"{server} does not answer")
    fix = "start it with `kubestage serve`, or name another one with --server"
    return InputError(f"no server runs at {server}", fix=fix)
