"""The text form of metrics, as components write it on their pages, read line by line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME: Final = r"[A-Za-z_:][A-Za-z0-9_:]*"
# NOTE: without alternatives, at which a pattern goes back and tries again on every line.
_QUOTED: Final = r'[^"\\]*(?:\\.[^"\\]*)*'
_LABELS: Final = rf'\{{[^"}}]*(?:"{_QUOTED}"[^"}}]*)*\}}'
# A timestamp and an exemplar may follow the value.
_LINE: Final = re.compile(rf"({_NAME})\s*({_LABELS})?\s*([^\s{{}}#]+)(?:\s+-?[\d.]+)?\s*(?:#.*)?$")
_LABEL: Final = re.compile(rf'([A-Za-z_][A-Za-z0-9_]*)\s*=\s*"({_QUOTED})"')
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n"}


class Line(NamedTuple):
    """One sample of a page."""

    name: str
    labels: dict[str, str]
    value: float


def read(text: str) -> Iterator[Line]:
    """All samples of a page, in its order; comments and malformed lines are skipped."""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = _LINE.match(line)
        if match is None:
            continue
        name, labels, number = match.groups()
        value = _value(number)
        if value is not None:
            yield Line(name, _labels(labels) if labels else {}, value)


def _labels(text: str) -> dict[str, str]:
    return {
        name: _ESCAPE.sub(_unescaped, value) if "\\" in value else value
        for name, value in _LABEL.findall(text)
    }


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPED.get(match[1], match[1])


def _value(number: str) -> float | None:
    try:
        return float(number)
    except ValueError:
        return None
