"""Revisions of a Deployment, and what else it writes into annotations of its ReplicaSets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.controllers.deployment import fenceposts
from kubestage.golang import integers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

Annotations = dict[str, str]

REVISION: Final = "deployment.kubernetes.io/revision"
REVISION_HISTORY: Final = "deployment.kubernetes.io/revision-history"
DESIRED_REPLICAS: Final = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS: Final = "deployment.kubernetes.io/max-replicas"
ROLLBACK_TO: Final = "deprecated.deployment.rollback.to"

OWN: Final = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        REVISION_HISTORY,
        DESIRED_REPLICAS,
        MAX_REPLICAS,
        ROLLBACK_TO,
    }
)
"""Annotations that a Deployment and its ReplicaSets do not have in common."""

_HISTORY_LENGTH: Final = 2000
_decimal: Final = re.compile("[+-]?[0-9]+", re.ASCII).fullmatch


def annotations_of(obj: Json) -> Annotations:
    """An object's annotations."""
    annotations: Annotations = obj["metadata"].get("annotations") or {}
    return annotations


def number(text: str, bits: int = 64) -> int | None:
    """A signed decimal number, or None if the text is none or it needs more bits."""
    if not _decimal(text):
        return None
    value = integers.parse(text)
    return value if -(1 << bits - 1) <= value < 1 << bits - 1 else None


def revision(obj: Json) -> int | None:
    """The revision of an object: none is 0, one that cannot be read None."""
    text = annotations_of(obj).get(REVISION)
    return 0 if text is None else number(text)


def newest(replica_sets: Iterable[Json]) -> int:
    """The highest revision."""
    return max((revision(each) or 0 for each in replica_sets), default=0)


def last(replica_sets: Iterable[Json]) -> int:
    """The revision before the highest."""
    first = second = 0
    for each in replica_sets:
        found = revision(each)
        if found is None:
            continue
        if found >= first:
            first, second = found, first
        elif found > second:
            second = found
    return second


def size(replica_set: Json, annotation: str) -> int | None:
    """A number of replicas that an annotation holds."""
    text = annotations_of(replica_set).get(annotation)
    if text is None or not (text.isascii() and text.isdigit()):
        return None
    return integers.parse(text) if integers.parse(text) < 1 << 31 else None


def with_sizes(annotations: Annotations, spec: Json) -> Annotations:
    """Annotations that state a Deployment's size."""
    replicas: int = spec["replicas"]
    return {
        **annotations,
        DESIRED_REPLICAS: str(replicas),
        MAX_REPLICAS: str(replicas + fenceposts.max_surge(spec)),
    }


def have_sizes(annotations: Annotations, spec: Json) -> bool:
    """Whether annotations state the present size of a Deployment."""
    replicas: int = spec["replicas"]
    return annotations.get(DESIRED_REPLICAS) == str(replicas) and annotations.get(
        MAX_REPLICAS
    ) == str(replicas + fenceposts.max_surge(spec))


def for_new(deployment: Json, annotations: Annotations, revision: int) -> tuple[Annotations, bool]:
    """What the new ReplicaSet's annotations are to be, and whether that is a change.

    The Deployment's are copied, the revision is raised if it is lower, and the one it had is
    added to its history.
    """
    shared = {key: text for key, text in annotations_of(deployment).items() if key not in OWN}
    desired = {**annotations, **shared}
    was = annotations.get(REVISION)
    known = number(was) if was else 0
    if known is None:
        return desired, False
    if known < revision:
        desired[REVISION] = str(revision)
        if was is not None:
            desired[REVISION_HISTORY] = _history(annotations.get(REVISION_HISTORY) or "", was)
    return desired, desired != annotations


def _history(past: str, was: str) -> str:
    """The oldest revisions are dropped when there is no room for all."""
    earlier = past.split(",")
    if not earlier[0]:
        return was
    length, start = len(past) + len(was) + 1, 0
    while length > _HISTORY_LENGTH and start < len(earlier):
        length -= len(earlier[start]) + 1
        start += 1
    return ",".join([*earlier[start:], was]) if length <= _HISTORY_LENGTH else past
