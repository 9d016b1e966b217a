"""Requests of a Poisson stream, with services by any law: those of a Traffic, and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage.traffic import draws, spec
from kubestage.traffic.feed import Feed
from kubestage.traffic.requests import FCFS, Service
from tests.traffic.building import traffic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Demands = tuple[Floats, NDArray[np.int64], Floats]

UNIT: Final = 1_000_000
"""The usual mean service, in ns: short, for requests are made by the second, many at a time."""

HYPEREXPONENTIAL: Final = "hyperexponential"
ERLANG: Final = "Erlang"
WRITTEN: Final = {
    "exponential": "exp({mean}ns)",
    "fixed": "{mean}ns",
    "lognormal": "lognormal({mean}ns,{half}ns)",
}
VARIATIONS: Final = {
    "exponential": 1.0,
    "fixed": 0.0,
    "lognormal": 0.25,
    HYPEREXPONENTIAL: 4.0,
    ERLANG: 0.25,
}
"""The squared coefficient of variation of each law."""


class System(NamedTuple):
    """A queue: a Poisson stream of requests, their services, and who serves them how.

    A service takes one unit of time on average, of CPU unless it is I/O.
    """

    name: str
    rate: float
    law: str = "exponential"
    service: Service = Service(FCFS)
    cores: float = 1.0
    replicas: int = 1
    is_io: bool = False
    unit_ns: int = UNIT


class Supply:
    """A Feed that keeps what it told.

    A law that a Traffic has no name for replaces the CPU times that the Traffic would have had.
    """

    def __init__(self, system: System, end_ns: int, *, seed: int) -> None:
        self._system = system
        self._feed = _feed(system, end_ns, seed)
        self.begin_ns = self._feed.begin_ns
        self._stream = draws.stream_of(seed, system.name, system.law)
        self._told: list[Floats] = []

    @property
    def service_ns(self) -> Floats:
        """The services that were asked for, in the order of arrival."""
        return np.concatenate(self._told)

    def arrivals(self, end_ns: int) -> NDArray[np.int64]:
        return self._feed.arrivals(end_ns)

    def next_after(self, now_ns: int) -> int | None:
        return self._feed.next_after(now_ns)

    def demands(self, count: int) -> Demands:
        service_ns, none, luck = self._feed.demands(count)
        if self._system.law not in WRITTEN:
            service_ns = np.rint(draw(self._system.law, self._stream, count) * self._system.unit_ns)
        self._told.append(service_ns)
        if self._system.is_io:
            return np.zeros(count), service_ns.astype(np.int64), luck
        return service_ns, none, luck


def draw(law: str, stream: np.random.Generator, count: int) -> Floats:
    """Draws of a law with mean 1."""
    if law == ERLANG:
        return stream.standard_gamma(4, count) / 4
    assert law == HYPEREXPONENTIAL
    # Two exponential laws with balanced means.
    chance = (1 + (3 / 5) ** 0.5) / 2
    share = np.where(stream.random(count) < chance, chance, 1 - chance)
    drawn: Floats = stream.standard_exponential(count) / (2 * share)
    return drawn


def _feed(system: System, end_ns: int, seed: int) -> Feed:
    unit_ns = system.unit_ns
    cpu = WRITTEN.get(system.law, WRITTEN["fixed"]).format(mean=unit_ns, half=unit_ns // 2)
    more: dict[str, Any] = {
        "request": {"cpu": cpu, "io": "0s", "timeout": "forever"},
        "duration": f"{end_ns}ns",
    }
    made = traffic({"poisson": {"rps": system.rate * 1_000_000_000 / unit_ns}}, **more)
    return Feed(spec.read(made), seed, system.name, 0)
