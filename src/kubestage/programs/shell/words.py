"""Reading a script's words: quotes, variables, substitutions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.programs.shell.syntax import Arithmetic, Literal, Substitution, Variable

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.programs.shell.syntax import Part, Script, Word

_NAME: Final = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_BRACED: Final = re.compile(r"(#?)([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(:?[-+=?]|##?|%%?)?")
_ENDS: Final = frozenset(" \t\n;&|<>()")
_ESCAPED_IN_QUOTES: Final = frozenset('$`"\\\n')


class Words:
    """A cursor over the text of a script that reads words."""

    def __init__(self, text: str, parse: Callable[[str], Script]) -> None:
        self.text = text
        self.at = 0
        self._parse = parse

    def peek(self, length: int = 1) -> str:
        """What comes next."""
        return self.text[self.at : self.at + length]

    def word(self) -> Word:
        """One word, up to a space or an operator."""
        parts: list[Part] = []
        while self.at < len(self.text) and self.text[self.at] not in _ENDS:
            self._part(parts)
        return tuple(parts)

    def _part(self, parts: list[Part]) -> None:
        character = self.text[self.at]
        if character == "'":
            end = self._find("'", self.at + 1)
            parts.append(Literal(self.text[self.at + 1 : end], True))
            self.at = end + 1
        elif character == '"':
            self.at += 1
            self._quoted(parts)
        elif character == "\\":
            if self.peek(2) != "\\\n":
                parts.append(Literal(self.text[self.at + 1 : self.at + 2], True))
            self.at += 2
        elif character in "$`":
            parts.append(self._expansion(is_quoted=False))
        else:
            parts.append(Literal(character, False))
            self.at += 1

    def _quoted(self, parts: list[Part]) -> None:
        parts.append(Literal("", True))
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == '"':
                self.at += 1
                return
            if character in "$`":
                parts.append(self._expansion(is_quoted=True))
                continue
            if character == "\\" and self.text[self.at + 1 : self.at + 2] in _ESCAPED_IN_QUOTES:
                self.at += 1
                character = self.text[self.at].replace("\n", "")
            parts.append(Literal(character, True))
            self.at += 1
        raise Unmodelled("a quote is not closed")

    def _expansion(self, *, is_quoted: bool) -> Part:
        if self.text[self.at] == "`":
            end = self._find("`", self.at + 1)
            inside = self.text[self.at + 1 : end]
            self.at = end + 1
            return Substitution(self._parse(inside), is_quoted)
        if self.peek(3) == "$((":
            inside = self._balanced(self.at + 3, "))")
            return Arithmetic(Words(inside, self._parse).whole(), is_quoted)
        if self.peek(2) == "$(":
            return Substitution(self._parse(self._balanced(self.at + 2, ")")), is_quoted)
        if self.peek(2) == "${":
            return self._braced(is_quoted=is_quoted)
        found = _NAME.match(self.text, self.at + 1)
        if found is None:
            self.at += 1
            return Literal("$", True)
        self.at = found.end()
        return Variable(found[0], "", (), is_quoted)

    def _braced(self, *, is_quoted: bool) -> Variable:
        end = self._find("}", self.at)
        inside = self.text[self.at + 2 : end]
        found = _BRACED.match(inside)
        if found is None or (found[1] and found.end() != len(inside)):
            raise Unmodelled(f"${{{inside}}}")
        rest = inside[found.end() :]
        if rest and not found[3]:
            raise Unmodelled(f"${{{inside}}}")
        self.at = end + 1
        operator = "length" if found[1] else found[3] or ""
        return Variable(found[2], operator, Words(rest, self._parse).whole(), is_quoted)

    def whole(self) -> Word:
        """All of the text as one word in which spaces and operators are plain."""
        parts: list[Part] = []
        while self.at < len(self.text):
            if self.text[self.at] in _ENDS:
                parts.append(Literal(self.text[self.at], True))
                self.at += 1
            else:
                self._part(parts)
        return tuple(parts)

    def _find(self, mark: str, start: int) -> int:
        end = self.text.find(mark, start)
        if end < 0:
            raise Unmodelled(f"{mark} is missing")
        return end

    def _balanced(self, start: int, closing: str) -> str:
        """The text up to the parenthesis that closes it; quoted ones do not count."""
        depth, at, quote = 0, start, ""
        while at < len(self.text):
            character = self.text[at]
            if quote:
                quote = "" if character == quote else quote
            elif character in "'\"":
                quote = character
            elif character == "(":
                depth += 1
            elif not depth and self.text.startswith(closing, at):
                self.at = at + len(closing)
                return self.text[start:at]
            elif character == ")":
                depth -= 1
            at += 1
        raise Unmodelled("a parenthesis is not closed")
