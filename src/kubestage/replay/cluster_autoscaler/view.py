"""What a scan found out and did, in the form of the recordings."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.node_autoscaler import node_state, status
from kubestage.controllers.ownership import controller_of
from kubestage.objects import gvk, quantity
from kubestage.replay.cluster_autoscaler.recorded_cluster import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.autoscaler import Autoscaler
    from kubestage.controllers.node_autoscaler.expanders import Choice
    from kubestage.controllers.node_autoscaler.scan_result import (
        Fit,
        ScaleDownStatus,
        ScaleUpStatus,
        ScanResult,
    )
    from kubestage.controllers.node_autoscaler.templates import Template
    from kubestage.controllers.node_autoscaler.utilization import Utilization
    from kubestage.objects.views.pod import PodView
    from kubestage.replay.cluster_autoscaler.recorded_cluster import RecordedCluster

_HOSTNAME: Final = "kubernetes.io/hostname"
# The nodes of each template have a number that the recordings leave out.
_UPCOMING: Final = re.compile(r"^(template-node-for-.*)-\d+(?=-upcoming-\d+$)")


def loop_of(result: ScanResult, autoscaler: Autoscaler, start_ns: int, now_ns: int) -> Json:
    """A scan, but for what it did to others."""
    state = autoscaler.state
    found: Json = {
        "error": result.error,
        "fitElsewhere": [] if result.fit is None else [_fit(result.fit)],
        "expander": [_choice(each) for each in result.choices],
        "scaleUp": [_scale_up(each) for each in result.scale_ups],
        "scaleDown": {
            **_scale_down(result.scale_down),
            "unneeded": _unneeded(autoscaler, start_ns),
        },
        "clusterHealthy": state.is_cluster_healthy(),
        "unregistered": sorted(state.unregistered),
    }
    upcoming = state.upcoming(now_ns)
    found["nodeGroups"] = {
        each.name: _group(autoscaler, each.name, upcoming.get(each.name, (0, [])), now_ns)
        for each in autoscaler.provider.groups()
    }
    return found


def templates_of(templates: Mapping[str, Template]) -> Json:
    """What a new node of each group would be like."""
    return {
        name: {
            "allocatable": _canonical(template.node["status"]["allocatable"]),
            "labels": {
                key: value
                for key, value in template.node["metadata"]["labels"].items()
                if key != _HOSTNAME
            },
            "taints": (template.node.get("spec") or {}).get("taints"),
            "pods": sorted(map(_daemon, template.pods), key=json.dumps),
        }
        for name, template in templates.items()
    }


def taints_of(cluster: RecordedCluster) -> dict[str, list[str]]:
    """The autoscaler's taints on each node."""
    ours = (node_state.TO_BE_DELETED, node_state.DELETION_CANDIDATE)
    return {
        node["metadata"]["name"]: sorted(
            f"{each['key']}={each.get('value', '')}:{each['effect']}"
            for each in node_state.taints_of(node)
            if each["key"] in ours
        )
        for node in cluster.lister.all(gvk.NODE)
    }


def _keys(pods: Iterable[PodView]) -> list[str]:
    return [pod.key for pod in pods]


def _placements(pods: Iterable[PodView], placements: Mapping[str, str]) -> dict[str, str]:
    return {
        pod.key: _UPCOMING.sub(r"\1", placements[pod.uid]) for pod in pods if pod.uid in placements
    }


def _fit(fit: Fit) -> Json:
    return {"pods": _keys(fit.pods), "placements": _placements(fit.pods, fit.placements)}


def _choice(choice: Choice) -> Json:
    found: Json = {
        "best": choice.best.group.name,
        "options": [
            {
                "group": each.group.name,
                "nodeCount": each.node_count,
                "pods": sorted(_keys(each.pods)),
                "similarGroups": list(each.similar),
                "debug": "",
            }
            for each in choice.options
        ],
    }
    if choice.tied:
        found["tied"] = [each.group.name for each in choice.tied]
    return found


