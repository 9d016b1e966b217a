"""The formats of recorded worlds: how each is recognised, and how a world of it is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage import lazy

with lazy.imports():
    from kubestage.replay import cluster_autoscaler, karpenter

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.replay.world_report import WorldReport


class WorldFormat(NamedTuple):
    """The recordings of one program: the fields that its worlds have and other files have not."""

    program: str
    fields: frozenset[str]
    compare: Callable[[bytes, str], WorldReport]


def _cluster_autoscaler(data: bytes, source: str) -> WorldReport:
    return cluster_autoscaler.compare(cluster_autoscaler.read(data, source))


def _karpenter(data: bytes, source: str) -> WorldReport:
    return karpenter.compare(karpenter.read(data, source))


FORMATS: Final = (
    WorldFormat(
        "cluster-autoscaler",
        frozenset(("category", "flags", "nodeGroups", "objects", "steps")),
        _cluster_autoscaler,
    ),
    WorldFormat(
        "Karpenter",
        frozenset(("category", "instanceTypes", "kind", "objects", "steps")),
        _karpenter,
    ),
)


def recognise(data: bytes) -> WorldFormat | None:
    """The format of a file, by the fields that it has; None if it is no world."""
    if data[:1].strip() != b"{":
        return None
    try:
        fields = msgspec.json.decode(data, type=dict[str, msgspec.Raw]).keys()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return next((each for each in FORMATS if each.fields <= fields), None)
