"""The binding subresource: the one way in which a pod gets its node."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.errors import BadRequest
from kubestage.objects import timestamps
from kubestage.objects.validation import status
from kubestage.store import policies, refusals
from kubestage.store.admission import pod_topology_labels

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


class Binding(NamedTuple):
    """To which node a pod goes, on what conditions, and with what written on it."""

    node: str
    uid: str = ""
    resource_version: str = ""
    annotations: dict[str, str] | None = None
    labels: dict[str, str] | None = None
    dry_run: bool = False


def bind(core: Core, kind: Kind, key: str, name: str, request: Binding) -> dict[str, Any]:
    """Assign a pod to a node, if it has none and may have one."""
    pod = core.ledger.collection(kind).objects.get(key)
    if pod is None:
        raise status.not_found(kind, name)
    if not request.node:
        raise BadRequest("target.name: Required value")
    _check_preconditions(kind, key, pod, request)
    _check_bindable(kind, pod, name)
    bound = _bound(core, pod, request.node)
    metadata = bound["metadata"]
    labels = request.labels
    if pod_topology_labels.admit in core.admission:
        labels = {**(labels or {}), **pod_topology_labels.of_node(core, request.node)}
    for part, added in (("annotations", request.annotations), ("labels", labels)):
        if added:
            metadata[part] = {**(metadata.get(part) or {}), **added}
    if request.dry_run:
        return bound
    if labels:
        return core.put(kind, key, bound)
    return core.ledger.assign(core.pods, key, bound, pod).new


def assign(core: Core, key: str, node: str, uid: str) -> dict[str, Any]:
    """Bind the pod of a key, if it still is the one with this uid.

    The stage's own scheduler leaves out what admission writes on a pod that is bound through the
    API, where its node is: pods of one template share their labels.

    NOTE: otherwise as `bind` for those who ask for nothing else, in 2.0 us instead of 3.8 us.
    """
    pods = core.pods
    pod = pods.objects.get(key)
    if pod is not None:
        metadata, spec = pod["metadata"], pod["spec"]
        if (
            metadata["uid"] == uid
            and "deletionTimestamp" not in metadata
            and not spec.get("nodeName")
            and "schedulingGates" not in spec
        ):
            return core.ledger.assign(pods, key, _bound(core, pod, node), pod).new
    # It takes the long way to say why not.
    return bind(core, pods.kind, key, key.partition("/")[2], Binding(node, uid))


def _bound(core: Core, pod: dict[str, Any], node: str) -> dict[str, Any]:
    """The pod on its node, but for the resourceVersion; its metadata is its own."""
    bound, spec, before = pod.copy(), pod["spec"], pod.get("status")
    bound["metadata"] = pod["metadata"].copy()
    bodies, now_ns = core.templates.bodies, core.clock.now_ns
    body = bodies.by_spec.get(id(spec))
    if body is None:
        bound["spec"] = {**spec, "nodeName": node}
    else:
        bound["spec"] = body.on.get(node) or bodies.put_on(body, node, len(core.pods.objects))
        if before is body.status and body.bound_ns == now_ns:
            bound["status"] = body.bound_status
            return bound
    bound["status"] = scheduled = _scheduled(before or {}, core.clock.unix_ns)
    if body is not None and before is body.status:
        body.bound_ns, body.bound_status = now_ns, scheduled
    return bound


def _check_preconditions(kind: Kind, key: str, pod: dict[str, Any], request: Binding) -> None:
    metadata = pod["metadata"]
    for what, expected, actual in (
        ("UID", request.uid, metadata["uid"]),
        ("ResourceVersion", request.resource_version, metadata["resourceVersion"]),
    ):
        if expected and expected != actual:
            stored_at = policies.storage_key(kind, key)
            why = refusals.failed_precondition(stored_at, what, expected, actual)
            raise status.conflict(kind, metadata["name"], why)


def _check_bindable(kind: Kind, pod: dict[str, Any], name: str) -> None:
    why = None
    if "deletionTimestamp" in pod["metadata"]:
        why = f"pod {name} is being deleted, cannot be assigned to a host"
    elif pod["spec"].get("nodeName"):
        why = f'pod {name} is already assigned to node "{pod["spec"]["nodeName"]}"'
    elif pod["spec"].get("schedulingGates"):
        why = f"pod {name} has non-empty .spec.schedulingGates"
    if why is not None:
        raise refusals.conflict_on("pods/binding", kind, name, why)


def _scheduled(before: dict[str, Any], at_ns: int) -> dict[str, Any]:
    """The status of a pod that has just got its node."""
    at = timestamps.format_time(at_ns)
    conditions = before.get("conditions") or []
    if conditions:
        known = [each["type"] for each in conditions]
        fresh = _condition(at)[0]
        if "PodScheduled" in known:
            index = known.index("PodScheduled")
            old = conditions[index]
            if old.get("status") == "True" and "lastTransitionTime" in old:
                fresh = {**fresh, "lastTransitionTime": old["lastTransitionTime"]}
            conditions = [*conditions[:index], fresh, *conditions[index + 1 :]]
        else:
            conditions = [*conditions, fresh]
    else:
        conditions = _condition(at)
    bound = {**before, "conditions": conditions}
    bound.pop("nominatedNodeName", None)
    return bound


@functools.lru_cache(maxsize=64)
def _condition(at: str) -> list[dict[str, Any]]:
    """Shared by all pods that are bound at one moment."""
    return [
        {
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": at,
        }
    ]
