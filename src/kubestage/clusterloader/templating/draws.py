"""Random draws that can be had again: the check of a rendering runs its template more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.golang.rand import ALPHABET

if TYPE_CHECKING:
    import random

# Every byte is a letter, but for the last few: with these, some letters would come more often.
_EVEN: Final = 256 - 256 % len(ALPHABET)
_LETTERS: Final = bytes(ord(ALPHABET[byte % len(ALPHABET)]) for byte in range(256))
_UNEVEN: Final = bytes(range(_EVEN, 256))


class Draws:
    """What one rendering draws; `again` hands out the same from the start."""

    def __init__(self, random: random.Random) -> None:
        self._random = random
        self._drawn: list[Any] = []
        self._next: int | None = None

    def begin(self) -> None:
        """From here on new draws are made and stored."""
        self._drawn.clear()
        self._next = None

    def again(self) -> None:
        """From here on the stored draws are repeated."""
        self._next = 0

    def below(self, count: int) -> int:
        """A number from none up to, not including, `count`."""
        if count <= 0:
            raise ValueError("invalid argument to Intn")
        number: int = self._draw(self._random.randrange, count)
        return number

    def text(self, length: int) -> str:
        """Letters and digits."""
        if length < 0:
            raise ValueError("runtime error: makeslice: len out of range")
        letters: str = self._draw(self._letters, length)
        return letters

    def _letters(self, length: int) -> str:
        """NOTE: a load may want a gigabyte of these; bytes at once are 100 times as fast."""
        found = b""
        while (missing := length - len(found)) > 0:
            found += self._random.randbytes(missing + missing // 16 + 1).translate(
                _LETTERS, _UNEVEN
            )
        return found[:length].decode()

    def _draw(self, make: Any, size: int) -> Any:
        if self._next is not None and self._next < len(self._drawn):
            self._next += 1
            return self._drawn[self._next - 1]
        made = make(size)
        self._drawn.append(made)
        if self._next is not None:
            self._next += 1
        return made
