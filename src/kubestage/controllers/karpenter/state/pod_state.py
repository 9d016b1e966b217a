"""What matters of a pod to Karpenter: whether it counts, may be evicted, comes again elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import events
from kubestage.controllers.karpenter.labels import DISRUPTED_TAINT, DO_NOT_DISRUPT
from kubestage.golang import durations
from kubestage.objects import taints, timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Publish

_DAEMON_SET: Final = ("apps/v1", "DaemonSet")
_STATEFUL_SET: Final = ("apps/v1", "StatefulSet")
_NODE: Final = ("v1", "Node")


def key_of(obj: Json) -> str:
    """``namespace/name`` of an object, which is also the order in which pods are listed."""
    metadata = obj["metadata"]
    return f"{metadata.get('namespace') or ''}/{metadata['name']}"


def is_terminal(pod: Json) -> bool:
    """Whether a pod has ended."""
    return (pod.get("status") or {}).get("phase") in ("Failed", "Succeeded")


def is_terminating(pod: Json) -> bool:
    """Whether a pod is being deleted."""
    return pod["metadata"].get("deletionTimestamp") is not None


def is_active(pod: Json) -> bool:
    """Whether a pod counts as running."""
    return not is_terminal(pod) and not is_terminating(pod)


def _is_owned_by(pod: Json, kind: tuple[str, str]) -> bool:
    return any(
        (owner.get("apiVersion"), owner.get("kind")) == kind
        for owner in pod["metadata"].get("ownerReferences") or ()
    )


def is_daemon(pod: Json) -> bool:
    """Whether a pod belongs to a DaemonSet."""
    return _is_owned_by(pod, _DAEMON_SET)


def is_mirror(pod: Json) -> bool:
    """Whether a pod shows what its node runs by itself."""
    return _is_owned_by(pod, _NODE)


def is_reschedulable(pod: Json) -> bool:
    """Whether a pod comes again on another node; pods of StatefulSets do as soon as they go."""
    return (
        (is_active(pod) or (_is_owned_by(pod, _STATEFUL_SET) and is_terminating(pod)))
        and not is_daemon(pod)
        and not is_mirror(pod)
    )


def is_provisionable(pod: Json) -> bool:
    """Whether a pod waits for a node that only Karpenter can bring."""
    status = pod.get("status") or {}
    return (
        not (pod.get("spec") or {}).get("nodeName")
        and any(
            condition.get("type") == "PodScheduled" and condition.get("reason") == "Unschedulable"
            for condition in status.get("conditions") or ()
        )
        and not status.get("nominatedNodeName")
        and not is_daemon(pod)
        and not is_mirror(pod)
    )


def tolerates_disruption(pod: Json) -> bool:
    """Whether a pod stays on a node that is being disrupted."""
    tolerations = (pod.get("spec") or {}).get("tolerations") or ()
    return taints.tolerates_taint(map(taints.toleration_of, tolerations), DISRUPTED_TAINT, True)


def is_evictable(pod: Json, now_ns: int, publish: Publish = events.ignore) -> bool:
    """Whether a pod would be evicted when its node is disrupted."""
    return would_be_evicted(pod) and not is_protected(pod, now_ns, publish)


def would_be_evicted(pod: Json) -> bool:
    """Whether a pod would be evicted if nothing protected it."""
    return is_active(pod) and not tolerates_disruption(pod) and not is_mirror(pod)


def asks_for_protection(pod: Json) -> bool:
    """Whether a pod is annotated not to be disrupted, whatever the annotation amounts to."""
    return DO_NOT_DISRUPT in (pod["metadata"].get("annotations") or ())


def is_disruptable(pod: Json, now_ns: int, publish: Publish = events.ignore) -> bool:
    """Whether a pod lets its node be disrupted."""
    return not is_active(pod) or not is_protected(pod, now_ns, publish)


def is_protected(pod: Json, now_ns: int, publish: Publish = events.ignore) -> bool:
    """Whether a pod is annotated not to be disrupted, for ever or until it is of some age."""
    text = (pod["metadata"].get("annotations") or {}).get(DO_NOT_DISRUPT)
    if text is None:
        return False
    if text == "true":
        return True
    try:
        protected_ns = _protection_ns(text)
    except ValueError as error:
        message = f"Invalid {DO_NOT_DISRUPT} annotation: {error}, ignoring annotation"
        publish(events.about("Pod", pod, "InvalidDoNotDisruptAnnotation", message, events.WARNING))
        return False
    started = (pod.get("status") or {}).get("startTime")
    if started is None:
        return True
    until_ns = timestamps.parse_time(started) + protected_ns
    if now_ns < until_ns:
        until = timestamps.format_time(until_ns)
        message = f"The {DO_NOT_DISRUPT} grace period will elapse at {until}"
        publish(events.about("Pod", pod, "DoNotDisruptUntil", message))
        return True
    message = f"The {DO_NOT_DISRUPT} grace period has elapsed, pod is now disruptable"
    publish(events.about("Pod", pod, "DoNotDisruptGracePeriodElapsed", message))
    return False


def _protection_ns(text: str) -> int:
    try:
        found = durations.parse_duration(text)
    except ValueError as error:
        raise ValueError(
            f"failed to parse {durations.quote(text)} as a duration: {error}"
        ) from None
    if found <= 0:
        raise ValueError(f"duration {durations.quote(text)} must be positive")
    return found
