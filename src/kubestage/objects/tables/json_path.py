"""The part of JSONPath in which CustomResourceDefinitions name the values of their columns.

Fields (``.spec.x``, ``['a.b']``, ``\\.`` for a dot in a name), indices and slices, ``*``, and
filters (``[?(@.type=="Ready")]``). Missing members give nothing rather than an error.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable
from typing import Any, Final

Values = list[Any]
Step = Callable[[Values], Values]

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<root>[$@])
      | \.(?P<field>(?:\\.|[^\\\s.,\[\]$@{}])+)
      | \[\?\((?P<filter>(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^()"'])*)\)\]
      | \['(?P<single>[^']*)'\]
      | \["(?P<double>[^"]*)"\]
      | \[(?P<slice>\*|-?\d*(?::-?\d*)?(?::\d*)?)\]
    )""",
    re.VERBOSE,
)
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+)", re.DOTALL)
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class JSONPathError(ValueError):
    """A path that cannot be read, or that does not fit the value it is asked of."""


def find(path: str, value: Any) -> Values:
    """All values that the path leads to."""
    found: Values = [value]
    for step in _parse(path):
        found = step(found)
    return found


@functools.lru_cache(maxsize=1024)
def _parse(path: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    at = 0
    while at < len(path.rstrip()):
        match = _TOKEN.match(path, at)
        if match is None:
            raise JSONPathError(f"unrecognized path at {path[at:]!r}")
        step = _step(match)
        if step is not None:
            steps.append(step)
        at = match.end()
    return tuple(steps)


def _step(match: re.Match[str]) -> Step | None:
    if match["root"]:
        return None
    if match["filter"] is not None:
        return _filter(match["filter"])
    if match["slice"] is not None:
        return _slice(match["slice"])
    if match["field"] == "*":
        return _every
    if match["field"]:
        return functools.partial(_member, re.sub(r"\\(.)", r"\1", match["field"]))
    return functools.partial(_member, match["single"] or match["double"] or "")


def _member(name: str, values: Values) -> Values:
    return [value[name] for value in values if isinstance(value, dict) and name in value]


def _every(values: Values) -> Values:
    found: Values = []
    for value in values:
        if isinstance(value, dict):
            found.extend(value.values())
        elif isinstance(value, list):
            found.extend(value)
    return found


def _slice(text: str) -> Step:
    if text == "*":
        text = ":"
    first, colon, rest = text.partition(":")
    last, _, step = rest.partition(":")
    if not first and not colon:
        raise JSONPathError("invalid array index ")
    start = int(first or 0)
    stride = int(step or 1)
    if stride < 1:
        raise JSONPathError("step must be > 0")
    end = None if colon and not last else int(last) if colon else start + 1
    return functools.partial(_elements, start, end, stride)


def _elements(start: int, end: int | None, stride: int, values: Values) -> Values:
    found: Values = []
    for value in values:
        if value is None:
            continue
        if not isinstance(value, list):
            raise JSONPathError("not an array or slice")
        size = len(value)
        low = start + size if start < 0 else start
        high = size if end is None else end + size if end < 0 or (end == 0 > start) else end
        if low == high:
            continue
        if not 0 <= low < size or not 0 <= high <= size or low > high:
            raise JSONPathError(f"array index out of bounds: index {low}, length {size}")
        found.extend(value[low:high:stride])
    return found


def _filter(text: str) -> Step:
    match = _COMPARISON.fullmatch(text)
    if match is None:
        return functools.partial(_where, lambda element: bool(find(text, element)))
    left, sign, right = (part.strip() for part in match.groups())
    compare = _COMPARE.get(sign)
    if compare is None:
        raise JSONPathError(f"unrecognized filter operator {sign}")

    def passes(element: Any) -> bool:
        return _compare(compare, _operand(left, element), _operand(right, element))

    return functools.partial(_where, passes)


def _where(passes: Callable[[Any], bool], values: Values) -> Values:
    found: Values = []
    for value in values:
        if not isinstance(value, list):
            raise JSONPathError("not an array or slice and cannot be filtered")
        found.extend(element for element in value if passes(element))
    return found


def _operand(text: str, element: Any) -> Values:
    """What one side of a comparison stands for: a literal, or what a path leads to."""
    if text[:1] in ('"', "'") and len(text) > 1 and text[-1] == text[0]:
        return [re.sub(r"\\(.)", r"\1", text[1:-1])]
    if text in ("true", "false"):
        return [text == "true"]
    if re.fullmatch(r"[+-]?\d+", text):
        return [int(text)]
    if re.fullmatch(r"[+-]?\d*\.\d*", text):
        return [float(text)]
    return find(text, element)


def _compare(compare: Callable[[Any, Any], bool], left: Values, right: Values) -> bool:
    if not left or not right:
        return False
    if len(left) > 1 or len(right) > 1:
        raise JSONPathError("can only compare one element at a time")
    if type(left[0]) is not type(right[0]) or isinstance(left[0], (dict, list)):
        raise JSONPathError("incompatible types for comparison")
    return compare(left[0], right[0])
