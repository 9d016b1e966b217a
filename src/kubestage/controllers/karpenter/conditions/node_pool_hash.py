"""The hash of a NodePool's template: NodeClaims with another one have drifted."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import durations, hashstructure
from kubestage.golang.hashstructure import Struct
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.golang.hashstructure import Value

VERSION: Final = "v3"

_UNIX_EPOCH: Final = 62_135_596_800
"""Seconds from year 1, where Go begins to count."""


def of(node_pool: Json) -> str:
    """The value of the annotation ``karpenter.sh/nodepool-hash``; requirements do not count."""
    template = node_pool["spec"]["template"]
    fields = [("ObjectMeta", _metadata(template.get("metadata"))), ("Spec", _spec(template))]
    return str(hashstructure.hash_of(Struct("NodeClaimTemplate", fields)))


def _metadata(metadata: Json | None) -> Struct | None:
    stated = metadata or {}
    labels, annotations = stated.get("labels"), stated.get("annotations")
    if labels is None and annotations is None:
        return None
    return Struct("ObjectMeta", [("Labels", labels), ("Annotations", annotations)])


def _spec(template: Json) -> Struct | None:
    spec = template["spec"]
    reference = spec.get("nodeClassRef")
    grace, expiry = spec.get("terminationGracePeriod"), spec.get("expireAfter")
    return Struct(
        "NodeClaimTemplateSpec",
        [
            ("Taints", _taints(spec.get("taints"))),
            ("StartupTaints", _taints(spec.get("startupTaints"))),
            ("NodeClassRef", None if reference is None else _reference(reference)),
            ("TerminationGracePeriod", None if grace is None else _grace(grace)),
            ("ExpireAfter", _expiry(expiry)),
        ],
    )


def _taints(taints: list[Json] | None) -> list[Value] | None:
    if taints is None:
        return None
    return [
        Struct(
            "Taint",
            [
                ("Key", taint.get("key") or None),
                ("Value", taint.get("value") or None),
                ("Effect", taint.get("effect") or None),
                ("TimeAdded", _time(taint.get("timeAdded"))),
            ],
        )
        for taint in taints
    ]


def _time(text: str | None) -> Struct | None:
    """A time as Go marshals it where the clock on the wall shows UTC."""
    if text is None:
        return None
    seconds, rest_ns = divmod(timestamps.parse_time(text), durations.SECOND)
    marshaled = struct.pack(">bqih", 1, seconds + _UNIX_EPOCH, rest_ns, 0)
    return Struct("Time", [("Time", marshaled)])


def _reference(reference: Json) -> Struct:
    names = ("Kind", "Name", "Group")
    return Struct(
        "NodeClassReference", [(name, reference.get(name.lower()) or None) for name in names]
    )


def _grace(text: str) -> Struct:
    return Struct("Duration", [("Duration", durations.parse_duration(text) or None)])


def _expiry(text: Any) -> Struct | None:
    """A duration that may be nil: then nothing of it counts, a zero one does."""
    if text is None or text == "Never":
        return None
    return Struct("NillableDuration", [("Duration", durations.parse_duration(text))])
