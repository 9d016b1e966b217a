"""The words of a query, taken one after another, and what to say of those that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.promql import lexer, mistakes, spans

if TYPE_CHECKING:
    from kubestage.promql.lexer import Token

_LONGEST_S: Final = 1 << 33


class Words:
    """Where in the text a reader is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = lexer.tokens(text)
        self._next = 0

    def peek(self, ahead: int = 0) -> Token:
        """The next word, or one further on."""
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Go past the next word."""
        token = self.peek()
        self._next += 1
        return token

    def stands(self, text: str, ahead: int = 0) -> bool:
        """Whether the next word is this one; names in any case."""
        token = self.peek(ahead)
        if token.kind == "name":
            return token.text.lower() == text
        return token.kind == "operator" and token.text == text

    def back(self) -> None:
        """Have the last word be the next again."""
        self._next -= 1

    def accept(self, text: str) -> Token | None:
        """Go past the next word if it is this one."""
        return self.take() if self.stands(text) else None

    def expect(self, text: str, where: str) -> Token:
        """Go past the next word, which has to be this one."""
        found = self.accept(text)
        if found is None:
            raise self.unexpected(f'{where}, expected "{text}"')
        return found

    def mistake(self, problem: str, at: int | None = None) -> mistakes.QueryError:
        """Something wrong at the next word, or elsewhere."""
        position = self.peek().at if at is None else at
        return mistakes.at(self.text, position, f"parse error: {problem}")

    def unexpected(self, where: str) -> mistakes.QueryError:
        """The next word does not fit."""
        token = self.peek()
        word = "end of input" if token.kind == "end" else f'"{token.text}"'
        return self.mistake(f"unexpected {word} {where}")

    def positive_span(self) -> int:
        """Go past a time in milliseconds that is longer than nothing."""
        at = self.peek().at
        span_ms = self.span()
        if span_ms <= 0:
            raise self.mistake("duration must be greater than 0", at)
        return span_ms

    def span(self) -> int:
        """Go past a time in milliseconds; a plain number is seconds."""
        token = self.take()
        if token.kind == "number":
            seconds = number(token.text)
            if seconds > _LONGEST_S:
                raise self.mistake("duration out of range", token.at)
            return round(seconds * 1000)
        if token.kind != "span":
            self.back()
            raise self.unexpected("where a duration is expected, such as 5m")
        try:
            return spans.parse_ms(token.text)
        except ValueError as error:
            raise self.mistake(str(error), token.at) from error


def number(text: str) -> float:
    """What a number is that is written out."""
    plain = text.replace("_", "")
    return float(int(plain, 16)) if plain[:2] in ("0x", "0X") else float(plain)
