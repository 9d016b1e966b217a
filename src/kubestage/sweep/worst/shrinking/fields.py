"""Fewer fields: what pods and nodes need not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sweep.worst import pod_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.sweep.worst.case import Case

_POD: Final = (
    "affinity", "tolerations", "topologySpreadConstraints", "nodeSelector", "priorityClassName",
    "overhead", "volumes", "initContainers", "terminationGracePeriodSeconds", "serviceAccountName",
    "securityContext",
)  # fmt: skip
_CONTAINER: Final = ("env", "envFrom", "ports", "livenessProbe", "readinessProbe", "startupProbe",
                     "volumeMounts", "command", "args", "securityContext")  # fmt: skip
_METADATA: Final = ("annotations", "labels")


def candidates(case: Case) -> Iterator[Case]:
    """The case with one field less in one of its pods or nodes; the API may refuse some."""
    for place, event in enumerate(case.events):
        obj = event.object
        if obj is None:
            continue
        for changed in (*_metadata(obj), *(_pods(obj) if event.is_arrival else ())):
            yield case.replaced(place, event.with_object(changed))


def _metadata(obj: Json) -> Iterator[Json]:
    metadata = obj.get("metadata") or {}
    for field in _METADATA:
        if field in metadata:
            yield {**obj, "metadata": _without(metadata, field)}


def _pods(obj: Json) -> Iterator[Json]:
    spec = pod_specs.spec_of(obj)
    for field in _POD:
        if field in spec:
            yield pod_specs.with_spec(obj, _without(spec, field))
    containers = pod_specs.containers(spec)
    for number, container in enumerate(containers):
        for smaller in _containers(container):
            changed = [*containers[:number], smaller, *containers[number + 1 :]]
            yield pod_specs.with_spec(obj, {**spec, "containers": changed})
        if len(containers) > 1:
            fewer = [*containers[:number], *containers[number + 1 :]]
            yield pod_specs.with_spec(obj, {**spec, "containers": fewer})


def _containers(container: Json) -> Iterator[Json]:
    for field in _CONTAINER:
        if field in container:
            yield _without(container, field)
    resources = container.get("resources") or {}
    if "limits" in resources:
        yield {**container, "resources": _without(resources, "limits")}
    requests = resources.get("requests") or {}
    for resource in requests if len(requests) > 1 else ():
        fewer = {**resources, "requests": _without(requests, resource)}
        limits = fewer.get("limits") or {}
        if resource not in limits:
            yield {**container, "resources": fewer}


def _without(value: Json, field: str) -> Json:
    return {key: each for key, each in value.items() if key != field}
