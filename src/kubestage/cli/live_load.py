"""Traffic at a glance while a cluster lives: requests a second, replicas, how quick they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.stage import Stage

_MOST: Final = 6
_SLOW: Final = 95


class Seen(msgspec.Struct, frozen=True):
    """How one Traffic has fared since the last look: p95 in milliseconds, None if none ended."""

    name: str
    rps: float
    p95_ms: float | None
    active: int
    wanted: int | None
    failed: int


class _Mark(msgspec.Struct, frozen=True):
    at_ns: int
    arrived: int
    responses: Any


class Load:
    """Compares what each Traffic has counted with what it had counted at the last look."""

    def __init__(self) -> None:
        self._marks: dict[str, _Mark] = {}

    def look(self, stage: Stage) -> list[Seen]:
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
            found.append(Seen(key, rps, p95_ms, active, stream.wanted(), record.failed))
            self._marks[key] = _Mark(now_ns, record.arrived, record.mark())
        return found
