"""Template text to tokens.

The whole text is read at once. What cannot be a token ends the list with a token of kind `ERROR`
whose text is the reason; the parser reports it if it comes that far.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from kubestage.errors import KubestageError
from kubestage.golang.quote import quote
from kubestage.golang.template import tokens
from kubestage.golang.template.tokens import Token

_SPACES: Final = " \t\r\n"
_SPACE_RUN: Final = re.compile(r"[ \t\r\n]+")
_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?"
    r"|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?"
    r"|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?"
)
_QUOTED: Final = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_CHARACTER: Final = re.compile(r"'(?:[^'\\\n]|\\[^\n])*'")
_AFTER_WORD: Final = " \t\r\n.,|:)("
_SINGLE: Final = {"=": tokens.ASSIGN, "|": tokens.PIPE}
_BOOLS: Final = ("true", "false")


class LexError(KubestageError):
    """The text cannot be a token; the lexer turns this into a token of kind `ERROR`."""


class Lexer:
    """Splits one text into tokens. `reserved` are the keywords, less those that name functions."""

    def __init__(self, text: str, reserved: frozenset[str]) -> None:
        self._text = text
        self._reserved = reserved
        self._at = 0
        self._depth = 0
        self._start = 0
        self._tokens: list[Token] = []
        self._line_ends = [found.start() for found in re.finditer("\n", text)]

    def read_all(self) -> list[Token]:
        """All tokens, the last of kind `EOF` or `ERROR`."""
        try:
            while self._text_to_action():
                self._action()
        except LexError as problem:
            kind, text = tokens.ERROR, str(problem)
            self._tokens.append(Token(kind, self._start, text, self._line(self._start)))
        else:
            end = len(self._text)
            self._tokens.append(Token(tokens.EOF, end, "EOF", self._line(end)))
        return self._tokens

    def _line(self, at: int) -> int:
        return bisect_left(self._line_ends, at) + 1

    def _emit(self, kind: str, end: int) -> None:
        start = self._start
        self._tokens.append(Token(kind, start, self._text[start:end], self._line(start)))
        self._at = self._start = end

    def _text_to_action(self) -> bool:
        """Take plain text and comments; false at the end of the text."""
        text = self._text
        while True:
            self._start = self._at
            found = text.find("{{", self._at)
            end = len(text) if found < 0 else found
            opening = found + 2
            trims = found >= 0 and text[opening : opening + 1] == "-" and self._space(opening + 1)
            if trims:
                end = self._start + len(text[self._start : end].rstrip(_SPACES))
            if end > self._start:
                self._emit(tokens.TEXT, end)
            if found < 0:
                return False
            self._start = found
            inside = opening + (2 if trims else 0)
            if not text.startswith("/*", inside):
                self._emit(tokens.LEFT_DELIMITER, opening)
                self._at = inside
                return True
            self._start = inside
            self._comment(inside + 2)

    def _comment(self, at: int) -> None:
        found = self._text.find("*/", at)
        if found < 0:
            raise LexError("unclosed comment")
        self._at = found + 2
        closes, trims = self._closes(self._at)
        if not closes:
            raise LexError("comment ends before closing delimiter")
        self._skip_close(trims)

    def _space(self, at: int) -> bool:
        return self._text[at : at + 1] in tuple(_SPACES)

    def _closes(self, at: int) -> tuple[bool, bool]:
        """Whether an action ends here, and whether it removes the space after it."""
        text = self._text
        if self._space(at) and text.startswith("-}}", at + 1):
            return True, True
        return text.startswith("}}", at), False

    def _skip_close(self, trims: bool) -> None:
        self._at += 4 if trims else 2
        if trims:
            spaces = _SPACE_RUN.match(self._text, self._at)
            self._at = spaces.end() if spaces else self._at

    def _action(self) -> None:
        self._depth = 0
        while True:
            closes, trims = self._closes(self._at)
            self._start = self._at
            if closes:
                if self._depth:
                    raise LexError("unclosed left paren")
                self._start += 2 if trims else 0
                self._tokens.append(
                    Token(tokens.RIGHT_DELIMITER, self._start, "}}", self._line(self._start))
                )
                self._skip_close(trims)
                return
            self._word()

    def _word(self) -> None:  # One branch for each way in which a token may begin.
        text, at = self._text, self._at
        if at >= len(text):
            raise LexError("unclosed action")
        first = text[at]
        if first in _SPACES:
            self._spaces()
        elif first in _SINGLE:
            self._emit(_SINGLE[first], at + 1)
        elif first == ":":
            if text[at + 1 : at + 2] != "=":
                raise LexError("expected :=")
            self._emit(tokens.DECLARE, at + 2)
        elif first == '"':
            self._matched(_QUOTED, tokens.STRING, "unterminated quoted string")
        elif first == "'":
            self._matched(_CHARACTER, tokens.CHAR_CONSTANT, "unterminated character constant")
        elif first == "`":
            end = text.find("`", at + 1)
            if end < 0:
                raise LexError("unterminated raw quoted string")
            self._emit(tokens.RAW_STRING, end + 1)
        elif first == "$":
            self._name(tokens.VARIABLE, tokens.VARIABLE)
        elif first == "." and not "0" <= text[at + 1 : at + 2] <= "9":
            self._name(tokens.FIELD, tokens.DOT)
        elif first in "+-." or "0" <= first <= "9":
            self._number()
        elif first == "_" or first.isalnum():
            self._identifier()
        elif first in "()":
            self._parenthesis(first)
        elif " " < first < "\x7f":
            self._emit(tokens.CHAR, at + 1)
        else:
            raise LexError(f"unrecognized character in action: {_code_point(first)}")

    def _matched(self, pattern: re.Pattern[str], kind: str, problem: str) -> None:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise LexError(problem)
        self._emit(kind, found.end())

    def _spaces(self) -> None:
        found = _SPACE_RUN.match(self._text, self._at)
        assert found is not None, "called at a space"
        end = found.end()
        # The last space may belong to a closing " -}}".
        self._emit(tokens.SPACE, end - 1 if self._text.startswith("-}}", end) else end)

    def _parenthesis(self, which: str) -> None:
        self._depth += 1 if which == "(" else -1
        if self._depth < 0:
            raise LexError("unexpected right paren")
        self._emit(which, self._at + 1)

    def _name(self, kind: str, bare: str) -> None:
        if self._ends_word(self._at + 1):
            self._emit(bare, self._at + 1)
            return
        found = _WORD.match(self._text, self._at + 1)
        end = found.end() if found else self._at + 1
        self._check_end(end)
        self._emit(kind, end)

    def _identifier(self) -> None:
        found = _WORD.match(self._text, self._at)
        assert found is not None, "called at a letter or digit"
        self._check_end(found.end())
        word = found.group()
        kind = tokens.IDENTIFIER
        if word in self._reserved:
            kind = word
        elif word in _BOOLS:
            kind = tokens.BOOL
        self._emit(kind, found.end())

    def _number(self) -> None:
        end = self._number_end(self._at)
        if self._text[end : end + 1] in ("+", "-"):
            end = self._number_end(end)
            if self._text[end - 1] != "i":
                raise self._bad_number(end)
            self._emit(tokens.COMPLEX, end)
        else:
            self._emit(tokens.NUMBER, end)

    def _number_end(self, at: int) -> int:
        found = _NUMBER.match(self._text, at)
        end = found.end() if found else at
        if _WORD.match(self._text, end):
            raise self._bad_number(end + 1)
        return end

    def _bad_number(self, end: int) -> LexError:
        return LexError(f"bad number syntax: {quote(self._text[self._start : end])}")

    def _ends_word(self, at: int) -> bool:
        text = self._text
        return at >= len(text) or text[at] in _AFTER_WORD or text.startswith("}}", at)

    def _check_end(self, at: int) -> None:
        if not self._ends_word(at):
            raise LexError(f"bad character {_code_point(self._text[at])}")


def _code_point(character: str) -> str:
    shown = f" '{character}'" if character.isprintable() else ""
    return f"U+{ord(character):04X}{shown}"
