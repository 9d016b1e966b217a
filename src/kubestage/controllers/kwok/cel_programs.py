"""Questions about an object, in CEL, by way of the optional library `cel-expr-python`.

The object is `self`. KWOK knows the fields of pods and nodes, so that an absent one is empty to
it; here that goes for ``metadata``, ``spec`` and ``status`` only. KWOK's own functions (``Now``,
``Rand``, ``SinceSecond``, ``UnixSecond``, ``Quantity``) are not offered.
"""

from __future__ import annotations

import datetime as dt
import functools
import importlib
from typing import Any, Final

from kubestage.errors import InputError, KubestageError, LimitExceeded
from kubestage.objects.cel import costs
from kubestage.objects.cel.guard import Guarded

_REMEMBERED: Final = 1024
_PARTS: Final = ("metadata", "spec", "status")
_MICROSECOND: Final = dt.timedelta(microseconds=1)


class EvaluationError(KubestageError):
    """An expression fails on an object."""


def check(expression: str, path: str) -> None:
    """Raise `InputError` if the expression is no CEL; `path` is where it stands."""
    if len(expression) > costs.LONGEST:
        raise LimitExceeded(costs.TOO_LONG, path=path)
    try:
        _program(expression)
    except RuntimeError as problem:
        problem_text = str(problem).splitlines()[0]
        raise InputError(f"not a CEL expression: {problem_text}", path=path) from None


def ask(expression: str, obj: dict[str, Any], is_typed: bool) -> Any:
    """The answer as a Python value; EvaluationError if there is none.

    `LimitExceeded` if it could take too long or become too large.
    """
    if is_typed:
        obj = {**{part: {} for part in _PARTS}, **obj}
    try:
        kind, value = _program(expression).eval({"self": obj})
    except LimitExceeded as problem:
        raise LimitExceeded(f"{problem.problem}: {expression}") from None
    except (RuntimeError, TypeError) as problem:
        raise EvaluationError(str(problem)) from problem
    if kind == "ERROR":
        raise EvaluationError(str(value))
    return value


def as_bool(value: Any) -> bool:
    """The answer to whether; EvaluationError if it is none."""
    if isinstance(value, bool):
        return value
    raise EvaluationError(f"cel.AsBool unsupported type: {type(value).__name__}")


def as_int(value: Any) -> int:
    """The answer to how many; EvaluationError if it is none."""
    if isinstance(value, dt.timedelta):
        return nanoseconds(value)
    if isinstance(value, bool | int | float):
        return int(value)
    raise EvaluationError(f"cel.AsInt64 unsupported type: {type(value).__name__}")


def nanoseconds(duration: dt.timedelta) -> int:
    """A duration of the library."""
    return duration // _MICROSECOND * 1000


@functools.lru_cache(maxsize=_REMEMBERED)
def _program(expression: str) -> Guarded:
    # Compiled programs cannot be pickled, so they live here and nowhere else.
    return Guarded(_environment().compile(expression, disable_check=True))


@functools.cache
def _environment() -> Any:
    try:
        library = importlib.import_module("cel_expr_python.cel")
    except ImportError as missing:
        raise InputError(
            "CEL in a Stage needs the package cel-expr-python",
            fix="pip install 'kubestage[cel]', or use jq",
        ) from missing
    configuration = library.NewEnvConfigFromYaml(
        "name: stages\nextensions:\n- name: strings\n- name: sets\n- name: lists\n"
    )
    return library.NewEnv(config=configuration, variables={"self": library.Type.DYN})
