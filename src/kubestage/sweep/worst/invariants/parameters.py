"""Parameters of invariants, as in ``oscillation:changes=3,within=10m``."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.golang import durations

if TYPE_CHECKING:
    from collections.abc import Iterable

_OPTION = "--breaks"


def split(text: str) -> tuple[str, dict[str, str]]:
    """The name of an invariant, and its parameters."""
    name, _, rest = text.partition(":")
    found: dict[str, str] = {}
    for part in rest.split(",") if rest else ():
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            fix = "write it as in oscillation:changes=3,within=10m"
            raise InputError(f'"{part}" is no parameter', path=_OPTION, fix=fix)
        found[key.strip()] = value.strip()
    return name.strip(), found


def refuse_others(parameters: dict[str, str], known: Iterable[str]) -> None:
    """Refuse parameters that an invariant does not have."""
    names = list(known)
    for name in parameters:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            fix = f"did you mean {near[0]}?" if near else f"there is {', '.join(names) or 'none'}"
            raise InputError(f'there is no parameter "{name}"', path=_OPTION, fix=fix)


def count(parameters: dict[str, str], name: str, default: int) -> int:
    """A whole number of at least 1."""
    text = parameters.get(name)
    if text is None:
        return default
    if not text.isdecimal() or int(text) < 1:
        fix = "write a whole number, at least 1"
        raise InputError(f"{text!r} is no number of {name}", path=_OPTION, fix=fix)
    return int(text)


def duration_ns(parameters: dict[str, str], name: str, default: str) -> int:
    """A duration above zero."""
    text = parameters.get(name, default)
    try:
        found = durations.parse_duration(text)
    except ValueError:
        found = 0
    if found < 1:
        raise InputError(f"{text!r} is no duration", path=_OPTION, fix="write it as in 90s or 10m")
    return found
