"""Traffic while a cluster runs: requests a second, replicas and response times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.stage import Stage

_MOST: Final = 6
_SLOW: Final = 95


class TrafficRate(msgspec.Struct, frozen=True):
    """What one Traffic counted since the last observation."""

    name: str
    rps: float
    p95_ms: float | None
    """None if no request ended."""
    active: int
    desired: int | None
    failed: int


class _Mark(msgspec.Struct, frozen=True):
    at_ns: int
    arrived: int
    responses: Any


class TrafficRates:
    """Compares what each Traffic has counted with what it had counted before."""

    def __init__(self) -> None:
        self._marks: dict[str, _Mark] = {}

    def observe(self, stage: Stage) -> list[TrafficRate]:
        """The first few Traffics as they are now."""
        if stage.traffic is None or not stage.traffic.streams:
            return []
        stage.traffic.catch_up()
        now_ns = stage.clock.now_ns
        found = []
        for key, stream in sorted(stage.traffic.streams.items())[:_MOST]:
            record = stream.record
            last = self._marks.get(key)
            if last is None or last.arrived > record.arrived:
                last = _Mark(0, 0, None)
            passed = (now_ns - last.at_ns) / SECOND_NS
            rps = (record.arrived - last.arrived) / passed if passed else 0.0
            slow = record.percentiles_since(last.responses, (_SLOW,)).get(_SLOW)
            p95_ms = None if slow is None else slow / 1_000_000
            active = stream.replicas.active.count
            found.append(TrafficRate(key, rps, p95_ms, active, stream.desired(), record.failed))
            self._marks[key] = _Mark(now_ns, record.arrived, record.mark())
        return found
