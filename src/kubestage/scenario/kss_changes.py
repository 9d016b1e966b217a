"""Which changes of a recorded object are played, and which are decided again.

An update is played as the difference to what was last recorded. Where a pod went, which volume a
claim got and what follows from that is recorded as it was first seen: it is decided again, by the
scheduler and the controllers that run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import gvk
from kubestage.objects.patches import merge_patch
from kubestage.scenario.kss_events import CLAIM, POD, part, type_of

if TYPE_CHECKING:
    from kubestage.aliases import Json

VOLUME: Final = ("v1", "PersistentVolume")
NAMESPACE: Final = ("v1", "Namespace")
SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"

_DECIDED_FIELDS: Final = {
    POD: ("nodeName", "ephemeralContainers"),
    CLAIM: ("volumeName",),
    VOLUME: ("claimRef",),
}
_DECIDED_ANNOTATIONS: Final = (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    SELECTED_NODE,
    "volume.kubernetes.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner",
    # Results of a scheduler: kube-scheduler-simulator's, today and before.
    "kube-scheduler-simulator.sigs.k8s.io/",
    "scheduler-simulator/",
)
# A pod has these from its node.
_DECIDED_LABELS: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
_HEAD: Final = ("apiVersion", "kind", "metadata", "status")
# Images and attached volumes come with the pods that were sent there.
_OF_PODS: Final = ("config", "images", "volumesAttached", "volumesInUse")


def substance(obj: Json, first: Json) -> Json:
    """What of an object others cannot know by themselves; the rest is as it was first seen."""
    kind = type_of(obj)
    annotations = _held(obj, first, "annotations", _DECIDED_ANNOTATIONS)
    labels = _held(obj, first, "labels", _DECIDED_LABELS if kind == POD else ())
    recorded: Json = {"metadata": {"annotations": annotations, "labels": labels}}
    if kind == NAMESPACE:
        return recorded
    recorded |= {key: value for key, value in obj.items() if key not in _HEAD}
    if kind in _DECIDED_FIELDS:
        recorded["spec"] = _spec(part(obj, "spec"), part(first, "spec"), _DECIDED_FIELDS[kind])
    if kind == POD:
        for field in ("containers", "initContainers"):
            _keep_sizes(recorded["spec"], part(first, "spec"), field)
    elif kind == gvk.NODE:
        recorded["status"] = _node_status(part(obj, "status"))
    return recorded


def difference(before: Json, after: Json, obj: Json) -> Json:
    """The merge patch between two substances; the second is that of `obj`."""
    if before == after:
        return {}
    patch = merge_patch.two_way(before, after)
    if "conditions" in part(patch, "status"):
        patch["status"]["conditions"] = obj["status"]["conditions"]
    return patch


def resized(obj: Json, first: Json) -> bool:
    """Whether a pod's containers request other resources than they did at first."""
    before, after = (_sizes(part(each, "spec").get("containers")) for each in (first, obj))
    return before != after


def _held(obj: Json, first: Json, field: str, decided: tuple[str, ...]) -> Json:
    now, then = part(obj, "metadata", field), part(first, "metadata", field)
    if not decided:
        return now
    recorded = {key: value for key, value in now.items() if not key.startswith(decided)}
    recorded |= {key: value for key, value in then.items() if key.startswith(decided)}
    return recorded


def _spec(now: Json, then: Json, decided: tuple[str, ...]) -> Json:
    recorded = {key: value for key, value in now.items() if key not in decided}
    return recorded | {key: then[key] for key in decided if key in then}


def _keep_sizes(spec: Json, first: Json, field: str) -> None:
    """Leave a pod's requests as they were: resizing in place is not simulated."""
    if spec.get(field) == first.get(field) or not isinstance(spec.get(field), list):
        return
    sizes = _sizes(first.get(field))
    spec[field] = [
        {**each, "resources": sizes[each["name"]]} if _is_in(sizes, each) else each
        for each in spec[field]
    ]


def _is_in(sizes: Json, container: Any) -> bool:
    name = part(container).get("name")
    return isinstance(name, str) and name in sizes


def _sizes(containers: Any) -> Json:
    found = containers if isinstance(containers, list) else ()
    named = (each for each in found if isinstance(part(each).get("name"), str))
    return {each["name"]: each.get("resources") or {} for each in named}


def _node_status(status: Json) -> Json:
    recorded = {key: value for key, value in status.items() if key not in _OF_PODS}
    conditions = recorded.get("conditions")
    if isinstance(conditions, list):
        recorded["conditions"] = [
            {key: value for key, value in part(each).items() if key != "lastHeartbeatTime"}
            for each in conditions
        ]
    return recorded
