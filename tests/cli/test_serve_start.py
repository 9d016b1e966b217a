"""How little a server loads before its first answer."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.deadlines import HANG_S

if TYPE_CHECKING:
    import pathlib

HEAVY = (
    "altair", "cel_expr_python", "cryptography", "jinja2", "kubernetes_validate", "numba", "pandas",
    "polars", "prometheus_client", "pyarrow", "ray", "rich", "scipy",
    "kubestage.objects.cel.environments", "kubestage.results.charts",
    "kubestage.scheduler.quick.compiled",
    "kubestage.server.discovery.groups", "kubestage.server.openapi.documents",
    "kubestage.server.protobuf.messages",
    "kubestage.traffic.fast.compiled",
)  # fmt: skip
# Printed by the server itself when it listens; then it ends.
SERVED = f"""
import os, signal, sys
from kubestage.cli import serve_greeting
greet = serve_greeting.GreetingObserver.ready

def ready(self, server):
    greet(self, server)
    found = set({HEAVY!r}) & set(sys.modules)
    # What is imported late is there by name before its code runs.
    lazy = {{each for each in found if type(sys.modules[each]).__name__ == "_LazyModule"}}
    print("loaded:", *sorted(found - lazy))
    os.kill(os.getpid(), signal.SIGTERM)

serve_greeting.GreetingObserver.ready = ready
from kubestage.cli import main
main()
"""


def test_a_server_begins_without_what_only_some_requests_need(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-c", SERVED, "serve", "--port", "0", "--data-dir", "d"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=HANG_S, check=True
    )
    assert "\nloaded:\n" in done.stdout, done.stdout
