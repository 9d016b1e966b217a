"""Commands that a load runs beside the cluster, where a person allowed it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.remote.loop import Loop

# As shells say it.
TIMED_OUT: Final = 124
_NOT_RUNNABLE: Final = 126
_NOT_FOUND: Final = 127
# As Go's os.ExpandEnv reads it: braces that hold nothing, or do not end, are left out.
_VARIABLE: Final = re.compile(r"\$(?:\{([^}]*)\}|(\{)|([*#$@!?0-9-])|([A-Za-z_][A-Za-z0-9_]*))")


class RemoteShell:
    """Runs commands without waiting for them. Here they run on this machine, not in a cluster."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def run(
        self, command: Sequence[str], timeout_ns: int, done: Callable[[int, str], None]
    ) -> None:
        """Run a command; it is killed with all that it started when its time is over.

        Variables of the environment are filled in; one that is not set is nothing.
        """
        self._loop.spawn(self._run([filled(word) for word in command], timeout_ns, done))

    async def _run(
        self, command: list[str], timeout_ns: int, done: Callable[[int, str], None]
    ) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as problem:
            self._loop.call_soon(done, code_of(problem), f"{command[0]}: {problem.strerror}")
            return
        code, written = await _ended(process, timeout_ns)
        self._loop.call_soon(done, code, written)


async def _ended(process: asyncio.subprocess.Process, timeout_ns: int) -> tuple[int, str]:
    reading = asyncio.ensure_future(process.communicate())
    try:
        written, _ = await asyncio.wait_for(asyncio.shield(reading), timeout_ns / SECOND_NS)
    except TimeoutError:
        _kill(process)
        written, _ = await reading
        note = f"killed after {durations.go_string(timeout_ns)}"
        return TIMED_OUT, written.decode(errors="replace") + note
    except asyncio.CancelledError:
        _kill(process)
        await reading
        raise
    assert process.returncode is not None
    return process.returncode, written.decode(errors="replace")


def code_of(problem: OSError) -> int:
    """The exit code of a command that could not be started."""
    return _NOT_FOUND if isinstance(problem, FileNotFoundError) else _NOT_RUNNABLE


def filled(word: str) -> str:
    """A word with the variables of the environment filled in; one that is not set is nothing."""
    return _VARIABLE.sub(_value, word)


def _value(found: re.Match[str]) -> str:
    braced, _, special, name = found.groups()
    return os.environ.get(braced or special or name or "", "")


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a command and all that it started: they are a group of their own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
