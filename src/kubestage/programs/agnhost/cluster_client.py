"""``agnhost inclusterclient``: polls the API server, and prints which token it sends."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

from kubestage.programs import klog
from kubestage.programs.agnhost.mounttest import flags
from kubestage.programs.calls import Call, Waiting
from kubestage.programs.tree import FileError
from kubestage.units import SECOND_NS

_TOKEN: Final = "/var/run/secrets/kubernetes.io/serviceaccount/token"
_INTERVAL_S: Final = "30"
# Clients read the file of their token so often.
_READ_NS: Final = 60 * SECOND_NS


class ClusterClient(Waiting):
    """Polls at even intervals, as clients in a cluster do: with the token of its volume."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        values = flags(call, call.arguments[1:], frozenset({"poll-interval"}))
        text = values.get("poll-interval", _INTERVAL_S)
        if not text.isdigit() or text == "0":
            raise call.unmodelled()
        self._interval_ns = int(text) * SECOND_NS
        self._token = ""
        self._read_ns: int | None = None
        self._print("started")
        self.wake_ns: int | None = call.context.now_ns
        if self._read(call.context.now_ns):
            self.wake_ns = call.context.now_ns + self._interval_ns

    @property
    def due_ns(self) -> int | None:
        """The cluster sees a difference only if it ends."""
        return self.wake_ns if not self._token else None

    def resume(self, now_ns: int) -> bool:
        """Poll once; it ends if it never had a token."""
        if not self._read(now_ns):
            self.call.err.write(f"err: open {_TOKEN}: no such file or directory\n".encode())
            self.code = 1
            return True
        digest = hashlib.sha256(f"salt|Bearer {self._token}".encode()).digest()
        shown = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        self._print("calling /healthz")
        self._print(f"authz_header={shown}")
        self.wake_ns = now_ns + self._interval_ns
        return False

    def _read(self, now_ns: int) -> bool:
        """Read the token again, if it is time; whether there is one."""
        if self._read_ns is None or now_ns - self._read_ns >= _READ_NS:
            try:
                self._token = self.call.files.read(_TOKEN).decode().strip()
            except FileError:
                pass
            else:
                self._read_ns = now_ns
        return bool(self._token)

    def _print(self, text: str) -> None:
        self.call.err.write(klog.line("I", self.call.context.unix_ns, "main.go:61", text))
