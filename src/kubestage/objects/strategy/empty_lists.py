"""Lists that must be told even if there is nothing in them, and come back as null.

Protobuf, in which the API server stores its objects, does not know an empty list from none. Most
fields are left out either way; these are not.
"""

from __future__ import annotations

from typing import Any, Final

_RBAC: Final = "rbac.authorization.k8s.io/v1"
_POD: Final = ("spec", "volumes", "*", "projected", "sources")
_TEMPLATE: Final = ("spec", "template", *_POD)
# The way to each such list; a star stands for every item of the list before it.
_WAYS: Final[dict[tuple[str, str], tuple[tuple[str, ...], ...]]] = {
    ("v1", "LimitRange"): (("spec", "limits"),),
    ("v1", "Pod"): (_POD,),
    ("v1", "PodTemplate"): (("template", *_POD),),
    ("v1", "ReplicationController"): (_TEMPLATE,),
    ("apps/v1", "DaemonSet"): (_TEMPLATE,),
    ("apps/v1", "Deployment"): (_TEMPLATE,),
    ("apps/v1", "ReplicaSet"): (_TEMPLATE,),
    ("apps/v1", "StatefulSet"): (_TEMPLATE,),
    ("autoscaling/v2", "HorizontalPodAutoscaler"): (("status", "currentMetrics"),),
    ("batch/v1", "CronJob"): (
        ("spec", "jobTemplate", "spec", "podFailurePolicy", "rules"),
        ("spec", "jobTemplate", *_TEMPLATE),
    ),
    ("batch/v1", "Job"): (("spec", "podFailurePolicy", "rules"), _TEMPLATE),
    ("discovery.k8s.io/v1", "EndpointSlice"): (("endpoints",), ("ports",)),
    (_RBAC, "ClusterRole"): (("rules",),),
    (_RBAC, "Role"): (("rules",),),
    ("resource.k8s.io/v1", "ResourceClaim"): (
        ("spec", "devices", "requests"),
        ("status", "devices", "*", "conditions"),
    ),
    ("resource.k8s.io/v1", "ResourceClaimTemplate"): (("spec", "spec", "devices", "requests"),),
    ("storage.k8s.io/v1", "CSINode"): (
        ("spec", "drivers"),
        ("spec", "drivers", "*", "topologyKeys"),
    ),
}


def read_back(obj: dict[str, Any]) -> dict[str, Any]:
    """The object as it is read after it was stored."""
    for way in _WAYS.get((obj["apiVersion"], obj["kind"]), ()):
        obj = _emptied(obj, way)
    return obj


def _emptied(value: Any, way: tuple[str, ...]) -> Any:
    """The value with null for an empty list at the end of the way; itself if there is none."""
    if not way:
        return None if value == [] else value
    if not value:
        return value
    if way[0] == "*":
        items = [_emptied(item, way[1:]) for item in value]
        changed = any(new is not old for new, old in zip(items, value, strict=True))
        return items if changed else value
    if way[0] not in value:
        return value
    part = _emptied(value[way[0]], way[1:])
    return value if part is value[way[0]] else {**value, way[0]: part}
