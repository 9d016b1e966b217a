"""What becomes of a pod that is bound, told plainly and from scratch each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.aliases import Json


def bound(pod: Json, node: str, at: str, version: str) -> Json:
    """The pod on a node since a moment, under another version."""
    return {
        **pod,
        "metadata": {**pod["metadata"], "resourceVersion": version},
        "spec": {**pod["spec"], "nodeName": node},
        "status": _status(pod.get("status") or {}, at),
    }


def _status(before: Json, at: str) -> Json:
    conditions, is_known = [], False
    for each in before.get("conditions") or []:
        if each["type"] == "PodScheduled":
            is_known = True
            since = each.get("lastTransitionTime", at) if each["status"] == "True" else at
            conditions.append(_condition(since))
        else:
            conditions.append(each)
    if not is_known:
        conditions.append(_condition(at))
    status = {**before, "conditions": conditions}
    status.pop("nominatedNodeName", None)
    return status


def _condition(since: str) -> Json:
    return {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": since,
    }
