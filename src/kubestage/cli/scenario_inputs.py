"""From loaded manifests to Scenarios: those that are written, or the one that manifests mean."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage import stage as stages
from kubestage.cli import loading, newest, staging
from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.cli.loading import Loaded
    from kubestage.objects.manifest import Document

Json = dict[str, Any]

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


def read(loaded: Loaded, is_alive: bool | None = None) -> Inputs:
    """The Scenarios of manifests; what is written beside them is there when they begin.

    Controllers and kubelets are at work unless something was recorded in another cluster: of that
    there may be parts only, and they would set about mending it.
    """
    written = [each for each in loaded.documents if resource.is_scenario(each.object)]
    others = [each for each in loaded.documents if not resource.is_scenario(each.object)]
    _refuse_twins(loaded, written)
    scenarios = [_checked(loaded, each) for each in written]
    if is_alive is None:
        is_alive = not any(_is_recorded(each.object) for each in others) and not any(
            map(has_recorded, scenarios)
        )
    cluster, asked = split(others) if is_alive else (others, [])
    places: dict[str, Document] = {}
    recorded_ns = newest.time_ns(document.object for document in others)
    start = timestamps.format_time(recorded_ns) if recorded_ns else None
    if not written:
        first = _creations(cluster, 0, places, is_alive=is_alive)
        second = _creations(asked, 1, places, is_alive=is_alive)
        done = {"id": "done", "step": int(bool(second)), **_DONE}
        scenario = {
            "apiVersion": resource.API_VERSION,
            "kind": resource.KIND,
            "metadata": {"name": IMPLICIT},
            "spec": {"events": [*first, *second, done]},
        }
        return Inputs([scenario], start, is_alive, is_implicit=True, places=places)
    if others:
        scenarios = [_begun_with(each, others, places, is_alive) for each in scenarios]
    return Inputs(scenarios, start, is_alive, places=places)


_DONE: Final = {"operation": resource.DONE, "doneOperation": {"done": True}}


def split(documents: Iterable[Document]) -> tuple[list[Document], list[Document]]:
    """What a cluster is made of, and what is asked of it."""
    listed = list(documents)
    asked = [each for each in listed if staging.is_asked(each.object)]
    return [each for each in listed if not staging.is_asked(each.object)], asked


def has_recorded(scenario: Json) -> bool:
    """Whether a Scenario puts objects there that another cluster has recorded."""
    bodies = (each.get("createOperation") or {} for each in scenario["spec"]["events"])
    return any(each.get("asRecorded") and _is_recorded(each.get("object") or {}) for each in bodies)


def _refuse_twins(loaded: Loaded, written: Sequence[Document]) -> None:
    seen: dict[str, Document] = {}
    for document in written:
        _, name = loading.named(document.object)
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


def _is_recorded(obj: Json) -> bool:
    return bool((obj.get("metadata") or {}).get("uid"))


def _checked(loaded: Loaded, document: Document) -> Json:
    """A Scenario as it is run, without the status of an earlier run."""
    for problem in resource.problems(document.object, loaded.table, at_the_door=True):
        raise loaded.place(document, problem)
    normal = resource.normalized(document.object)
    return {name: value for name, value in normal.items() if name != "status"}


def _begun_with(
    scenario: Json, documents: Iterable[Document], places: dict[str, Document], is_alive: bool
) -> Json:
    """A Scenario that creates what is written beside it before all else."""
    events = scenario["spec"]["events"]
    step = min((each["step"] for each in events), default=0)
    before = _creations(documents, step, places, is_alive=is_alive)
    return {**scenario, "spec": {**scenario["spec"], "events": [*before, *events]}}


def _creations(
    documents: Iterable[Document], step: int, places: dict[str, Document], *, is_alive: bool
) -> list[Json]:
    made = []
    for document in sorted(documents, key=_rank):
        identity = f"given-{len(places)}"
        places[identity] = document
        body: Json = {"object": document.object}
        if not is_alive or document.object.get("status") or _is_recorded(document.object):
            body["asRecorded"] = True
        made.append(
            {"id": identity, "step": step, "operation": resource.CREATE, "createOperation": body}
        )
    return made


def _rank(document: Document) -> int:
    return stages.rank(document.object)
