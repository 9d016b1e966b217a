"""The spec of a ``Traffic`` object, read once, with its defaults.

The object is known to be sound: `objects.validation.traffics` has seen it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.golang import durations
from kubestage.objects import distributions
from kubestage.traffic.requests import Service

if TYPE_CHECKING:
    from kubestage.objects.distributions import Distribution


FOR_EVER: Final = "forever"
# What Skenario's page proposes.
CPU: Final = "200ms"
IO: Final = "200ms"
TIMEOUT: Final = "10s"


class Spec(msgspec.Struct, frozen=True):
    """The spec of a Traffic.

    `target` is as it was written: kind and name. Without a `container` requests use the first one
    of a pod. Times count from when the object, or its pattern, came up.
    """

    target: Json
    pattern: Json
    cpu: Distribution
    io: Distribution
    service: Service
    container: str | None = None
    start_after_ns: int = 0
    duration_ns: int | None = None


def arrivals_of(spec: Spec) -> tuple[Json, int, int | None]:
    """The part of a spec about when requests come."""
    return spec.pattern, spec.start_after_ns, spec.duration_ns


def read(traffic: Json) -> Spec:
    """The spec of a Traffic object."""
    spec = traffic["spec"]
    request = spec.get("request") or {}
    duration = spec.get("duration")
    return Spec(
        target=spec["target"],
        pattern=spec["pattern"],
        cpu=distributions.parse(request.get("cpu", CPU)),
        io=distributions.parse(request.get("io", IO)),
        service=_service(spec, request.get("timeout", TIMEOUT)),
        container=spec.get("container") or None,
        start_after_ns=durations.parse_duration(spec.get("startAfter", "0s")),
        duration_ns=None if duration is None else durations.parse_duration(duration),
    )


def _service(spec: Json, timeout: str) -> Service:
    service = spec.get("service") or {}
    written: Json = {
        "discipline": service.get("discipline"),
        "workers": service.get("workers"),
        "max_requests": service.get("maxRequests"),
        "routing": spec.get("routing"),
        "timeout_ns": None if timeout == FOR_EVER else durations.parse_duration(timeout),
    }
    return Service(**{name: value for name, value in written.items() if value is not None})
