"""How long pods ran that ended by themselves: they run as long in a replay."""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.kubelet.annotations import PREFIX
from kubestage.controllers.ownership import controller_of
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

_ANNOTATION: Final = f"{PREFIX}run-duration"
_scheduled: Final = re.compile(r"(.+)-[0-9]{8,}").fullmatch

Owner = tuple[str, str, str]


class RunDurations:
    """Seconds that pods ran, by who made them: a Job, a CronJob, or the pod's own name."""

    def __init__(self, pods: Iterable[Json]) -> None:
        self._seconds: dict[Owner, list[float]] = {}
        for pod in pods:
            seconds = _seconds(pod)
            if seconds is None:
                continue
            for owner in _owners(pod):
                self._seconds.setdefault(owner, []).append(seconds)

    def annotated(self, obj: Json) -> Json:
        """An object whose pods run as long as those that were recorded; otherwise the same."""
        metadata = obj["metadata"]
        known = self._seconds.get((obj["kind"], metadata.get("namespace") or "", metadata["name"]))
        if known is None:
            return obj
        return _with_annotation(obj, f"{statistics.median(known):g}s")


def _owners(pod: Json) -> list[Owner]:
    metadata = pod["metadata"]
    namespace = metadata.get("namespace") or ""
    owner = controller_of(pod)
    if owner is None:
        return [("Pod", namespace, metadata["name"])]
    if owner["kind"] != "Job":
        return []
    found = [("Job", namespace, str(owner["name"]))]
    match = _scheduled(owner["name"])
    return found if match is None else [*found, ("CronJob", namespace, match[1])]


def _seconds(pod: Json) -> float | None:
    """How long the longest container ran; None while one of them runs."""
    if (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed"):
        return None
    found = []
    for each in pod["status"].get("containerStatuses") or ():
        ended = (each.get("state") or {}).get("terminated") or {}
        if not ended.get("startedAt") or not ended.get("finishedAt"):
            return None
        begin, end = (timestamps.parse_time(ended[key]) for key in ("startedAt", "finishedAt"))
        found.append((end - begin) / SECOND_NS)
    return max(found, default=None)


def _with_annotation(obj: Json, value: str) -> Json:
    path: tuple[str, ...] = {
        "Job": ("spec", "template"),
        "CronJob": ("spec", "jobTemplate", "spec", "template"),
    }.get(obj["kind"], ())
    found: Json = _replaced(obj, (*path, "metadata", "annotations", _ANNOTATION), value)
    return found


def _replaced(obj: Any, path: tuple[str, ...], value: str) -> Any:
    if not path:
        return value
    first, *rest = path
    inner = (obj or {}).get(first)
    return {**(obj or {}), first: _replaced(inner, tuple(rest), value)}
