"""The parts of a template."""

from __future__ import annotations

import msgspec


class Action(msgspec.Struct, frozen=True):
    """``{...}``: each node is evaluated on what the one before it found."""

    nodes: tuple[Node, ...]


class Literal(msgspec.Struct, frozen=True):
    """Text between actions or in quotes."""

    text: str


class Constant(msgspec.Struct, frozen=True):
    """A number or a boolean, as filters compare with."""

    value: float | bool


class Field(msgspec.Struct, frozen=True):
    """``.name``"""

    name: str


class Wildcard(msgspec.Struct, frozen=True):
    """``.*``"""


class Recursive(msgspec.Struct, frozen=True):
    """``..``"""


class Keyword(msgspec.Struct, frozen=True):
    """``range``, ``end``, or a word that means nothing."""

    name: str


class Slice(msgspec.Struct, frozen=True):
    """``[start:end:step]``; `is_index` if it was written as one index."""

    start: int | None
    end: int | None
    step: int | None
    is_index: bool


class Union(msgspec.Struct, frozen=True):
    """``[0,2]`` or ``['a','b']``."""

    actions: tuple[Action, ...]


class Filter(msgspec.Struct, frozen=True):
    """``[?(@.a=="b")]``; without an operator, whether the left side finds anything."""

    left: Action
    operator: str
    right: Action


Node = Action | Literal | Constant | Field | Wildcard | Recursive | Keyword | Slice | Union | Filter
Template = tuple[Node, ...]
