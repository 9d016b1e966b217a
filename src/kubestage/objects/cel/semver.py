"""Semantic versions (semver.org 2.0.0), as device attributes and selectors use them."""

from __future__ import annotations

import dataclasses
import functools
import string
from typing import Final

from kubestage.errors import MalformedValue

_DIGITS: Final = frozenset(string.digits)
_WORD: Final = frozenset(string.ascii_letters + string.digits + "-")


class SemverError(MalformedValue):
    """What is wrong with a version, in upstream's words."""


@functools.total_ordering
@dataclasses.dataclass(frozen=True, slots=True)
class Version:
    """A version; build metadata does not count."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        return f"{text}-{'.'.join(self.prerelease)}" if self.prerelease else text

    def __lt__(self, other: Version) -> bool:
        return self._rank < other._rank

    @property
    def _rank(self) -> tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]:
        """Prereleases come before the release, and numbers in them before words."""
        parts = tuple(
            (False, int(part), "") if _DIGITS.issuperset(part) else (True, 0, part)
            for part in self.prerelease
        )
        return self.major, self.minor, self.patch, not self.prerelease, parts


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Version:
    """Read a version strictly."""
    if not text:
        raise SemverError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise SemverError("No Major.Minor.Patch elements found")
    major, minor = _number(parts[0], "Major"), _number(parts[1], "Minor")
    rest, plus, build = parts[2].partition("+")
    patch_text, dash, prerelease_text = rest.partition("-")
    patch = _number(patch_text, "Patch")
    prerelease = tuple(prerelease_text.split(".")) if dash else ()
    for part in prerelease:
        _check_prerelease(part)
    for part in build.split(".") if plus else ():
        if not part:
            raise SemverError("Build meta data is empty")
        if not _WORD.issuperset(part):
            raise SemverError(f'Invalid character(s) found in build meta data "{part}"')
    return Version(major, minor, patch, prerelease)


def parse_tolerant(text: str) -> Version:
    """Read a version that may begin with `v`, be short, or have leading zeros."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            bare = part.lstrip("0")
            parts[index] = bare if bare and bare[0] in _DIGITS else f"0{bare}"
    if len(parts) < 3 and ("+" in parts[-1] or "-" in parts[-1]):
        raise SemverError("short version cannot contain PreRelease/Build meta data")
    return parse(".".join([*parts, "0", "0"][: max(len(parts), 3)]))


def _number(text: str, part: str) -> int:
    if not text or not _DIGITS.issuperset(text):
        raise SemverError(f'Invalid character(s) found in {part.lower()} number "{text}"')
    if len(text) > 1 and text[0] == "0":
        raise SemverError(f'{part} number must not contain leading zeroes "{text}"')
    return int(text)


def _check_prerelease(part: str) -> None:
    if not part:
        raise SemverError("Prerelease is empty")
    if _DIGITS.issuperset(part):
        if len(part) > 1 and part[0] == "0":
            raise SemverError(
                f'Numeric PreRelease version must not contain leading zeroes "{part}"'
            )
    elif not _WORD.issuperset(part):
        raise SemverError(f'Invalid character(s) found in prerelease "{part}"')
