"""The condition of a pod that the cluster ends, and not a failure of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json

DISRUPTION_TARGET: Final = "DisruptionTarget"


def status_with(pod: Json, status: str, reason: str, message: str, now_unix_ns: int) -> Json:
    """A pod's status with its DisruptionTarget condition as given.

    The time of the transition moves only with the condition's status, as for all conditions.
    """
    whole = pod.get("status") or {}
    old = pods.condition(whole, DISRUPTION_TARGET)
    now = timestamps.format_time(now_unix_ns)
    if old is not None and old["status"] == status:
        now = old.get("lastTransitionTime") or now
    new = {"type": DISRUPTION_TARGET}
    if pod["metadata"].get("generation"):
        new["observedGeneration"] = pod["metadata"]["generation"]
    new |= {"status": status, "lastTransitionTime": now}
    if reason:
        new |= {"reason": reason, "message": message}
    return {**whole, "conditions": pods.with_condition(whole.get("conditions") or (), new)}
