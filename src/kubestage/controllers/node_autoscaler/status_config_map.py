"""The status ConfigMap: what cluster-autoscaler reports of the cluster and of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.controllers.node_autoscaler import status
from kubestage.errors import ApiError
from kubestage.golang import times
from kubestage.objects import names, timestamps

# NOTE: YAML is slow to load, and rarely needed.
with lazy.imports():
    from kubestage.objects import yaml_text

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.autoscaler import Autoscaler
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.readiness import Readiness
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.sim.streams import Streams
    from kubestage.store.store import Store

_CONFIG_MAP: Final = ("v1", "ConfigMap")
_LAST_UPDATED: Final = "cluster-autoscaler.kubernetes.io/last-updated"
_LONGEST_MESSAGE: Final = 500
_TRUNCATED: Final = "<truncated>"
_MICROSECOND_NS: Final = 1000


class StatusConfigMap:
    """Writes the status whenever something but the times of the last scan has changed."""

    def __init__(self, store: Store, streams: Streams, settings: NodeAutoscalerSettings) -> None:
        self._store = store
        # Other objects have the names and uids that they have without this one.
        self._uids = streams.stream("node-autoscaler/status")
        self._name = settings.status_config_map_name
        self._namespace = settings.namespace
        self._last: Json = {}

    def write(self, autoscaler: Autoscaler, now_ns: int) -> None:
        """Write the status as it is after a scan."""
        now_ns -= now_ns % _MICROSECOND_NS
        current = self._status(autoscaler, now_ns)
        if _without_probes(current) == _without_probes(self._last):
            return
        self._last = current
        updated = times.in_text(now_ns)
        text = yaml_text.dump({**current, "time": updated})
        obj: Json = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": self._name,
                "namespace": self._namespace,
                "annotations": {_LAST_UPDATED: updated},
            },
            "data": {"status": text},
        }
        try:
            if f"{self._namespace}/{self._name}" in self._store.read(_CONFIG_MAP):
                self._store.update(obj)
            else:
                metadata = {**obj["metadata"], "uid": names.uid(self._uids)}
                self._store.load({**obj, "metadata": metadata})
        except ApiError:
            # As when its namespace is missing or ends: the status is written at the next scan.
            self._last = {}

    def _status(self, autoscaler: Autoscaler, now_ns: int) -> Json:
        before = {each["name"]: each for each in self._last.get("nodeGroups") or ()}
        groups = [
            self._group(autoscaler, group, before.get(group.name) or {}, now_ns)
            for group in autoscaler.provider.groups()
        ]
        state, planner = autoscaler.state, autoscaler.planner
        last = self._last.get("clusterWide") or {}
        healthy = "Healthy" if state.is_cluster_healthy() else "Unhealthy"
        is_growing = any(each["scaleUp"]["status"] == "InProgress" for each in groups)
        cluster_wide = {
            "health": _condition(
                {"status": healthy, "nodeCounts": _counts(state.total)}, last.get("health"), now_ns
            ),
            "scaleUp": _condition(
                {"status": "InProgress" if is_growing else "NoActivity"},
                last.get("scaleUp"),
                now_ns,
            ),
            "scaleDown": _scale_down(
                len(planner.reported), last.get("scaleDown"), planner.updated_ns
            ),
        }
        return {
            "autoscalerStatus": "Running",
            "clusterWide": cluster_wide,
            **({"nodeGroups": groups} if groups else {}),
        }

    def _group(self, autoscaler: Autoscaler, group: Group, last: Json, now_ns: int) -> Json:
        state, planner, name = autoscaler.state, autoscaler.planner, group.name
        readiness = state.readiness(name)
        scale_up = status.scale_up_status(state, name, now_ns)
        health = {
            "status": "Healthy" if state.is_group_healthy(name) else "Unhealthy",
            "nodeCounts": _counts(readiness),
            "cloudProviderTarget": state.target(name),
            "minSize": group.min_size,
            "maxSize": group.max_size,
        }
        error = state.backoff.error(name, now_ns) if scale_up == "Backoff" else None
        info = {}
        if error is not None:
            info = {"errorCode": error.code, "errorMessage": _shortened(error.message)}
        probed_ns = now_ns if readiness.is_known else None
        candidates = list(planner.reported.values()).count(name)
        return {
            "name": name,
            "health": _condition(health, last.get("health"), probed_ns),
            "scaleUp": _condition(
                {"status": scale_up, "backoffInfo": info}, last.get("scaleUp"), probed_ns
            ),
            "scaleDown": _scale_down(candidates, last.get("scaleDown"), planner.updated_ns),
        }


def _scale_down(candidates: int, last: Json | None, probed_ns: int | None) -> Json:
    found: Json = {"status": status.scale_down_status(candidates)}
    if candidates:
        found["candidates"] = candidates
    return _condition(found, last, probed_ns)


def _condition(found: Json, last: Json | None, probed_ns: int | None) -> Json:
    """A condition with its times; it has been so since its status last changed."""
    probed = None if probed_ns is None else timestamps.format_time(probed_ns)
    since = probed
    if last is not None and last["status"] == found["status"]:
        since = last["lastTransitionTime"]
    return {**found, "lastProbeTime": probed, "lastTransitionTime": since}


def _counts(readiness: Readiness) -> Json:
    return {
        "registered": {
            "total": readiness.registered,
            "ready": len(readiness.ready),
            "notStarted": len(readiness.not_started),
            "suspended": len(readiness.suspended),
            "unready": {"total": len(readiness.unready), "resourceUnready": 0},
        },
        "longUnregistered": len(readiness.long_unregistered),
        "unregistered": len(readiness.unregistered),
    }


def _shortened(message: str) -> str:
    if len(message) <= _LONGEST_MESSAGE:
        return message
    return message[: _LONGEST_MESSAGE - len(_TRUNCATED)] + _TRUNCATED


def _without_probes(value: Any) -> Any:
    """A status without the times at which it was looked at."""
    if isinstance(value, list):
        return [_without_probes(each) for each in value]
    if isinstance(value, dict):
        return {key: _without_probes(each) for key, each in value.items() if key != "lastProbeTime"}
    return value
