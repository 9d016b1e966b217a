"""Regular expressions; those that Go and Python read alike."""

from __future__ import annotations

import functools
import re
from typing import Final

from kubestage.golang.template.functions import Function
from kubestage.golang.template.values import INT, STRING

_GROUP: Final = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<braced>\w+)\}|(?P<plain>\w+))")


@functools.lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as problem:
        raise ValueError(f"error parsing regexp: {problem}") from problem


def _find(pattern: str, text: str) -> str:
    found = _pattern(pattern).search(text)
    return found.group() if found else ""


def _find_all(pattern: str, text: str, most: int) -> list[str]:
    found = [each.group() for each in _pattern(pattern).finditer(text)]
    return found if most < 0 else found[:most]


def _replace(pattern: str, text: str, new: str) -> str:
    def filled(found: re.Match[str]) -> str:
        return _GROUP.sub(lambda name: _group(found, name), new)

    return _pattern(pattern).sub(filled, text)


def _group(found: re.Match[str], name: re.Match[str]) -> str:
    if name["dollar"]:
        return "$"
    wanted = name["braced"] or name["plain"]
    try:
        return found[int(wanted) if wanted.isdecimal() else wanted] or ""
    except IndexError:
        return ""


def _split(pattern: str, text: str, most: int) -> list[str]:
    if most == 0:
        return []
    parts: list[str] = []
    at = 0
    for found in _pattern(pattern).finditer(text):
        if 0 < most <= len(parts) + 1:
            break
        if found.end() == 0 or (not found.group() and found.start() == len(text)):
            continue
        parts.append(text[at : found.start()])
        at = found.end()
    return [*parts, text[at:]]


_TWO: Final = (STRING, STRING)
_FUNCTIONS: Final[dict[str, Function]] = {
    "regexMatch": Function(lambda pattern, text: bool(_pattern(pattern).search(text)), _TWO),
    "regexFind": Function(_find, _TWO),
    "regexFindAll": Function(_find_all, (*_TWO, INT)),
    "regexReplaceAll": Function(_replace, (*_TWO, STRING)),
    "regexReplaceAllLiteral": Function(
        lambda pattern, text, new: _pattern(pattern).sub(lambda _: new, text), (*_TWO, STRING)
    ),
    "regexSplit": Function(_split, (*_TWO, INT)),
}
FUNCTIONS: Final[dict[str, Function]] = {
    **_FUNCTIONS,
    **{f"mustR{name[1:]}": call for name, call in _FUNCTIONS.items()},
    "regexQuoteMeta": Function(
        lambda text: re.sub(r"[\\.+*?()|\[\]{}^$]", r"\\\g<0>", text), (STRING,)
    ),
}
