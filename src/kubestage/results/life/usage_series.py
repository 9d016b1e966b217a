"""What the pods of a served cluster use, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.units import SECOND_NS

with lazy.imports():
    from kubestage.results.life import thinning

if TYPE_CHECKING:
    from kubestage.metrics.scraper import Metrics, Scrape

MOST_USAGES: Final = 2_000
_NANOS: Final = 1_000_000_000


class UsageSeries:
    """What all pods use, at each scrape of the metrics, in bounded memory.

    It is not pickled with a stage: what a copy uses is not part of the record.
    """

    def __init__(self) -> None:
        self.rows: list[tuple[int, float]] = []
        self._metrics: Metrics | None = None

    def follow(self, metrics: Metrics | None) -> None:
        """Be called at each scrape of these metrics, if it is not so already."""
        if metrics is not None and metrics is not self._metrics:
            self._metrics = metrics
            metrics.on_scrape(self)

    def __call__(self, _scrape: Scrape) -> None:
        """Add what the metrics have now; that is of the last scrape that has arrived."""
        assert self._metrics is not None
        cores = self._metrics.board.cpu_nanos() / _NANOS
        self.rows.append((self._metrics.environment.clock.unix_ns, cores))
        thinning.every_second(self.rows, MOST_USAGES)

    def __reduce__(self) -> tuple[type[NoUsage], tuple[()]]:
        return (NoUsage, ())

    def since(self, begin_ns: int) -> list[tuple[float, float]]:
        """All of it, by seconds since a moment."""
        return [((at_ns - begin_ns) / SECOND_NS, cores) for at_ns, cores in self.rows]


class NoUsage:
    """Stands in on a copy of a stage."""

    def __call__(self, _scrape: Scrape) -> None:
        """Forget it."""
