"""How quickly usage becomes known."""

from __future__ import annotations

import msgspec

from kubestage.errors import InputError
from kubestage.units import SECOND_NS


class MetricsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`resolution_ns` is how often usage is looked at, `delay_ns` how long a look takes to arrive.

    Metrics-server looks every 15 seconds. Nothing is said of a container that has run for less than
    `fresh_ns`, for the mean of so short a time means little.
    """

    resolution_ns: int = 15 * SECOND_NS
    delay_ns: int = 1 * SECOND_NS
    fresh_ns: int = 10 * SECOND_NS

    def __post_init__(self) -> None:
        if self.resolution_ns <= 0:
            raise InputError("must be above zero", path="metrics.resolution", fix="write 15s")
        if self.delay_ns < 0:
            raise InputError("is below zero", path="metrics.delay", fix="write 1s, or 0s")
