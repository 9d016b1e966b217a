"""Where entities are: the Stock protocols and the plain stocks that models extend.

``add`` and ``remove`` are the extension points of a simulation. Special-case logic belongs in a
subclass that overrides them (or wraps a plain stock), because they are what a Movement calls.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from kubestage.errors import SimulationError
from kubestage.sim.entity import Entity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

E = TypeVar("E", bound=Entity)
E_co = TypeVar("E_co", bound=Entity, covariant=True)
E_contra = TypeVar("E_contra", bound=Entity, contravariant=True)


class Stock(Protocol):
    """Anything that entities of one kind can be in."""

    name: str
    kind_stocked: str

    @property
    def count(self) -> int:
        """How many entities it holds."""
        ...

    def entities_in_stock(self) -> Sequence[Entity]:
        """The entities it holds, in its own order."""
        ...


class Source(Stock, Protocol[E_co]):
    """A stock that entities can leave."""

    def remove(self, what: Entity | None = None) -> E_co | None:
        """Give up that entity, or one of the stock's choosing; None if it cannot."""
        ...


class Sink(Stock, Protocol[E_contra]):
    """A stock that entities can enter."""

    def add(self, entity: E_contra, /) -> None:
        """Take the entity, or raise SimulationError; an entity is never dropped."""
        ...


class Through(Source[E], Sink[E], Protocol[E]):
    """A stock that entities enter and leave."""


def wrong_kind(stock: Stock, entity: Entity) -> SimulationError:
    """The error for an entity that strayed into a stock of another kind."""
    return SimulationError(
        f"{stock.name} stocks {stock.kind_stocked}, so {entity.kind} {entity.name} cannot be added"
    )


class ArrayStock(Generic[E]):
    """First in, first out, with O(1) access by position (for round robin).

    Taking a named entity closes the gap, so the others keep their order.
    """

    __slots__ = ("_entities", "_head", "count", "kind_stocked", "name")

    def __init__(self, name: str, kind_stocked: str) -> None:
        self.name = name
        self.kind_stocked = kind_stocked
        self.count = 0
        self._entities: list[E] = []
        self._head = 0

    def entities_in_stock(self) -> Sequence[E]:
        """The entities it holds, longest-staying first."""
        return self._entities[self._head :]

    def at(self, position: int) -> E:
        """The entity at this place in the line, 0 being the longest-staying."""
        if not 0 <= position < self.count:
            raise SimulationError(f"{self.name} holds {self.count}: no position {position}")
        return self._entities[self._head + position]

    def add(self, entity: E) -> None:
        """Take the entity at the end of the line."""
        if entity.kind != self.kind_stocked:
            raise wrong_kind(self, entity)
        self.count += 1
        self._entities.append(entity)

    def remove(self, what: Entity | None = None) -> E | None:
        """Give up the longest-staying entity in O(1), or a given one in O(n)."""
        if what is not None:
            return self._remove_named(what)
        if not self.count:
            return None
        self.count -= 1
        entities, head = self._entities, self._head
        entity = entities[head]
        head += 1
        # NOTE: the line moves up only when half of it is empty: popping at 0 each time is
        # quicker for a short line and quadratic for a long one.
        if head >= 32 and head * 2 >= len(entities):
            del entities[:head]
            head = 0
        self._head = head
        return entity

    def _remove_named(self, what: Entity) -> E | None:
        entities = self._entities
        for position in range(self._head, len(entities)):
            if entities[position] is what:
                self.count -= 1
                return entities.pop(position)
        return None


class MapStock(Generic[E]):
    """O(1) addition and removal of a named entity; names are unique within it.

    Left to choose, it gives up the longest-staying one.
    """

    __slots__ = ("_entities", "kind_stocked", "name")

    def __init__(self, name: str, kind_stocked: str) -> None:
        self.name = name
        self.kind_stocked = kind_stocked
        # NOTE: not a dict: taking the first key of a dict passes over all keys deleted before
        # it, which makes emptying a large stock from the front quadratic.
        self._entities: OrderedDict[str, E] = OrderedDict()

    @property
    def count(self) -> int:
        """How many entities it holds."""
        return len(self._entities)

    def entities_in_stock(self) -> Sequence[E]:
        """The entities it holds, longest-staying first."""
        return list(self._entities.values())

    def get(self, name: str) -> E | None:
        """The entity of this name, if it is here."""
        return self._entities.get(name)

    def add(self, entity: E) -> None:
        """Take the entity under its name."""
        if entity.kind != self.kind_stocked:
            raise wrong_kind(self, entity)
        if entity.name in self._entities:
            raise SimulationError(f"{self.name} already holds a {entity.kind} {entity.name}")
        self._entities[entity.name] = entity

    def remove(self, what: Entity | None = None) -> E | None:
        """Give up a given entity, or the longest-staying one."""
        entities = self._entities
        if what is None:
            return entities.popitem(last=False)[1] if entities else None
        name = what.name
        return entities.pop(name) if entities.get(name) is what else None


class GeneratingSource(Generic[E]):
    """Makes a new entity each time one is removed; it is never empty and holds nothing.

    ``make`` is called with a fresh name and the kind, as ``Entity`` itself can be.
    """

    __slots__ = ("_prefix", "generated", "kind_stocked", "make", "name")

    def __init__(self, name: str, kind_stocked: str, make: Callable[[str, str], E]) -> None:
        self.name = name
        self.kind_stocked = kind_stocked
        self.make = make
        self.generated = 0
        self._prefix = f"{kind_stocked.lower()}-"

    @property
    def count(self) -> int:
        """Zero: what has not been made is not there."""
        return 0

    def entities_in_stock(self) -> Sequence[E]:
        """Nothing, for the same reason."""
        return ()

    def remove(self, what: Entity | None = None) -> E | None:
        """Make the next entity; a given one cannot be here."""
        if what is not None:
            return None
        self.generated += 1
        return self.make(f"{self._prefix}{self.generated}", self.kind_stocked)


class SinkStock(Generic[E]):
    """The end of the road: entities enter and cannot leave.

    A long run sends millions here; ``keeps_entities=False`` counts them and lets them go.
    """

    __slots__ = ("_entities", "count", "keeps_entities", "kind_stocked", "name")

    def __init__(self, name: str, kind_stocked: str, *, keeps_entities: bool = True) -> None:
        self.name = name
        self.kind_stocked = kind_stocked
        self.keeps_entities = keeps_entities
        self.count = 0
        self._entities: list[E] = []

    def entities_in_stock(self) -> Sequence[E]:
        """The entities that came to rest here, first come first (none if they are not kept)."""
        return self._entities.copy()

    def add(self, entity: E) -> None:
        """Take the entity for good."""
        if entity.kind != self.kind_stocked:
            raise wrong_kind(self, entity)
        self.count += 1
        if self.keeps_entities:
            self._entities.append(entity)
