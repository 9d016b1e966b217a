"""The admission steps that everything else relies on.

A step is a function ``(core, kind, obj, old) -> obj``: it may refuse the request, and returns
the object, changed or not (a new dict, never the same one mutated). `old` is None on create. A
store runs the tuple of steps that it was made with; recorded clusters are loaded with none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

    Step = Callable[[Core, Kind, dict[str, Any], dict[str, Any] | None], dict[str, Any]]

_NOT_READY: Final = "node.kubernetes.io/not-ready"
_UNREACHABLE: Final = "node.kubernetes.io/unreachable"
_TOLERATED: Final = {
    key: {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for key in (_NOT_READY, _UNREACHABLE)
}
_PRIORITY_CLASS: Final = ("scheduling.k8s.io/v1", "PriorityClass")
_PREEMPT: Final = "PreemptLowerPriority"

READS: Final = frozenset({_PRIORITY_CLASS})
"""The kinds that the steps of this module look at besides the object itself."""


def _is_pod(kind: Kind) -> bool:
    return kind.kind == "Pod" and not kind.group


def _with_spec(pod: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**pod, "spec": {**pod["spec"], **fields}}


def priority(
    core: Core, kind: Kind, obj: dict[str, Any], old: dict[str, Any] | None
) -> dict[str, Any]:
    """Resolve a pod's priority class, and allow one default class only."""
    if _is_pod(kind):
        return _resolve_priority(core, kind, obj) if old is None else _keep_priority(obj, old)
    if (kind.api_version, kind.kind) == _PRIORITY_CLASS and obj.get("globalDefault"):
        name = obj["metadata"].get("name", "")
        for other in _default_classes(core):
            if other["metadata"]["name"] != name:
                taken = other["metadata"]["name"]
                why = f"PriorityClass {taken} is already marked as default. "
                raise status.forbidden(kind, name, f"{why}Only one default can exist")
    return obj


def _default_classes(core: Core) -> Iterator[dict[str, Any]]:
    classes = core.read(_PRIORITY_CLASS)
    return (each for each in classes.values() if each.get("globalDefault"))


def _resolve_priority(core: Core, kind: Kind, pod: dict[str, Any]) -> dict[str, Any]:
    spec = pod["spec"]
    name = spec.get("priorityClassName") or ""
    pod_name = pod["metadata"].get("name") or ""
    if name:
        found = core.read(_PRIORITY_CLASS).get(name)
        if found is None:
            why = f"no PriorityClass with name {name} was found"
            raise status.forbidden(kind, pod_name, why)
    else:
        found = min(_default_classes(core), key=lambda each: each.get("value", 0), default=None)
    value = found.get("value", 0) if found else 0
    policy = (found.get("preemptionPolicy") or _PREEMPT) if found else _PREEMPT
    for field, type_name, computed in (
        ("priority", "integer value of priority", value),
        ("preemptionPolicy", "string value of PreemptionPolicy", policy),
    ):
        given = spec.get(field)
        if given is not None and given != computed:
            why = (
                f"the {type_name} ({given}) must not be provided in pod spec; priority admission "
                f"controller computed {computed} from the given PriorityClass name"
            )
            raise status.forbidden(kind, pod_name, why)
    fields = {"priority": value, "preemptionPolicy": policy}
    if found:
        fields["priorityClassName"] = found["metadata"]["name"]
    return _with_spec(pod, **fields)


def _keep_priority(pod: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """A PUT that leaves out what admission had filled in means no change."""
    kept = {
        field: old["spec"][field]
        for field in ("priority", "preemptionPolicy")
        if field in old["spec"] and pod["spec"].get(field) is None
    }
    return _with_spec(pod, **kept) if kept else pod


def default_tolerations(
    _core: Core, kind: Kind, obj: dict[str, Any], _old: dict[str, Any] | None
) -> dict[str, Any]:
    """Let pods stay five minutes on a node that is not ready or unreachable."""
    if not _is_pod(kind):
        return obj
    tolerations = obj["spec"].get("tolerations") or []
    missing = [
        toleration
        for key, toleration in _TOLERATED.items()
        if not any(_covers(each, key) for each in tolerations)
    ]
    return _with_spec(obj, tolerations=[*tolerations, *missing]) if missing else obj


def _covers(toleration: dict[str, Any], key: str) -> bool:
    return (toleration.get("key") or key) == key and (
        toleration.get("effect") or "NoExecute"
    ) == "NoExecute"


def service_account(
    _core: Core, kind: Kind, obj: dict[str, Any], old: dict[str, Any] | None
) -> dict[str, Any]:
    """Pods that name no service account run as ``default``."""
    if not _is_pod(kind) or old is not None or obj["spec"].get("serviceAccountName"):
        return obj
    if "kubernetes.io/config.mirror" in (obj["metadata"].get("annotations") or ()):
        return obj
    return _with_spec(obj, serviceAccountName="default", serviceAccount="default")


DEFAULT: Final[tuple[Step, ...]] = (priority, default_tolerations, service_account)
"""What a store runs unless told otherwise."""
