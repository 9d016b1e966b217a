"""The five kinds of metrics: what each recommends, its status, and how each fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.controllers.hpa import metrics_client
from kubestage.controllers.hpa.requests import CountError
from kubestage.errors import KubestageError
from kubestage.objects import quantity
from kubestage.objects.labels import SelectorError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.hpa.replica_count import ReplicaCalculator, ReplicaCount


class Proposed(NamedTuple):
    """The replicas that a metric recommends, its name, and its status."""

    replicas: int
    metric: str
    status: Json


class Unusable(KubestageError):
    """A metric without a value: `cause` is for the condition and its Event."""

    def __init__(self, reason: str, cause: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.cause = cause


class Replicas(NamedTuple):
    """The desired and the present replicas of the target."""

    spec: int
    status: int


def propose(metric: Json, replicas: Replicas, calculator: ReplicaCalculator) -> Proposed:
    """Ask one metric of an autoscaler; `Unusable` if it has no answer."""
    rule = _RULES.get(metric["type"])
    if rule is None:
        text = f'unknown metric source type "{metric["type"]}"'
        raise Unusable("InvalidMetricSourceType", text, text)
    return rule(metric, replicas, calculator)


def _object(metric: Json, replicas: Replicas, calculator: ReplicaCalculator) -> Proposed:
    source = metric["object"]
    identifier, target, described = source["metric"], source["target"], source["describedObject"]
    inner = ""
    try:
        selector = metrics_client.selector_of(identifier.get("selector"))
        query = (identifier["name"], described, selector)
        if target["type"] == "Value" and "value" in target:
            count = calculator.by_object_value(replicas.spec, _milli(target["value"]), *query)
            current = {"value": _text(count.usage)}
            name = f"{described['kind']} metric {identifier['name']}"
        elif target["type"] == "AverageValue" and "averageValue" in target:
            inner = f"failed to get {identifier['name']} object metric: "
            target_milli = _milli(target["averageValue"])
            count = calculator.by_object_average(replicas.status, target_milli, *query)
            current = {"averageValue": _text(count.usage)}
            # Upstream calls it external here.
            name = _external_name(identifier)
        else:
            raise CountError(_NEITHER.format("object"))
    except (CountError, SelectorError) as error:
        text = f"failed to get object metric value: {inner}{error}"
        raise Unusable("FailedGetObjectMetric", str(error), text) from error
    shown = {"metric": _identified(identifier), "current": current, "describedObject": described}
    return Proposed(count.replicas, name, {"type": "Object", "object": shown})


def _pods(metric: Json, replicas: Replicas, calculator: ReplicaCalculator) -> Proposed:
    source = metric["pods"]
    identifier = source["metric"]
    target = _milli(source["target"]["averageValue"])
    try:
        selector = metrics_client.selector_of(identifier.get("selector"))
        count = calculator.by_pods_metric(replicas.spec, target, identifier["name"], selector)
    except (CountError, SelectorError) as error:
        text = f"failed to get pods metric value: {error}"
        raise Unusable("FailedGetPodsMetric", str(error), text) from error
    shown = {"metric": _identified(identifier), "current": {"averageValue": _text(count.usage)}}
    name = f"pods metric {identifier['name']}"
    return Proposed(count.replicas, name, {"type": "Pods", "pods": shown})


def _resource(metric: Json, replicas: Replicas, calculator: ReplicaCalculator) -> Proposed:
    source = metric["resource"]
    resource = source["name"]
    try:
        count, current, unit = _usage(source["target"], resource, "", replicas.spec, calculator)
    except CountError as error:
        text = f"failed to get {resource} resource metric value: {error}"
        raise Unusable("FailedGetResourceMetric", str(error), text) from error
    shown = {"name": resource, "current": current}
    name = f"{resource} resource{unit}"
    return Proposed(count.replicas, name, {"type": "Resource", "resource": shown})


def _container(metric: Json, replicas: Replicas, calculator: ReplicaCalculator) -> Proposed:
    source = metric["containerResource"]
    resource, container = source["name"], source["container"]
    target = source["target"]
    try:
        count, current, unit = _usage(target, resource, container, replicas.spec, calculator)
    except CountError as error:
        text = f"failed to get {container} container metric value: {error}"
        raise Unusable("FailedGetContainerResourceMetric", str(error), text) from error
    shown = {"name": resource, "current": current, "container": container}
    name = f"{resource} container resource{unit}" if unit else f"{resource} resource"
    return Proposed(count.replicas, name, {"type": "ContainerResource", "containerResource": shown})


def _usage(
    target: Json, resource: str, container: str, current: int, calculator: ReplicaCalculator
) -> tuple[ReplicaCount, Json, str]:
    """Usage of a resource, its status, and how its percentage is called, if it is one."""
    form = quantity.BINARY_SI if resource == "memory" else quantity.DECIMAL_SI
    if "averageValue" in target:
        target_milli = _milli(target["averageValue"])
        try:
            count = calculator.by_resource_value(current, target_milli, resource, container)
        except CountError as error:
            raise CountError(f"failed to get {resource} usage: {error}") from error
        return count, {"averageValue": _text(count.usage, form)}, ""
    if "averageUtilization" not in target:
        raise CountError(
            "invalid resource metric source: neither an average utilization target nor an average "
            "value (usage) target was set"
        )
    percent = target["averageUtilization"]
    try:
        count = calculator.by_utilization(current, percent, resource, container)
    except CountError as error:
        raise CountError(f"failed to get {resource} utilization: {error}") from error
    shown = {
        "averageValue": _text(count.usage, form),
        "averageUtilization": count.utilization,
    }
    return count, shown, " utilization (percentage of request)"


def _external(metric: Json, replicas: Replicas, calculator: ReplicaCalculator) -> Proposed:
    source = metric["external"]
    identifier, target = source["metric"], source["target"]
    name, selector = identifier["name"], identifier.get("selector")
    inner = ""
    try:
        if "averageValue" in target:
            inner = f"failed to get {name} external metric: "
            target_milli = _milli(target["averageValue"])
            count = calculator.by_external_average(replicas.status, target_milli, name, selector)
            current = {"averageValue": _text(count.usage)}
        elif "value" in target:
            inner = f"failed to get external metric {name}: "
            target_milli = _milli(target["value"])
            count = calculator.by_external_value(replicas.spec, target_milli, name, selector)
            current = {"value": _text(count.usage)}
        else:
            raise CountError(_NEITHER.format("external"))
    except (CountError, SelectorError) as error:
        text = f"failed to get {name} external metric value: {inner}{error}"
        raise Unusable("FailedGetExternalMetric", str(error), text) from error
    shown = {"metric": _identified(identifier), "current": current}
    return Proposed(
        count.replicas, _external_name(identifier), {"type": "External", "external": shown}
    )


_RULES: Final = {
    "Object": _object,
    "Pods": _pods,
    "Resource": _resource,
    "ContainerResource": _container,
    "External": _external,
}
_NEITHER: Final = (
    "invalid {} metric source: neither a value target nor an average value target was set"
)


def _milli(amount: Any) -> int:
    return quantity.milli_value_of(amount)


def _text(milli: int, form: str = quantity.DECIMAL_SI) -> str:
    return quantity.from_milli(milli, form).canonical


def _identified(identifier: Json) -> Json:
    return {key: identifier[key] for key in ("name", "selector") if key in identifier}


def _external_name(identifier: Json) -> str:
    selector = metrics_client.selector_text(identifier.get("selector"))
    return f"external metric {identifier['name']}({selector})"
