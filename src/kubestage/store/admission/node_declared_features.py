"""NodeDeclaredFeatureValidator: a pod is not changed into one that its node cannot run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, gvk
from kubestage.store.admission import request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.store.admission.request import Request
    from kubestage.store.core import Core

_POD_LEVEL: Final = "InPlacePodLevelResourcesVerticalScaling"
_INIT_CONTAINERS: Final = "InPlacePodVerticalScalingInitContainers"
_RESOURCES: Final = "*core/v1.ResourceRequirements"


def check(core: Core, asked: Request) -> None:
    """Refuse a change of a bound pod that needs what its node does not declare.

    Nodes that are made up seldom declare anything; they are taken to have it all.
    """
    pod, old = asked.obj, asked.old
    if old is None or not request.is_pod(asked.kind) or asked.subresource not in ("", "resize"):
        return
    name = pod["spec"].get("nodeName")
    if not name or pod["metadata"].get("generation") == old["metadata"].get("generation"):
        return
    needed = list(_needed(pod["spec"], old["spec"]))
    if not needed:
        return
    node = core.read(gvk.NODE).get(name)
    if node is None:
        raise request.refuse(asked.kind, pod, f'node "{name}" not found')
    declared = (node.get("status") or {}).get("declaredFeatures")
    lacking = ", ".join(feature for feature in needed if feature not in (declared or ()))
    if lacking and declared:
        why = f'pod update requires features {lacking} which are not available on node "{name}"'
        raise request.refuse(asked.kind, pod, why)


def _needed(new: dict[str, Any], old: dict[str, Any]) -> Iterator[str]:
    """The features that a change of a spec relies on."""
    if not equality.semantic_equal(_RESOURCES, new.get("resources"), old.get("resources")):
        yield _POD_LEVEL
    pairs = zip(new.get("initContainers") or (), old.get("initContainers") or (), strict=False)
    for now, before in pairs:
        is_sidecar = before.get("restartPolicy") == "Always"
        if not is_sidecar and (now.get("resources") or {}) != (before.get("resources") or {}):
            yield _INIT_CONTAINERS
            return
