"""The tokens of a query, read one after another, and the errors about unexpected ones."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from kubestage.promql import durations, limits, query_errors


class Token(msgspec.Struct, frozen=True):
    """A token and its position.

    `kind` is ``number``, ``duration``, ``string``, ``name``, ``operator`` or ``end``. A string's
    `text` is without quotes.
    """

    kind: str
    text: str
    at: int


_TOKEN: Final = re.compile(
    r"(?P<space>(?:\s+|\#[^\n]*)+)"
    rf"|(?P<duration>{durations.DURATION}(?![\w.]))"
    r"|(?P<number>0[xX][0-9a-fA-F_]+"
    r"|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?(?!\w))"
    r"|(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)"
    r"|(?P<operator>=~|!~|==|!=|<=|>=|[-+*/%^=<>(){}\[\],@:])",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))", re.DOTALL
)
_SIMPLE: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip


def tokens(text: str) -> list[Token]:
    """All tokens of a query, its end last."""
    found: list[Token] = []
    at, is_ranged = 0, False
    while at < len(text):
        # A name may begin with a colon, but not where a colon separates a range from its step.
        if is_ranged and text[at] == ":":
            found.append(Token("operator", ":", at))
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise _lexical_error(text, at)
        kind = match.lastgroup
        assert kind is not None
        if kind == "string":
            found.append(Token(kind, _unquoted(text, at, match[0]), at))
        elif kind != "space":
            found.append(Token(kind, match[0], at))
            is_ranged = match[0] == "[" or (is_ranged and match[0] != "]")
        at = match.end()
    found.append(Token("end", "", len(text)))
    return found


def _lexical_error(text: str, at: int) -> query_errors.QueryError:
    if text[at] in "\"'`":
        return query_errors.error_at(text, at, "parse error: unterminated quoted string")
    if text[at].isdigit():
        word = re.split(r"[^\w.]", text[at:], maxsplit=1)[0]
        return query_errors.error_at(
            text, at, f'parse error: bad number or duration syntax: "{word}"'
        )
    return query_errors.error_at(text, at, f"parse error: unexpected character: {text[at]!r}")


def _unquoted(text: str, at: int, quoted: str) -> str:
    inner = quoted[1:-1]
    if quoted[0] == "`" or "\\" not in inner:
        return inner
    # Escapes of bytes may together make up a character.
    parts: list[bytes] = []
    end = 0
    for match in _ESCAPE.finditer(inner):
        parts.append(inner[end : match.start()].encode())
        parts.append(_escaped(text, at + 1 + match.start(), match))
        end = match.end()
    parts.append(inner[end:].encode())
    return b"".join(parts).decode("utf-8", "replace")


def _escaped(text: str, at: int, match: re.Match[str]) -> bytes:
    byte, short, long, octal, simple = match.groups()
    if byte or octal:
        return bytes([(int(byte, 16) if byte else int(octal, 8)) & 0xFF])
    if short or long:
        return chr(int(short or long, 16)).encode("utf-8", "replace")
    if simple not in _SIMPLE:
        raise query_errors.error_at(
            text, at, f"parse error: unknown escape sequence U+{ord(simple):04X}"
        )
    return _SIMPLE[simple].encode()


_LONGEST_S: Final = 1 << 33


class TokenReader:
    """Reads the tokens of a query one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokens(text)
        self._next = 0
        self._depth = 0
        self._operators = 0

    def enter(self) -> None:
        """Begin an operand; those within it count as deeper."""
        self._depth += 1
        if self._depth > limits.DEEPEST:
            raise self._beyond(f"a query may be nested {limits.DEEPEST} levels deep")

    def leave(self) -> None:
        """End an operand."""
        self._depth -= 1

    def count_operator(self) -> None:
        """Count an operator; each is a level of the tree."""
        self._operators += 1
        if self._operators > limits.MOST_OPERATORS:
            raise self._beyond(f"a query may have {limits.MOST_OPERATORS} operators")

    def _beyond(self, problem: str) -> limits.QueryLimitError:
        place = self.error(problem)
        return limits.QueryLimitError(place.problem, path=place.path)

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one further on."""
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Read the next token."""
        token = self.peek()
        self._next += 1
        return token

    def is_next(self, text: str, ahead: int = 0) -> bool:
        """Whether the next token is this one; names in any case."""
        token = self.peek(ahead)
        if token.kind == "name":
            return token.text.lower() == text
        return token.kind == "operator" and token.text == text

    def back(self) -> None:
        """Go back one token."""
        self._next -= 1

    def accept(self, text: str) -> Token | None:
        """Read the next token if it is this one."""
        return self.take() if self.is_next(text) else None

    def expect(self, text: str, where: str) -> Token:
        """Read the next token, which has to be this one."""
        found = self.accept(text)
        if found is None:
            raise self.unexpected(f'{where}, expected "{text}"')
        return found

    def error(self, problem: str, at: int | None = None) -> query_errors.QueryError:
        """An error at the next token, or elsewhere."""
        position = self.peek().at if at is None else at
        return query_errors.error_at(self.text, position, f"parse error: {problem}")

    def unexpected(self, where: str) -> query_errors.QueryError:
        """The next token is not expected."""
        token = self.peek()
        word = "end of input" if token.kind == "end" else f'"{token.text}"'
        return self.error(f"unexpected {word} {where}")

    def positive_duration(self) -> int:
        """Read a duration above zero, in milliseconds."""
        at = self.peek().at
        duration_ms = self.duration()
        if duration_ms <= 0:
            raise self.error("duration must be greater than 0", at)
        return duration_ms

    def duration(self) -> int:
        """Read a duration in milliseconds; a plain number is seconds."""
        token = self.take()
        if token.kind == "number":
            seconds = number(token.text)
            if seconds > _LONGEST_S:
                raise self.error("duration out of range", token.at)
            return round(seconds * 1000)
        if token.kind != "duration":
            self.back()
            raise self.unexpected("where a duration is expected, such as 5m")
        try:
            return durations.parse_ms(token.text)
        except ValueError as error:
            raise self.error(str(error), token.at) from error


def number(text: str) -> float:
    """The value of a number literal."""
    plain = text.replace("_", "")
    return float(int(plain, 16)) if plain[:2] in ("0x", "0X") else float(plain)
