"""The ReplicaSets of a Deployment: in order, by template, and in sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


REPLICA_SET: Final = ("apps/v1", "ReplicaSet")
HASH_LABEL: Final = "pod-template-hash"

_TEMPLATE: Final = "core/v1.PodTemplateSpec"


def name(replica_set: Json) -> str:
    """A ReplicaSet's name."""
    found: str = replica_set["metadata"]["name"]
    return found


def replicas(replica_set: Json) -> int:
    """How many pods a ReplicaSet is to have."""
    count: int = replica_set["spec"].get("replicas") or 0
    return count


def available(replica_set: Json) -> int:
    """How many of its pods a ReplicaSet reports to be available."""
    return reported(replica_set, "availableReplicas")


def reported(replica_set: Json, field: str) -> int:
    """A count in a ReplicaSet's status."""
    count: int = (replica_set.get("status") or {}).get(field) or 0
    return count


def total_replicas(sets: Iterable[Json]) -> int:
    """How many pods ReplicaSets are to have together."""
    return sum(map(replicas, sets))


def total_available(sets: Iterable[Json]) -> int:
    """How many available pods ReplicaSets report together."""
    return sum(map(available, sets))


def active(sets: Iterable[Json]) -> list[Json]:
    """Those that are to have pods."""
    return [each for each in sets if replicas(each)]


def age(replica_set: Json) -> tuple[str, str]:
    """Sorts the oldest first, by name if created in the same second."""
    metadata = replica_set["metadata"]
    return metadata["creationTimestamp"], metadata["name"]


def have_same_template(one: Json, other: Json) -> bool:
    """Whether templates are equal but for the hash that controllers put on them."""
    return equality.semantic_equal(_TEMPLATE, without_hash(one), without_hash(other))


def without_hash(template: Json) -> Json:
    """A template as people write it."""
    metadata = template.get("metadata") or {}
    labels = metadata.get("labels") or {}
    if HASH_LABEL not in labels:
        return template
    remaining = {key: text for key, text in labels.items() if key != HASH_LABEL}
    return {**template, "metadata": {**metadata, "labels": remaining}}


class Comparisons:
    """Remembers which ReplicaSet has its Deployment's template.

    A Deployment is synced for every pod that becomes ready, and its templates are the same
    dicts then as they were before.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Json, Json, bool]] = {}

    def find_new(self, deployment: Json, sets: Iterable[Json]) -> Json | None:
        """The oldest ReplicaSet with the template of a Deployment; they come oldest first."""
        template = deployment["spec"]["template"]
        for each in sets:
            if self._are_equal(each["metadata"]["uid"], template, each["spec"]["template"]):
                return each
        return None

    def forget(self, uid: str) -> None:
        """A ReplicaSet is gone."""
        self._known.pop(uid, None)

    def _are_equal(self, uid: str, desired: Json, found: Json) -> bool:
        known = self._known.get(uid)
        if known is not None and known[0] is desired and known[1] is found:
            return known[2]
        answer = have_same_template(desired, found)
        self._known[uid] = desired, found, answer
        return answer
