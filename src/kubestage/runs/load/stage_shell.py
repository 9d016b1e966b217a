"""Commands that a load on a stage runs on this machine, if that is allowed."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
from typing import TYPE_CHECKING

from kubestage.golang import durations
from kubestage.remote import shell
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.cluster.access import Moments


class StageShell:
    """Runs commands between two moments of a stage: while they run, no virtual time passes."""

    def __init__(self, moments: Moments) -> None:
        self._moments = moments

    def run(
        self, command: Sequence[str], timeout_ns: int, done: Callable[[int, str], None]
    ) -> None:
        """Run a command to its end, or for so long in real time."""
        result = _run([shell.filled(word) for word in command], timeout_ns)
        self._moments.at(self._moments.now_ns, functools.partial(done, *result))


def _run(command: list[str], timeout_ns: int) -> tuple[int, str]:
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as problem:
        return shell.code_of(problem), f"{command[0]}: {problem.strerror}"
    try:
        written, _ = process.communicate(timeout=timeout_ns / SECOND_NS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        written, _ = process.communicate()
        note = f"killed after {durations.go_string(timeout_ns)}"
        return shell.TIMED_OUT, written.decode(errors="replace") + note
    return process.returncode, written.decode(errors="replace")
