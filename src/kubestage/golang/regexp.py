"""Go's ``regexp``: RE2, through Google's own library for Python.

The syntax, the meaning and the linear time are those of Go, which has the same author and design.
The errors have Go's words.
"""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Any, Final

import re2  # type: ignore[import-untyped]

from kubestage.errors import MalformedValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_GO_WORDS: Final = {
    "bad repetition operator": "invalid nested repetition operator",
    "invalid named capture group": "invalid named capture",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid repetition size": "invalid repeat count",
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "no argument for repetition operator": "missing argument to repetition operator",
    "pattern too large - compile failed": "expression too large",
    "trailing \\": "trailing backslash at end of expression",
}
# One byte of a character, which C++ programs may match and Go programs may not.
_ONE_BYTE: Final = re.compile(r"(?:[^\\]|\\[^C])*?(\\C)", re.DOTALL)
_REFERENCE: Final = re.compile(r"\$(?:(\$)|(\w+)|\{(\w+)\})", re.ASCII)


# What a part of a text takes besides its letters.
_PART: Final = 64
# How long a pattern may be, and what it may take when compiled; a larger one is "too large".
_PATTERN_BYTES: Final = 1 << 16
_PROGRAM_BYTES: Final = 8 << 20
_REMEMBERED: Final = 100
_SHOWN: Final = 80
# NOTE: where RE2 needs too many states, each byte of a text costs 4 ns for each instruction of the
# pattern. And to find all matches, it may have to read the rest of the text for each of them.
_INSTRUCTIONS: Final = 500_000_000
_SEARCHED_BYTES: Final = 1 << 16


class RegexpError(MalformedValue):
    """A pattern that Go refuses, in its words, or a text that is too long for a pattern."""


class Match:
    """A place at which a pattern was found."""

    __slots__ = ("_groups", "_names", "end", "start")

    def __init__(self, found: Any, names: dict[str, int]) -> None:
        self.start, self.end = found.span()
        self._groups: tuple[bytes, ...] = (found.group(), *found.groups(b""))
        self._names = names

    @property
    def text(self) -> str:
        """What was found."""
        return _decode(self._groups[0])

    def group(self, name: str) -> str:
        """A group by its number or name; one that does not exist is empty."""
        index = int(name) if name.isdecimal() else self._names.get(name, len(self._groups))
        return _decode(self._groups[index]) if index < len(self._groups) else ""

    def expand(self, template: str, spend: Callable[[int], object] = bool) -> str:
        """A replacement whose ``$1``, ``${name}`` are filled with groups."""

        def filled(found: re.Match[str]) -> str:
            group = "$" if found[1] else self.group(found[2] or found[3])
            spend(len(group))
            return group

        return _REFERENCE.sub(filled, template)


