"""Regular expressions as RE2 reads them, by way of Python's.

Prometheus anchors them on both sides and lets a dot match a line's end.
"""

from __future__ import annotations

import functools
import re
from typing import Final

_CLASSES: Final = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:blank:]": r"\t ",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:punct:]": r"!-/:-@\[-`{-~",
    "[:space:]": r"\t\n\v\f\r ",
    "[:upper:]": "A-Z",
    "[:word:]": "0-9A-Za-z_",
    "[:xdigit:]": "0-9A-Fa-f",
}
_FOREIGN: Final = re.compile(
    r"\\(?:\\|.)"  # an escaped character is skipped, unless it is one of those below
    r"|\(\?(?:=|!|<=|<!|>|\(|P=)"
    r"|(?<=[*+?}])\+"
)
_BACK_REFERENCE: Final = re.compile(r"\\[1-9Z]")
_FLAGS: Final = re.compile(r"\(\?([imsU-]+)\)")


@functools.lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern that is to match a whole value; ``ValueError`` if RE2 would refuse it."""
    for match in _FOREIGN.finditer(pattern):
        if not match[0].startswith("\\") or _BACK_REFERENCE.fullmatch(match[0]):
            raise ValueError(f"error parsing regexp: invalid or unsupported syntax: `{match[0]}`")
    for name, characters in _CLASSES.items():
        pattern = pattern.replace(name, characters)
    pattern = pattern.replace(r"\z", r"\Z")
    flags = re.ASCII | re.DOTALL
    # Python wants flags of the whole expression at its very start; RE2 takes them anywhere.
    for match in _FLAGS.finditer(pattern):
        flags |= re.IGNORECASE if "i" in match[1].split("-")[0] else 0
    pattern = _FLAGS.sub("", pattern)
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise ValueError(f"error parsing regexp: {error.msg}: `{pattern}`") from error


_REFERENCE: Final = re.compile(r"\$(?:(\$)|(\w+)|\{(\w+)\})", re.ASCII)
_NUMBERS: Final = re.compile(r"([0-9]+)", re.ASCII)


def template(text: str) -> tuple[str, ...]:
    """A replacement in parts: plain text, and at odd places the groups it names with ``$1``."""
    parts: list[str] = [""]
    end = 0
    for match in _REFERENCE.finditer(text):
        parts[-1] += text[end : match.start()]
        if match[1]:
            parts[-1] += "$"
        else:
            parts += [match[2] or match[3], ""]
        end = match.end()
    parts[-1] += text[end:]
    return tuple(parts)


def expanded(parts: tuple[str, ...], match: re.Match[str]) -> str:
    """A replacement filled with what was found; a group that is not there is empty."""
    return "".join(_group(match, part) if index % 2 else part for index, part in enumerate(parts))


def _group(match: re.Match[str], name: str) -> str:
    if name.isdigit():
        index = int(name)
        return (match[index] or "") if index <= len(match.groups()) else ""
    return match.groupdict().get(name) or ""


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key by which numbers within texts are ordered as numbers."""
    return [
        (0, int(part), part) if part.isdigit() else (1, 0, part)
        for part in _NUMBERS.split(text)
        if part
    ]
