"""Events of a Scenario that come after its Done: they are never run, and that is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.runs.inputs import manifests
from kubestage.scenario import phases, resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.scenario.probable_mistakes import NeverRun


_NAMED: Final = 3


def notes(loaded: LoadedManifests, scenarios: Iterable[Json]) -> Iterator[str]:
    """A note for each Scenario that was Done before all of its events had run."""
    written = {
        manifests.named(each.object)[1]: each
        for each in loaded.documents
        if resource.is_scenario(each.object)
    }
    for scenario in scenarios:
        name, phase = scenario["metadata"]["name"], scenario["status"]["phase"]
        document = written.get(name)
        left = resource.never_run(scenario if document is None else document.object)
        if left and phase == phases.SUCCEEDED:
            yield f"{name}: {_described(left, loaded, document)}"


def _described(left: list[NeverRun], loaded: LoadedManifests, document: Document | None) -> str:
    are = "1 event was" if len(left) == 1 else f"{len(left)} events were"
    shown = ", ".join(_place(each, loaded, document) for each in left[:_NAMED])
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    return (
        f'{are} never run, because event "{left[0].done.id}" ends the Scenario in step '
        f"{left[0].last_step}: {shown}{more}; move the Done to the last step to have them run"
    )


def _place(event: NeverRun, loaded: LoadedManifests, document: Document | None) -> str:
    """An event by its id, with its step, and its line if it was written in a file."""
    where = f"step {event.step}"
    if document is not None:
        placed = loaded.place(document, event.problem)
        line = "" if placed.line is None else f":{placed.line}"
        where += f", {placed.file}{line}"
    return f'"{event.event.id}" ({where})'
