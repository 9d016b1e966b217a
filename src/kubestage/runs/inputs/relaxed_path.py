"""One path as people write it: ``metadata.name``, ``.metadata.name`` or ``{.metadata.name}``."""

from __future__ import annotations

import re
from typing import Final

from kubestage.errors import InputError

_PATH: Final = re.compile(r"\{\.?([^{}]+)\}|\.?([^{}]+)")
_PROBLEM: Final = (
    "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or "
    "'{.name1.name2}'"
)


def relaxed(path: str, option: str) -> str:
    """The whole expression, ``{.metadata.name}``."""
    match = _PATH.fullmatch(path)
    if match is None:
        raise InputError(_PROBLEM, path=option, fix="write one path, as in .metadata.name")
    return f"{{.{match[1] or match[2]}}}"
