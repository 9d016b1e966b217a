"""Machines: what was launched, and what has become of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.aliases import Json

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.provider.capacity import Place


class Machine(msgspec.Struct):
    """One machine; its node has the name of its NodeClaim."""

    provider_id: str
    claim: str
    claim_uid: str
    place: Place
    reservation_id: str
    node_class: tuple[str, str, str]
    labels: dict[str, str]
    taints: list[Json]
    capacity: dict[str, str]
    allocatable: dict[str, str]
    image: str
    initialization_ns: int
    removes_startup_taints: bool
    is_terminating: bool = False


class Machines:
    """All machines, by what their provider calls them."""

    def __init__(self) -> None:
        self._by_id: dict[str, Machine] = {}

    def add(self, machine: Machine) -> None:
        """A machine was launched."""
        self._by_id[machine.provider_id] = machine

    def get(self, provider_id: str) -> Machine | None:
        """A machine that is there."""
        return self._by_id.get(provider_id)

    def of_claim(self, uid: str) -> Machine | None:
        """The machine that was launched for a NodeClaim."""
        return next((each for each in self._by_id.values() if each.claim_uid == uid), None)

    def remove(self, provider_id: str) -> None:
        """A machine is gone."""
        self._by_id.pop(provider_id, None)

    def all(self) -> list[Machine]:
        """All that are there, in the order of their launch."""
        return list(self._by_id.values())

    def reservations(self) -> frozenset[tuple[str, int]]:
        """The reservations that are used, and how much."""
        ids = {each.reservation_id for each in self._by_id.values() if each.reservation_id}
        return frozenset((each, self.reserved(each)) for each in ids)

    def reserved(self, reservation_id: str) -> int:
        """How many machines have come from a reservation."""
        return sum(each.reservation_id == reservation_id for each in self._by_id.values())
