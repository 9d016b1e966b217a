"""What a HorizontalPodAutoscaler sees and wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object

_SHOWN: Final = 2


def scale(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a Scale."""
    return [
        cells.name(obj),
        cells.number(obj, "spec", "replicas"),
        cells.number(obj, "status", "replicas"),
        cells.age(obj, now_ns),
    ]


def horizontal_pod_autoscaler(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a HorizontalPodAutoscaler."""
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


def _metric(spec: Object, status: Object) -> str:
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


def _quantity(holder: Object, field: str) -> str:
    return cells.quantity_text(holder.get(field))


def _current(status: Object | None, field: str = "averageValue") -> str:
    """What is measured; a metric that is there without the value prints as Go prints nil."""
    return cells.UNKNOWN if status is None else _quantity(cells.part(status, "current"), field)


def _plain(source: Object, status: Object | None) -> str:
    """A metric of the cluster or of an object: an average over pods, or the value itself."""
    target = cells.part(source, "target")
    if target.get("averageValue") is None:
        return f"{_current(status, 'value')}/{_quantity(target, 'value')}"
    current = cells.UNKNOWN
    if status is not None and cells.part(status, "current").get("averageValue") is not None:
        current = _current(status)
    return f"{current}/{_quantity(target, 'averageValue')} (avg)"


def _resource(source: Object, status: Object | None) -> str:
    target = cells.part(source, "target")
    resource = cells.text(source, "name")
    if target.get("averageValue") is not None:
        return f"{resource}: {_current(status)}/{_quantity(target, 'averageValue')}"
    used = cells.part(status or {}, "current").get("averageUtilization")
    wanted = target.get("averageUtilization")
    current = cells.UNKNOWN if used is None else f"{used}%"
    return f"{resource}: {current}/{'<auto>' if wanted is None else f'{wanted}%'}"
