"""What to note of a living run: why requests, nodes or prices are not as they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.disruption import budgets
from kubestage.controllers.karpenter.provider import node_class
from kubestage.objects import gvk
from kubestage.objects.node_overlays import NODE_OVERLAY
from kubestage.objects.prices import PRICE_CATALOG, entries
from kubestage.results.packing import contents
from kubestage.traffic.traffics import TRAFFIC
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.stage import Stage

_NODE_POOL: Final = ("karpenter.sh/v1", "NodePool")
_STAGE_CLASS: Final = ("kubestage.dev/v1alpha1", "StageNodeClass")
_EVENT: Final = ("v1", "Event")
_VALIDATED: Final = "ValidationSucceeded"
_UNSCHEDULED: Final = "FailedScheduling"
_FAILED: Final = "Failed to schedule pod, "
_UNFIT: Final = "NoCompatibleInstanceTypes"


def of(stage: Stage) -> Iterator[str]:
    """What a person should know who wonders why nothing comes, or why nothing costs anything."""
    yield from _of_traffic(stage)
    known = contents.prices_of(stage.store)
    if known.ignored:
        yield (
            f"prices of {few(known.ignored)} are ignored: their currency is not {known.currency}"
        )
    yield from _of_overlays(stage)
    pools = stage.store.read(_NODE_POOL)
    if not pools:
        return
    for name, pool in pools.items():
        yield from _of_pool(stage, name, pool)
    unfit = list(_of_types(stage))
    yield from unfit or _of_pending(stage)


def _of_traffic(stage: Stage) -> Iterator[str]:
    """What Traffic did not find: its target, or the container that it names."""
    for key, traffic in stage.store.read(TRAFFIC).items():
        for condition in (traffic.get("status") or {}).get("conditions") or ():
            if condition["status"] == "False":
                yield f"traffic {key}: {condition['message']}"


def _of_pool(stage: Stage, name: str, pool: Json) -> Iterator[str]:
    reference = pool["spec"]["template"]["spec"]["nodeClassRef"]
    kind = node_class.kind_of(reference)
    if kind is None:
        provider = f"{reference['kind']} is the class of another provider"
        yield f"NodePool {name} is left alone: {provider}; have it name a StageNodeClass"
    elif reference["name"] not in stage.store.read(kind):
        yield f'NodePool {name} makes no nodes: there is no {kind[1]} "{reference["name"]}"'
    problem = _condition(pool, _VALIDATED, "False")
    if problem is not None:
        yield f"NodePool {name} makes no nodes: {problem}"
    if "replicas" in pool["spec"] and not stage.controller_settings.karpenter.static_capacity:
        fix = "add --setting karpenter.static-capacity=true"
        yield f"NodePool {name} makes no nodes: Karpenter does not look at replicas: {fix}"
    for problem in budgets.unreadable(pool):
        yield f"NodePool {name}: nothing is disrupted: {problem}"


def _of_types(stage: Stage) -> Iterator[str]:
    """That there are no instance types, or none that a NodePool can have."""
    catalogs = stage.store.read(PRICE_CATALOG).values()
    if not any(each.resources or each.capacity for one in catalogs for each in entries(one)):
        fix = "name some, as in --catalogue aws-us-east-1"
        yield f"Karpenter has no instance types to choose from: {fix}"
        return
    for name, each in stage.store.read(_STAGE_CLASS).items():
        problem = _condition(each, "InstanceTypesReady", "False")
        if problem is not None:
            yield f"StageNodeClass {name} has no instance types: {problem}"
    unfit = {
        event["involvedObject"]["name"]
        for event in stage.store.read(_EVENT).values()
        if event.get("reason") == _UNFIT and event["involvedObject"].get("kind") == "NodePool"
    }
    for name in sorted(unfit):
        yield f"NodePool {name}: no instance type that is available meets its requirements"


def _of_pending(stage: Stage) -> Iterator[str]:
    """Why Karpenter makes no node for pods that still have none, from its last Event of each."""
    reasons: dict[str, str] = {}
    for event in stage.store.read(_EVENT).values():
        if event.get("reason") == _UNSCHEDULED and event["source"].get("component") == "karpenter":
            pod = event["involvedObject"]
            reasons[f"{pod.get('namespace')}/{pod['name']}"] = event["message"]
    counts: dict[str, int] = {}
    for key, pod in stage.store.read(gvk.POD).items():
        if key in reasons and not pod["spec"].get("nodeName"):
            reason = reasons[key].removeprefix(_FAILED).partition(", requirements=")[0]
            counts[reason] = counts.get(reason, 0) + 1
    for reason, count in counts.items():
        yield f"Karpenter makes no node for {plural(count, 'pod')}: {reason}"


def _of_overlays(stage: Stage) -> Iterator[str]:
    overlays = stage.store.read(NODE_OVERLAY)
    if overlays and not stage.controller_settings.karpenter.node_overlay:
        fix = "add --setting karpenter.node-overlay=true"
        yield f"Karpenter does not look at NodeOverlays ({few(list(overlays))}): {fix}"
    for name, each in overlays.items():
        problem = _condition(each, _VALIDATED, "False")
        if problem is not None:
            yield f"NodeOverlay {name} has no effect: {problem}"


def _condition(obj: Json, kind: str, value: str) -> str | None:
    """The message of a condition, if it has this value."""
    for each in (obj.get("status") or {}).get("conditions") or ():
        if (each["type"], each["status"]) == (kind, value):
            return str(each.get("message") or each.get("reason") or "")
    return None
