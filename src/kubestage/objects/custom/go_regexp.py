"""Patterns in the syntax of Go, for an engine that knows the syntax of Python.

The two agree on most of what people write. Go has no look-around and no references back; its
classes are those of ASCII, and ``$`` is the very end of the text.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from kubestage.objects.automaton import Automaton, UnfitError

_CLASSES: Final = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": r"!-/:-@\[-`{-~", "space": r"\t\n\v\f\r ", "upper": "A-Z", "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
# The Unicode classes that manifests use, as ranges of the basic plane.
_UNICODE: Final = {
    "L": r"A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02c1\u0370-\u1fff\u2c00-\ud7ff",
    "Lu": "A-Z\xc0-\xd6\xd8-\xde",
    "Ll": "a-z\xdf-\xf6\xf8-\xff",
    "N": "0-9\xb2\xb3\xb9\xbc-\xbe\u0660-\u0669",
    "Nd": "0-9\u0660-\u0669",
}
_posix: Final = re.compile(r"\[:(\^?)([a-z]+):\]").match
_unicode: Final = re.compile(r"\\([pP])(?:\{(\^?)(\w+)\}|(\w))").match
_group: Final = re.compile(r"\(\?(P?<\w+>|[imsU-]*[:)])").match


class RegexpError(ValueError):
    """A pattern that Go would not take; the message is Go's."""


@functools.lru_cache(512)
def compile_pattern(pattern: str) -> Automaton:
    """The pattern, ready to be looked for; RegexpError says why Go refuses it."""
    try:
        return Automaton(_Translation(pattern).text())
    except re.error as error:
        raise RegexpError(_in_go_words(pattern, error)) from None
    except UnfitError as error:
        raise RegexpError(f"error parsing regexp: {error}: `{pattern}`") from None
    except RecursionError:
        raise RegexpError(
            f"error parsing regexp: expression nests too deeply: `{pattern}`"
        ) from None


def _in_go_words(pattern: str, error: re.error) -> str:
    found = {
        "nothing to repeat": ("missing argument to repetition operator", pattern[error.pos or 0 :]),
        "multiple repeat": ("invalid nested repetition operator", pattern),
        "missing ), unterminated subpattern": ("missing closing )", pattern),
        "unbalanced parenthesis": ("unexpected )", pattern),
        "unterminated character set": ("missing closing ]", pattern[error.pos or 0 :]),
        "bad escape (end of pattern)": ("trailing backslash at end of expression", ""),
    }.get(error.msg)
    if found is None:
        return f"error parsing regexp: {error.msg}: `{pattern}`"
    what, where = found
    if what.startswith("missing argument"):
        where = where[:1]
    return f"error parsing regexp: {what}: `{where}`"


class _Translation:
    """One walk over a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []

    def text(self) -> str:
        """The whole pattern in the other syntax."""
        while self.at < len(self.pattern):
            char = self.pattern[self.at]
            if char == "\\":
                self._escape(in_class=False)
            elif char == "[":
                self._class()
            elif char == "(":
                self._open()
            else:
                self.out.append(r"\Z" if char == "$" else char)
                self.at += 1
        return "".join(self.out)

    def _open(self) -> None:
        if not self.pattern.startswith("(?", self.at):
            self.out.append("(")
            self.at += 1
            return
        match = _group(self.pattern, self.at)
        if match is None:
            shown = self.pattern[self.at : self.at + 3]
            if shown == "(?<":
                shown = self.pattern[self.at : self.at + 4]
            raise RegexpError(
                f"error parsing regexp: invalid or unsupported Perl syntax: `{shown}`"
            )
        self.out.append(match[0].replace("(?<", "(?P<"))
        self.at = match.end()

    def _escape(self, *, in_class: bool) -> None:
        following = self.pattern[self.at + 1 : self.at + 2]
        unicode = _unicode(self.pattern, self.at)
        if unicode is not None:
            self._unicode_class(unicode, in_class=in_class)
            return
        if following.isdigit() and following != "0":
            shown = f"\\{following}"
            raise RegexpError(f"error parsing regexp: invalid escape sequence: `{shown}`")
        if following == "Q":
            end = self.pattern.find("\\E", self.at)
            end = len(self.pattern) if end < 0 else end
            self.out.append(re.escape(self.pattern[self.at + 2 : end]))
            self.at = end + 2
            return
        self.out.append(r"\Z" if following == "z" else f"\\{following}")
        self.at += 2

    def _unicode_class(self, match: re.Match[str], *, in_class: bool) -> None:
        ranges = _UNICODE.get(match[3] or match[4])
        if ranges is None:
            raise RegexpError(f"error parsing regexp: invalid character class range: `{match[0]}`")
        negated = (match[1] == "P") != bool(match[2])
        self.out.append(ranges if in_class else f"[{'^' if negated else ''}{ranges}]")
        self.at = match.end()

    def _class(self) -> None:
        self.out.append("[")
        self.at += 1
        if self.pattern.startswith("^", self.at):
            self.out.append("^")
            self.at += 1
        is_first = True
        while self.at < len(self.pattern):
            char = self.pattern[self.at]
            named = _posix(self.pattern, self.at)
            if named is not None and named[2] in _CLASSES:
                self.out.append(_CLASSES[named[2]])
                self.at = named.end()
            elif char == "\\":
                self._escape(in_class=True)
            else:
                self.at += 1
                if char == "]" and not is_first:
                    self.out.append("]")
                    return
                # A bracket or a doubled sign inside a class means nothing in Go.
                self.out.append(f"\\{char}" if char in "[]&~|" else char)
            is_first = False
