"""When a container counts as started, ready or sick, by its probes.

Probes succeed unless an annotation says that they fail, or the container's program is modelled
(`probing`). What remains of them is time: a worker probes every ``periodSeconds``, not before
``initialDelaySeconds``, up to its threshold.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage.units import SECOND_NS


class Probe(msgspec.Struct, frozen=True, eq=False):
    """One probe; `fails` if it never succeeds. `stated` is the probe as the pod has it."""

    delay_ns: int
    period_ns: int
    successes: int
    failures: int
    fails: bool
    output: str
    stated: dict[str, Any] = msgspec.field(default_factory=dict)

    def first_round_ns(self, after_ns: int) -> int:
        """When its first round is that counts, for rounds that start some time later."""
        if self.delay_ns <= after_ns:
            return after_ns
        rounds = -(-(self.delay_ns - after_ns) // self.period_ns)
        return after_ns + rounds * self.period_ns

    def succeeds_ns(self, after_ns: int) -> int:
        """When it has succeeded often enough."""
        return self.first_round_ns(after_ns) + (self.successes - 1) * self.period_ns

    def gives_up_ns(self, after_ns: int) -> int:
        """When it has failed often enough."""
        return self.first_round_ns(after_ns) + (self.failures - 1) * self.period_ns


def read_probe(container: dict[str, Any], name: str, failing: frozenset[str]) -> Probe | None:
    """The startup, liveness or readiness probe of a container."""
    probe = container.get(f"{name}Probe")
    if probe is None:
        return None
    return Probe(
        (probe.get("initialDelaySeconds") or 0) * SECOND_NS,
        (probe.get("periodSeconds") or 10) * SECOND_NS,
        probe.get("successThreshold") or 1,
        probe.get("failureThreshold") or 3,
        name in failing,
        _output(probe),
        probe,
    )


def _output(probe: dict[str, Any]) -> str:
    """What the probe of a broken container has to say."""
    if "httpGet" in probe:
        return "HTTP probe failed with statuscode: 500"
    if "grpc" in probe:
        return 'service unhealthy (responded with "NOT_SERVING")'
    if "tcpSocket" in probe:
        return "connect: connection refused"
    return ""
