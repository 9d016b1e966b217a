"""A goal of a search, as charts draw it."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from kubestage.golang import durations

_FORM: Final = re.compile(r"(?P<name>.+?)\s*(?P<sign><=|>=|<|>)\s*(?P<value>[^<>=]+)")


class Slo(msgspec.Struct, frozen=True):
    """What is to hold: a value that may be at most the threshold, or must be at least it."""

    name: str
    threshold: float
    unit: str = ""
    is_upper: bool = True

    @classmethod
    def parsed(cls, text: str) -> Slo:
        """From ``pod-startup-p99<=5s``; ValueError if it is none."""
        found = _FORM.fullmatch(text.strip())
        if found is None:
            raise ValueError(f'"{text}" is no goal')
        is_upper = found["sign"].startswith("<")
        try:
            return cls(found["name"], float(found["value"]), "", is_upper)
        except ValueError:
            threshold = durations.parse_duration(found["value"]) / durations.SECOND
            return cls(found["name"], threshold, "s", is_upper)

    def holds(self, value: float) -> bool:
        """Whether a value meets it."""
        return value <= self.threshold if self.is_upper else value >= self.threshold

    def __str__(self) -> str:
        sign = "≤" if self.is_upper else "≥"
        return f"{self.name} {sign} {self.threshold:g} {self.unit}".rstrip()
