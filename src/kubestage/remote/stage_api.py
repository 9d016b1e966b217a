"""Calls of the extra API of `kubestage serve`, under ``/kubestage/v1``, over HTTP."""

from __future__ import annotations

import http.client
import json
import pathlib
import ssl
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.remote import tls

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.remote.access import Access

_ROOT: Final = "/kubestage/v1"
# The server waits for less than that before it answers that work is still going on.
_TIMEOUT_S: Final = 90


class StageApi:
    """The extra API of one server; InputError says why a call is not possible."""

    def __init__(self, access: Access) -> None:
        self.server = access.server
        self._access = access
        handlers: list[urllib.request.BaseHandler] = [_direct(access)]
        context = tls.context_of(access)
        if context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def call(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
        """The status and the object that a path below the root answers with."""
        request = urllib.request.Request(f"{self.server}{_ROOT}{path}", method=method)
        request.add_header("accept", "application/json")
        token = _token(self._access)
        if token:
            request.add_header("authorization", f"Bearer {token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("content-type", "application/json")
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, self._object(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(self.server, error.code, error.read()) from None
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(self.server, error) from None

    def _object(self, text: bytes) -> Json:
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise is_other(self.server)
        return found


def is_other(server: str) -> InputError:
    """What is there is no server of kubestage."""
    fix = "name the address that `kubestage serve` printed, as in --server http://127.0.0.1:18080"
    return InputError(f"{server} is not served by kubestage: it has no virtual clock", fix=fix)


def _direct(access: Access) -> urllib.request.ProxyHandler:
    proxy = access.proxy
    return urllib.request.ProxyHandler({"http": proxy, "https": proxy} if proxy else {})


def _token(access: Access) -> str:
    user = access.user
    if user.token or not user.token_file:
        return user.token
    try:
        return pathlib.Path(user.token_file).read_text(encoding="utf-8").strip()
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(problem, file=user.token_file, fix="correct the path") from None


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
        return is_other(server)
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
