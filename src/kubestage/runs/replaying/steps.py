"""A recording as a run takes it: the cluster at the beginning, and what is done when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.files import pinned
from kubestage.objects import locator, manifest, timestamps
from kubestage.runs import living
from kubestage.runs.inputs import actions, edits, manifests, stage_inputs
from kubestage.runs.replaying import other_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.living import LaterManifests
    from kubestage.runs.replaying.durations import RunDurations
    from kubestage.runs.replaying.recorded import Recorded
    from kubestage.sources.intent import Action


def cluster(
    this: Recorded, durations: RunDurations, nodes_from: str | None = None
) -> LoadedManifests:
    """The cluster at the beginning, to be changed by the caller; with nodes of another source."""
    key = ("recorded cluster", this.name, this.begin_ns, this.end_ns, nodes_from)

    def make() -> LoadedManifests:
        found = _loaded(this, durations)
        if nodes_from is not None:
            other_nodes.put(found, nodes_from)
        return found

    return edits.manifests(pinned.once(key, make, ships=True), key)


def created(this: Recorded, durations: RunDurations) -> Iterator[Json]:
    """The objects that actions create, in their order."""
    key = ("recorded creations", this.name, this.begin_ns, this.end_ns)

    def make() -> LoadedManifests:
        objects = [each.object for each in this.actions if _creates(each)]
        annotated = [durations.annotated(each) for each in objects if each is not None]
        return _of_documents(annotated, f"{this.name} (actions)")

    found = edits.manifests(pinned.once(key, make, ships=True), key)
    return (each.object for each in found.documents)


def later(this: Recorded, durations: RunDurations, *, nodes: bool) -> list[LaterManifests]:
    """Actions of one moment happen together; without `nodes`, what happened to nodes does not."""
    objects = created(this, durations)
    groups: dict[int, list[Json]] = {}
    for action in this.actions:
        if _creates(action):
            action = msgspec.structs.replace(action, object=next(objects))  # noqa: PLW2901
        if nodes or action.reference.kind != "Node":
            groups.setdefault(action.at_ns - this.begin_ns, []).append(actions.document(action))
    source = f"{this.name} (actions)"
    return [
        living.LaterManifests(at_ns, _of_documents(documents, source))
        for at_ns, documents in sorted(groups.items())
    ]


def _creates(action: Action) -> bool:
    return action.verb == "create" and action.object is not None


def _loaded(this: Recorded, durations: RunDurations) -> LoadedManifests:
    """The cluster at the beginning; kinds that nothing defines are left out, with a note."""
    source = this.name
    found = manifests.LoadedManifests(locators={source: locator.Locator(b"")})
    objects = [durations.annotated(each) for each in this.objects]
    found.documents = [
        manifest.Document(each, 1, source, index) for index, each in enumerate(objects)
    ]
    stage_inputs.keep_known_kinds(found)
    stage_inputs.complete(found)
    found.start = timestamps.format_time(this.begin_ns)
    return found


def _of_documents(objects: list[Json], source: str) -> LoadedManifests:
    documents = [manifest.Document(each, 1, source, index) for index, each in enumerate(objects)]
    return manifests.LoadedManifests(documents=documents, locators={source: locator.Locator(b"")})
