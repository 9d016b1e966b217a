"""The shape by which objects are walked for ownership: what is one piece, and what has parts.

An `Atom` says what a value may be: a scalar, a list or a map, or (untyped) any of them. A list is
atomic, a set, or a map by keys; a map is atomic or granular.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    Fields = dict[str, "Atom"]

Scalar = Literal["string", "numeric", "boolean", "untyped"]


class Atom(msgspec.Struct, eq=False):
    """What a value may be; forms that are None are not allowed."""

    scalar: Scalar | None = None
    list: List | None = None
    map: Map | None = None


class List(msgspec.Struct, eq=False):
    """A list: one piece, or items identified by `keys`, or by their values if there are none.

    An item that lacks a key has the key's default, if there is one.
    """

    element: Atom
    atomic: bool = True
    keys: tuple[str, ...] = ()
    defaults: dict[str, Any] = msgspec.field(default_factory=dict)


class Map(msgspec.Struct, eq=False, dict=True):
    """A struct or map: declared fields, and what any other key holds (None: there is no other)."""

    declare: Callable[[], Fields] | None = None
    element: Atom | None = None
    atomic: bool = False

    @functools.cached_property
    def fields(self) -> Fields:
        """The declared fields, looked up at their first use: a type may hold itself."""
        return {} if self.declare is None else self.declare()


STRING: Final = Atom(scalar="string")
NUMERIC: Final = Atom(scalar="numeric")
BOOLEAN: Final = Atom(scalar="boolean")
UNTYPED: Final = Atom(scalar="untyped")

# Anything, as one piece.
UNTYPED_ATOMIC: Final = Atom(scalar="untyped")
UNTYPED_ATOMIC.list = List(UNTYPED_ATOMIC)
UNTYPED_ATOMIC.map = Map(element=UNTYPED_ATOMIC, atomic=True)
# Anything; maps have parts, lists are one piece.
DEDUCED: Final = Atom(scalar="untyped", list=List(UNTYPED_ATOMIC))
DEDUCED.map = Map(element=DEDUCED)
DEDUCED_MAP: Final = Atom(map=Map(element=DEDUCED))
