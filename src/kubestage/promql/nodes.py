"""A query as a tree of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from kubestage.promql.matchers import Matcher

ValueType = Literal["scalar", "vector", "matrix", "string"]


class Number(msgspec.Struct, frozen=True):
    """A number literal."""

    value: float
    at: int


class Text(msgspec.Struct, frozen=True):
    """A string literal."""

    value: str
    at: int


class When(msgspec.Struct, frozen=True):
    """At which time a selector is evaluated: ``offset 5m``, ``@ 1600000000``.

    `fixed_ms` is a time, or ``start`` or ``end`` of what is evaluated.
    """

    offset_ms: int = 0
    fixed_ms: int | Literal["start", "end"] | None = None


NOW = When()


class Selector(msgspec.Struct, frozen=True):
    """Series by their labels."""

    matchers: tuple[Matcher, ...]
    at: int
    when: When = NOW


class Range(msgspec.Struct, frozen=True):
    """The samples of series over a time."""

    selector: Selector
    range_ms: int
    at: int


class Subquery(msgspec.Struct, frozen=True):
    """The values of an expression over a time, step by step; 0 is the default step."""

    inner: Node
    range_ms: int
    step_ms: int
    at: int
    when: When = NOW


class Call(msgspec.Struct, frozen=True):
    """A function with its arguments."""

    function: str
    arguments: tuple[Node, ...]
    at: int


class Aggregation(msgspec.Struct, frozen=True):
    """An aggregation of series by their labels."""

    operation: str
    inner: Node
    parameter: Node | None
    labels: tuple[str, ...]
    is_without: bool
    at: int


class Matching(msgspec.Struct, frozen=True):
    """Which series of two sides match.

    `many` is the side that may have several series for one of the other: ``left``,
    ``right``, or none.
    `include` are labels that are copied from the other side.
    """

    is_on: bool = False
    labels: tuple[str, ...] = ()
    many: Literal["", "left", "right"] = ""
    include: tuple[str, ...] = ()


class Binary(msgspec.Struct, frozen=True):
    """An operator with its two sides."""

    operator: str
    left: Node
    right: Node
    matching: Matching
    is_bool: bool
    at: int


class Negation(msgspec.Struct, frozen=True):
    """The opposite sign."""

    inner: Node
    at: int


class Group(msgspec.Struct, frozen=True):
    """Something in parentheses."""

    inner: Node
    at: int


Node = Number | Text | Selector | Range | Subquery | Call | Aggregation | Binary | Negation | Group
