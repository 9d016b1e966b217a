"""The revisions of a DaemonSet: that of its template, and those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import history
from kubestage.controllers.daemonset.placement import HASH_LABEL
from kubestage.controllers.ownership import controller_reference, labels_of
from kubestage.controllers.pods import POD
from kubestage.errors import AlreadyExists
from kubestage.objects import hashing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kubestage.aliases import Json
    from kubestage.store.store import Store


def construct(
    store: Store, daemon_set: Json, revisions: Iterable[Json], members: Iterable[Json]
) -> tuple[Json, list[Json]]:
    """The revision of a set's template and those of earlier ones.

    One is made for a new template; one that is gone back to becomes the newest again.
    """
    data = history.template_data(daemon_set["spec"]["template"])
    current: list[Json] = []
    old: list[Json] = []
    for revision in history.in_order(revisions):
        labelled = _labelled(store, revision)
        (current if labelled.get("data") == data else old).append(labelled)
    number = max((history.number_of(each) for each in old), default=0) + 1
    if not current:
        return _snapshot(store, daemon_set, data, number), old
    survivor = current[-1] if len(current) == 1 else _merged(store, current, members)
    if history.number_of(survivor) < number:
        survivor = history.renumber(store, survivor, number)
    return survivor, old


def _labelled(store: Store, revision: Json) -> Json:
    """A revision that bears a hash; one from elsewhere gets its name for one."""
    if HASH_LABEL in labels_of(revision):
        return revision
    metadata = revision["metadata"]
    labels = {**labels_of(revision), HASH_LABEL: metadata["name"]}
    return store.update({**revision, "metadata": {**metadata, "labels": labels}})


def _merged(store: Store, current: list[Json], members: Iterable[Json]) -> Json:
    """Of several revisions of one template the newest; all pods are relabeled to it."""
    survivor = current[-1]
    survivor_hash = labels_of(survivor)[HASH_LABEL]
    for pod in members:
        if labels_of(pod).get(HASH_LABEL) != survivor_hash:
            metadata = pod["metadata"]
            patch = {"metadata": {"labels": {HASH_LABEL: survivor_hash}}}
            store.patch(POD, metadata["name"], patch, metadata["namespace"])
    for revision in current[:-1]:
        history.delete(store, revision)
    return survivor


def _snapshot(store: Store, daemon_set: Json, data: Json, number: int) -> Json:
    metadata = daemon_set["metadata"]
    template = daemon_set["spec"]["template"]
    collisions = (daemon_set.get("status") or {}).get("collisionCount")
    template_hash = hashing.pod_template_hash(template, collisions)
    labels = (template.get("metadata") or {}).get("labels") or {}
    described: Json = {
        "name": f"{metadata['name']}-{template_hash}",
        "namespace": metadata["namespace"],
        "labels": {**labels, HASH_LABEL: template_hash},
        "ownerReferences": [controller_reference(daemon_set)],
    }
    if metadata.get("annotations"):
        described["annotations"] = metadata["annotations"]
    revision = {
        "apiVersion": history.REVISION[0],
        "kind": history.REVISION[1],
        "metadata": described,
        "data": history.in_key_order(data),
        "revision": number,
    }
    try:
        return store.create(revision)
    except AlreadyExists:
        found = store.get(history.REVISION, described["name"], described["namespace"])
        if found.get("data") == data:
            return found
        _count_collision(store, daemon_set, collisions)
        raise


def _count_collision(store: Store, daemon_set: Json, collisions: int | None) -> None:
    """Another template has the hash: the next try hashes the number of collisions too."""
    metadata = daemon_set["metadata"]
    status = {**(daemon_set.get("status") or {}), "collisionCount": (collisions or 0) + 1}
    key = f"{metadata['namespace']}/{metadata['name']}"
    store.record_status(("apps/v1", "DaemonSet"), key, status)


def clean_up(store: Store, daemon_set: Json, old: list[Json], live_hashes: Collection[str]) -> None:
    """Forget the oldest revisions that no pod is of, as many as exceed the limit."""
    limit = daemon_set["spec"].get("revisionHistoryLimit")
    surplus = len(old) - (limit if limit is not None else len(old))
    for revision in history.in_order(old):
        if surplus <= 0:
            return
        if labels_of(revision).get(HASH_LABEL) not in live_hashes:
            history.delete(store, revision)
            surplus -= 1
