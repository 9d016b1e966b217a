"""LimitRanger: defaults and bounds for what containers, pods and claims may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import label_requirement, pod_resources
from kubestage.objects.quota import amounts
from kubestage.store.admission import admission_request, limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.pod_resources import ResourceList
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

LIMIT_RANGE: Final = ("v1", "LimitRange")
_ANNOTATION: Final = "kubernetes.io/limit-ranger"
_CONTAINERS: Final = (("containers", "container"), ("initContainers", "init container"))
_SPEC_ONLY: Final = pod_resources.Options(exclude_overhead=True)


def admit(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Fill in what the containers of a new pod leave open."""
    if old is not None or not core.limit_ranges.objects or not admission_request.is_pod(kind):
        return obj
    for limit_range in _ranges(core, obj):
        obj = _with_defaults(obj, limit_range)
    return obj


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse a pod or a claim that requests less or more than it may."""
    if not core.limit_ranges.objects:
        return
    if admission_request.is_pod(request.kind):
        applies = request.subresource == ("" if request.old is None else "resize")
    else:
        applies = admission_request.is_claim(request.kind) and not request.subresource
    if not applies or (request.old and "deletionTimestamp" in request.old["metadata"]):
        return
    problems_of = _pod_problems if admission_request.is_pod(request.kind) else _claim_problems
    for limit_range in _ranges(core, request.obj):
        problems = list(problems_of(limit_range, request.obj))
        if problems:
            raise admission_request.refuse(
                request.kind, request.obj, label_requirement.aggregate(problems)
            )


def _ranges(core: Core, obj: Json) -> Iterator[Json]:
    collection = core.limit_ranges
    return (collection.objects[key] for key in collection.keys(obj["metadata"]["namespace"]))


def _items(limit_range: Json, item_type: str) -> Iterator[Json]:
    for item in (limit_range.get("spec") or {}).get("limits") or ():
        if item.get("type") == item_type:
            yield item


def _with_defaults(pod: Json, limit_range: Json) -> Json:
    """The pod with a limit range's defaults, and an annotation that lists them."""
    defaults: dict[str, Json] = {"requests": {}, "limits": {}}
    for item in _items(limit_range, "Container"):
        defaults["requests"] |= item.get("defaultRequest") or {}
        defaults["limits"] |= item.get("default") or {}
    done: list[str] = []
    fields = {
        key: [_completed(container, defaults, called, done) for container in pod["spec"][key]]
        for key, called in _CONTAINERS
        if pod["spec"].get(key)
    }
    if not done:
        return pod
    metadata = pod["metadata"]
    note = {_ANNOTATION: f"LimitRanger plugin set: {'; '.join(done)}"}
    annotations = {**(metadata.get("annotations") or {}), **note}
    pod = {**pod, "metadata": {**metadata, "annotations": annotations}}
    return admission_request.with_spec(pod, **fields)


def _completed(container: Json, defaults: dict[str, Json], called: str, done: list[str]) -> Json:
    resources = dict(container.get("resources") or {})
    for part, amounts_of, word in (
        ("requests", defaults["requests"], "request"),
        ("limits", defaults["limits"], "limit"),
    ):
        present = resources.get(part) or {}
        missing = {name: amount for name, amount in amounts_of.items() if name not in present}
        if missing:
            resources[part] = {**present, **missing}
            done.append(
                f"{', '.join(sorted(missing))} {word} for {called} {container.get('name') or ''}"
            )
    return {**container, "resources": resources} if resources else container


def _pod_problems(limit_range: Json, pod: Json) -> Iterator[str]:
    for item in (limit_range.get("spec") or {}).get("limits") or ():
        if item.get("type") == "Container":
            for key, _ in _CONTAINERS:
                for container in pod["spec"].get(key) or ():
                    resources = container.get("resources") or {}
                    requests = amounts.read(resources.get("requests"))
                    yield from _problems(item, requests, amounts.read(resources.get("limits")))
        elif item.get("type") == "Pod":
            requests = pod_resources.requests(pod, _SPEC_ONLY)
            yield from _problems(item, requests, pod_resources.limits(pod, _SPEC_ONLY))


def _problems(item: Json, requests: ResourceList, limited: ResourceList) -> Iterator[str]:
    """What breaks one item of a limit range, in the order in which upstream looks."""
    for part, problem_of in (
        ("min", limits.below_minimum),
        ("max", limits.above_maximum),
        ("maxLimitRequestRatio", limits.above_ratio),
    ):
        bounds = amounts.read(item.get(part))
        for name in sorted(bounds):
            checked = limits.ResourceAmounts(
                item["type"], name, requests.get(name), limited.get(name)
            )
            problem = problem_of(checked, bounds[name])
            if problem is not None:
                yield problem


def _claim_problems(limit_range: Json, claim: Json) -> Iterator[str]:
    resources = (claim.get("spec") or {}).get("resources") or {}
    requests = amounts.read(resources.get("requests"))
    for item in _items(limit_range, "PersistentVolumeClaim"):
        for part, problem_of in (
            ("min", limits.below_minimum),
            ("max", limits.request_above_maximum),
        ):
            bounds = amounts.read(item.get(part))
            for name in sorted(bounds):
                checked = limits.ResourceAmounts(
                    "PersistentVolumeClaim", name, requests.get(name), None
                )
                problem = problem_of(checked, bounds[name])
                if problem is not None:
                    yield problem
