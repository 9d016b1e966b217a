"""Machines that run and are paid for while no Node stands for them, before it came or after."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.results.life.accounts import Bill


@dataclasses.dataclass(slots=True)
class _Machine:
    bill: Bill
    outlives: bool
    """Whether it is known that it still runs after its Node has gone."""


class Machines:
    """The machines that are known, by their identities; `charge` is called with a bill and a sign.

    A `listener` is called with each when it begins to run, and with one that outlives its Node when
    it is gone.
    """

    def __init__(self, charge: Callable[[Bill, int], None]) -> None:
        self.listener: Callable[[str, bool], None] | None = None
        self._charge = charge
        self._all: dict[str, _Machine] = {}
        self._nodes: set[str] = set()

    def put(self, identity: str, bill: Bill | None, *, outlives: bool = False) -> None:
        """A machine runs, at a price; or it is gone."""
        before = self._all.pop(identity, None)
        is_charged = identity not in self._nodes
        if before is not None and is_charged:
            self._charge(before.bill, -1)
        is_known = bill is not None and (outlives or is_charged)
        if bill is not None and is_known:
            self._all[identity] = _Machine(bill, outlives)
            if is_charged:
                self._charge(bill, 1)
        if self.listener is not None and is_known != (before is not None):
            self.listener(identity, is_known)

    def outlives_node(self, identity: str) -> bool:
        """Whether it is known of a machine when it is gone, other than by its Node."""
        machine = self._all.get(identity)
        return machine is not None and machine.outlives

    def registered(self, identities: Iterable[str]) -> None:
        """A Node is charged for its machine from now on."""
        for identity in identities:
            self._nodes.add(identity)
            machine = self._all.get(identity)
            if machine is not None:
                self._charge(machine.bill, -1)
                if not machine.outlives:
                    del self._all[identity]

    def deregistered(self, identities: Iterable[str]) -> None:
        """A Node is not charged for its machine any more, which may still run."""
        for identity in identities:
            self._nodes.discard(identity)
            machine = self._all.get(identity)
            if machine is not None:
                self._charge(machine.bill, 1)
