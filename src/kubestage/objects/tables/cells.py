"""Cells that many kinds share: ages, containers, selectors."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import ages, labels, quantity, timestamps

Object = dict[str, Any]
# A cell is what JSON can hold: text, a number, a boolean, or nothing.
Cell = str | int | float | bool | None

NONE: Final = "<none>"
UNSET: Final = "<unset>"
UNKNOWN: Final = "<unknown>"

# Go's zero time, 0001-01-01T00:00:00Z, stands for "never".
ZERO_TIME_NS: Final = -62_135_596_800 * 1_000_000_000
_LONGEST_NS: Final = 2**63 - 1


def part(obj: Object, *path: str) -> Object:
    """The object at a path, empty where there is none."""
    for key in path:
        obj = obj.get(key) or {}
    return obj


def items(obj: Object, *path: str) -> list[Any]:
    """The list at a path, empty where there is none."""
    found = part(obj, *path[:-1]).get(path[-1])
    return found if isinstance(found, list) else []


def text(obj: Object, *path: str) -> str:
    """The text at a path, empty where there is none."""
    found = part(obj, *path[:-1]).get(path[-1])
    return found if isinstance(found, str) else ""


def number(obj: Object, *path: str) -> int:
    """The integer at a path, 0 where there is none."""
    found = part(obj, *path[:-1]).get(path[-1])
    return found if isinstance(found, int) else 0


def name(obj: Object) -> str:
    """The name of an object."""
    return text(obj, "metadata", "name")


def instant(value: Any) -> int:
    """Nanoseconds of a timestamp, the zero time for none."""
    return timestamps.parse_time(value) if isinstance(value, str) and value else ZERO_TIME_NS


def span(duration_ns: int) -> str:
    """A duration for people; Go's durations end at 292 years."""
    return ages.human(max(-_LONGEST_NS - 1, min(_LONGEST_NS, duration_ns)))


def since(value: Any, now_ns: int) -> str:
    """How long ago a timestamp was."""
    at_ns = instant(value)
    return UNKNOWN if at_ns == ZERO_TIME_NS else span(now_ns - at_ns)


def age(obj: Object, now_ns: int) -> str:
    """How long ago an object was created."""
    return since(part(obj, "metadata").get("creationTimestamp"), now_ns)


def name_and_age(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of kinds that show nothing else."""
    return [name(obj), age(obj, now_ns)]


def is_deleted(obj: Object) -> bool:
    """Whether an object is on its way out."""
    return part(obj, "metadata").get("deletionTimestamp") is not None


def containers(pod_spec: Object) -> tuple[str, str]:
    """Names and images of a pod's containers."""
    listed = items(pod_spec, "containers")
    return (
        ",".join(text(container, "name") for container in listed),
        ",".join(text(container, "image") for container in listed),
    )


def template_containers(obj: Object) -> tuple[str, str]:
    """Names and images of the containers of a workload's pods."""
    return containers(part(obj, "spec", "template", "spec"))


def replicas(obj: Object, now_ns: int) -> list[Cell]:
    """The first cells of a ReplicaSet or ReplicationController."""
    return [
        name(obj),
        number(obj, "spec", "replicas"),
        number(obj, "status", "replicas"),
        number(obj, "status", "readyReplicas"),
        age(obj, now_ns),
        *template_containers(obj),
    ]


def label_text(label_set: Object | None) -> str:
    """Labels, or the word for none."""
    return labels.format_labels(label_set)


def selector_text(selector: Object | None) -> str:
    """A label selector, or the word for one that selects everything."""
    return labels.format_label_selector(selector)


def quantity_text(value: Any) -> str:
    """A quantity as the API prints it; Go's word for a missing one."""
    return "<nil>" if value is None else str(quantity.of(value))


def first_few(listed: list[str], limit: int) -> str:
    """The first elements, and how many more there are."""
    shown = ",".join(listed[:limit])
    more = len(listed) - limit
    return f"{shown} + {more} more..." if more > 0 else shown


def load_balancer(obj: Object) -> str:
    """The addresses that a load balancer reports."""
    points = items(obj, "status", "loadBalancer", "ingress")
    found = {text(point, "ip") or text(point, "hostname") for point in points}
    return ",".join(sorted(found - {""}))
