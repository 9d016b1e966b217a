"""Asks jq, which runs in a process of its own because nothing can stop it in this one.

The process is started by the first question and serves all later ones. One that takes too much CPU
time or memory ends it, which is a `LimitExceeded`, and the next question starts another. No clock
is read here: the time is that of the process itself, so a busy machine changes no verdict.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
from typing import Any, Final

from kubestage.errors import LimitExceeded, MalformedValue

# NOTE: a question about a pod takes 0.1 ms. A server answers nobody else meanwhile.
_CPU_S: Final = 2.0
_MEMORY_BYTES: Final = 512 << 20
_ANSWER_BYTES: Final = 4 << 20
# NOTE: jq takes seconds to compile a megabyte, and the stack it then needs is not bounded.
_LONGEST: Final = 1 << 16
_TOO_LONG: Final = 3
_WORKER: Final = pathlib.Path(__file__).with_name("jq_worker.py")
# KWOK's jq has no files to load modules from; the library would look for some.
_MODULES: Final = re.compile(r"(?:\s|#[^\n]*\n)*(?:module|import|include)\b")


class JqError(MalformedValue):
    """What jq has against an expression, or against a value for it."""


def check(expression: str) -> None:
    """`JqError` if jq cannot read an expression."""
    _ask(expression, [])


def outputs(expression: str, value: Any) -> list[Any]:
    """All that an expression makes of a value; `JqError` if it fails on it."""
    found: list[Any] = _ask(expression, [value])[0]
    return found


def _ask(expression: str, values: list[Any]) -> list[Any]:
    if len(expression) > _LONGEST:
        raise LimitExceeded(f"a jq expression may have {_LONGEST:,} characters")
    if _MODULES.match(expression):
        raise JqError("module not found")
    try:
        line = json.dumps([expression, values])
    except RecursionError:
        raise JqError("nested too deeply") from None
    answer = _process(os.getpid()).ask(line, expression)
    if "error" in answer:
        raise JqError(answer["error"])
    found: list[Any] = answer["outputs"]
    return found


class _Process:
    """The process of jq; started by the first request, and again after it was ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None

    def ask(self, line: str, expression: str) -> Any:
        """The answer to a request; `LimitExceeded` if the process did not survive it."""
        with self._lock:
            running = self._running or self._start()
            answer = _exchange(running, line.encode() + b"\n")
            if not answer.endswith(b"\n"):
                raise LimitExceeded(f"{_excess(self._end())}: {_shown(expression)}")
        return json.loads(answer)

    def _start(self) -> subprocess.Popen[bytes]:
        limits = [str(each) for each in (_CPU_S, _MEMORY_BYTES, _ANSWER_BYTES)]
        running = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_WORKER), *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            # An interrupt of the keyboard is for this process to handle.
            start_new_session=True,
        )
        self._running = running
        _exchange(running, json.dumps(_paths()).encode() + b"\n", is_answered=False)
        return running

    def _end(self) -> int:
        running, self._running = self._running, None
        assert running is not None, "it was asked"
        for pipe in (running.stdin, running.stdout):
            assert pipe is not None, "both are pipes"
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        return running.wait()

    def close(self) -> None:
        """End the process, which has nothing to do."""
        with self._lock:
            if self._running is not None:
                self._end()


def _exchange(
    running: subprocess.Popen[bytes], request: bytes, *, is_answered: bool = True
) -> bytes:
    assert running.stdin is not None, "it is a pipe"
    assert running.stdout is not None, "it is a pipe"
    try:
        running.stdin.write(request)
        running.stdin.flush()
    except BrokenPipeError:
        return b""
    return running.stdout.readline() if is_answered else b""


def _paths() -> list[str]:
    return [str(pathlib.Path(each).absolute()) for each in sys.path]


def _excess(code: int) -> str:
    if code == -signal.SIGPROF:
        return f"jq took more than {_CPU_S:g} s of CPU time"
    if code == _TOO_LONG:
        return f"jq made more than {_ANSWER_BYTES >> 20} MiB"
    return f"jq took more than {_MEMORY_BYTES >> 20} MiB of memory"


def _shown(expression: str) -> str:
    return expression if len(expression) <= 80 else f"{expression[:77]}..."


@functools.cache
def _process(_owner: int) -> _Process:
    """The process that belongs to this one; a fork needs one of its own."""
    process = _Process()
    atexit.register(process.close)
    return process
