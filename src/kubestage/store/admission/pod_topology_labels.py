"""PodTopologyLabels: a pod on a node carries the labels that say where the node is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_COPIED: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
_NOWHERE: Final[dict[str, str]] = {}


def admit(core: Core, kind: Kind, obj: Json, _old: Json | None) -> Json:
    """Write on a pod that has a node where that is."""
    if not admission_request.is_pod(kind):
        return obj
    place = of_node(core, obj["spec"].get("nodeName"))
    if not place:
        return obj
    metadata = obj["metadata"]
    labels = {**(metadata.get("labels") or {}), **place}
    return {**obj, "metadata": {**metadata, "labels": labels}}


def of_node(core: Core, name: str | None) -> dict[str, str]:
    """The labels that a pod gets with this node."""
    node = core.read(gvk.NODE).get(name) if name else None
    labels = (node or {}).get("metadata", _NOWHERE).get("labels")
    return {key: labels[key] for key in _COPIED if key in labels} if labels else _NOWHERE


def mark(core: Core, obj: Json) -> bytes:
    """The labels in which pods of one template differ when their node's have changed."""
    spec = obj.get("spec")
    name = spec.get("nodeName") if type(spec) is dict else None
    return repr(of_node(core, name)).encode() if type(name) is str and name else b""
