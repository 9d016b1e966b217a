"""Scenarios from manifests: those that are written, or the one that plain manifests mean."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Final

from kubestage import stage as stages
from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.runs.inputs import manifests, stage_inputs
from kubestage.scenario import recorded_times, resource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests


IMPLICIT: Final = "manifests"
"""The name of the Scenario that plain manifests mean."""


@dataclasses.dataclass(frozen=True, slots=True)
class Inputs:
    """What is to be run.

    `is_implicit` is whether the one Scenario is what plain manifests mean. `places` has the
    document that an event was made from, by the event's id.
    """

    scenarios: Sequence[Json]
    start: str | None
    is_alive: bool
    is_implicit: bool = False
    places: dict[str, Document] = dataclasses.field(default_factory=dict)

    def one_by_one(self) -> Iterator[Inputs]:
        """Each Scenario by itself: it runs the same whatever runs before it."""
        for each in self.scenarios:
            yield dataclasses.replace(self, scenarios=[each])


def read(loaded: LoadedManifests, is_alive: bool | None = None) -> Inputs:
    """The Scenarios of manifests and imports; what is written beside them is there when they begin.

    Controllers and kubelets are at work unless objects were recorded in another cluster: they would
    repair what is only a part of that cluster.
    """
    written = [each for each in loaded.documents if resource.is_scenario(each.object)]
    others = [each for each in loaded.documents if not resource.is_scenario(each.object)]
    if not loaded.documents and not loaded.imported:
        fix = "name files with Scenarios, or with the objects of a cluster"
        raise InputError("there is nothing to run", file=", ".join(loaded.locators), fix=fix)
    _refuse_twins(loaded, written)
    scenarios = [_checked(loaded, each) for each in written]
    scenarios += [resource.normalized(each.scenario) for each in loaded.imported]
    _refuse_same_names(scenarios)
    if is_alive is None:
        objects = (each.object for each in others)
        is_alive = not any(map(_is_in_parts, (*objects, *_recorded(scenarios))))
    places: dict[str, Document] = {}
    start = loaded.start or _start([*others, *loaded.sequence], scenarios)
    if not scenarios:
        implicit = _implicit(others, loaded.sequence, places, is_alive=is_alive)
        return Inputs([implicit], start, is_alive, is_implicit=True, places=places)
    if others:
        scenarios = [_started_with(each, others, places, is_alive) for each in scenarios]
    return Inputs(scenarios, start, is_alive, places=places)


def _implicit(
    documents: Sequence[Document],
    sequence: Sequence[Document],
    places: dict[str, Document],
    *,
    is_alive: bool,
) -> Json:
    """The Scenario that plain manifests mean: create all, schedule, done.

    A living cluster has a step to come to rest before anything is requested of it. Pods of the
    `sequence` come in steps of their own, so that none is tried before those ahead of it.
    """
    cluster, requested = split(documents) if is_alive else (documents, [])
    first = _creations(cluster, 0, places, is_alive=is_alive)
    second = _creations(requested, 1, places, is_alive=is_alive)
    groups, last = _groups(sequence), int(bool(second))
    for step, group in enumerate(groups, last + 1):
        second += _creations(group, step, places, is_alive=is_alive)
    done = {"id": "done", "step": last + len(groups), **_DONE}
    return {
        "apiVersion": resource.API_VERSION,
        "kind": resource.KIND,
        "metadata": {"name": IMPLICIT},
        "spec": {"events": [*first, *second, done]},
    }


def _groups(pods: Iterable[Document]) -> list[list[Document]]:
    """Pods in groups within which the queue, which sorts by priority, keeps their order."""
    groups: list[list[Document]] = []
    before = None
    for each in pods:
        priority = (each.object.get("spec") or {}).get("priority") or 0
        if before is None or priority > before:
            groups.append([])
        groups[-1].append(each)
        before = priority
    return groups


def _start(documents: Iterable[Document], scenarios: Iterable[Json]) -> str | None:
    """The moment at which time begins: the newest that what was recorded mentions."""
    objects = [each.object for each in documents]
    imported: list[str | None] = [each["metadata"].get("creationTimestamp") for each in scenarios]
    if any(imported):
        return min(each for each in imported if each)
    recorded_ns = recorded_times.newest_ns((*objects, *_recorded(scenarios)))
    return timestamps.format_time(recorded_ns) if recorded_ns else None


# What a cluster writes into metadata, and does not accept from a client.
_WRITTEN_BY_CLUSTER: Final = ("uid", "resourceVersion", "generation", "managedFields")
_DONE: Final = {"operation": resource.DONE, "doneOperation": {"done": True}}


def split(documents: Iterable[Document]) -> tuple[list[Document], list[Document]]:
    """What a cluster consists of, and what is requested of it."""
    listed = list(documents)
    requested = [each for each in listed if stage_inputs.is_requested(each.object)]
    return [each for each in listed if not stage_inputs.is_requested(each.object)], requested


def workloads(scenarios: Iterable[Json]) -> list[str]:
    """What Scenarios create that makes pods, as ``deployment/web``."""
    found = []
    for event in (each for scenario in scenarios for each in scenario["spec"]["events"]):
        obj = (event.get("createOperation") or {}).get("object") or {}
        if stage_inputs.is_workload(obj):
            found.append(f"{obj['kind'].lower()}/{manifests.named(obj)[1]}")
    return found


def _recorded(scenarios: Iterable[Json]) -> Iterator[Json]:
    """The objects that Scenarios put there as they were recorded."""
    for scenario in scenarios:
        yield from recorded_times.recorded(scenario)


def _refuse_twins(loaded: LoadedManifests, written: Sequence[Document]) -> None:
    seen: dict[str, Document] = {}
    for document in written:
        _, name = manifests.named(document.object)
        first = seen.setdefault(name, document)
        if first is not document and name:
            raise loaded.place(
                document,
                InputError(
                    f'{first.source} has a Scenario "{name}" too',
                    path="metadata.name",
                    fix="give each a name of its own, or run them one by one",
                ),
            )


def _refuse_same_names(scenarios: Iterable[Json]) -> None:
    """Refuse imports that are called as another Scenario is; they have no line to name."""
    seen: set[str] = set()
    for scenario in scenarios:
        name = scenario["metadata"]["name"]
        if name in seen:
            fix = "rename a file: what is imported is called after its file"
            raise InputError(f'two Scenarios are called "{name}"', fix=fix)
        seen.add(name)


def _is_recorded(obj: Json) -> bool:
    return bool((obj.get("metadata") or {}).get("uid"))


def _is_in_parts(obj: Json) -> bool:
    """Whether an object was recorded that controllers look after, or that belongs to another."""
    owned = (obj.get("metadata") or {}).get("ownerReferences")
    return _is_recorded(obj) and bool(owned or stage_inputs.is_workload(obj))


def _checked(loaded: LoadedManifests, document: Document) -> Json:
    """A Scenario as it is run, without what an earlier run has written into it."""
    for problem in resource.problems(document.object, loaded.table, at_admission=True):
        raise loaded.place(document, problem)
    metadata = document.object["metadata"]
    if not metadata.get("name"):
        error = InputError("is missing", path="metadata.name", fix="give the Scenario a name")
        raise loaded.place(document, error)
    normal = resource.normalized(document.object)
    own = {name: value for name, value in metadata.items() if name not in _WRITTEN_BY_CLUSTER}
    return {**{name: normal[name] for name in normal if name != "status"}, "metadata": own}


def _started_with(
    scenario: Json, documents: Iterable[Document], places: dict[str, Document], is_alive: bool
) -> Json:
    """A Scenario that creates what is written beside it before all else."""
    events = scenario["spec"]["events"]
    # An event that fails the run may lack either.
    step = min((each.get("step") or 0 for each in events), default=0)
    taken = {each.get("id") for each in events}
    before = _creations(documents, step, places, is_alive=is_alive, taken=taken)
    return {**scenario, "spec": {**scenario["spec"], "events": [*before, *events]}}


def _creations(
    documents: Iterable[Document],
    step: int,
    places: dict[str, Document],
    *,
    is_alive: bool,
    taken: Collection[str | None] = (),
) -> list[Json]:
    created = []
    names = (f"given-{number}" for number in itertools.count())
    free = (name for name in names if name not in taken and name not in places)
    for document in sorted(documents, key=_rank):
        identity = next(free)
        places[identity] = document
        body: Json = {"object": document.object}
        if not is_alive or document.object.get("status") or _is_recorded(document.object):
            body["asRecorded"] = True
        created.append(
            {"id": identity, "step": step, "operation": resource.CREATE, "createOperation": body}
        )
    return created


def _rank(document: Document) -> int:
    return stages.rank(document.object)
