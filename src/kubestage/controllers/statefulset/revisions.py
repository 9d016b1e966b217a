"""The revisions of a StatefulSet: which one its pods are at, and which one they are to go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers import history
from kubestage.controllers.controller import Retry
from kubestage.controllers.ownership import Claims, controller_of, controller_reference, labels_of
from kubestage.errors import AlreadyExists
from kubestage.objects import hashing, patches, schema
from kubestage.objects.patches import PatchType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kubestage.aliases import Json
    from kubestage.objects.hashing import Revision
    from kubestage.objects.labels import Selector
    from kubestage.store.store import Store


class RevisionChoice(NamedTuple):
    """The revisions that a set goes from and to, and their templates."""

    current: str
    update: str
    collision_count: int
    current_template: Json
    update_template: Json


class RevisionClaims:
    """Which revisions count as a set's: those it controls, and orphans, which it adopts."""

    def __init__(self, store: Store, stateful_set: Json, selector: Selector) -> None:
        self._set = stateful_set
        self._selector = selector
        self._claims = Claims(store, stateful_set, selector)

    def claim(self, objects: Iterable[Json]) -> list[Json]:
        """Those that are the set's, as they are stored now."""
        # Unlike pods, revisions that no longer match are not released.
        matching = [each for each in objects if self._selector.matches(labels_of(each))]
        if "deletionTimestamp" in self._set["metadata"] and any(
            controller_of(each) is None for each in matching
        ):
            raise Retry("can't adopt ControllerRevisions: the set has just been deleted")
        return self._claims.claim(matching)


def choose(store: Store, stateful_set: Json, revisions: list[Json]) -> RevisionChoice:
    """The revisions of a set now; one is made, or an earlier one renewed, for a new template.

    The revisions are all that there are, the oldest first.
    """
    status = stateful_set.get("status") or {}
    collisions: int = status.get("collisionCount") or 0
    proposed = hashing.stateful_set_revision(stateful_set, collisions)
    number = history.number_of(revisions[-1]) + 1 if revisions else 1
    equal = [each for each in revisions if each.get("data") == proposed.data]
    if equal and equal[-1]["data"] == revisions[-1].get("data"):
        update = revisions[-1]
    elif equal:
        update = history.renumber(store, equal[-1], number)
    elif revisions and _means_the_same(stateful_set, proposed, revisions[-1]):
        update = revisions[-1]
    else:
        update, collisions = _create(store, stateful_set, proposed, number, collisions)
    expected = status.get("currentRevision")
    current = next((each for each in revisions if each["metadata"]["name"] == expected), update)
    return RevisionChoice(
        current["metadata"]["name"],
        update["metadata"]["name"],
        collisions,
        _restored(stateful_set, current)["spec"]["template"],
        _restored(stateful_set, update)["spec"]["template"],
    )


def _restored(stateful_set: Json, revision: Json) -> Json:
    """The set as it was at a revision."""
    struct = schema.kind_struct("apps/v1", "StatefulSet")
    data = revision.get("data") or {}
    restored: Json = patches.apply(PatchType.STRATEGIC, stateful_set, data, struct)
    return restored


def _means_the_same(stateful_set: Json, proposed: Revision, revision: Json) -> bool:
    """Whether a revision differs only in what has been given a default since it was made."""
    restored = _restored(stateful_set, revision)
    return hashing.stateful_set_revision(restored, 0).data == proposed.data


def _create(
    store: Store, stateful_set: Json, proposed: Revision, number: int, collisions: int
) -> tuple[Json, int]:
    """Record a revision; a name that another one has is tried again with more collisions."""
    metadata: Json = {
        "namespace": stateful_set["metadata"]["namespace"],
        "labels": proposed.labels,
        "ownerReferences": [controller_reference(stateful_set)],
    }
    annotations = stateful_set["metadata"].get("annotations")
    if annotations:
        metadata["annotations"] = annotations
    name = proposed.name
    while True:
        revision = {
            "apiVersion": history.REVISION[0],
            "kind": history.REVISION[1],
            "metadata": {**metadata, "name": name},
            "data": history.in_key_order(proposed.data),
            "revision": number,
        }
        try:
            return store.create(revision), collisions
        except AlreadyExists:
            found = store.get(history.REVISION, name, metadata["namespace"])
            if found.get("data") == proposed.data:
                return found, collisions
            collisions += 1
            name = hashing.stateful_set_revision(stateful_set, collisions).name


def truncate(
    store: Store, stateful_set: Json, revisions: list[Json], live: Collection[str]
) -> None:
    """Forget the oldest revisions that no pod is at, as many as exceed the limit."""
    past = [each for each in revisions if each["metadata"]["name"] not in live]
    limit = stateful_set["spec"].get("revisionHistoryLimit")
    if limit is None or limit < 0:
        return
    for revision in past[: max(len(past) - limit, 0)]:
        history.delete(store, revision)
