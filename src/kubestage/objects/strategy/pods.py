"""How pods are prepared."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import qos
from kubestage.objects.strategy import status
from kubestage.objects.validation import pod_preparation

_STATUS_KINDS: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


def create(pod: dict[str, Any], now: str | None) -> None:
    """A new pod is pending, and knows its quality of service."""
    pod["status"] = {"phase": "Pending", "qosClass": qos.compute(pod)}
    if pod["spec"].get("schedulingGates"):
        pod["status"]["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": None,
                "lastTransitionTime": now,
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            }
        ]
    pod["spec"] = pod_preparation.prepare_new_pod(pod)["spec"]


def update(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """The status stays; fields of features that are off are dropped unless in use."""
    new["spec"] = pod_preparation.drop_disabled_fields(new["spec"], old["spec"])


def update_status(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """A kubelet's report cannot touch owners or deletion, nor forget what it had observed."""
    meta = new["metadata"]
    meta.pop("deletionTimestamp", None)
    if "ownerReferences" in old["metadata"]:
        meta["ownerReferences"] = old["metadata"]["ownerReferences"]
    else:
        meta.pop("ownerReferences", None)
    report, before = dict(new.get("status") or {}), old.get("status") or {}
    for key in ("qosClass", "observedGeneration"):
        if not report.get(key) and before.get(key):
            report[key] = before[key]
    if report.get("conditions"):
        report["conditions"] = _with_generations(report["conditions"], before)
    if not before.get("nodeAllocatableResourceClaimStatuses"):
        report.pop("nodeAllocatableResourceClaimStatuses", None)
    _drop_volume_status(report, before)
    new["status"] = report


def _with_generations(
    conditions: list[dict[str, Any]], before: dict[str, Any]
) -> list[dict[str, Any]]:
    """Conditions that do not say which generation they are about keep what they said before."""
    known: dict[str, list[int]] = {}
    for condition in before.get("conditions") or ():
        generation = condition.get("observedGeneration") or 0
        known.setdefault(condition.get("type") or "", []).append(generation)
    out = []
    for condition in conditions:
        generations = known.get(condition.get("type") or "")
        generation = generations.pop(0) if generations else 0
        keeps = generation and not condition.get("observedGeneration")
        out.append({**condition, "observedGeneration": generation} if keeps else condition)
    return out


def _drop_volume_status(report: dict[str, Any], before: dict[str, Any]) -> None:
    """Digests of image volumes are reported only where they were before."""
    if any(mount.get("volumeStatus") is not None for mount in _mounts(before)):
        return
    if not any("volumeStatus" in mount for mount in _mounts(report)):
        return
    for kind in _STATUS_KINDS:
        if report.get(kind):
            report[kind] = [
                {
                    **entry,
                    "volumeMounts": [
                        {key: value for key, value in mount.items() if key != "volumeStatus"}
                        for mount in entry.get("volumeMounts") or ()
                    ],
                }
                for entry in report[kind]
            ]


def _mounts(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        mount
        for kind in _STATUS_KINDS
        for entry in report.get(kind) or ()
        for mount in entry.get("volumeMounts") or ()
    ]


def update_ephemeral_containers(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Only the list of ephemeral containers may change."""
    containers = new["spec"].get("ephemeralContainers")
    spec = dict(old["spec"])
    spec.pop("ephemeralContainers", None)
    if containers:
        spec["ephemeralContainers"] = containers
    status.reset_metadata(new, old)
    new["spec"] = pod_preparation.drop_disabled_fields(spec, old["spec"])


def update_resize(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Only resources and resize policies may change; what is more is left for validation."""
    spec, old_spec = new["spec"], old["spec"]
    kinds = ("containers", "initContainers")
    if all(len(spec.get(kind) or ()) == len(old_spec.get(kind) or ()) for kind in kinds):
        resized = dict(old_spec)
        resized.pop("resources", None)
        if "resources" in spec:
            resized["resources"] = spec["resources"]
        for kind in kinds:
            if spec.get(kind):
                resized[kind] = _resized(spec[kind], old_spec[kind])
        status.reset_metadata(new, old)
        spec = resized
    new["spec"] = pod_preparation.drop_disabled_fields(spec, old_spec)


def _resized(new: list[dict[str, Any]], old: list[dict[str, Any]]) -> list[dict[str, Any]]:
    out = []
    for now, before in zip(new, old, strict=True):
        if now.get("name") != before.get("name"):
            return new
        merged = dict(before)
        for key in ("resources", "resizePolicy"):
            merged.pop(key, None)
            if key in now:
                merged[key] = now[key]
        out.append(merged)
    return out
