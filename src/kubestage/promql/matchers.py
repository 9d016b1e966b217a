"""What a selector demands of a label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.promql import patterns

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "__name__"
"""The label that holds the name of a metric."""


class Matcher:
    """A label and what its value has to be; a label that is missing has an empty value."""

    __slots__ = ("is_negative", "name", "pattern", "value")

    def __init__(self, name: str, operator: str, value: str) -> None:
        self.name = name
        self.value = value
        self.is_negative = operator in ("!=", "!~")
        # An expression that cannot be read is told of as a ValueError.
        self.pattern = patterns.compiled(value) if operator.endswith("~") else None

    @property
    def is_exact(self) -> bool:
        """Whether one value is asked for."""
        return self.pattern is None and not self.is_negative

    def matches(self, value: str) -> bool:
        """Whether a label's value will do."""
        if self.pattern is None:
            return (value == self.value) is not self.is_negative
        return (self.pattern.fullmatch(value) is not None) is not self.is_negative

    def accepts(self, labels: Mapping[str, str]) -> bool:
        """Whether a series' labels will do."""
        return self.matches(labels.get(self.name, ""))
