"""The part of an object that describes its pods: read, and replaced in a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

_TEMPLATE: Final = ("spec", "template", "spec")
_PATHS: Final = {
    "Pod": ("spec",),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}
REPLICAS: Final = {
    "Deployment": "replicas",
    "ReplicaSet": "replicas",
    "ReplicationController": "replicas",
    "StatefulSet": "replicas",
    "Job": "parallelism",
}
"""The field that says how many pods there are at once."""


def spec_of(obj: Json) -> Json:
    """The spec of an object's pods; empty if it has none."""
    found: Any = obj
    for part in _PATHS.get(str(obj.get("kind")), _TEMPLATE):
        found = found.get(part) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def with_spec(obj: Json, spec: Json) -> Json:
    """The object with another spec of its pods."""
    return changed(obj, _PATHS.get(str(obj.get("kind")), _TEMPLATE), lambda _: spec)


def changed(value: Json, path: tuple[str, ...], change: Callable[[Any], Any]) -> Json:
    """A copy in which one field is changed; what is not on its way is shared."""
    first, *rest = path
    part = value.get(first)
    if rest:
        return {**value, first: changed(part or {}, tuple(rest), change)}
    return {**value, first: change(part)}


def replicas_of(obj: Json) -> int | None:
    """How many pods an object makes at once; None if that is not in it."""
    field = REPLICAS.get(str(obj.get("kind")))
    if field is None:
        return None
    number = (obj.get("spec") or {}).get(field)
    return 1 if number is None else int(number)


def with_replicas(obj: Json, number: int) -> Json:
    """The object with another number of pods."""
    field = REPLICAS[obj["kind"]]
    if obj["kind"] == "Job" and (obj["spec"].get("completions") or number) < number:
        obj = changed(obj, ("spec", "completions"), lambda _: number)
    return changed(obj, ("spec", field), lambda _: number)


def containers(spec: Json) -> list[Json]:
    """The containers of a pod, init containers left out."""
    found = spec.get("containers")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
