"""From what was seen of containers to an amount that they need: a chain of small steps.

Every step gives a whole number and drops the rest, so the order in which they are chained matters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import msgspec

from kubestage.controllers.vpa import amounts
from kubestage.controllers.vpa.histogram import elapsed_ns
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from kubestage.controllers.vpa.aggregate_state import AggregateContainerState


class Estimator(Protocol):
    """One step, or the chain that ends with it."""

    def estimate(self, state: AggregateContainerState, resource: str) -> int:
        """Millicores or bytes."""
        ...


class Percentile(msgspec.Struct, frozen=True):
    """A percentile of what was used."""

    fraction: float

    def estimate(self, state: AggregateContainerState, resource: str) -> int:
        """Millicores or bytes."""
        if resource == amounts.CPU:
            return amounts.from_float(state.cpu_usage.percentile(self.fraction) * 1000.0)
        return amounts.from_float(state.memory_peaks.percentile(self.fraction))


class Margin(msgspec.Struct, frozen=True):
    """Something on top, for safety."""

    fraction: float
    base: Estimator

    def estimate(self, state: AggregateContainerState, resource: str) -> int:
        """Millicores or bytes."""
        base = self.base.estimate(state, resource)
        return base + amounts.scale(base, self.fraction)


class Confidence(msgspec.Struct, frozen=True):
    """Times ``(1 + multiplier / confidence) ** exponent``: bounds are wide while little is known.

    With an exponent above zero that is infinite when nothing is known, with one below it is zero.
    """

    multiplier: float
    exponent: float
    interval_ns: int
    base: Estimator

    def estimate(self, state: AggregateContainerState, resource: str) -> int:
        """Millicores or bytes."""
        known = confidence(state, self.interval_ns)
        per_known = self.multiplier / known if known else math.inf * self.multiplier
        factor = _power(1.0 + per_known, self.exponent)
        return amounts.scale(self.base.estimate(state, resource), factor)


class Minimum(msgspec.Struct, frozen=True):
    """No less than a floor."""

    floor: int
    base: Estimator

    def estimate(self, state: AggregateContainerState, resource: str) -> int:
        """Millicores or bytes."""
        return max(self.base.estimate(state, resource), self.floor)


class Constant(msgspec.Struct, frozen=True):
    """Always the same."""

    amount: int

    def estimate(self, state: AggregateContainerState, resource: str) -> int:
        """Millicores or bytes."""
        del state, resource
        return self.amount


def confidence(state: AggregateContainerState, interval_ns: int) -> float:
    """How many intervals of history there are, at a sample a minute."""
    lifespan_ns = elapsed_ns(state.first_sample_ns, state.last_sample_ns)
    # Whole minutes and the rest of one are added as floats: the last bit may decide on a byte.
    minutes, rest_ns = divmod(interval_ns, MINUTE_NS)
    samples = state.total_samples / (minutes + rest_ns / MINUTE_NS)
    return min(lifespan_ns / interval_ns, samples)


def _power(base: float, exponent: float) -> float:
    """As Go has it: there are infinities instead of errors."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.inf if base == 0 else math.nan
