"""A client that speaks as client-go does in kube-scheduler: protobuf out, JSON accepted."""

from __future__ import annotations

import base64
import contextlib
import http.client
import ssl
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import msgspec
import yaml

from tests.server.protobuf import encoding

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from kubestage.aliases import Json


PROTOBUF = "application/vnd.kubernetes.protobuf"
ACCEPT = f"{PROTOBUF},application/json"
STRATEGIC = "application/strategic-merge-patch+json"
AGENT = "kube-scheduler/v1.36.4 (linux/amd64) kubernetes/d0a9f5c/scheduler"


class Refused(Exception):
    """A Status that is a failure."""

    def __init__(self, code: int, status: Json) -> None:
        super().__init__(f"{code}: {status}")
        self.code = code
        self.reason = status.get("reason", "")
        self.status = status


class GoClient:
    """Requests over one connection for each thread; watches have connections of their own."""

    def __init__(self, kubeconfig: pathlib.Path, agent: str = AGENT) -> None:
        read = yaml.safe_load(kubeconfig.read_text())
        cluster = read["clusters"][0]["cluster"]
        server = urlsplit(cluster["server"])
        self._netloc = server.netloc
        self._tls: ssl.SSLContext | None = None
        self._headers = {"User-Agent": agent, "Accept": ACCEPT}
        if server.scheme == "https":
            authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
            self._tls = ssl.create_default_context(cadata=authority)
            # A token goes over TLS only.
            self._headers["Authorization"] = f"Bearer {read['users'][0]['user']['token']}"
        self._local = threading.local()

    def connect(self, timeout_s: float = 30) -> http.client.HTTPConnection:
        """A new connection."""
        if self._tls is None:
            return http.client.HTTPConnection(self._netloc, timeout=timeout_s)
        return http.client.HTTPSConnection(self._netloc, timeout=timeout_s, context=self._tls)

    def close(self) -> None:
        """Let go of the connection of this thread."""
        kept = getattr(self._local, "connection", None)
        if kept is not None:
            kept.close()
            self._local.connection = None

    def send(
        self, method: str, path: str, body: bytes | None = None, media_type: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        """What came back, whatever it is."""
        headers = dict(self._headers)
        if media_type:
            headers["Content-Type"] = media_type
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self.connect()
        try:
            connection.request(method, path, body, headers)
            with connection.getresponse() as response:
                given = {name.lower(): value for name, value in response.getheaders()}
                return response.status, given, response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def call(
        self, method: str, path: str, body: bytes | None = None, media_type: str = "", **query: Any
    ) -> Json:
        """The object that came back; Refused if it is a failure."""
        target = f"{path}?{urlencode(query)}" if query else path
        code, headers, content = self.send(method, target, body, media_type)
        assert headers["content-type"] == "application/json", headers
        answer: Json = msgspec.json.decode(content)
        if code >= 400:
            raise Refused(code, answer)
        return answer

    def get(self, path: str, **query: Any) -> Json:
        """An object or a list."""
        return self.call("GET", path, **query)

    def post(self, path: str, obj: Json) -> Json:
        """What became of an object that is sent in protobuf."""
        return self.call("POST", path, encoding.envelope(obj), PROTOBUF)

    def put(self, path: str, obj: Json) -> Json:
        """What became of an object that replaces another."""
        return self.call("PUT", path, encoding.envelope(obj), PROTOBUF)

    def patch(self, path: str, change: Json) -> Json:
        """What became of a strategic merge patch."""
        return self.call("PATCH", path, msgspec.json.encode(change), STRATEGIC)

    def delete(self, path: str, **options: Any) -> Json:
        """What became of a deletion whose options are in protobuf."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions", **options}
        return self.call("DELETE", path, encoding.envelope(body), PROTOBUF)

    @contextlib.contextmanager
    def stream(self, path: str, **query: Any) -> Iterator[http.client.HTTPResponse]:
        """The lines of a watch; its headers are there as soon as it is open."""
        connection = self.connect()
        target = f"{path}?{urlencode({**query, 'watch': 'true'})}"
        try:
            connection.request("GET", target, headers=self._headers)
            with connection.getresponse() as response:
                if response.status >= 400:
                    raise Refused(response.status, msgspec.json.decode(response.read()))
                assert response.getheader("content-type") == "application/json"
                yield response
        finally:
            connection.close()
