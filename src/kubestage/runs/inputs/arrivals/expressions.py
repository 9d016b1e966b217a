"""What a column of a trace means: ``cpu_milli/1000``, ``end-start``, ``memory_mib*1048576``."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOKEN: Final = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_][\w ]*\w|[A-Za-z_])|([-+*/]))")


class Expression:
    """Columns and numbers, combined from left to right by + - * /."""

    def __init__(self, text: str, field: str) -> None:
        self.text = text.strip()
        self.field = field
        self._parts = self._tokens()

    @property
    def columns(self) -> list[str]:
        """The columns that it reads."""
        return [value for value in self._parts[::2] if isinstance(value, str)]

    def text_of(self, row: Mapping[str, str]) -> str:
        """The text of a single column."""
        if len(self._parts) != 1 or not isinstance(self._parts[0], str):
            return f"{self.number_of(row):g}"
        return row[self._parts[0]].strip()

    def number_of(self, row: Mapping[str, str]) -> float:
        """The value of a row; an empty cell is 0."""
        value = _number(self._parts[0], row)
        for operator, part in zip(self._parts[1::2], self._parts[2::2], strict=True):
            other = _number(part, row)
            if operator == "/":
                value = value / other if other else math.nan
            elif operator == "*":
                value *= other
            else:
                value += other if operator == "+" else -other
        if not math.isfinite(value):
            raise InputError(f"{self.text} is {value}", path=self.field, fix="see the row's cells")
        return value

    def _tokens(self) -> list[str | float]:
        parts: list[str | float] = []
        at = 0
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None or bool(found[3]) != len(parts) % 2:
                break
            parts.append(float(found[1]) if found[1] else found[2] or found[3])
            at = found.end()
        if at < len(self.text) or len(parts) % 2 == 0:
            fix = "write columns and numbers with + - * /, as in cpu_milli/1000"
            raise InputError(f'"{self.text}" cannot be read', path=self.field, fix=fix)
        return parts


def _number(part: str | float, row: Mapping[str, str]) -> float:
    if isinstance(part, float):
        return part
    cell = row[part].strip()
    try:
        return float(cell) if cell else 0.0
    except ValueError:
        problem = f'"{cell}" is no number'
        raise InputError(problem, path=part, fix="name a column of numbers") from None