def _scale_up(status: ScaleUpStatus) -> Json:
    found: Json = {
        "result": status.result,
        "groups": [
            {
                "group": each.group,
                "currentSize": each.current,
                "newSize": each.new,
                "maxSize": each.most,
            }
            for each in status.growths
        ],
        "podsTriggered": sorted(_keys(status.triggered)),
        "podsAwaitEvaluation": sorted(_keys(status.awaiting)),
        "podsRemainUnschedulable": [],
    }
    for each in sorted(status.remaining, key=lambda each: each.pod.key):
        remaining: Json = {"pod": each.pod.key}
        for name, reasons in (("rejected", each.rejected), ("skipped", each.skipped)):
            if reasons:
                remaining[name] = {group: list(why) for group, why in reasons.items()}
        found["podsRemainUnschedulable"].append(remaining)
    if status.error:
        found |= {"error": status.error, "failedResize": status.failed}
    return found


def _scale_down(status: ScaleDownStatus) -> Json:
    return {
        "result": status.result,
        "simulatedRemovals": [
            {
                "node": each.node,
                "ok": each.is_possible,
                "pods": _keys(each.pods),
                "placements": _placements(each.pods, each.placements),
            }
            for each in status.simulations
        ],
        "unremovable": [
            _unremovable(each.node, each, status.utilization)
            for each in sorted(status.unremovable, key=lambda each: each.node)
        ],
        "deletionStarted": [
            {
                "node": each.node,
                "group": each.group,
                "evictedPods": _keys(each.evicted),
                "utilization": _utilization(each.utilization),
            }
            for each in status.started
        ],
        "deletionResults": {name: {"result": each} for name, each in status.deletions.items()},
    }


def _unremovable(node: str, each: Any, used: Mapping[str, Utilization]) -> Json:
    found: Json = {"node": node, "reason": each.reason}
    if each.blocking_pod:
        found |= {"blockingPod": each.blocking_pod, "blockingReason": each.blocking_reason}
    if node in used:
        found["utilization"] = _utilization(used[node])
    return found


def _utilization(used: Utilization) -> Json:
    return {
        "cpu": used.cpu,
        "memory": used.memory,
        "gpu": used.gpu,
        "resource": used.resource,
        "utilization": used.share,
    }


def _unneeded(autoscaler: Autoscaler, start_ns: int) -> list[Json]:
    return [
        {
            "node": name,
            "since": seconds(each.since_ns - start_ns),
            "threshold": seconds(each.patience_ns),
            "empty": not each.moves.pods,
            "risky": each.is_risky,
        }
        for name, each in sorted(autoscaler.planner.unneeded.items())
    ]


def _group(autoscaler: Autoscaler, name: str, upcoming: tuple[int, list[str]], now_ns: int) -> Json:
    state = autoscaler.state
    candidates = list(autoscaler.planner.reported.values()).count(name)
    found: Json = {
        "target": autoscaler.provider.target_size(name),
        "upcoming": upcoming[0],
        "health": "Healthy" if state.is_group_healthy(name) else "Unhealthy",
        "scaleUp": status.scale_up_status(state, name, now_ns),
        "scaleDown": status.scale_down_status(candidates),
    }
    if upcoming[1]:
        found["upcomingRegistered"] = sorted(upcoming[1])
    error = state.backoff.error(name, now_ns)
    if error is not None and found["scaleUp"] == "Backoff":
        found["backoff"] = error.code
    return found


def _daemon(pod: PodView) -> Json:
    owner = controller_of(pod.raw)
    requests = [
        (container.get("resources") or {}).get("requests") or {}
        for container in pod.raw["spec"]["containers"]
    ]
    return {
        "owner": f"{owner['kind']}/{owner['name']}" if owner else "",
        "requests": _canonical(requests[0]) if len(requests) == 1 else requests,
    }


def _canonical(amounts: Json) -> dict[str, str]:
    return {name: str(quantity.of(amount)) for name, amount in amounts.items()}
