"""RuntimeClass: what a way of running containers costs, and where it can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.quota import amounts
from kubestage.objects.validation import field
from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

RUNTIME_CLASS: Final = ("node.k8s.io/v1", "RuntimeClass")
_MISMATCH: Final = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"


def admit(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Write the overhead, node selector and tolerations of its runtime class into a new pod."""
    if old is not None or not admission_request.is_pod(kind):
        return obj
    runtime_class = _find(core, kind, obj)
    overhead = _overhead(runtime_class)
    if overhead is not None:
        overhead_in_spec = obj["spec"].get("overhead")
        if overhead_in_spec and amounts.read(overhead_in_spec) != amounts.read(overhead):
            raise admission_request.refuse(kind, obj, _MISMATCH)
        if overhead:
            obj = admission_request.with_spec(obj, overhead=overhead)
    scheduling = (runtime_class or {}).get("scheduling")
    return obj if scheduling is None else _scheduled(kind, obj, scheduling)


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse a new pod whose overhead is not that of its runtime class."""
    if request.old is not None or not admission_request.is_pod(request.kind):
        return
    overhead_in_spec = request.obj["spec"].get("overhead")
    if overhead_in_spec is None:
        return
    overhead = _overhead(_find(core, request.kind, request.obj))
    if overhead is None:
        why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
        raise admission_request.refuse(request.kind, request.obj, why)
    if amounts.read(overhead_in_spec) != amounts.read(overhead):
        raise admission_request.refuse(request.kind, request.obj, _MISMATCH)


def _find(core: Core, kind: Kind, pod: Json) -> Json | None:
    name = pod["spec"].get("runtimeClassName")
    if name is None:
        return None
    found = core.read(RUNTIME_CLASS).get(name)
    if found is None:
        why = f"pod rejected: RuntimeClass {field.quote(name)} not found"
        raise admission_request.refuse(kind, pod, why)
    return found


def _overhead(runtime_class: Json | None) -> Json | None:
    overhead = (runtime_class or {}).get("overhead")
    return None if overhead is None else overhead.get("podFixed") or {}


def _scheduled(kind: Kind, pod: Json, scheduling: Json) -> Json:
    selector = dict(pod["spec"].get("nodeSelector") or {})
    for key, value in sorted((scheduling.get("nodeSelector") or {}).items()):
        present = selector.setdefault(key, value)
        if present != value:
            why = (
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {present}"
            )
            raise admission_request.refuse(kind, pod, why)
    tolerations = _merged(pod["spec"].get("tolerations") or [], scheduling.get("tolerations") or [])
    fields = {"nodeSelector": selector, "tolerations": tolerations}
    return admission_request.with_spec(pod, **{name: part for name, part in fields.items() if part})


def _merged(first: list[Json], second: list[Json]) -> list[Json]:
    """Both lists without what another entry tolerates as well."""
    both = [*first, *second]
    merged: list[Json] = []
    for index, each in enumerate(both):
        later = (other for other in both[index + 1 :] if other != each)
        if not any(_covers(other, each) for other in (*merged, *later)):
            merged.append(each)
    return merged


def _covers(wide: Json, narrow: Json) -> bool:
    """Whether one toleration tolerates all that the other does."""
    if wide == narrow:
        return True
    operator = wide.get("operator") or "Equal"
    if (wide.get("key") or "") != (narrow.get("key") or "") and (
        wide.get("key") or operator != "Exists"
    ):
        return False
    effect = wide.get("effect") or ""
    if effect and effect != (narrow.get("effect") or ""):
        return False
    if effect == "NoExecute" and wide.get("tolerationSeconds") is not None:
        seconds = narrow.get("tolerationSeconds")
        if seconds is None or seconds > wide["tolerationSeconds"]:
            return False
    if operator == "Exists":
        return True
    is_equal = narrow.get("operator") == "Equal" and operator == "Equal"
    return is_equal and (wide.get("value") or "") == (narrow.get("value") or "")
