"""What the API does to a HorizontalPodAutoscaler.

Whether an autoscaler may go down to no replica is a feature gate, which is off; one that already
may is left alone. Both versions have the rules of the stored one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import markers, quantity
from kubestage.objects.conversion import autoscaling as conversion
from kubestage.objects.defaulting import round_trip
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, metric_specs, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_SPEC: Final = "autoscaling/v2.HorizontalPodAutoscalerSpec"
_STATUS: Final = "autoscaling/v2.HorizontalPodAutoscalerStatus"
_SHOWN: Final = 2
_ANNOTATIONS: Final = (
    "autoscaling.alpha.kubernetes.io/metrics",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/behavior",
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
)


def _default(obj: Json, sent: Json, _: str | None) -> None:
    """80 % of CPU, and how fast to follow it.

    An empty list of scaling policies means "none", a missing one "the usual"; only the object as
    it was sent shows that difference.
    """
    spec = obj["spec"]
    spec.setdefault("minReplicas", 1)
    if "metrics" not in spec:
        target = {"type": "Utilization", "averageUtilization": 80}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    behavior = spec.get("behavior")
    if behavior is not None:
        sent_behavior = sent["spec"]["behavior"]
        for name, usual in (("scaleUp", _scale_up()), ("scaleDown", _scale_down())):
            rules = behavior.setdefault(name, {})
            if (sent_behavior.get(name) or {}).get("policies") is not None:
                usual.pop("policies")
            for key, value in usual.items():
                rules.setdefault(key, value)


def _default_v1(obj: Json) -> None:
    """The metrics get their defaults when the object is converted."""
    obj["spec"].setdefault("minReplicas", 1)


def _scale_up() -> Json:
    return {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
        "policies": [_policy("Pods", 4), _policy("Percent", 100)],
    }


def _scale_down() -> Json:
    return {"selectPolicy": "Max", "policies": [_policy("Percent", 100)]}


def _policy(kind: str, value: int) -> Json:
    return {"type": kind, "value": value, "periodSeconds": 15}


def _round_trip(obj: Json) -> None:
    round_trip.drop_annotations(obj["metadata"], _ANNOTATIONS)


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj.get("spec") or {}, {})


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """What was wrong before may stay."""
    return _validate_spec(new.get("spec") or {}, old.get("spec") or {})


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    return markers.check(_STATUS, new.get("status") or {}, "status")


def _validate_spec(spec: Json, old: Json) -> list[FieldError]:
    errors = _validate_bounds(spec, 0 if old.get("minReplicas") == 0 else 1)
    target = spec.get("scaleTargetRef") or {}
    was = old.get("scaleTargetRef") or {}
    same = bool(old) and all(target.get(key) == was.get(key) for key in ("apiVersion", "kind"))
    errors += metric_specs.validate_reference(
        target,
        "spec.scaleTargetRef",
        allow_any=same,
        allow_no_group=target.get("kind") == "ReplicationController",
    )
    wrong_already = any(map(metric_specs.refers_wrongly, old.get("metrics") or ()))
    errors += metric_specs.validate_metrics(spec, allow_any=wrong_already)
    behavior = spec.get("behavior") or {}
    for name in ("scaleUp", "scaleDown"):
        if behavior.get(name) is not None:
            errors += _validate_rules(behavior[name], f"spec.behavior.{name}")
    return errors


def _validate_bounds(spec: Json, lowest: int) -> list[FieldError]:
    errors: list[FieldError] = []
    least, most = spec.get("minReplicas"), spec.get("maxReplicas", 0)
    if least is not None and least < lowest:
        detail = f"must be greater than or equal to {lowest}"
        errors.append(field.invalid("spec.minReplicas", least, detail))
    errors += markers.check(_SPEC, spec, "spec", "maxReplicas")
    if least is not None and most < least:
        detail = "must be greater than or equal to `minReplicas`"
        errors.append(field.invalid("spec.maxReplicas", most, detail))
    return errors


def _validate_rules(rules: Json, path: str) -> list[FieldError]:
    errors = markers.check("autoscaling/v2.HPAScalingRules", rules, path)
    tolerance = rules.get("tolerance")
    if tolerance is not None and quantity.of(tolerance).sign < 0:
        shown = str(quantity.of(tolerance))
        errors.append(field.invalid(f"{path}.tolerance", shown, names.NOT_NEGATIVE))
    return errors


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    target = cells.part(spec, "scaleTargetRef")
    lowest = spec.get("minReplicas")
    return [
        cells.name(obj),
        f"{cells.text(target, 'kind')}/{cells.text(target, 'name')}",
        _metrics(cells.items(spec, "metrics"), cells.items(obj, "status", "currentMetrics")),
        cells.UNSET if lowest is None else str(lowest),
        cells.number(spec, "maxReplicas"),
        cells.number(obj, "status", "currentReplicas"),
        cells.age(obj, now_ns),
    ]


def _metrics(specs: list[Any], statuses: list[Any]) -> str:
    if not specs:
        return cells.NONE
    shown = [
        _metric(spec, statuses[index] if index < len(statuses) else {})
        for index, spec in enumerate(specs)
    ]
    text = ", ".join(shown[:_SHOWN])
    more = len(shown) - _SHOWN
    return f"{text} + {more} more..." if more > 0 else text


def _metric(spec: Json, status: Json) -> str:
    kind = spec.get("type")
    if kind == "External":
        return _plain(cells.part(spec, "external"), status.get("external"))
    if kind == "Object":
        return _plain(cells.part(spec, "object"), status.get("object"))
    if kind == "Pods":
        target = cells.part(spec, "pods", "target")
        return f"{_current(status.get('pods'))}/{_quantity(target, 'averageValue')}"
    if kind == "Resource":
        return _resource(cells.part(spec, "resource"), status.get("resource"))
    if kind == "ContainerResource":
        return _resource(cells.part(spec, "containerResource"), status.get("containerResource"))
    return "<unknown type>"


def _quantity(holder: Json, field: str) -> str:
    return cells.quantity_text(holder.get(field))


def _current(status: Json | None, field: str = "averageValue") -> str:
    """The current value; a metric without it prints as Go prints nil."""
    return cells.UNKNOWN if status is None else _quantity(cells.part(status, "current"), field)


def _plain(source: Json, status: Json | None) -> str:
    """A metric of the cluster or of an object: an average over pods, or the value itself."""
    target = cells.part(source, "target")
    if target.get("averageValue") is None:
        return f"{_current(status, 'value')}/{_quantity(target, 'value')}"
    current = cells.UNKNOWN
    if status is not None and cells.part(status, "current").get("averageValue") is not None:
        current = _current(status)
    return f"{current}/{_quantity(target, 'averageValue')} (avg)"


def _resource(source: Json, status: Json | None) -> str:
    target = cells.part(source, "target")
    resource = cells.text(source, "name")
    if target.get("averageValue") is not None:
        return f"{resource}: {_current(status)}/{_quantity(target, 'averageValue')}"
    used = cells.part(status or {}, "current").get("averageUtilization")
    desired = target.get("averageUtilization")
    current = cells.UNKNOWN if used is None else f"{used}%"
    return f"{resource}: {current}/{'<auto>' if desired is None else f'{desired}%'}"


KINDS: Final = (
    Kind(
        group="autoscaling",
        version="v2",
        kind="HorizontalPodAutoscaler",
        plural="horizontalpodautoscalers",
        short_names=("hpa",),
        categories=("all",),
        subresources=frozenset({"status"}),
        declared=Behavior(
            default_from_sent=_default,
            round_trip=_round_trip,
            empty_lists=(("status", "currentMetrics"),),
            validate=_validate,
            validate_update={"": _validate_update, "status": _validate_status},
            cells=_cells,
        ),
    ),
    Kind(
        group="autoscaling",
        version="v1",
        kind="HorizontalPodAutoscaler",
        plural="horizontalpodautoscalers",
        short_names=("hpa",),
        categories=("all",),
        subresources=frozenset({"status"}),
        stored_as=("autoscaling/v2", "HorizontalPodAutoscaler"),
        declared=Behavior(
            default=_default_v1,
            to_stored=conversion.to_v2,
            to_served=conversion.from_v2,
            validate=_validate,
            validate_update={"": _validate_update, "status": _validate_status},
        ),
    ),
)
