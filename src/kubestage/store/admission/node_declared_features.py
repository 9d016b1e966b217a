"""NodeDeclaredFeatureValidator: a pod is not changed into one that its node cannot run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality, gvk
from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

_POD_LEVEL: Final = "InPlacePodLevelResourcesVerticalScaling"
_INIT_CONTAINERS: Final = "InPlacePodVerticalScalingInitContainers"
_RESOURCES: Final = "*core/v1.ResourceRequirements"


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse a change of a bound pod that needs what its node does not declare.

    Nodes that are made up seldom declare anything; they are taken to have it all.
    """
    pod, old = request.obj, request.old
    if (
        old is None
        or not admission_request.is_pod(request.kind)
        or request.subresource not in ("", "resize")
    ):
        return
    name = pod["spec"].get("nodeName")
    if not name or pod["metadata"].get("generation") == old["metadata"].get("generation"):
        return
    needed = list(_needed(pod["spec"], old["spec"]))
    if not needed:
        return
    node = core.read(gvk.NODE).get(name)
    if node is None:
        raise admission_request.refuse(request.kind, pod, f'node "{name}" not found')
    declared = (node.get("status") or {}).get("declaredFeatures")
    lacking = ", ".join(feature for feature in needed if feature not in (declared or ()))
    if lacking and declared:
        why = f'pod update requires features {lacking} which are not available on node "{name}"'
        raise admission_request.refuse(request.kind, pod, why)


def _needed(new: Json, old: Json) -> Iterator[str]:
    """The features that a change of a spec relies on."""
    if not equality.semantic_equal(_RESOURCES, new.get("resources"), old.get("resources")):
        yield _POD_LEVEL
    pairs = zip(new.get("initContainers") or (), old.get("initContainers") or (), strict=False)
    for now, before in pairs:
        is_sidecar = before.get("restartPolicy") == "Always"
        if not is_sidecar and (now.get("resources") or {}) != (before.get("resources") or {}):
            yield _INIT_CONTAINERS
            return
