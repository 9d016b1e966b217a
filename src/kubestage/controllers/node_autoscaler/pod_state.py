"""What matters of a pod to a node autoscaler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.node_autoscaler import node_state
from kubestage.controllers.ownership import controller_of
from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


SAFE_TO_EVICT: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict"
SAFE_TO_EVICT_LOCAL_VOLUMES: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
SCALE_UP_DELAY: Final = "cluster-autoscaler.kubernetes.io/pod-scale-up-delay"
_DAEMON: Final = "cluster-autoscaler.kubernetes.io/daemonset-pod"
_EVICT_DAEMON: Final = "cluster-autoscaler.kubernetes.io/enable-ds-eviction"
_MIRROR: Final = "kubernetes.io/config.mirror"
_SOURCE: Final = "kubernetes.io/config.source"
_GRACE_SECONDS: Final = 30
_JUST_NS: Final = 10 * SECOND_NS
_LONG_AFTER_NS: Final = 30 * SECOND_NS


def is_daemon(pod: PodView) -> bool:
    """Whether a pod belongs to its node."""
    owner = controller_of(pod.raw)
    return (owner is not None and owner["kind"] == "DaemonSet") or (
        pod.annotations.get(_DAEMON) == "true"
    )


def is_expendable(pod: PodView, cutoff: int) -> bool:
    """Whether a pod neither causes a scale-up nor keeps a node."""
    priority: int | None = pod.raw["spec"].get("priority")
    return priority is not None and priority < cutoff


def is_mirror(pod: PodView) -> bool:
    """Whether a pod only shows what its node runs by itself."""
    return _MIRROR in pod.annotations


def is_recreated(pod: PodView) -> bool:
    """Whether a pod comes again elsewhere if it is evicted."""
    is_static = pod.annotations.get(_SOURCE, "api") != "api"
    return not (is_static or is_mirror(pod) or is_daemon(pod))


def is_unschedulable(pod: Json) -> bool:
    """Whether the scheduler has reported that a pod fits nowhere."""
    found = pods.condition(pod.get("status"), "PodScheduled")
    return (
        found is not None and found["status"] == "False" and found.get("reason") == "Unschedulable"
    )


def is_untried(pod: Json, schedulers: Collection[str]) -> bool:
    """Whether a pod of one of these schedulers has not been tried yet."""
    if pod["spec"].get("schedulerName") not in schedulers:
        return False
    found = pods.condition(pod.get("status"), "PodScheduled")
    return found is None or (found["status"] == "False" and not found.get("reason"))


def is_just_unschedulable(pod: Json, now_ns: int) -> bool:
    """Whether the scheduler has just reported that a pod fits nowhere."""
    if pod["spec"].get("nodeName") or pods.is_terminal(pod):
        return False
    found = pods.condition(pod.get("status"), "PodScheduled")
    if found is None or found["status"] != "False" or found.get("reason") != "Unschedulable":
        return False
    since = found.get("lastTransitionTime")
    return since is not None and timestamps.parse_time(since) + _JUST_NS >= now_ns


def grace_seconds(pod: PodView) -> int:
    """How long a pod takes to end at most."""
    stated: int | None = pod.raw["spec"].get("terminationGracePeriodSeconds")
    return _GRACE_SECONDS if stated is None else stated


def is_overdue(pod: PodView, now_ns: int) -> bool:
    """Whether a pod should have been gone for a while."""
    deletion_ns = pod.deletion_ns
    if deletion_ns is None:
        return False
    return deletion_ns + grace_seconds(pod) * SECOND_NS + _LONG_AFTER_NS < now_ns


def is_ended(pod: PodView) -> bool:
    """Whether a pod will not run again."""
    policy = pod.raw["spec"].get("restartPolicy")
    if pod.phase == "Succeeded":
        return policy in ("Never", "OnFailure")
    return pod.phase == "Failed"


def has_blocking_storage(pod: PodView) -> bool:
    """Whether a pod has data on its node that is not marked as safe to delete."""
    may_go = (pod.annotations.get(SAFE_TO_EVICT_LOCAL_VOLUMES) or "").split(",")
    for volume in pod.raw["spec"].get("volumes") or ():
        empty = volume.get("emptyDir")
        is_local = volume.get("hostPath") is not None or (
            empty is not None and empty.get("medium") != "Memory"
        )
        if is_local and volume.get("name") not in may_go:
            return True
    return False


def evicts_daemon(pod: PodView, by_default: bool) -> bool:
    """Whether a pod that belongs to its node is evicted before the node goes."""
    annotation = pod.annotations.get(_EVICT_DAEMON)
    return by_default if annotation is None else annotation == "true"


def wants_gpu(pod: PodView) -> bool:
    """Whether a pod requests a GPU."""
    return any(name in pod.requests.scalars for name in node_state.GPUS)


def scale_up_delay_ns(pod: PodView, least_ns: int) -> int:
    """How old a pod must be to be helped: it may ask for more than is usual, not for less."""
    text = pod.annotations.get(SCALE_UP_DELAY)
    if text is None:
        return least_ns
    try:
        return max(durations.parse_duration(text), least_ns)
    except ValueError:
        return least_ns
