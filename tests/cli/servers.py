"""``kubestage serve`` in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import ssl
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING, Any

from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from collections.abc import Iterator


class Server:
    """A server that runs, and what it said when it began."""

    def __init__(self, process: subprocess.Popen[str], said: list[str]) -> None:
        self.process = process
        self.said = said
        self.address = said[1].strip()
        self.kubeconfig = pathlib.Path(said[2].partition("KUBECONFIG=")[2].strip())

    def call(
        self, path: str, body: Any = None, *, method: str = "GET", **headers: str
    ) -> tuple[int, Any]:
        """One request; JSON answers are read."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json", **headers}
        request = urllib.request.Request(f"{self.address}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=HANG_S, context=_TRUSTING) as answer:
                return answer.status, _read(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _read(error.read())

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """End it; its exit code, and what it said to stderr."""
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, errors


def _read(data: bytes) -> Any:
    return json.loads(data) if data[:1] in (b"{", b"[") else data.decode()


_TRUSTING = ssl.create_default_context()
_TRUSTING.check_hostname = False
_TRUSTING.verify_mode = ssl.CERT_NONE


@contextlib.contextmanager
def serving(where: pathlib.Path, *arguments: str) -> Iterator[Server]:
    """A server on a free port, working in a directory; ended if it still runs."""
    command = [sys.executable, "-c", "from kubestage.cli import main; main()", "serve"]
    process = subprocess.Popen(
        [*command, "--port", "0", *arguments],
        cwd=where,
        env={**os.environ, "XDG_RUNTIME_DIR": str(where), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Ctrl-C"):
                break
        assert said, process.communicate()[1]
        yield Server(process, said)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
