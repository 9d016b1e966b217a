"""What a Traffic object says is read with its defaults."""

from __future__ import annotations

from kubestage.objects.distributions import Distribution
from kubestage.traffic import spec
from kubestage.traffic.requests import Service
from tests.traffic.building import SECOND, traffic

POISSON = {"poisson": {"rps": 1}}


def test_what_is_not_said_is_as_skenario_proposes() -> None:
    read = spec.read(traffic(POISSON))
    assert read == spec.Spec(
        target={"kind": "Deployment", "name": "web"},
        pattern=POISSON,
        cpu=Distribution("constant", SECOND / 5),
        io=Distribution("constant", SECOND / 5),
        service=Service("ProcessorSharing", None, None, 10 * SECOND, "RoundRobin"),
    )


def test_everything_that_is_said_is_read() -> None:
    made = traffic(
        POISSON,
        container="web",
        startAfter="1m",
        duration="1h",
        request={"cpu": "exp(10ms)", "io": "0s", "timeout": "1500ms"},
        routing="LeastRequests",
        service={"discipline": "FCFS", "workers": 4, "maxRequests": 100},
    )
    read = spec.read(made)
    assert (read.container, read.start_after_ns, read.duration_ns) == (
        "web", 60 * SECOND, 3600 * SECOND,
    )  # fmt: skip
    assert (read.cpu, read.io) == (Distribution("exp", SECOND / 100), Distribution("constant", 0))
    assert read.service == Service("FCFS", 4, 100, 3 * SECOND // 2, "LeastRequests")


def test_a_request_can_be_waited_for_forever() -> None:
    assert spec.read(traffic(POISSON, request={"timeout": "forever"})).service.timeout_ns is None
