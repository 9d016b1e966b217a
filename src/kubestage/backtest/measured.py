"""The metrics APIs of a backtest: they know what was measured, and nothing else."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.controllers.hpa.metrics_client import PodMetric
from kubestage.metrics.board import MetricsError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.backtest.series import Frame
    from kubestage.backtest.target import Replicas
    from kubestage.objects.labels import Selector


_MILLI: Final = 1000
_WINDOW_NS: Final = 15 * 1_000_000_000


class Measured:
    """Answers for the replicas of one moment; `load` is the first total that was asked for."""

    def __init__(self, frame: Frame, replicas: Replicas, now_ns: int) -> None:
        self._frame = frame
        self._replicas = replicas
        self._now_ns = now_ns
        self.load: float | None = None

    def resource(self, resource: str, container: str) -> dict[str, PodMetric]:
        """What pods use; what was measured is taken to be of whichever container is meant."""
        del container
        return self._shared(self._total(resource, "resource"))

    def raw(self, metric: str, selector: Selector) -> dict[str, PodMetric]:
        """A custom metric of pods."""
        del selector
        return self._shared(self._total(metric, "custom"))

    def of_object(self, metric: str, reference: Json, selector: Selector) -> int:
        """A metric of some object is the total."""
        del reference, selector
        return _milli(self._total(metric, "custom"))

    def external(self, metric: str, selector: Selector) -> list[int]:
        """So is an external one."""
        del selector
        return [_milli(self._total(metric, "external"))]

    def _total(self, metric: str, api: str) -> float:
        found = self._frame.values.get(metric)
        if found is None:
            raise MetricsError(f"no metrics returned from {api} metrics API")
        if self.load is None:
            self.load = found
        return found

    def _shared(self, total: float) -> dict[str, PodMetric]:
        """The same for each that is ready: an HPA looks at sums, so it matters not whose it is."""
        names = self._replicas.ready(self._now_ns)
        if not names:
            return {}
        part = PodMetric(self._now_ns, _WINDOW_NS, _milli(total / len(names)))
        return dict.fromkeys(names, part)


def _milli(value: float) -> int:
    """Thousandths, rounded up as quantities are, but not for the crumbs of binary fractions."""
    return math.ceil(round(value * _MILLI, 6))
