"""Numbers for what rows of slices name again and again: workloads, templates, nodes, texts."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import resource_totals
from kubestage.objects.spec_memo import SpecMemo
from kubestage.results.life.workloads import controller

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.aliases import Json

_GENERATIONS: Final = 4


class Rows:
    """Rows that are only appended, each with the number of the change that it follows from."""

    __slots__ = ("_numbers", "rows")

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._numbers: list[int] = []

    def add(self, number: int, row: Any) -> None:
        """Append a row."""
        self.rows.append(row)
        self._numbers.append(number)

    def since(self, number: int | None) -> list[Any]:
        """The rows that follow from changes from a number on; all, without one."""
        if number is None:
            return self.rows[:]
        return self.rows[bisect.bisect_left(self._numbers, number) :]


class Numbered(Rows):
    """Rows that are named by their place; equal ones have one place."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[Hashable, int] = {}

    def place(self, number: int, key: Hashable, row: Any = None) -> int:
        """The place of a row with this key, which is the row itself unless it is named."""
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = len(self.rows)
            self.add(number, key if row is None else row)
        return found


class Templates(Numbered):
    """What pods have in common; `owners` is where the owner of an owner is found."""

    __slots__ = ("_owners", "_requests")

    def __init__(self) -> None:
        super().__init__()
        self._owners: dict[tuple[str, str, str], Json | None] = {}
        self._requests = SpecMemo(_requests)

    def learn(self, kind: str, obj: Json) -> None:
        """Note who owns an object that may own pods."""
        metadata = obj["metadata"]
        place = (kind, metadata.get("namespace", ""), metadata["name"])
        self._owners[place] = controller(obj)

    def of(self, number: int, pod: Json) -> int:
        """The place of a pod's template."""
        metadata, spec = pod["metadata"], pod["spec"]
        owner = controller(pod)
        labels = metadata.get("labels") or {}
        cpu, memory = self._requests.of(pod)
        priority, profile = spec.get("priority") or 0, spec.get("schedulerName") or ""
        namespace = metadata["namespace"]
        name = "" if owner is None else f"{owner['kind']}/{owner['name']}"
        key = (namespace, name, priority, profile, cpu, memory, *labels.items())
        if key in self._places:
            return self._places[key]
        row = {
            "namespace": namespace,
            "owner": name,
            "workload": "" if owner is None else self._workload(namespace, owner),
            "priority": priority,
            "profile": profile,
            "labels": labels,
            "requests": {"cpu": cpu, "memory": memory},
        }
        return self.place(number, key, row)

    def _workload(self, namespace: str, owner: Json) -> str:
        """The topmost owner, as in ``apps/Deployment/shop/web``."""
        for _ in range(_GENERATIONS):
            above = self._owners.get((owner["kind"], namespace, owner["name"]))
            if above is None:
                break
            owner = above
        return workload_name(owner["apiVersion"], owner["kind"], namespace, owner["name"])


def workload_name(api_version: str, kind: str, namespace: str, name: str) -> str:
    """The name of a workload: group, which may be empty, kind, namespace and name."""
    group = api_version.rpartition("/")[0]
    return f"{group}/{kind}/{namespace}/{name}"


def _requests(pod: Json) -> tuple[float, int]:
    """Cores and bytes that a pod requests."""
    found = resource_totals.fit_request(pod)
    return found.milli_cpu / 1000, found.memory
