"""What a load is going to do, computed without a cluster: objects, calls, pods and time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class ReplicaChange(msgspec.Struct, frozen=True):
    """What is done in one namespace: the verb, from which replica on, and to how many."""

    namespace: str
    verb: str
    start: int
    count: int


def samples(changes: Sequence[ReplicaChange], most: int) -> list[tuple[str, int]]:
    """Namespaces and indices of at most so many replicas, evenly spread, the first among them."""
    total = sum(change.count for change in changes)
    places = [place * total // most for place in range(most)] if total > most else range(total)
    found: list[tuple[str, int]] = []
    before, at = 0, 0
    for place in places:
        while place >= before + changes[at].count:
            before += changes[at].count
            at += 1
        change = changes[at]
        found.append((change.namespace, change.start + place - before))
    return found


_SCALED: Final = frozenset({"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"})


def pods_of(obj: dict[str, Any], nodes: int) -> int:
    """The pods of one object at a time; a DaemonSet has one on each of `nodes`."""
    kind, spec = obj.get("kind"), obj.get("spec") or {}
    if kind == "Pod":
        return 1
    if kind == "DaemonSet":
        return nodes
    if kind in _SCALED:
        return _number(spec.get("replicas"), 1)
    if kind == "Job":
        parallelism = _number(spec.get("parallelism"), 1)
        return min(parallelism, _number(spec.get("completions"), parallelism))
    return 0


def images_of(obj: dict[str, Any]) -> Iterator[str]:
    """The images of the pods that an object makes."""
    spec = obj.get("spec")
    for key in () if obj.get("kind") == "Pod" else ("jobTemplate", "spec", "template", "spec"):
        if isinstance(spec, dict) and key in spec:
            spec = spec[key]
    for container in (spec.get("containers") if isinstance(spec, dict) else None) or ():
        if isinstance(container, dict) and isinstance(container.get("image"), str):
            yield container["image"]


def _number(value: Any, default: int) -> int:
    return int(value) if isinstance(value, int | float) else default


class PlannedObject(msgspec.Struct, frozen=True, kw_only=True):
    """What a phase does to one kind of its objects; `pods` is how many one makes on average."""

    kind: str
    basename: str
    create: int = 0
    patch: int = 0
    delete: int = 0
    pods: float = 0.0

    @property
    def calls(self) -> int:
        """API calls: an update has to read first."""
        return self.create + 2 * self.patch + self.delete


class PlannedPhase(msgspec.Struct, frozen=True, kw_only=True):
    """One phase: an action is all objects of one replica in one namespace.

    `is_open_ended` is whether its time depends on how fast the cluster answers.
    """

    tuning_set: str
    namespaces: int
    replicas_per_namespace: int
    actions: int
    objects: tuple[PlannedObject, ...]
    expected_ns: int
    is_open_ended: bool

    @property
    def calls(self) -> int:
        """API calls."""
        return sum(each.calls for each in self.objects)


class PlannedMeasurement(msgspec.Struct, frozen=True):
    """One thing that a measurement is to do."""

    method: str
    identifier: str
    action: str


class PlannedStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step. `expected_ns` is without what cannot be known: waits, and how fast answers come.

    `pods` is about how many there are after it.
    """

    name: str
    phases: tuple[PlannedPhase, ...]
    measurements: tuple[PlannedMeasurement, ...]
    expected_ns: int
    is_open_ended: bool
    pods: int

    @property
    def calls(self) -> int:
        """API calls."""
        return sum(phase.calls for phase in self.phases)

    @property
    def actions(self) -> int:
        """How many actions its phases have."""
        return sum(phase.actions for phase in self.phases)


class LoadPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A whole load.

    `created` is how many objects are made of each kind, `peak` how many there are at most after
    a step, `peak_pods` the same of the pods that they make, about. `problems` would fail the run;
    `notes` are worth knowing before it. `images` are those of its pods.
    """

    name: str
    namespaces: int
    steps: tuple[PlannedStep, ...]
    created: dict[str, int]
    peak: dict[str, int]
    peak_pods: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    images: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """API calls of all steps."""
        return sum(step.calls for step in self.steps)

    @property
    def expected_ns(self) -> int:
        """How long it takes at least, about."""
        return sum(step.expected_ns for step in self.steps)

    @property
    def is_open_ended(self) -> bool:
        """Whether part of the time cannot be known in advance."""
        return any(step.is_open_ended for step in self.steps)
