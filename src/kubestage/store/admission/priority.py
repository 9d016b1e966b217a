"""Priority: classes become numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

PRIORITY_CLASS: Final = ("scheduling.k8s.io/v1", "PriorityClass")
_PREEMPT: Final = "PreemptLowerPriority"


def admit(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Resolve a pod's priority class, and allow one default class only."""
    if admission_request.is_pod(kind):
        return _resolve_priority(core, kind, obj) if old is None else _keep_priority(obj, old)
    if (kind.api_version, kind.kind) == PRIORITY_CLASS and obj.get("globalDefault"):
        name = obj["metadata"].get("name", "")
        for other in _default_classes(core):
            if other["metadata"]["name"] != name:
                taken = other["metadata"]["name"]
                why = f"PriorityClass {taken} is already marked as default. "
                raise admission_request.refuse(kind, obj, f"{why}Only one default can exist")
    return obj


def _default_classes(core: Core) -> Iterator[Json]:
    classes = core.read(PRIORITY_CLASS)
    return (each for each in classes.values() if each.get("globalDefault"))


def _resolve_priority(core: Core, kind: Kind, pod: Json) -> Json:
    spec = pod["spec"]
    name = spec.get("priorityClassName") or ""
    if name:
        found = core.read(PRIORITY_CLASS).get(name)
        if found is None:
            raise admission_request.refuse(
                kind, pod, f"no PriorityClass with name {name} was found"
            )
    else:
        found = min(_default_classes(core), key=lambda each: each.get("value", 0), default=None)
    value = found.get("value", 0) if found else 0
    policy = (found.get("preemptionPolicy") or _PREEMPT) if found else _PREEMPT
    for field, type_name, computed in (
        ("priority", "integer value of priority", value),
        ("preemptionPolicy", "string value of PreemptionPolicy", policy),
    ):
        in_spec = spec.get(field)
        if in_spec is not None and in_spec != computed:
            why = (
                f"the {type_name} ({in_spec}) must not be provided in pod spec; priority admission "
                f"controller computed {computed} from the given PriorityClass name"
            )
            raise admission_request.refuse(kind, pod, why)
    fields = {"priority": value, "preemptionPolicy": policy}
    if found:
        fields["priorityClassName"] = found["metadata"]["name"]
    return admission_request.with_spec(pod, **fields)


def _keep_priority(pod: Json, old: Json) -> Json:
    """A PUT that leaves out what admission had filled in means no change."""
    inherited = {
        field: old["spec"][field]
        for field in ("priority", "preemptionPolicy")
        if field in old["spec"] and pod["spec"].get(field) is None
    }
    return admission_request.with_spec(pod, **inherited) if inherited else pod
