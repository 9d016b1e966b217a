"""LimitRanger: defaults and bounds for what containers, pods and claims may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import label_requirement, pod_resources
from kubestage.objects.quota import amounts
from kubestage.store.admission import limits, request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.kinds import Kind
    from kubestage.objects.pod_resources import ResourceList
    from kubestage.store.admission.request import Request
    from kubestage.store.core import Core

LIMIT_RANGE: Final = ("v1", "LimitRange")
_ANNOTATION: Final = "kubernetes.io/limit-ranger"
_CONTAINERS: Final = (("containers", "container"), ("initContainers", "init container"))
_SPEC_ONLY: Final = pod_resources.Options(exclude_overhead=True)


def admit(
    core: Core, kind: Kind, obj: dict[str, Any], old: dict[str, Any] | None
) -> dict[str, Any]:
    """Fill in what the containers of a new pod leave open."""
    if old is not None or not core.limit_ranges.objects or not request.is_pod(kind):
        return obj
    for limit_range in _ranges(core, obj):
        obj = _with_defaults(obj, limit_range)
    return obj


def check(core: Core, asked: Request) -> None:
    """Refuse a pod or a claim that asks for less or more than it may."""
    if not core.limit_ranges.objects:
        return
    if request.is_pod(asked.kind):
        applies = asked.subresource == ("" if asked.old is None else "resize")
    else:
        applies = request.is_claim(asked.kind) and not asked.subresource
    if not applies or (asked.old and "deletionTimestamp" in asked.old["metadata"]):
        return
    problems_of = _pod_problems if request.is_pod(asked.kind) else _claim_problems
    for limit_range in _ranges(core, asked.obj):
        problems = list(problems_of(limit_range, asked.obj))
        if problems:
            raise request.refuse(asked.kind, asked.obj, label_requirement.aggregate(problems))


def _ranges(core: Core, obj: dict[str, Any]) -> Iterator[dict[str, Any]]:
    collection = core.limit_ranges
    return (collection.objects[key] for key in collection.keys(obj["metadata"]["namespace"]))


def _items(limit_range: dict[str, Any], wanted: str) -> Iterator[dict[str, Any]]:
    for item in (limit_range.get("spec") or {}).get("limits") or ():
        if item.get("type") == wanted:
            yield item


def _with_defaults(pod: dict[str, Any], limit_range: dict[str, Any]) -> dict[str, Any]:
    """The pod with a limit range's defaults, and an annotation that says so."""
    defaults: dict[str, dict[str, Any]] = {"requests": {}, "limits": {}}
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
    said = {_ANNOTATION: f"LimitRanger plugin set: {'; '.join(done)}"}
    annotations = {**(metadata.get("annotations") or {}), **said}
    pod = {**pod, "metadata": {**metadata, "annotations": annotations}}
    return request.with_spec(pod, **fields)


def _completed(
    container: dict[str, Any], defaults: dict[str, dict[str, Any]], called: str, done: list[str]
) -> dict[str, Any]:
    resources = dict(container.get("resources") or {})
    for part, amounts_of, word in (
        ("requests", defaults["requests"], "request"),
        ("limits", defaults["limits"], "limit"),
    ):
        own = resources.get(part) or {}
        missing = {name: amount for name, amount in amounts_of.items() if name not in own}
        if missing:
            resources[part] = {**own, **missing}
            done.append(
                f"{', '.join(sorted(missing))} {word} for {called} {container.get('name') or ''}"
            )
    return {**container, "resources": resources} if resources else container


def _pod_problems(limit_range: dict[str, Any], pod: dict[str, Any]) -> Iterator[str]:
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


def _problems(item: dict[str, Any], requests: ResourceList, limited: ResourceList) -> Iterator[str]:
    """What breaks one item of a limit range, in the order in which upstream looks."""
    for part, problem_of in (
        ("min", limits.below_minimum),
        ("max", limits.above_maximum),
        ("maxLimitRequestRatio", limits.above_ratio),
    ):
        bounds = amounts.read(item.get(part))
        for name in sorted(bounds):
            asked = limits.Asked(item["type"], name, requests.get(name), limited.get(name))
            problem = problem_of(asked, bounds[name])
            if problem is not None:
                yield problem


def _claim_problems(limit_range: dict[str, Any], claim: dict[str, Any]) -> Iterator[str]:
    resources = (claim.get("spec") or {}).get("resources") or {}
    requests = amounts.read(resources.get("requests"))
    for item in _items(limit_range, "PersistentVolumeClaim"):
        for part, problem_of in (
            ("min", limits.below_minimum),
            ("max", limits.request_above_maximum),
        ):
            bounds = amounts.read(item.get(part))
            for name in sorted(bounds):
                asked = limits.Asked("PersistentVolumeClaim", name, requests.get(name), None)
                problem = problem_of(asked, bounds[name])
                if problem is not None:
                    yield problem