class Regexp:
    """A compiled pattern.

    With `dot_matches_newline` it is read as Prometheus reads it. What makes a text or a list calls
    `spend` with the bytes of each part before it is made, so that a caller can refuse it.
    """

    __slots__ = ("_compiled", "_most_bytes", "_names", "pattern")

    def __init__(self, pattern: str, *, dot_matches_newline: bool = False) -> None:
        self.pattern = pattern
        options = re2.Options()
        options.log_errors = False
        options.max_mem = _PROGRAM_BYTES
        options.dot_nl = dot_matches_newline
        encoded = _encode(pattern)
        if len(encoded) > _PATTERN_BYTES:
            shown = f"{pattern[:_SHOWN]}..."
            raise RegexpError(f"error parsing regexp: expression too large: `{shown}`")
        one_byte = _ONE_BYTE.match(pattern)
        if one_byte is not None:
            raise RegexpError(f"error parsing regexp: invalid escape sequence: `{one_byte[1]}`")
        try:
            self._compiled = re2.compile(encoded, options)
        except re2.error as error:
            raise RegexpError(_go_message(error)) from None
        self._names = {_decode(name): at for name, at in self._compiled.groupindex.items()}
        self._most_bytes = _INSTRUCTIONS // (self._compiled.programsize + 1)

    def _readable(self, text: str) -> bytes:
        encoded = _encode(text)
        if len(encoded) > self._most_bytes:
            raise RegexpError(
                f"a text of {len(encoded):,} bytes is too long for a pattern of this size, "
                f"which may search {self._most_bytes:,}"
            )
        return encoded

    def is_found_in(self, text: str) -> bool:
        """Whether some part of a text matches."""
        return self._compiled.search(self._readable(text)) is not None

    def matches_whole(self, text: str) -> bool:
        """Whether a whole text matches."""
        return self._compiled.fullmatch(self._readable(text)) is not None

    def full_match(self, text: str) -> Match | None:
        """The match of a whole text."""
        found = self._compiled.fullmatch(self._readable(text))
        return None if found is None else Match(found, self._names)

    def find(self, text: str) -> str:
        """The first part of a text that matches, or nothing."""
        found = self._compiled.search(self._readable(text))
        return "" if found is None else _decode(found.group())

    def find_all(
        self, text: str, limit: int = -1, spend: Callable[[int], object] = bool
    ) -> list[str]:
        """All parts that match, at most `limit` of them; -1 is no limit."""
        matches = self._matches(_encode(text), spend)
        return [each.text for each in itertools.islice(matches, None if limit < 0 else limit)]

    def replace_all(
        self,
        text: str,
        template: str,
        *,
        is_literal: bool = False,
        spend: Callable[[int], object] = bool,
    ) -> str:
        """The text with each match replaced; the template may refer to groups."""
        encoded = _encode(text)
        parts: list[str] = []
        at = 0
        for each in self._matches(encoded, spend):
            spend(len(template))
            parts += [_decode(encoded[at : each.start])]
            parts += [template if is_literal else each.expand(template, spend)]
            at = each.end
        return "".join([*parts, _decode(encoded[at:])])

    def split(self, text: str, limit: int = -1, spend: Callable[[int], object] = bool) -> list[str]:
        """The parts between the matches, at most `limit` of them; -1 is no limit."""
        if limit == 0:
            return []
        encoded = _encode(text)
        if self.pattern and not encoded:
            return [""]
        parts: list[str] = []
        at = 0
        for each in self._matches(encoded, spend):
            if 0 < limit <= len(parts) + 1:
                break
            if each.end == 0:
                continue
            if each.start == len(encoded) and each.start == each.end:
                break
            parts.append(_decode(encoded[at : each.start]))
            at = each.end
        return [*parts, _decode(encoded[at:])]

    def _matches(self, encoded: bytes, spend: Callable[[int], object]) -> Iterator[Match]:
        """The matches as Go counts them: an empty one right after another does not count."""
        if len(encoded) > _SEARCHED_BYTES:
            raise RegexpError(
                f"a text of {len(encoded):,} bytes is too long to find all matches in it, "
                f"the longest is {_SEARCHED_BYTES:,}"
            )
        before = -1
        for found in self._compiled.finditer(encoded):
            start, end = found.span()
            spend(_PART)
            if start != end or start != before:
                if start == end and _is_within_character(encoded, start):
                    continue
                yield Match(found, self._names)
            before = end

    def __reduce__(self) -> tuple[object, ...]:
        is_dot_newline = self._compiled.options.dot_nl
        return _compiled, (self.pattern, is_dot_newline)


@functools.lru_cache(maxsize=_REMEMBERED)
def _compiled(pattern: str, dot_matches_newline: bool) -> Regexp:
    return Regexp(pattern, dot_matches_newline=dot_matches_newline)


def compile_pattern(pattern: str, *, dot_matches_newline: bool = False) -> Regexp:
    """The compiled pattern; `RegexpError` says why Go refuses it."""
    return _compiled(pattern, dot_matches_newline)


def quote_meta(text: str) -> str:
    """A pattern that matches exactly this text."""
    return re.sub(r"[\\.+*?()|\[\]{}^$]", r"\\\g<0>", text)


def _go_message(error: Exception) -> str:
    code, _, where = _decode(error.args[0]).partition(": ")
    return f"error parsing regexp: {_GO_WORDS.get(code, code)}: `{where}`"


def _is_within_character(encoded: bytes, at: int) -> bool:
    return at < len(encoded) and encoded[at] & 0xC0 == 0x80


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(encoded: bytes) -> str:
    return encoded.decode("utf-8", "surrogatepass")
