"""What a HorizontalPodAutoscaler goes by: each of its metrics, as it is and as it should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator


PERCENT: Final = "%"
CORES: Final = "cores"
BYTES: Final = "bytes"
PLAIN: Final = ""
_PLACES: Final = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}
_RESOURCE_UNITS: Final = {"cpu": CORES, "memory": BYTES}


class MetricReading(msgspec.Struct, frozen=True):
    """One metric: its name, its unit, what is measured (None: nothing) and what is aimed at."""

    metric: str
    unit: str
    current: float | None
    target: float | None


def readings(hpa: Json) -> Iterator[MetricReading]:
    """The metrics of an HPA in the order of its spec."""
    metrics = (hpa.get("status") or {}).get("currentMetrics") or ()
    current = {_identity(each): each for each in metrics if each}
    for spec in (hpa.get("spec") or {}).get("metrics") or ():
        identity = _identity(spec)
        part = spec.get(_PLACES.get(identity[0], "")) or {}
        field, aimed = _stated(part.get("target") or {})
        if field is None:
            continue
        found = current.get(identity) or {}
        value = (found.get(_PLACES[identity[0]]) or {}).get("current") or {}
        resource = part.get("name") if "Resource" in identity[0] else None
        unit = (
            PERCENT if field == "averageUtilization" else _RESOURCE_UNITS.get(str(resource), PLAIN)
        )
        yield MetricReading(_title(identity, field), unit, _number(value.get(field)), aimed)


def _identity(metric: Json) -> tuple[str, str, str]:
    """Type, name, and whose it is."""
    kind = str(metric.get("type"))
    part = metric.get(_PLACES.get(kind, "")) or {}
    name = part.get("name") or (part.get("metric") or {}).get("name") or ""
    described = part.get("describedObject") or {}
    whose = part.get("container") or described.get("name") or ""
    return kind, str(name), str(whose)


def _stated(target: Json) -> tuple[str | None, float | None]:
    for field in ("averageUtilization", "averageValue", "value"):
        if target.get(field) is not None:
            return field, _number(target[field])
    return None, None


def _number(value: Any) -> float | None:
    return None if value is None else quantity.milli_value_of(value) / 1000


def _title(identity: tuple[str, str, str], field: str) -> str:
    kind, name, whose = identity
    what = f"{name} utilization" if field == "averageUtilization" else name
    if field == "averageValue":
        what = f"{name} per pod"
    return f"{what} of {whose}" if whose and kind in ("ContainerResource", "Object") else what
