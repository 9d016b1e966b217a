"""What a VerticalPodAutoscaler recommends, beside what its pods request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_RESOURCES: Final = ("cpu", "memory")


class VpaBounds(msgspec.Struct, frozen=True):
    """A recommendation for one resource of one container, in cores or bytes.

    `request` is what the pods of the target request, on average; None if there are none.
    """

    container: str
    resource: str
    lower: float | None
    target: float | None
    upper: float | None
    request: float | None


def bounds(vpa: Json, pods: Sequence[Json]) -> Iterator[VpaBounds]:
    """All that a VPA recommends at the moment."""
    recommendations = ((vpa.get("status") or {}).get("recommendation") or {}).get(
        "containerRecommendations"
    )
    for each in recommendations or ():
        container = str(each.get("containerName"))
        for resource in _RESOURCES:
            if resource not in (each.get("target") or {}):
                continue
            lower, target, upper = (
                _amount((each.get(field) or {}).get(resource))
                for field in ("lowerBound", "target", "upperBound")
            )
            request = _request(pods, container, resource)
            yield VpaBounds(container, resource, lower, target, upper, request)


def _request(pods: Sequence[Json], container: str, resource: str) -> float | None:
    found = [
        _amount(((each.get("resources") or {}).get("requests") or {}).get(resource))
        for pod in pods
        for each in pod["spec"]["containers"]
        if each["name"] == container
    ]
    known = [each for each in found if each is not None]
    return sum(known) / len(known) if known else None


def _amount(value: Any) -> float | None:
    return None if value is None else quantity.milli_value_of(value) / 1000
