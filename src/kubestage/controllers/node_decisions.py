"""What autoscalers decide about nodes, and why, as values; and the log that passes them on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

KARPENTER: Final = "karpenter"


class Exclusion(msgspec.Struct, frozen=True, rename="camel"):
    """A reason for which instance types were out of the question: how many, and some of them."""

    reason: str
    count: int
    types: tuple[str, ...] = ()


class Option(msgspec.Struct, frozen=True, rename="camel"):
    """One way to have a node, and what it costs per hour; `score` is that of an expander."""

    instance_type: str
    zone: str = ""
    capacity_type: str = ""
    price: float | None = None
    score: str = ""

    def __str__(self) -> str:
        where = " ".join(part for part in (self.zone, self.capacity_type) if part)
        return f"{self.instance_type} ({where})" if where else self.instance_type


class Purchase(msgspec.Struct, frozen=True, rename="camel"):
    """A node that is to be made: for which pods, and which instance types it may have.

    `name` is that of its NodeClaim, or of the node itself. Of `types`, how many there are in all,
    and how many are `left`. `options` are groups that were compared, the chosen one first. For
    one that `replaces` others, `cause` is why these go.
    """

    at_ns: int
    by: str
    name: str
    pool: str
    why: str
    pods: tuple[str, ...] = ()
    requests: dict[str, str] = {}
    requirements: tuple[str, ...] = ()
    types: int = 0
    left: int = 0
    excluded: tuple[Exclusion, ...] = ()
    options: tuple[Option, ...] = ()
    replaces: tuple[str, ...] = ()
    cause: str = ""


class Launch(msgspec.Struct, frozen=True, rename="camel"):
    """A machine was launched, or none could be; `options` are in the order of their prices.

    `count` is how many options there were, `refused` are those without capacity.
    """

    at_ns: int
    by: str
    name: str
    chosen: Option | None
    options: tuple[Option, ...] = ()
    count: int = 0
    refused: tuple[Option, ...] = ()
    problem: str = ""


class Finding(msgspec.Struct, frozen=True, rename="camel"):
    """What one way to remove nodes came to about a node; `outcome` is that in a few words."""

    at_ns: int
    method: str
    outcome: str
    text: str = ""

    @property
    def shown(self) -> str:
        """The outcome, and what it is due to; what its text says by itself is not repeated."""
        if self.outcome in (*COMMANDS, self.method):
            return self.text
        return f"{self.outcome}: {self.text}" if self.text else self.outcome


class Worth(msgspec.Struct, frozen=True, rename="camel"):
    """What a node costs per hour, what it costs to disrupt it, and their ratio."""

    price: float
    disruption_cost: float
    savings_ratio: float


class Verdict(msgspec.Struct, frozen=True, rename="camel"):
    """Why a node stays, or is about to go; a `candidate` may be removed as far as it goes.

    `name` is that of its NodeClaim, or empty.
    """

    at_ns: int
    by: str
    node: str
    name: str
    pool: str
    candidate: bool
    findings: tuple[Finding, ...]
    worth: Worth | None = None

    @property
    def deciding(self) -> Finding | None:
        """The finding that settles it."""
        return deciding(self.findings)


DELETE: Final = "delete"
REPLACE: Final = "replace"
COMMANDS: Final = (DELETE, REPLACE)
"""Outcomes by which a node goes."""


def deciding(findings: Iterable[Finding]) -> Finding | None:
    """The finding that settles whether a node goes: a command, else the last one."""
    listed = list(findings)
    chosen = [each for each in listed if each.outcome in COMMANDS] or listed
    return chosen[-1] if chosen else None


class Departure(msgspec.Struct, frozen=True, rename="camel"):
    """A node begins to go, for a reason; `replacements` are the NodeClaims that come for it.

    The reason begins with the autoscaler's word for it, and a colon, where it has one.
    """

    at_ns: int
    by: str
    node: str
    name: str
    pool: str
    reason: str
    replacements: tuple[str, ...] = ()

    @property
    def cause(self) -> str:
        """The autoscaler's word for the reason, else all of it."""
        return self.reason.partition(": ")[0]


NodeDecision = Purchase | Launch | Verdict | Departure
Listener = Callable[[NodeDecision], None]


class NodeDecisions:
    """Passes decisions on to those who listen; while no one does, none is put together."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._sources: list[Callable[[], Iterable[Verdict]]] = []

    @property
    def is_observed(self) -> bool:
        """Whether anyone listens."""
        return bool(self._listeners)

    def observe(self, listener: Listener) -> None:
        """Call with every decision from now on."""
        self._listeners.append(listener)

    def add_source(self, source: Callable[[], Iterable[Verdict]]) -> None:
        """Where to ask what holds of nodes now."""
        self._sources.append(source)

    def present(self) -> dict[str, Verdict]:
        """What holds of nodes now, by their names; of some nothing is known."""
        return {each.node: each for source in self._sources for each in source()}

    def clear(self) -> None:
        """The autoscalers of before are gone."""
        self._sources.clear()

    def report(self, decision: NodeDecision) -> None:
        """Something was decided."""
        for listener in self._listeners:
            listener(decision)
