"""From text to nodes."""

from __future__ import annotations

import functools
import re
from typing import Final

from kubestage.golang import integers
from kubestage.objects.jsonpath import nodes, quoting
from kubestage.objects.jsonpath.failures import JSONPathError

_FIELD: Final = re.compile(r"(?:\\.|[^\\ \t\r\n.,\[\]$@{}])*", re.DOTALL)
_WORD: Final = re.compile(r"[^ \t\r\n.,\[\]$@{}]*")
_NUMBER: Final = re.compile(r"[+-]?[\d.]*")
_INTEGER: Final = re.compile(r"[+-]?\d+")
_KEY: Final = re.compile(r"'([^']*)'")
_SLICE: Final = re.compile(r"(-?\d*)(:-?\d*)?(:-?\d*)?")
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+)")
_EXISTS: Final = "exists"


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> nodes.Template:
    """A template of text and ``{...}``; JSONPathError says what is wrong with it."""
    return tuple(_Parser(text).template())


def _action(text: str) -> nodes.Action:
    first = parse(f"{{{text}}}")[0]
    assert isinstance(first, nodes.Action)
    return first


class _Parser:
    """A text, and how far it has been read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def template(self) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        while self._at < len(self._text):
            brace = self._text.find("{", self._at)
            if brace != self._at:
                found.append(nodes.Literal(self._up_to(brace)))
            else:
                self._at += 1
                found.append(self._inside())
        return found

    def _up_to(self, end: int) -> str:
        start, self._at = self._at, len(self._text) if end < 0 else end
        return self._text[start : self._at]

    def _inside(self) -> nodes.Action:
        """The nodes up to a closing brace."""
        found: list[nodes.Node] = []
        while not self._text.startswith("}", self._at):
            self._read_one(found)
        self._at += 1
        return nodes.Action(tuple(found))

    def _read_one(self, found: list[nodes.Node]) -> None:
        char = self._text[self._at : self._at + 1]
        if char in ("", "\r", "\n"):
            raise JSONPathError("unclosed action")
        if self._text.startswith("[?(", self._at):
            found.append(self._filter())
        elif self._text.startswith("..", self._at):
            self._recursive(found)
        elif char == "[":
            found += self._array()
        elif char in "\"'":
            found.append(nodes.Literal(self._quoted(char)))
        elif char == ".":
            self._at += 1
            found.append(self._field())
        elif char in "+-" or char.isdecimal():
            found.append(self._number())
        elif char == "_" or char.isalnum():
            found.append(self._word())
        elif char in " @$":
            self._at += 1
        else:
            shown = f" '{char}'" if char.isprintable() else ""
            raise JSONPathError(f"unrecognized character in action: U+{ord(char):04X}{shown}")

    def _matched(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return match[0]

    def _field(self) -> nodes.Node:
        name = self._matched(_FIELD)
        return nodes.Wildcard() if name == "*" else nodes.Field(name.replace("\\", ""))

    def _recursive(self, found: list[nodes.Node]) -> None:
        if found and isinstance(found[-1], nodes.Recursive):
            raise JSONPathError("invalid multiple recursive descent")
        self._at += 2
        found.append(nodes.Recursive())
        char = self._text[self._at : self._at + 1]
        if char == "_" or char.isalnum():
            found.append(self._field())

    def _number(self) -> nodes.Constant:
        text = self._matched(_NUMBER)
        try:
            return nodes.Constant(integers.parse(text) if _INTEGER.fullmatch(text) else float(text))
        except ValueError:
            raise JSONPathError(f"cannot parse number {text}") from None

    def _word(self) -> nodes.Node:
        word = self._matched(_WORD)
        return nodes.Constant(word == "true") if word in ("true", "false") else nodes.Keyword(word)

    def _quoted(self, mark: str) -> str:
        at = self._at + 1
        while True:
            char = self._text[at : at + 1]
            if char in ("", "\n"):
                raise JSONPathError("unterminated quoted string")
            at += 1
            if char == mark and self._text[at - 2] != "\\":
                return quoting.unquote(self._up_to(at))

    def _array(self) -> tuple[nodes.Node, ...]:
        end = self._text.find("]", self._at)
        inside = self._text[self._at + 1 : end]
        if end < 0 or "\n" in inside:
            raise JSONPathError("unterminated array")
        self._at = end + 1
        parts = inside.split(",")
        if len(parts) > 1:
            return (nodes.Union(tuple(_action(f"[{part.strip(' ')}]") for part in parts)),)
        key = _KEY.fullmatch(inside)
        if key is not None:
            return _action(f".{key[1]}").nodes
        return (_slice(":" if inside == "*" else inside),)

    def _filter(self) -> nodes.Filter:
        self._at += len("[?(")
        inside = self._up_to(self._end_of_filter())
        if not self._text.startswith(")]", self._at):
            raise JSONPathError("unclosed array expect ]")
        self._at += 2
        match = _COMPARISON.fullmatch(inside)
        if match is None:
            return nodes.Filter(_action(inside), _EXISTS, nodes.Action(()))
        left, operator, right = match.groups()
        return nodes.Filter(_action(left), operator, _action(right))

    def _end_of_filter(self) -> int:
        """Where the parenthesis is that closes a filter: one within a quoted text does not."""
        mark, is_closed = "", False
        for at in range(self._at, len(self._text)):
            char = self._text[at]
            if char == "\n":
                break
            if char in "\"'":
                if not mark:
                    mark = char
                elif char == mark and self._text[at - 1] != "\\":
                    is_closed = True
            elif char == ")" and bool(mark) == is_closed:
                return at
        raise JSONPathError("unterminated filter")


def _slice(text: str) -> nodes.Slice:
    match = _SLICE.fullmatch(text)
    if match is None:
        raise JSONPathError(f"invalid array index {text}")
    start, end, step = match.groups(default="")
    first = _index(start)
    if not end:
        return nodes.Slice(first, (first or 0) + 1, None, is_index=True)
    return nodes.Slice(first, _index(end[1:]), _index(step[1:]), is_index=False)


def _index(text: str) -> int | None:
    if not text:
        return None
    try:
        return integers.parse(text)
    except ValueError:
        raise JSONPathError(f"array index {text} is not a number") from None
