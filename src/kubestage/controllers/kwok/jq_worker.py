"""The process that runs jq, which knows no limits of its own: a script, never imported.

Each request is a line of JSON, an expression and a list of values for it (none to check it); so is
each answer: the outputs, or the text of an error. The first line is where Python finds modules. The
process is ended by the signal of a timer when one request takes too much CPU time, and by jq itself
or by Python when memory runs out. It ends with its input.
"""

from __future__ import annotations

import functools
import importlib
import json
import resource
import signal
import sys
from typing import Any

# The exit code of a process whose answer would be too long.
_TOO_LONG = 3


@functools.lru_cache(maxsize=256)
def _program(expression: str) -> Any:
    return importlib.import_module("jq").compile(expression)


def _answer(expression: str, values: list[Any]) -> dict[str, Any]:
    try:
        program = _program(expression)
        return {"outputs": [program.input_value(each).all() for each in values]}
    except ValueError as problem:
        return {"error": str(problem)}


def serve(cpu_s: float, memory_bytes: int, answer_bytes: int) -> None:
    """Answer requests until there are no more."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.path[:] = json.loads(requests.readline())
    for line in requests:
        signal.setitimer(signal.ITIMER_PROF, cpu_s)
        text = json.dumps(_answer(*json.loads(line)))
        signal.setitimer(signal.ITIMER_PROF, 0)
        if len(text) > answer_bytes:
            sys.exit(_TOO_LONG)
        answers.write(text.encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    serve(float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
