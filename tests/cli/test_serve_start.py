"""How little a server loads before its first answer."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib

HEAVY = (
    "altair", "cel_expr_python", "cryptography", "jinja2", "kubernetes_validate", "numba", "pandas",
    "polars", "prometheus_client", "pyarrow", "ray", "rich", "scipy",
    "kubestage.objects.cel.environments", "kubestage.results.charts",
    "kubestage.scheduler.quick.compiled",
    "kubestage.server.discovery", "kubestage.server.openapi", "kubestage.server.protobuf",
    "kubestage.traffic.fast.compiled",
)  # fmt: skip
# Told when the server listens, by the server itself; then it ends.
SERVED = f"""
import os, signal, sys
from kubestage.cli import serve_run
told = serve_run._Served._tell

def tell(self):
    told(self)
    print("loaded:", *sorted(set({HEAVY!r}) & set(sys.modules)))
    os.kill(os.getpid(), signal.SIGTERM)

serve_run._Served._tell = tell
from kubestage.cli import main
main()
"""


def test_a_server_begins_without_what_only_some_requests_need(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-c", SERVED, "serve", "--port", "0", "--data-dir", "d"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert "\nloaded:\n" in done.stdout, done.stdout
