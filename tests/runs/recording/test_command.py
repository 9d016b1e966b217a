"""``kubestage record`` as a process: killed, interrupted, and started again."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from kubestage.sources import segments
from tests.deadlines import HANG_S, until
from tests.runs.recording.recorded_cluster import imported, state

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from tests.remote.fault_proxy import FaultProxy
    from tests.runs.recording.recorded_cluster import ServedCluster
    from tests.server.served import Served

_COMMAND = "from kubestage.cli import main; raise SystemExit(main())"


@contextlib.contextmanager
def _recording(out: pathlib.Path, kubeconfig: pathlib.Path) -> Iterator[subprocess.Popen[str]]:
    """The command, once it has listed everything."""
    known = len(segments.find(out / "recording", "changes"))
    words = ["record", "--kubeconfig", str(kubeconfig), "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *words], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        until(
            lambda: (
                process.poll() is not None
                or len(segments.find(out / "recording", "changes")) > known
            )
        )
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _recorded(out: pathlib.Path, space: str, replicas: int) -> bool:
    """Whether the recording has so many running pods of a namespace by now."""
    if not (out / "cluster.yaml").exists():
        return False
    phases = [
        each.get("status", {}).get("phase") for name, each in state(out).items()
        if name.kind == "Pod" and name.namespace == space
    ]  # fmt: skip
    return phases == ["Running"] * replicas


def test_a_recorder_that_was_killed_continues(
    cluster: ServedCluster, proxy: FaultProxy, served: Served, tmp_path: pathlib.Path
) -> None:
    out, space = tmp_path / "rec", cluster.namespace()
    with _recording(out, proxy.kubeconfig) as process:
        cluster.deploy(space, replicas=3)
        until(lambda: _recorded(out, space, 3), 0.1)
        process.kill()
    # Nothing wrote the end of the file.
    (path,) = segments.find(out / "recording", "changes")
    with path.open("rb") as packed, contextlib.suppress(EOFError):
        gzip.GzipFile(fileobj=packed).read()
        raise AssertionError("the file has its end")
    cluster.scale(space, 2)
    cluster.running(space, 2)
    lists = len(proxy.lists())
    with _recording(out, proxy.kubeconfig) as process:
        until(lambda: _recorded(out, space, 2), 0.1)
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=HANG_S)
    assert process.returncode == 0, errors
    assert "next: kubestage replay" in said
    assert "Ctrl-C" in errors
    assert len(proxy.lists()) == lists
    assert imported(out).notes == []
    assert state(out) == cluster.listed(served.kubeconfig)
    # The second file is complete.
    second = segments.find(out / "recording", "changes")[1]
    assert gzip.decompress(second.read_bytes()).endswith(b"\n")
