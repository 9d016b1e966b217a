"""PodTopologyLabels: a pod on a node carries the labels that say where the node is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import gvk
from kubestage.store.admission import request

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_COPIED: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
_NOWHERE: Final[dict[str, str]] = {}


def admit(
    core: Core, kind: Kind, obj: dict[str, Any], _old: dict[str, Any] | None
) -> dict[str, Any]:
    """Write on a pod that has a node where that is."""
    if not request.is_pod(kind):
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


def mark(core: Core, obj: dict[str, Any]) -> bytes:
    """What tells apart pods of one template whose node has moved."""
    spec = obj.get("spec")
    name = spec.get("nodeName") if type(spec) is dict else None
    return repr(of_node(core, name)).encode() if type(name) is str and name else b""
