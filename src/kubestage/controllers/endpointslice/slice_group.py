"""Slices with the same kind of addresses and the same ports, and how endpoints fill them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.controllers.endpointslice.service_ports import Port


@dataclasses.dataclass(slots=True)
class SlicePlan:
    """What to write: endpoints by the slice that gets them, endpoints of new slices, and ends."""

    updates: dict[str, list[Json]] = dataclasses.field(default_factory=dict)
    creates: list[list[Json]] = dataclasses.field(default_factory=list)
    deletes: list[str] = dataclasses.field(default_factory=list)


class SliceGroup:
    """The slices of one Service for one kind of addresses and one set of ports.

    `desired` has the endpoint of every pod of these ports, None if it cannot be listed; `homes`
    is the slice that has a pod now.
    """

    __slots__ = ("address_type", "desired", "homes", "ports", "slices")

    def __init__(self, address_type: str, ports: tuple[Port, ...]) -> None:
        self.address_type = address_type
        self.ports = ports
        self.desired: dict[str, Json | None] = {}
        self.slices: dict[str, Json] = {}
        self.homes: dict[str, str] = {}

    def settle(self, name: str, slice_: Json | None) -> None:
        """A slice was written, or is gone."""
        old = self.slices.pop(name, None)
        for endpoint in (old or {}).get("endpoints") or ():
            key = pod_key(endpoint)
            if self.homes.get(key) == name:
                del self.homes[key]
        if slice_ is not None:
            self.slices[name] = slice_
            for endpoint in slice_.get("endpoints") or ():
                self.homes[pod_key(endpoint)] = name

    def plan(
        self,
        changed: Collection[str] | None,
        most: int,
        outdated: Collection[str] = (),
    ) -> SlicePlan:
        """Make the slices match what is desired with as few writes as upstream.

        `changed` are the pods that may differ, None for all, and `outdated` the slices that are
        to be written in any case.
        """
        plan = SlicePlan()
        if not self.desired:
            plan.deletes = list(self.slices)
            return plan
        keys = self.desired if changed is None else changed
        left = {key: found for key in keys if (found := self.desired.get(key)) is not None}
        if changed is None:
            names = list(self.slices)
        else:
            names = list(dict.fromkeys(self.homes[key] for key in changed if key in self.homes))
        for name in names:
            unchanged, differs = self._unchanged(name, changed, left)
            if not unchanged and self.slices[name].get("endpoints"):
                plan.deletes.append(name)
            elif differs or name in outdated:
                plan.updates[name] = unchanged
        self._fill(plan, list(left.values()), most)
        return plan

    def _unchanged(
        self, name: str, changed: Collection[str] | None, left: dict[str, Json]
    ) -> tuple[list[Json], bool]:
        """The endpoints that stay in a slice as they are to be, and whether that is a change."""
        unchanged, old = [], self.slices[name].get("endpoints") or ()
        differs = False
        for endpoint in old:
            key = pod_key(endpoint)
            if changed is not None and key not in changed:
                unchanged.append(endpoint)
                continue
            desired = left.get(key)
            if desired is not None and _identity(desired) == _identity(endpoint):
                unchanged.append(desired)
                differs = differs or desired != endpoint
                del left[key]
        return unchanged, differs or len(unchanged) != len(old)

    def _fill(self, plan: SlicePlan, left: list[Json], most: int) -> None:
        """Place new endpoints: in slices that are written anyway, in one that has room, in new."""
        if not left:
            return
        for unchanged in sorted(plan.updates.values(), key=len, reverse=True):
            room = most - len(unchanged)
            unchanged.extend(left[:room])
            left = left[room:]
        untouched = {
            name: len(slice_.get("endpoints") or ())
            for name, slice_ in self.slices.items()
            if name not in plan.updates and name not in plan.deletes
        }
        while left:
            name = _fullest_with_room(untouched, len(left), most) if len(left) < most else None
            if name is not None:
                plan.updates[name] = [*(self.slices[name].get("endpoints") or ()), *left]
                return
            plan.creates.append(left[:most])
            left = left[most:]


def _fullest_with_room(sizes: dict[str, int], number: int, most: int) -> str | None:
    found, least_room = None, most
    for name, size in sizes.items():
        room = most - number - size
        if 0 <= room < least_room:
            found, least_room = name, room
    return found


def pod_key(endpoint: Json) -> str:
    """Whose endpoint it is."""
    target = endpoint.get("targetRef") or {}
    return f"{target.get('namespace') or ''}/{target.get('name') or ''}"


def _identity(endpoint: Json) -> tuple[list[str], str | None]:
    """What makes an endpoint of a pod another one, rather than the same one changed."""
    return endpoint["addresses"], endpoint.get("hostname")
