"""PodResizeValidator: no pod can grow beyond its node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk, pod_resources, quantity
from kubestage.objects.pod_resources import CPU, MEMORY
from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.errors import Forbidden
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

_OS: Final = "kubernetes.io/os"


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse to resize a pod beyond what its node has, regardless of other pods."""
    pod, old = request.obj, request.old
    if request.subresource != "resize" or old is None or not admission_request.is_pod(request.kind):
        return
    name = pod["spec"].get("nodeName")
    if not name or pod["metadata"].get("generation") == old["metadata"].get("generation"):
        return
    node = core.read(gvk.NODE).get(name)
    if node is None:
        raise admission_request.refuse(request.kind, pod, f'node "{name}" not found')
    system = (node["metadata"].get("labels") or {}).get(_OS, "linux")
    if system != "linux":
        why = f'pod resize is only supported on linux nodes, node "{name}" is "{system}"'
        raise _refuse(request, why, "UnsupportedPlatform")
    lacking = _lacking(pod, (node.get("status") or {}).get("allocatable") or {})
    if lacking:
        why = f"node didn't have enough allocatable resources: {'; '.join(lacking)}"
        raise _refuse(request, why, "NodeCapacity")


def _lacking(pod: Json, allocatable: Json) -> list[str]:
    requests = pod_resources.requests(pod)
    cpu, memory = requests.get(CPU, quantity.ZERO), requests.get(MEMORY, quantity.ZERO)
    has_cpu, has_memory = quantity.of(allocatable.get(CPU)), quantity.of(allocatable.get(MEMORY))
    lacking = []
    if cpu > has_cpu:
        numbers = f"requested: {cpu.milli_value}, allocatable: {has_cpu.milli_value}"
        lacking.append(f"cpu, {numbers}")
    if memory > has_memory:
        lacking.append(f"memory, requested: {memory.value}, allocatable: {has_memory.value}")
    return lacking


def _refuse(request: AdmissionRequest, why: str, cause: str) -> Forbidden:
    refusal = admission_request.refuse(request.kind, request.obj, why)
    refusal.details["causes"] = [{"reason": cause}]
    return refusal
