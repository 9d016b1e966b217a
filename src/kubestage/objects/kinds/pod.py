"""What the API does to a Pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import qos
from kubestage.objects.defaulting import pod as pod_defaults
from kubestage.objects.defaulting import resources, round_trip
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.ownership import filters
from kubestage.objects.pod_templates import POD_EMPTY_LISTS
from kubestage.objects.quota import pods as pods_quota
from kubestage.objects.strategy import status
from kubestage.objects.tables import pod as pod_tables
from kubestage.objects.validation import (
    pod_preparation,
    pod_resize,
    pod_status,
    pod_update_options,
    pods,
)
from kubestage.objects.warnings import addresses
from kubestage.objects.warnings import pods as pod_warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.objects.kinds.behavior import ValidateUpdate
    from kubestage.objects.validation.field import FieldError


_STATUS_KINDS: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_ADDRESSES: Final = ("podIPs", "hostIPs")
_RESET_BY_STATUS: Final = ("metadata.deletionTimestamp", "metadata.ownerReferences")
_RESOURCES: Final[filters.Pattern] = {filters.ANY: {"f:resources": {}}}
_SUBRESOURCES: Final = frozenset({
    "attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward", "proxy",
    "resize", "status",
})  # fmt: skip


def _with_options(rule: Callable[..., list[FieldError]]) -> ValidateUpdate:
    def validate(new: Json, old: Json) -> list[FieldError]:
        annotations = old["metadata"].get("annotations")
        return rule(new, old, pod_update_options.for_update(old["spec"], annotations))

    return validate


def _default(obj: Json) -> None:
    """Completes also what a template leaves open."""
    spec = obj["spec"]
    resources.requests_from_limits(spec["containers"] or ())
    resources.requests_from_limits(spec.get("initContainers", ()))
    resources.pod_level(spec)
    spec.setdefault("enableServiceLinks", True)
    if "hostNetwork" in spec:
        for name in ("containers", "initContainers"):
            _host_ports(spec.get(name) or ())
    pod_defaults.pod_spec(spec)
    _default_status(obj["status"])


def _host_ports(every: Iterable[Json]) -> None:
    for container in every:
        for port in container.get("ports", ()):
            if port["containerPort"]:
                port.setdefault("hostPort", port["containerPort"])


def _default_status(status: Json) -> None:
    if not status:
        return
    for name in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for each in status.get(name, ()):
            resources.round_up(each.get("allocatedResources"))
            resources.round_up_requirements(each.get("resources"))
    resources.round_up(status.get("allocatedResources"))
    resources.round_up_requirements(status.get("resources"))


def _round_trip(obj: Json) -> None:
    """A negative grace period is read as one second; addresses and accounts agree."""
    round_trip.template(obj)
    spec = obj["spec"]
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    status = obj["status"]
    if status:
        address, addresses = status.get("podIP"), status.get("podIPs")
        if address and (not addresses or addresses[0].get("ip", "") != address):
            status["podIPs"] = [{"ip": address}]
        elif addresses and not address:
            round_trip.set_or_drop(status, "podIP", addresses[0].get("ip", ""))


def _prepare_create(pod: Json, now: str | None) -> None:
    """A new pod is pending, and has its quality of service."""
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


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """The status stays; fields of features that are off are dropped unless in use."""
    new["spec"] = pod_preparation.drop_disabled_fields(new["spec"], old["spec"])


def _prepare_status(new: Json, old: Json, _: str | None) -> None:
    """A status cannot change owners or deletion, nor drop what was observed before."""
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


def _with_generations(conditions: list[Json], before: Json) -> list[Json]:
    """Conditions without an observed generation keep the one that they had."""
    known: dict[str, list[int]] = {}
    for condition in before.get("conditions") or ():
        generation = condition.get("observedGeneration") or 0
        known.setdefault(condition.get("type") or "", []).append(generation)
    out = []
    for condition in conditions:
        generations = known.get(condition.get("type") or "")
        generation = generations.pop(0) if generations else 0
        is_older = generation and not condition.get("observedGeneration")
        out.append({**condition, "observedGeneration": generation} if is_older else condition)
    return out


def _drop_volume_status(report: Json, before: Json) -> None:
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


def _mounts(report: Json) -> list[Json]:
    return [
        mount
        for kind in _STATUS_KINDS
        for entry in report.get(kind) or ()
        for mount in entry.get("volumeMounts") or ()
    ]


def _prepare_ephemeral_containers(new: Json, old: Json, _: str | None) -> None:
    """Only the list of ephemeral containers may change."""
    containers = new["spec"].get("ephemeralContainers")
    spec = dict(old["spec"])
    spec.pop("ephemeralContainers", None)
    if containers:
        spec["ephemeralContainers"] = containers
    status.reset_metadata(new, old)
    new["spec"] = pod_preparation.drop_disabled_fields(spec, old["spec"])


def _prepare_resize(new: Json, old: Json, _: str | None) -> None:
    """Only resources and resize policies may change; validation refuses other changes."""
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


def _resized(new: list[Json], old: list[Json]) -> list[Json]:
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


def _warn_create(obj: Json) -> list[str]:
    found = pod_warnings.name(obj, "the Pod's hostname")
    return found + pod_warnings.pod_spec(obj["spec"], obj["metadata"], "")


def _warn_status(new: Json, _: Json) -> list[str]:
    """The addresses that a pod reports."""
    status = new.get("status") or {}
    return [
        warning
        for key in _ADDRESSES
        for index, entry in enumerate(status.get(key) or ())
        for warning in addresses.address(entry.get("ip") or "", f"status.{key}[{index}].ip")
    ]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="Pod",
    plural="pods",
    short_names=("po",),
    categories=("all",),
    subresources=_SUBRESOURCES,
    declared=Behavior(
        default=_default,
        round_trip=_round_trip,
        prepare_create=_prepare_create,
        prepare_update={
            "": _prepare_update,
            "status": _prepare_status,
            "resize": _prepare_resize,
            "ephemeralcontainers": _prepare_ephemeral_containers,
        },
        generation_fields=("spec",),
        empty_lists=POD_EMPTY_LISTS,
        validate=pods.validate_pod_create,
        validate_update={
            "": _with_options(pods.validate_pod_update),
            "status": _with_options(pod_status.validate_pod_status_update),
            "resize": _with_options(pod_resize.validate_resize),
            "ephemeralcontainers": _with_options(pod_resize.validate_ephemeral_containers_update),
        },
        validates_metadata=("ephemeralcontainers", "resize"),
        warn_sent=pod_warnings.apparmor_annotations,
        warn_create=_warn_create,
        warn_update={"status": _warn_status},
        cells=pod_tables.row,
        row_conditions=pod_tables.conditions,
        reset_fields={
            "status": filters.without("spec", *_RESET_BY_STATUS),
            "ephemeralcontainers": filters.only({"f:spec": {"f:ephemeralContainers": {}}}),
            "resize": filters.only(
                {"f:spec": {"f:containers": _RESOURCES, "f:initContainers": _RESOURCES}}
            ),
        },
        quota=pods_quota.EVALUATOR,
    ),
)
