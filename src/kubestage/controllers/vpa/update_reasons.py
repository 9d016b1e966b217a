"""Why the updater disturbs a pod, as text: which request is off by what, or what happened to it.

The rules are those of `priority`; this is their text. Upstream's Events say only that there is a
recommendation, so the reason goes with them as an annotation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.vpa import capping, container_resources, priority
from kubestage.golang import durations
from kubestage.objects import quantity, timestamps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.store.store import Store


ANNOTATION: Final = "kubestage.dev/reason"
_MEBI: Final = 2**20


def reason(store: Store, vpa: Json, pod: Json, settings: VpaSettings, now_ns: int) -> str:
    """Why a pod that is due for an update is due now."""
    recommended = capping.apply(store, vpa, pod, pod["metadata"]["namespace"]).recommendations
    killed = [
        f"container {name} was OOM-killed {durations.go_string(lived_ns)} after its start"
        for name, lived_ns in priority.quick_ooms(pod, vpa, settings)
    ]
    reasons = killed + list(_out_of_range(pod, recommended))
    return "; ".join(reasons) or _aged(pod, recommended, now_ns)


def _out_of_range(pod: Json, recommended: dict[str, Json]) -> Iterator[str]:
    """The requests that are not within their bounds, with what they should be."""
    for name in priority.observed(pod, [each["name"] for each in pod["spec"]["containers"]]):
        recommendation = recommended.get(name)
        if recommendation is None:
            continue
        requests, _ = container_resources.resources_of(pod, name)
        for resource, target in recommendation["target"].items():
            request = requests.get(resource)
            aim = f"target {_amount(resource, target)}"
            if request is None:
                yield f"container {name} requests no {resource} ({aim})"
                continue
            for bound, way in (("lowerBound", "below"), ("upperBound", "above")):
                limit = (recommendation.get(bound) or {}).get(resource)
                if limit is not None and _is_beyond(request, limit, way):
                    has = f"{resource} request {_amount(resource, request)} of container {name}"
                    what = "lower" if way == "below" else "upper"
                    yield f"{has} is {way} the {what} bound {_amount(resource, limit)} ({aim})"


def _is_beyond(request: Any, limit: Any, way: str) -> bool:
    mine, theirs = quantity.of(request), quantity.of(limit)
    return mine < theirs if way == "below" else mine > theirs


def _aged(pod: Json, recommended: dict[str, Json], now_ns: int) -> str:
    diff = priority.priority_of(pod, recommended).resource_diff
    started = (pod.get("status") or {}).get("startTime")
    age = durations.go_string(now_ns - timestamps.parse_time(started)) if started else "some time"
    return f"requests differ from the target by {diff:.0%} and the pod has run for {age}"


def _amount(resource: str, amount: Any) -> str:
    if resource == "memory":
        return f"{quantity.value_of(amount) / _MEBI:.0f}Mi"
    return str(quantity.from_milli(quantity.milli_value_of(amount)))
