"""The API of a server that `kubestage serve` runs, beyond that of Kubernetes, over HTTP."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.remote import tls

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.remote.access import Access


# The server waits for less than that before it answers that something is not done yet.
_TIMEOUT_S: Final = 90
# How our own server begins to say that it does not have what was asked for.
_OWN_WORDS: Final = ("allow-host", 'no pod "', 'no workload "', 'no node or NodeClaim "')


class KubestageServer:
    """One server; InputError says why it does not answer, or that it is another program."""

    def __init__(self, access: Access, missing: str = "kubestage API") -> None:
        self._access = access
        self._missing = missing
        handlers: list[urllib.request.BaseHandler] = [_direct(access)]
        context = tls.context_of(access)
        if context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def call(self, method: str, path: str, body: Json | None = None) -> tuple[int, Any]:
        """The status and the decoded answer to a request; None if it is not JSON."""
        server = self._access.server
        request = urllib.request.Request(f"{server}{path}", method=method)
        request.add_header("accept", "application/json")
        token = _token(self._access)
        if token:
            request.add_header("authorization", f"Bearer {token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("content-type", "application/json")
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, _decoded(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error.code, error.read()) from None
        # An address that is no address is a ValueError.
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _unreachable(server, error) from None

    def other(self) -> InputError:
        """That another program answers."""
        server = self._access.server
        fix = (
            "name the address that `kubestage serve` printed, as in --server http://127.0.0.1:18080"
        )
        return InputError(
            f"{server} is not served by kubestage: it has no {self._missing}", fix=fix
        )

    def _refused(self, code: int, text: bytes) -> InputError:
        """Why a server refuses, with its message if it is a kubestage server."""
        server, found = self._access.server, _decoded(text)
        message = ""
        if isinstance(found, dict) and found.get("kind") == "Status":
            message = str(found.get("message") or "")
        if code == http.client.UNAUTHORIZED:
            fix = "use the kubeconfig that the server wrote, which has its token: --kubeconfig FILE"
            return InputError(f"{server} asks for a token", fix=fix)
        is_own = any(words in message for words in _OWN_WORDS)
        if code in (http.client.NOT_FOUND, http.client.FORBIDDEN) and not is_own:
            return self.other()
        return InputError(message or f"{server} answers with status {code}")


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


def _decoded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _unreachable(server: str, error: Exception) -> InputError:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ssl.SSLCertVerificationError):
        fix = "use the kubeconfig that the server wrote, which trusts it: --kubeconfig FILE"
        return InputError(f"the certificate of {server} is not trusted", fix=fix)
    if isinstance(reason, TimeoutError):
        return InputError(f"{server} does not answer")
    fix = "start it with `kubestage serve`, or name another one with --server"
    return InputError(f"no server runs at {server}", fix=fix)
